"""Many contracts against the same code: the code is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TypeAlias
from unittest import mock

from bench.accuracy.run import Found, Said, plain_subject
from contract_scan import api
from contract_scan.config import Config
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.scanners.report import Report

Rescan: TypeAlias = Callable[[Path], Said]
"""What a scan against a contract says."""


@contextmanager
def rescanning(root: Path) -> Iterator[Rescan]:
    """Scan as `contract_scan.scan` does, but keep what was read of the code between scans."""
    real = root.resolve()
    with api._reading(real, Config(), (), cache=False, prefilter=True) as opened:

        def reading(*_: object, **__: object) -> nullcontext[object]:
            return nullcontext(opened)

        with mock.patch.object(api, "_reading", reading):
            yield lambda contract: _said(api.scan(real, contracts=[contract], cache=False))


def _said(report: Report) -> Said:
    return Said(
        tuple(Found(f.rule, f.kind, _subject(f), f.field) for f in report.findings),
        frozenset(map(_subject, report.undetermined)),
    )


def _subject(entry: Finding | Undetermined) -> str:
    operation = entry.operation
    subject = f"{operation.method} {operation.path}" if operation else None
    return plain_subject(subject or entry.channel or entry.model or "")
