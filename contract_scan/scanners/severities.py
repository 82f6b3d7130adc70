"""Severities that a project gives to rules and kinds of drift, in place of ours."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from contract_scan.config.values import SeverityOf, SeveritySetting
from contract_scan.ir.violation import Finding, Suppressed
from contract_scan.scanners.report import Report


def with_severities(report: Report, severities: Sequence[SeverityOf]) -> Report:
    """The report with every finding as grave as its kind or else its rule is said to be, and
    without those that are off."""
    wanted = {(each.rule, each.kind): each.severity for each in severities}
    reported: list[Finding] = []
    off: list[Suppressed] = []
    for finding in report.findings:
        severity = _setting_of(finding, wanted)
        if severity == "off":
            off.append(_suppress(finding, wanted))
        elif severity is None or severity == finding.severity:
            reported.append(finding)
        else:
            reported.append(msgspec.structs.replace(finding, severity=severity))
    return msgspec.structs.replace(
        report,
        findings=tuple(reported),
        ignored=report.ignored + len(off),
        excepted=report.excepted + len(off),
        suppressed=(*report.suppressed, *off),
    )


def _setting_of(
    finding: Finding, wanted: dict[tuple[str, str], SeveritySetting]
) -> SeveritySetting | None:
    return wanted.get((finding.rule, finding.kind)) or wanted.get((finding.rule, ""))


def _suppress(finding: Finding, wanted: dict[tuple[str, str], SeveritySetting]) -> Suppressed:
    turned_off = finding.name if (finding.rule, finding.kind) in wanted else finding.rule
    justification = f"the configuration turns {turned_off} off"
    return Suppressed(finding=finding, by="configuration", justification=justification)
