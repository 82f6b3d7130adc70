"""Limiting a report to changed files: everything is looked at, what concerns them is said."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePath, PurePosixPath

import msgspec
from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.scanners.report import Report


class ScanScope(Struct, frozen=True):
    """Which files a report is about. Detection always sees all of them."""

    mode: str = "full"
    """`full`: no limit. `changed`, `changed_only` and `changed_and_imports`: the changed files."""
    changed_files: Collection[Path | str] = ()
    """Absolute, or relative to the scanned root; a folder stands for every file below it. None at
    all: no limit, as for `full`."""

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
    return msgspec.structs.replace(
        report,
        findings=tuple(
            finding
            for finding in report.findings
            if _touches(inside, finding.origin, finding.contract, finding.reached_from)
        ),
        undetermined=tuple(
            entry for entry in report.undetermined if _touches(inside, entry.origin)
        ),
    )


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
    """Root-relative paths with `/`. Links count where the plain path is not below the root."""
    found = set()
    for file in files:
        path = Path(file)
        if not path.is_absolute():
            found.add(PurePath(path).as_posix())
            continue
        for candidate, base in ((path, root), (path.resolve(), root.resolve())):
            if candidate.is_relative_to(base):
                found.add(candidate.relative_to(base).as_posix())
                break
    return frozenset(found)
