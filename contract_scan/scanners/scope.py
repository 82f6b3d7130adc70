"""Limiting a report to changed files: everything is looked at, what concerns them is said."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path, PurePath, PurePosixPath

import msgspec
from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.deleted_in_change import is_named
from contract_scan.scanners.report import NO_ROUTES, Report
from contract_scan.scanners.rules.contract_002_missing_endpoint import ID as MISSING_ENDPOINT


class ScanScope(Struct, frozen=True):
    """Which files a report is about. Detection always sees all of them."""

    mode: str = "full"
    """`full`: no limit. `changed`, `changed_only` and `changed_and_imports`: the changed files."""
    changed_files: Collection[Path | str] = ()
    """Absolute, or relative to the scanned root; a folder stands for every file below it. None at
    all: no limit, as for `full`."""
    removed: str | None = None
    """Text that the change takes away. What is missing from the code is told where its name stands
    in there; None: where it is not known."""
    includes_missing: bool = False
    """Whether what is missing from the code is told whatever has changed: no file of the code holds
    it, so that it belongs to its contract alone."""

    @property
    def limits(self) -> bool:
        """Whether anything is left out."""
        return self.mode != "full" and bool(self.changed_files)


def limit(report: Report, scope: ScanScope | None, root: Path) -> Report:
    """Keep what concerns the scope's files: its code, its contract or the route that leads there.

    The summary stays that of the whole scan.
    """
    if scope is None or not scope.limits:
        return report
    inside = _relative(scope.changed_files, root)
    findings = tuple(
        finding
        for finding in report.findings
        if _touches(inside, finding.origin, finding.contract, finding.reached_from)
        or _may_be_removed(finding, scope.removed)
        or (scope.includes_missing and finding.kind in _MISSING)
    )
    removed = any(_may_be_removed(entry, scope.removed) for entry in report.undetermined)
    return msgspec.structs.replace(
        report,
        findings=findings,
        elsewhere=len(report.findings) - len(findings),
        suppressed=tuple(
            entry
            for entry in report.suppressed
            if _touches(
                inside, entry.finding.origin, entry.finding.contract, entry.finding.reached_from
            )
        ),
        undetermined=tuple(
            entry
            for entry in report.undetermined
            if _touches(inside, entry.origin)
            or _may_be_removed(entry, scope.removed)
            or (scope.includes_missing and entry.reason == NO_ROUTES)
        ),
        # What could be verified is asked of the whole code, not of the files of one change, unless
        # it may be the change that took all of it away.
        not_analysed=tuple(
            one for one in report.not_analysed if removed or one.code != "nothing-verified"
        ),
    )


_MISSING = frozenset({"missing-endpoint", "method", "missing-channel", "missing-model"})
"""Kinds that are found in the contract because of something that is not in the code."""


def missing_word(entry: Finding | Undetermined) -> str | None:
    """The word, in small letters, by which the text that a change takes away names what an entry
    misses in the code, or may miss; empty where any text may. None of one that misses nothing."""
    if not _may_miss(entry):
        return None
    path = entry.operation.path if entry.operation else ""
    named = re.sub(r"\{[^{}]*+\}", "", path or entry.channel or entry.model or "")
    words = re.findall(r"\w+", named)
    return words[-1].casefold() if words else ""


def _may_miss(entry: Finding | Undetermined) -> bool:
    if isinstance(entry, Finding):
        return entry.kind in _MISSING
    return entry.rule == MISSING_ENDPOINT and entry.operation is not None


def _may_be_removed(entry: Finding | Undetermined, removed: str | None) -> bool:
    """Whether the change may have taken away what an entry misses."""
    word = missing_word(entry) if removed else None
    return word is not None and is_named(word, removed or "")


def _touches(inside: frozenset[str], *origins: Origin | None) -> bool:
    return any(
        origin is not None
        and (
            origin.path in inside
            or any(str(folder) in inside for folder in PurePosixPath(origin.path).parents)
        )
        for origin in origins
    )


def _relative(files: Collection[Path | str], root: Path) -> frozenset[str]:
    """Paths as reports write them: relative to the root, with `/`, also of contracts beside it.

    A file may be named through links: it counts under its plain and under its real path.
    """
    found = set()
    for file in files:
        path = Path(file)
        if not path.is_absolute():
            found.add(PurePath(path).as_posix())
            continue
        found.add(PurePath(os.path.relpath(path, root)).as_posix())
        found.add(PurePath(os.path.relpath(path.resolve(), root.resolve())).as_posix())
    return frozenset(found)
