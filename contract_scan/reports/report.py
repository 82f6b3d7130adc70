"""What the reports are drawn from: the outcome of a scan and the circumstances of showing it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from contract_scan.config.values import FAIL_ON, FailOn
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.problem import Problem, ProblemGroup
from contract_scan.ir.promise import Promise, Service
from contract_scan.ir.violation import Finding, Severity, Suppressed, Undetermined
from contract_scan.reports.listing_choice import Show


class Counts(Protocol):
    """How many promises of one sort there are, and what became of them."""

    @property
    def total(self) -> int: ...
    @property
    def verified(self) -> int: ...
    @property
    def partly(self) -> int: ...
    @property
    def violated(self) -> int: ...
    @property
    def missing(self) -> int: ...
    @property
    def undetermined(self) -> int: ...
    @property
    def absent(self) -> int: ...


class Summary(Protocol):
    """The counts of a scan."""

    @property
    def operations(self) -> Counts: ...
    @property
    def channels(self) -> Counts: ...
    @property
    def models(self) -> Counts: ...


class Report(Protocol):
    """The outcome of a scan."""

    @property
    def findings(self) -> Sequence[Finding]: ...
    @property
    def undetermined(self) -> Sequence[Undetermined]: ...
    @property
    def not_analysed(self) -> Sequence[NotAnalysed]: ...
    @property
    def summary(self) -> Summary: ...
    @property
    def files(self) -> int: ...
    @property
    def ignored(self) -> int: ...
    @property
    def excepted(self) -> int: ...
    @property
    def known(self) -> int: ...
    @property
    def known_problems(self) -> int: ...
    @property
    def elsewhere(self) -> int: ...
    @property
    def promises(self) -> Sequence[Promise]: ...
    @property
    def services(self) -> Sequence[Service]: ...
    @property
    def suppressed(self) -> Sequence[Suppressed]: ...
    @property
    def problems(self) -> Sequence[Problem]: ...
    @property
    def problem_groups(self) -> Sequence[ProblemGroup]: ...


class RuleInfo(Protocol):
    """What a report says of a rule."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def documentation(self) -> str: ...


class Setting(Struct, frozen=True, kw_only=True):
    """The circumstances of a report: where the files are and how to show them."""

    root: Path
    """The scanned folder, absolute: paths of findings are relative to it."""
    prefix: str = ""
    """Put before a path that a person reads, so that it leads there from the working directory."""
    repository: Path | None = None
    """The repository around the root, where there is one."""
    version: str = ""
    rules: tuple[RuleInfo, ...] = ()
    color: bool = False
    links: bool = False
    """Whether the terminal makes links of texts (OSC 8)."""
    columns: int = 160
    """Of the terminal: longer lines of code are cut."""
    fail_on: FailOn = "error"
    """Mildest severity that fails the run."""
    quiet: bool = False
    show: frozenset[Show] = frozenset({"problems"})
    """What reports for people list."""
    verbose: bool = False
    statistics: bool = False
    suppressed: bool = True
    """Whether formats that can say so (SARIF) also hold what was left out on purpose."""
    unsafe_fixes: bool = False
    """Whether fixes count that change more than the wire."""


def fails(severity: Severity, fail_on: FailOn) -> bool:
    """Whether a severity fails a run that fails on another, or never."""
    return fail_on != "never" and FAIL_ON.index(severity) <= FAIL_ON.index(fail_on)
