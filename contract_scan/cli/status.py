"""The exit statuses."""

from __future__ import annotations

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Iterable

    from contract_scan.config import Level
    from contract_scan.ir.document import NotAnalysed
    from contract_scan.scanners.report import Report, Summary

CLEAN = 0
VIOLATIONS = 1
COULD_NOT_JUDGE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


def of_report(report: Report, fail_on: Level, min_verified: int = 0) -> int:
    """1 where a finding is bad enough, else 2 where the scan is incomplete or too little of what
    is promised was verified (`min_verified`, in percent), else 0.

    A finding stands whatever could not be read next to it; only without one does an incomplete
    scan leave the question open.
    """
    from contract_scan.scanners.report import SEVERITY_ORDER

    worst_allowed = SEVERITY_ORDER[fail_on]
    if any(SEVERITY_ORDER[finding.severity] <= worst_allowed for finding in report.findings):
        return VIOLATIONS
    if not is_complete(report.not_analysed) or percent_verified(report.summary) < min_verified:
        return COULD_NOT_JUDGE
    return CLEAN


def percent_verified(summary: Summary) -> float:
    """The share of the promises that were verified, of those that the code has a part in (shared
    models without a type in the code are none); 100 where there is none."""
    tallies = (summary.operations, summary.channels, summary.models)
    counted = sum(tally.total - tally.absent for tally in tallies)
    return 100 * sum(tally.verified for tally in tallies) / counted if counted else 100.0


def is_complete(problems: Iterable[NotAnalysed]) -> bool:
    """Whether a scan that met these problems has looked at all that was there to be looked at."""
    return all(problem.expected for problem in problems)
