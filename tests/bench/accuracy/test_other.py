"""Another tool is given the same mutants and scored in the same way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.accuracy.other import OtherError, export, read_said
from bench.accuracy.score import score
from tests.bench.accuracy.test_rescan import shop


def test_every_mutant_is_written_with_what_it_expects(tmp_path: Path) -> None:
    pair = shop(tmp_path)
    total = export([pair], tmp_path / "out", 1, seed=1)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    [listed] = manifest["pairs"]
    assert len(listed["mutants"]) == total
    assert (tmp_path / "out" / "shop" / "baseline.json").is_file()
    assert {f"{each['mutant']}.json" for each in listed["mutants"]} == {
        path.name for path in (tmp_path / "out" / "shop").glob("m*.json")
    }


def test_a_tool_that_repeats_the_expectations_finds_everything(tmp_path: Path) -> None:
    pair = shop(tmp_path)
    export([pair], tmp_path / "out", 2, seed=1)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    said = {
        each["mutant"]: {
            "findings": [
                {
                    "rule": expected["rule"],
                    "kind": expected["kinds"][0],
                    "subject": expected["subject"],
                    "field": expected["fields"][0],
                }
                for expected in each["expected"]
            ]
        }
        for each in manifest["pairs"][0]["mutants"]
    }
    file = tmp_path / "said.json"
    said["baseline"] = {"findings": []}
    file.write_text(json.dumps({"format": 1, "pairs": {"shop": said}}))
    _, said_of = read_said(file)
    made = score(pair, 2, 1, said_of("shop"))
    assert {outcome.verdict for outcome in made.outcomes} == {"found"}
    assert made.alarms == []


def test_a_tool_that_says_nothing_misses(tmp_path: Path) -> None:
    pair = shop(tmp_path)
    file = tmp_path / "said.json"
    nothing: dict[str, object] = {f"m{index:04}": {"findings": []} for index in range(200)}
    file.write_text(json.dumps({"format": 1, "pairs": {"shop": nothing}}))
    _, said_of = read_said(file)
    made = score(pair, 2, 1, said_of("shop"))
    assert made.count("found") == 0
    assert made.count("missed") > 10


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "Expecting property name"),
        ("{}", 'wants "format": 1'),
        ('{"format": 1}', 'wants "pairs"'),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "said.json"
    file.write_text(text)
    with pytest.raises(OtherError, match=reason):
        read_said(file)
