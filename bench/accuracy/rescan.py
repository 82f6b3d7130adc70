"""Many contracts against the same code: the code is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from bench.accuracy.run import Found, plain_subject
from contract_scan.api import _reading, _units
from contract_scan.config import Config
from contract_scan.ir.violation import Finding
from contract_scan.parsers.contracts.load import load_contracts
from contract_scan.scanners.rule import Options
from contract_scan.scanners.scan import ALL, scan_units

Rescan: TypeAlias = Callable[[Path], tuple[Found, ...]]
"""What a contract finds in the code."""


@contextmanager
def rescanning(root: Path) -> Iterator[Rescan]:
    """The same steps as `contract_scan.scan`, with reading the code apart from the rest."""
    config = Config()
    with _reading(root.resolve(), config, (), cache=False, prefilter=True) as (reader, code):

        def rescan(contract: Path) -> tuple[Found, ...]:
            documents = load_contracts([contract], root.resolve())
            units = _units(documents, code, reader.files, config, root.resolve())
            report = scan_units(units, select=ALL, options=Options())
            return tuple(map(_found, report.findings))

        yield rescan


def _found(finding: Finding) -> Found:
    operation = finding.operation
    subject = f"{operation.method} {operation.path}" if operation else None
    named = subject or finding.channel or finding.model or ""
    return Found(finding.rule, finding.kind, plain_subject(named), finding.field)
