"""Findings that nobody asked for are left out, and counted."""

from __future__ import annotations

from contract_scan.config.rules import SELECTORS
from contract_scan.ir.evidence import GRADES, Grade
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding, Kind, Severity
from contract_scan.scanners.report import Report
from contract_scan.scanners.reporting_limits import within_limits


def finding(
    *, kind: Kind = "type", severity: Severity = "error", evidence: Grade = "enforced"
) -> Finding:
    return Finding(
        rule="CONTRACT-001",
        kind=kind,
        severity=severity,
        message=evidence,
        origin=Origin("app.py"),
        evidence=evidence,
    )


def test_what_is_known_less_well_is_left_out_and_counted() -> None:
    findings = tuple(finding(evidence=grade) for grade in GRADES)
    for position, least in enumerate(GRADES):
        left = within_limits(Report(findings=findings), SELECTORS, least_evidence=least)
        assert left.findings == findings[: position + 1]
        assert left.ignored == left.excepted == len(findings) - position - 1
        assert [one.finding for one in left.suppressed] == list(findings[position + 1 :])
    weakest = within_limits(Report(findings=findings), SELECTORS, least_evidence="checked")
    assert weakest.suppressed[-1].by == "configuration"
    assert weakest.suppressed[-1].justification == (
        "`min-confidence` asks for checked; the evidence is guessed"
    )


def test_what_is_milder_is_left_out_and_counted() -> None:
    error, warning, note = (finding(severity=each) for each in ("error", "warning", "note"))
    report = Report(findings=(error, warning, note))
    left = within_limits(report, SELECTORS, least_severity="warning")
    assert left.findings == (error, warning)
    assert (left.ignored, left.excepted) == (1, 1)
    assert left.suppressed[0].justification == "`min-severity` asks for warning; this is a note"


def test_kinds_that_are_not_selected_are_left_out_and_counted() -> None:
    type_, enum = finding(kind="type"), finding(kind="enum")
    left = within_limits(Report(findings=(type_, enum)), {"CONTRACT-001/enum"})
    assert left.findings == (enum,)
    assert (left.ignored, left.excepted) == (1, 1)
    assert left.suppressed[0].justification == "`CONTRACT-001/type` is not selected"
