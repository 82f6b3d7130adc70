"""What the worker thread does: scan a folder, and find out what stands for what in it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from contract_scan.cache import Place
from contract_scan.config import Config
from contract_scan.errors import ContractScanError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.violation import Finding
from contract_scan.scanners.links import Link
from contract_scan.scanners.report import Report

if TYPE_CHECKING:
    from contract_scan.fixes.contract_fixes import Additions


class Settings(Struct, frozen=True, kw_only=True):
    """What is in force for a folder."""

    config: Config
    select: frozenset[str]
    """The rules to run."""
    cache: Place = True


SettingsOf: TypeAlias = Callable[[Path], Settings]
"""Reads the settings of a folder anew. Raises ContractScanError."""


class Cancelled(Exception):  # noqa: N818 - it is no error
    """A newer request has made a scan unwanted."""


class ScanOutcome(Struct, frozen=True, kw_only=True):
    """What a scan gave."""

    report: Report = Report()
    problem: NotAnalysed | None = None
    """Why there is no report: a broken configuration, a contract that cannot be read."""
    began: int = 0
    """When the scan began, in ns since the epoch."""
    quiet: bool = False
    """The problem is none of the folder's files: there is nothing to compare."""


def scan_folder(folder: Path, settings_of: SettingsOf, cancelled: Event) -> ScanOutcome:
    """Scan a folder. Every mistake of a user is an outcome; `Cancelled` is raised at the next
    step of the work once the event is set."""
    from contract_scan.api import scan

    def stop_where_unwanted(stage: str, done: int, total: int) -> None:
        if cancelled.is_set():
            raise Cancelled

    began = time.time_ns()
    try:
        settings = settings_of(folder)
        stop_where_unwanted("", 0, 0)
        report = scan(
            folder,
            config=settings.config,
            select=settings.select,
            cache=settings.cache,
            progress=stop_where_unwanted,
        )
    except ContractScanError as error:
        problem = NotAnalysed(path=error.path, line=error.line, reason=error.message)
        return ScanOutcome(problem=problem, quiet=not error.path or (folder / error.path).is_dir())
    return ScanOutcome(report=report, began=began)


def find_links(folder: Path, settings_of: SettingsOf) -> list[Link]:
    """What in the contracts of a folder stands for what in its code; nothing where it cannot be
    scanned."""
    from contract_scan.api import open_code
    from contract_scan.scanners.links import links_of

    try:
        settings = settings_of(folder)
        with open_code(folder, config=settings.config, cache=settings.cache) as code:
            return links_of(code.pair())
    except ContractScanError:
        return []


def find_fixes(
    folder: Path, findings: Sequence[Finding], began: int, settings_of: SettingsOf
) -> dict[str, Finding]:
    """Those findings of a scan that can be mended, by fingerprint, each with its fix, of the code
    or else of the contract, and those that cannot for what that would break."""
    from contract_scan.fixes.plan import plan
    from contract_scan.undocumented import additions

    def contract_additions() -> Additions:
        try:
            settings = settings_of(folder)
            return additions(folder, config=settings.config, cache=settings.cache)
        except ContractScanError:
            return {}

    root = Path(os.path.realpath(folder))
    planned = plan(root, findings, began, contracts=True, additions=contract_additions)
    plannable = [each for each in planned if each.fix is not None or each.withheld is not None]
    return {finding.fingerprint: finding for finding in plannable}
