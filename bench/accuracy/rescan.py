"""Many contracts against the same code: the code is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from bench.accuracy.run import Found, Said, plain_subject
from contract_scan import api
from contract_scan.ir.violation import RULE_IDS, Finding, Undetermined
from contract_scan.scanners.report import Report

Rescan: TypeAlias = Callable[[Path], Said]
"""What a scan against a contract says."""


@contextmanager
def rescanning(root: Path) -> Iterator[Rescan]:
    """Scan as `contract_scan.scan` does, but keep what was read of the code between scans."""
    with api.open_code(root, cache=False) as code:
        yield lambda contract: said_by(code.compare([contract], RULE_IDS)[0])


def said_by(report: Report) -> Said:
    """A report as it is compared."""
    return Said(
        tuple(Found(f.rule, f.kind, _subject(f), f.field) for f in report.findings),
        frozenset(map(_subject, report.undetermined)),
        frozenset(_subject(item) for item in report.undetermined if item.absent),
    )


def _subject(entry: Finding | Undetermined) -> str:
    operation = entry.operation
    subject = f"{operation.method} {operation.path}" if operation else None
    return plain_subject(subject or entry.channel or entry.model or "")
