"""The bookshop, scanned as a user scans it: exactly the planted drift, none in its clean twin."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.forked import forked_python
from tests.projects.twins import EXPECTED

REPOSITORY = Path(__file__).parents[2]
FACTS = ("rule", "kind", "path", "line", "operation", "channel", "model", "field")


class Run(NamedTuple):
    status: int
    report: dict[str, Any]


def check(folder: Path) -> Run:
    command = [forked_python(), "-m", "contract_scan", "check", str(folder), "--no-cache"]
    done = subprocess.run(
        [*command, "--output-format", "json"],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return Run(done.returncode, json.loads(done.stdout))


def facts(findings: list[dict[str, Any]]) -> list[str]:
    """Findings by everything that is asserted of them, sorted."""
    return sorted(
        json.dumps({name: finding[name] for name in FACTS}, sort_keys=True) for finding in findings
    )


@pytest.fixture(scope="module")
def drifted(bookshop: Path) -> Run:
    return check(bookshop)


@pytest.fixture(scope="module")
def clean(clean_bookshop: Path) -> Run:
    return check(clean_bookshop)


def test_the_drifted_shop_gives_exactly_the_planted_findings(drifted: Run) -> None:
    assert facts(drifted.report["findings"]) == facts(json.loads(EXPECTED.read_text()))


def test_the_drifted_shop_fails(drifted: Run) -> None:
    assert drifted.status == 1


def test_nothing_in_the_drifted_shop_is_left_undetermined(drifted: Run) -> None:
    assert (drifted.report["undetermined"], drifted.report["not_analysed"]) == ([], [])


def test_the_clean_shop_has_no_findings(clean: Run) -> None:
    assert (facts(clean.report["findings"]), clean.status) == ([], 0)


def test_everything_in_the_clean_shop_is_verified(clean: Run) -> None:
    all_verified = {"partly": 0, "violated": 0, "missing": 0, "undetermined": 0}
    summary = dict(clean.report["summary"])
    files = summary.pop("files")
    assert summary == {
        "operations": 50,
        "verified": 50,
        **all_verified,
        "absent": 0,
        "channels": {"total": 7, "verified": 7, **all_verified, "absent": 0},
        "models": {"total": 6, "verified": 6, **all_verified, "absent": 0},
        "ignored": 0,
        "known": 0,
        "known_problems": 0,
        "elsewhere": 0,
        "problems": 0,
        "places": 0,
    }
    assert files > 90
    assert (clean.report["undetermined"], clean.report["not_analysed"]) == ([], [])
