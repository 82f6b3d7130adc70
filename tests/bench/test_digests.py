"""The guard that shows whether a change of the code changes what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.digests import RECORD, Output, differences, main, projects


def output(*messages: str, way: str = "uncached") -> Output:
    entries = [{"rule": "CONTRACT-001", "message": text, "column": 1} for text in messages]
    text = json.dumps({"schema_version": 1, "findings": entries})
    return Output("shop", "check", way, text)  # type: ignore[arg-type]


def test_an_output_that_agrees_is_kept_and_differs_in_nothing(tmp_path: Path) -> None:
    same = output("a")
    assert list(differences([same], {"check": same.digest}, tmp_path)) == []
    assert (tmp_path / "shop.check.json").read_text() == same.text


def test_entries_that_came_and_went_are_named(tmp_path: Path) -> None:
    recorded = output("a", "b")
    record = {"check": recorded.digest}
    assert list(differences([recorded], record, tmp_path)) == []
    assert list(differences([output("b", "c", way="warm")], record, tmp_path)) == [
        [
            "shop check warm: differs from the record",
            "  - findings: rule='CONTRACT-001' message='a'",
            "  + findings: rule='CONTRACT-001' message='c'",
        ]
    ]
    assert (tmp_path / "shop.check.json").read_text() == recorded.text
    assert (tmp_path / "shop.check.warm.json").is_file()


def test_another_order_is_a_difference(tmp_path: Path) -> None:
    recorded = output("a", "b")
    record = {"check": recorded.digest}
    assert list(differences([recorded], record, tmp_path)) == []
    (lines,) = differences([output("b", "a")], record, tmp_path)
    assert lines[1:] == ["  findings: the same entries in another order"]


def test_without_a_run_that_agreed_the_json_is_named(tmp_path: Path) -> None:
    (lines,) = differences([output("a")], {}, tmp_path)
    file = tmp_path / "shop.check.uncached.json"
    assert lines[1:] == [f"  see {file} (no JSON of a run that agrees lies beside it)"]


def test_the_command_tells_a_recorded_project_from_one_that_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--quick", "--only", "bookshop-clean", "--json", str(tmp_path / "json")]
    assert main(arguments) == 0
    assert capsys.readouterr().out == "2 outputs are as recorded\n"
    record = json.loads(RECORD.read_text())
    record["bookshop-clean"]["check"] = "0" * 32
    changed = tmp_path / "record.json"
    changed.write_text(json.dumps(record))
    assert main([*arguments, "--record", str(changed)]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "bookshop-clean check uncached: differs from the record"
    assert last == "1 outputs are as recorded"


def test_every_recorded_project_is_a_fixture_or_a_pinned_pair(tmp_path: Path) -> None:
    record = json.loads(RECORD.read_text())
    fixtures = {project.name for project in projects(None, tmp_path)}
    assert {name for name, entry in record.items() if "origin" not in entry} == fixtures
