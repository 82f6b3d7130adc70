"""`check --add-ignore`: write comments that except what is reported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from contract_scan.counted import counted
from contract_scan.errors import UsageError
from contract_scan.reports.display import display

if TYPE_CHECKING:
    from pathlib import Path

    from contract_scan.cli.check_options import CheckOptions
    from contract_scan.ir.violation import Finding
    from contract_scan.scanners.report import Report

_SHOWN = 5
"""Findings that are named of those that no comment can except."""


def refuse_with_others(options: CheckOptions) -> None:
    """Raise UsageError where another option changes files as well, or a reason ends the comment."""
    for name in ("fix", "diff", "watch"):
        if options[name]:
            raise UsageError(f"--add-ignore and --{name} exclude each other")
    if options["stdin_filename"] is not None:
        raise UsageError("--add-ignore writes files; standard input is none")
    reason = options["add_ignore"] or ""
    if not reason.isprintable():
        raise UsageError("the reason of --add-ignore must be one line of text")


def with_ignores(
    report: Report,
    wanted: Sequence[Finding],
    root: Path,
    again: Callable[[], Report],
    reason: str,
) -> Report:
    """Write the comments, say on the error stream what was done, and give the report of what is
    left."""
    from contract_scan.fixes.ignores import add_ignores

    latest = [report]

    def scan_after_fixes() -> Iterable[Finding]:
        latest[0] = again()
        return latest[0].findings

    if not wanted:
        _print_line("Nothing to ignore.")
        return report
    outcome = add_ignores(root, wanted, scan_after_fixes, reason)
    for refused in outcome.refused:
        _print_line(f"{refused.path}: not changed: {refused.reason}")
    for finding in outcome.left[:_SHOWN]:
        place = f"{finding.origin.path}:{finding.origin.span.line}"
        _print_line(f"{place}: {finding.name}: no comment can stand there")
    if len(outcome.left) > _SHOWN:
        _print_line(f"… and {counted(len(outcome.left) - _SHOWN, 'more finding')} likewise")
    if outcome.left:
        _print_line(
            "What no comment can except, an exception of the configuration or a baseline can."
        )
    done, files = counted(len(outcome.done), "finding"), counted(len(outcome.files), "file")
    _print_line(f"Ignored {done} by comments in {files}.")
    return latest[0]


def _print_line(line: str) -> None:
    print(display(line), file=sys.stderr)
