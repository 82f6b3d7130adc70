"""Findings whose evidence is weaker than a project asks for are left out, and counted."""

from __future__ import annotations

from contract_scan.ir.evidence import GRADES
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding
from contract_scan.scanners.confidence import with_confidence
from contract_scan.scanners.report import Report

FINDINGS = tuple(
    Finding(
        rule="CONTRACT-001",
        kind="type",
        severity="error",
        message=grade,
        origin=Origin("app.py"),
        evidence=grade,
    )
    for grade in GRADES
)


def test_what_is_known_less_well_is_left_out_and_counted() -> None:
    report = Report(findings=FINDINGS)
    for position, least in enumerate(GRADES):
        left = with_confidence(report, least)
        assert left.findings == FINDINGS[: position + 1]
        assert left.ignored == left.excepted == len(FINDINGS) - position - 1
        assert [one.finding for one in left.suppressed] == list(FINDINGS[position + 1 :])
    weakest = with_confidence(report, "checked").suppressed[-1]
    assert weakest.by == "configuration"
    assert weakest.justification == "`min-confidence` asks for checked; the evidence is guessed"
