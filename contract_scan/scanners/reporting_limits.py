"""Leaving out findings that nobody asked for: of other kinds, of weaker evidence, or milder."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from contract_scan.ir.evidence import Grade, at_least
from contract_scan.ir.violation import Finding, Severity, Suppressed
from contract_scan.scanners.report import SEVERITY_ORDER, Report


def within_limits(
    report: Report,
    kinds: Collection[str],
    *,
    least_evidence: Grade = "guessed",
    least_severity: Severity = "note",
) -> Report:
    """The report with the findings only that are of the named `kinds`
    (`CONTRACT-001/missing-field`), known as well and as grave as is asked for. The others are
    counted among those that the configuration leaves out. What became of a promise stays: that its
    drift is not reported does not mend it."""
    reported: list[Finding] = []
    left_out: list[Suppressed] = []
    for finding in report.findings:
        if finding.name not in kinds:
            reason = f"`{finding.name}` is not selected"
        elif not at_least(finding.evidence, least_evidence):
            reason = (
                f"`min-confidence` asks for {least_evidence}; the evidence is {finding.evidence}"
            )
        elif SEVERITY_ORDER[finding.severity] > SEVERITY_ORDER[least_severity]:
            reason = f"`min-severity` asks for {least_severity}; this is a {finding.severity}"
        else:
            reported.append(finding)
            continue
        left_out.append(Suppressed(finding=finding, by="configuration", justification=reason))
    if not left_out:
        return report
    return msgspec.structs.replace(
        report,
        findings=tuple(reported),
        ignored=report.ignored + len(left_out),
        excepted=report.excepted + len(left_out),
        suppressed=(*report.suppressed, *left_out),
    )
