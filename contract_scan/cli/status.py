"""The exit statuses."""

from __future__ import annotations

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Iterable

    from contract_scan.config import FailOn
    from contract_scan.ir.document import NotAnalysed
    from contract_scan.scanners.report import Report, Summary

CLEAN = 0
VIOLATIONS = 1
COULD_NOT_JUDGE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


def of_report(
    report: Report, fail_on: FailOn, min_verified: int = 0, max_warnings: int | None = None
) -> int:
    """1 where a finding is bad enough, or more than `max_warnings` problems are warnings; else 2
    where the scan is incomplete or too little of what is promised was verified (`min_verified`, in
    percent); else 0.

    A finding stands whatever could not be read next to it; only without one does an incomplete
    scan leave the question open.
    """
    from contract_scan.scanners.report import SEVERITY_ORDER

    if fail_on != "never":
        worst_allowed = SEVERITY_ORDER[fail_on]
        if any(SEVERITY_ORDER[finding.severity] <= worst_allowed for finding in report.findings):
            return VIOLATIONS
    if max_warnings is not None and number_of_warnings(report) > max_warnings:
        return VIOLATIONS
    if not is_complete(report.not_analysed) or percent_verified(report.summary) < min_verified:
        return COULD_NOT_JUDGE
    return CLEAN


def number_of_warnings(report: Report) -> int:
    """How many problems are warnings."""
    return sum(problem.severity == "warning" for problem in report.problems)


def percent_verified(summary: Summary) -> float:
    """The share of the promises that were verified, of those that the code has a part in (shared
    models without a type in the code are none); 100 where there is none."""
    tallies = (summary.operations, summary.channels, summary.models)
    counted = sum(tally.total - tally.absent for tally in tallies)
    return 100 * sum(tally.verified for tally in tallies) / counted if counted else 100.0


def is_complete(problems: Iterable[NotAnalysed]) -> bool:
    """Whether a scan that met these problems has looked at all that was there to be looked at."""
    return all(problem.expected for problem in problems)
