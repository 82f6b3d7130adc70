"""The outcome of a scan: findings, what is undetermined, problems, and the count of promises."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, TypeAlias

from msgspec import Struct

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.problem import Problem, ProblemGroup
from contract_scan.ir.promise import Promise, Service
from contract_scan.ir.reasons import Reason
from contract_scan.ir.violation import (
    Finding,
    Kind,
    RuleId,
    Severity,
    Suppressed,
    Undetermined,
)
from contract_scan.scanners.problems import groups_of, problems_of

__all__ = [
    "NO_ROUTES",
    "SEVERITY_ORDER",
    "Finding",
    "Kind",
    "PromiseCounts",
    "Report",
    "RuleId",
    "Severity",
    "Subject",
    "Summary",
    "Suppressed",
    "Undetermined",
    "Verdict",
    "tally",
]

SEVERITY_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
"""Worst first."""

NO_ROUTES: Final = Reason("no-routes-recognised")
"""Why every operation is undetermined where not one route was found."""

Subject: TypeAlias = tuple[str, str]
"""A promise that is counted: path of its contract document, and its name there (`GET /orders`, the
key of a channel, the name of a model)."""


class Verdict(IntEnum):
    """What is known of one promise. Of several answers the highest counts."""

    ABSENT = -1
    """All of the code was looked at, and nothing in it stands for the shared model."""
    VERIFIED = 0
    """Everything it says was compared and holds."""
    PARTLY = 1
    """Everything but some fields was compared and holds: these are undetermined, or there is a
    warning of them."""
    UNDETERMINED = 2
    """Nothing is known to be broken, and something could not be compared."""
    VIOLATED = 3
    MISSING = 4


class PromiseCounts(Struct, frozen=True, kw_only=True):
    """How many promises of one sort there are, and what became of them."""

    total: int = 0
    verified: int = 0
    partly: int = 0
    violated: int = 0
    missing: int = 0
    undetermined: int = 0
    absent: int = 0


class Summary(Struct, frozen=True, kw_only=True):
    """The counts of a scan: of everything scanned, also where a scope limits the findings."""

    operations: PromiseCounts = PromiseCounts()
    channels: PromiseCounts = PromiseCounts()
    models: PromiseCounts = PromiseCounts()


class Report(Struct, frozen=True, kw_only=True):
    """Everything a scan says."""

    findings: tuple[Finding, ...] = ()
    """Sorted by path, line, column and rule."""
    undetermined: tuple[Undetermined, ...] = ()
    not_analysed: tuple[NotAnalysed, ...] = ()
    """What could not be read or judged: files, contracts, scans with nothing to look at."""
    summary: Summary = Summary()
    files: int = 0
    """Source files that were looked at."""
    ignored: int = 0
    """Findings left out because a comment next to them or the configuration says so."""
    excepted: int = 0
    """Those of them that the configuration leaves out."""
    known: int = 0
    """Findings left out because the baseline has them."""
    known_problems: int = 0
    """The problems that those are places of."""
    elsewhere: int = 0
    """Findings left out because they do not concern what the report is limited to."""
    promises: tuple[Promise, ...] = ()
    """Everything the summary counts, one by one."""
    services: tuple[Service, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    """The findings that `ignored` counts; where a scope limits the findings, those within it."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is to be mended, the worst and most far-reaching first: each with the findings that
        it shows itself in. Worked out anew each time that it is asked for."""
        return problems_of(self.findings)

    @property
    def problem_groups(self) -> tuple[ProblemGroup, ...]:
        """The problems, those together that read alike."""
        return groups_of(self.problems)


def tally(verdicts: dict[Subject, Verdict]) -> PromiseCounts:
    """Count promises by what became of them."""
    counts = dict.fromkeys(Verdict, 0)
    for verdict in verdicts.values():
        counts[verdict] += 1
    return PromiseCounts(
        total=len(verdicts),
        verified=counts[Verdict.VERIFIED],
        partly=counts[Verdict.PARTLY],
        violated=counts[Verdict.VIOLATED],
        missing=counts[Verdict.MISSING],
        undetermined=counts[Verdict.UNDETERMINED],
        absent=counts[Verdict.ABSENT],
    )
