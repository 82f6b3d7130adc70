"""`python -m bench.accuracy` measures a list of pairs of one's own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.bench.accuracy.test_score import shop
from tests.forked import forked_python

PAIR = {
    "name": "shop",
    "repository": "books/shop",
    "source": "code",
    "contract": "openapi.yaml",
}


def measured(corpora: Path, listed: Any, *options: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of the real command."""
    mine = corpora / "mine.json"
    mine.write_text(listed if isinstance(listed, str) else json.dumps(listed))
    made = subprocess.run(
        [
            forked_python(),
            "-m",
            "bench.accuracy",
            str(corpora),
            "--pairs-file",
            str(mine),
            *options,
        ],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    return made.returncode, made.stdout, made.stderr.replace(f"{corpora}/", "")


def test_a_pair_of_ones_own_is_scanned_and_counted(tmp_path: Path) -> None:
    (tmp_path / "books+shop").mkdir()
    shop(tmp_path / "books+shop")
    status, said, trouble = measured(tmp_path, [{**PAIR, "framework": "FastAPI"}])
    promises = [line for line in said.splitlines() if line.startswith("| shop |")]
    assert (status, trouble) == (0, "shop: done\n")
    assert promises[0] == "| shop | FastAPI | 1 operations | 1 | 1 | 0 | 0 | 0 | 0 (0 %) | 0 |"


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("{", "mine.json: cannot be read: Expecting property name enclosed in double quotes"),
        ({}, "mine.json: has to be a list of pairs, as bench/accuracy/pairs.json is"),
        ([PAIR, {"name": "x"}], "mine.json: pair 1 lacks contract, repository, source"),
        (["x"], "mine.json: pair 0 lacks contract, name, repository, source"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, listed: Any, said: str) -> None:
    status, _, trouble = measured(tmp_path, listed)
    assert (status, trouble.splitlines()[0].partition(": line ")[0]) == (2, said)


def test_a_repository_that_is_not_there_is_named(tmp_path: Path) -> None:
    status, _, trouble = measured(tmp_path, [PAIR])
    lacks = "lacks books/shop; a repository `owner/name` has to lie there as `owner+name`"
    assert (status, trouble.strip().partition(": ")[2]) == (2, lacks)


def test_labels_and_the_page_are_of_the_pinned_pairs(tmp_path: Path) -> None:
    status, _, trouble = measured(tmp_path, [PAIR], "--write")
    refused = "--write and --check-labels are for the pinned pairs, not for --pairs-file\n"
    assert (status, trouble) == (2, refused)
