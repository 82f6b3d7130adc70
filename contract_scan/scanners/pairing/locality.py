"""Which of several equal candidates belongs to a document: the one whose files stand nearest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Operation


def nearest(
    document: ContractDocument, certain: Iterable[Operation], candidates: Sequence[Operation]
) -> list[Operation]:
    """Candidates in the deepest folder they share with the document or its certain operations."""
    if len(candidates) < 2:
        return list(candidates)
    home = _folders(document.path)
    for operation in certain:
        home |= _folders(operation.origin.path)
    depth = [max(_depths(operation, home), default=0) for operation in candidates]
    deepest = max(depth)
    return [operation for operation, own in zip(candidates, depth, strict=True) if own == deepest]


def _folders(path: str) -> set[PurePosixPath]:
    return set(PurePosixPath(path).parents)


def _depths(operation: Operation, home: set[PurePosixPath]) -> list[int]:
    return [len(folder.parts) for folder in _folders(operation.origin.path) & home]
