"""Which of several equal candidates belongs to a document: the one whose files stand nearest, the
one of the service that the document describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePosixPath

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Operation


def nearest(
    document: ContractDocument, certain: Iterable[Operation], candidates: Sequence[Operation]
) -> list[Operation]:
    """Candidates in the deepest folder they share with the document or its certain operations."""
    if len(candidates) < 2:
        return list(candidates)
    home = folders(document.path)
    for operation in certain:
        home |= folders(operation.origin.path)
    depth = [max(_depths(operation, home), default=0) for operation in candidates]
    deepest = max(depth)
    return [operation for operation, own in zip(candidates, depth, strict=True) if own == deepest]


class Services:
    """Tells the service that documents describe from others whose routes have the same paths.

    Of most routes of a service its contract speaks; with a neighbour it may share a path or two
    (`/health`, `/games` of a server and of the agent that talks to it).
    """

    def __init__(self, routes: Sequence[Operation], contracted: Collection[int]) -> None:
        self._routes = Counter(part for route in routes for part in folders(route.origin.path))
        self._contracted = Counter(
            part
            for route in routes
            if id(route) in contracted
            for part in folders(route.origin.path)
        )

    def described_candidates(self, candidates: Sequence[Operation]) -> list[Operation]:
        """Candidates without those of services that no document describes: in their part of the
        tree it describes less than half of the routes, while in that of another candidate it
        describes at least half of them, and more."""
        parts = _distinct_ancestors([PurePosixPath(c.origin.path).parent for c in candidates])
        best = max(parts, key=lambda part: (self._is_described(part), self._contracted[part]))
        if not self._is_described(best):
            return list(candidates)
        return [
            candidate
            for candidate, part in zip(candidates, parts, strict=True)
            if self._is_described(part) or self._contracted[part] >= self._contracted[best]
        ]

    def _is_described(self, part: PurePosixPath) -> bool:
        return 2 * self._contracted[part] >= self._routes[part]


def _distinct_ancestors(folders: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """For each folder its outermost ancestor that not all of them share."""
    depth = min(len(folder.parts) for folder in folders)
    shared = next(
        (n for n in range(depth) if len({folder.parts[n] for folder in folders}) > 1), depth
    )
    return [PurePosixPath(*folder.parts[: shared + 1]) for folder in folders]


def folders(path: str) -> set[PurePosixPath]:
    """The folders around a file, the root among them."""
    return set(PurePosixPath(path).parents)


def _depths(operation: Operation, home: set[PurePosixPath]) -> list[int]:
    return [len(folder.parts) for folder in folders(operation.origin.path) & home]
