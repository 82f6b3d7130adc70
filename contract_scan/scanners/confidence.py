"""Leaving out findings whose evidence is weaker than a project asks for."""

from __future__ import annotations

import msgspec

from contract_scan.ir.evidence import Grade, at_least
from contract_scan.ir.violation import Suppressed
from contract_scan.scanners.report import Report


def with_confidence(report: Report, least: Grade) -> Report:
    """The report without the findings of weaker evidence than `least`, which are counted among
    those that the configuration leaves out. What became of a promise stays: that its drift is not
    reported does not mend it."""
    kept = tuple(finding for finding in report.findings if at_least(finding.evidence, least))
    weak = tuple(
        Suppressed(
            finding=finding,
            by="configuration",
            justification=f"`min-confidence` asks for {least}; the evidence is {finding.evidence}",
        )
        for finding in report.findings
        if not at_least(finding.evidence, least)
    )
    if not weak:
        return report
    return msgspec.structs.replace(
        report,
        findings=kept,
        ignored=report.ignored + len(weak),
        excepted=report.excepted + len(weak),
        suppressed=(*report.suppressed, *weak),
    )
