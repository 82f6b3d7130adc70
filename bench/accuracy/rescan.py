"""Many contracts against the same code: the code is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TypeAlias
from unittest import mock

from bench.accuracy.run import Found, plain_subject
from contract_scan import api
from contract_scan.config import Config
from contract_scan.ir.violation import Finding

Rescan: TypeAlias = Callable[[Path], tuple[Found, ...]]
"""What a contract finds in the code."""


@contextmanager
def rescanning(root: Path) -> Iterator[Rescan]:
    """Scan as `contract_scan.scan` does, but keep what was read of the code between scans."""
    real = root.resolve()
    with api._reading(real, Config(), (), cache=False, prefilter=True) as opened:

        def reading(*_: object, **__: object) -> nullcontext[object]:
            return nullcontext(opened)

        with mock.patch.object(api, "_reading", reading):
            yield lambda contract: tuple(
                map(_found, api.scan(real, contracts=[contract], cache=False).findings)
            )


def _found(finding: Finding) -> Found:
    operation = finding.operation
    subject = f"{operation.method} {operation.path}" if operation else None
    named = subject or finding.channel or finding.model or ""
    return Found(finding.rule, finding.kind, plain_subject(named), finding.field)
