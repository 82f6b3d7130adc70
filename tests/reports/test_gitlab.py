from __future__ import annotations

import json
from pathlib import Path

import msgspec

from contract_scan.reports.gitlab import render
from contract_scan.reports.rule_url import rule_url
from contract_scan.scanners.fingerprint import with_fingerprints
from contract_scan.scanners.report import Report
from tests.reports.hostile import HOSTILE, NASTY
from tests.reports.samples import BUSY, CLEAN, WRONG_STATUS, project


def test_an_entry_a_problem_and_one_for_each_file_not_read(tmp_path: Path) -> None:
    entries = json.loads("".join(render(BUSY, project(tmp_path))))
    assert entries[0] == {
        "description": "`POST /orders` is contracted, but no route answers it",
        "check_name": "CONTRACT-002/missing-endpoint",
        "content": {
            "body": "See [CONTRACT-002/missing-endpoint]"
            f"({rule_url('CONTRACT-002/missing-endpoint')})."
        },
        "fingerprint": BUSY.problems[0].fingerprint,
        "severity": "major",
        "location": {"path": "contracts/orders.yaml", "lines": {"begin": 8}},
    }
    assert [
        (each["check_name"], each["severity"], each["location"]["path"]) for each in entries
    ] == [
        ("CONTRACT-002/missing-endpoint", "major", "contracts/orders.yaml"),
        ("CONTRACT-001/status", "major", "src/orders.py"),
        ("CONTRACT-004/type", "minor", "src/orders.py"),
        ("not-analysed", "major", "src/old.py"),
    ]


def test_a_clean_scan_is_an_empty_array_without_a_byte_order_mark(tmp_path: Path) -> None:
    assert "".join(render(CLEAN, project(tmp_path))) == "[]\n"


def test_places_of_one_problem_are_one_entry(tmp_path: Path) -> None:
    report = Report(findings=with_fingerprints([WRONG_STATUS, WRONG_STATUS]))
    (entry,) = json.loads("".join(render(report, project(tmp_path))))
    assert entry["description"] == (
        "`get_order` returns 201, which the contract does not define (1 operation, 2 places)"
    )


def test_paths_are_those_of_the_repository(tmp_path: Path) -> None:
    setting = msgspec.structs.replace(project(tmp_path / "shop"), repository=tmp_path)
    entries = json.loads("".join(render(BUSY, setting)))
    assert entries[1]["location"]["path"] == "shop/src/orders.py"


def test_foreign_text_stays_text(tmp_path: Path) -> None:
    written = "".join(render(HOSTILE, project(tmp_path)))
    assert written.isascii()
    entries = json.loads(written)
    assert f"Not analysed: {NASTY}" in {each["description"] for each in entries}
