"""How paths are written: the contracts' spelling of what a router takes in several."""

from __future__ import annotations

from collections.abc import Sequence

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Operation
from contract_scan.scanners.pairing.base_path_offset import DocumentMount, Offset
from contract_scan.scanners.pairing.paths import (
    PARAMETER,
    Segments,
    has_colons,
    segments,
    with_colons,
)


class Spelling:
    """The one spelling of each word of a path in which contracts and routes are compared."""

    def __init__(
        self,
        contracted: Sequence[tuple[ContractDocument, Operation]],
        routes: Sequence[Operation],
    ) -> None:
        """`contracted` are all operations of all documents."""
        self._spellings = (
            _spellings(contracted) if any(r.traits.paths_case_insensitive for r in routes) else {}
        )
        self._so = {part for _, o in contracted for part in segments(o.path)}
        self._ends_in_slashes = any(o.path[1:].endswith("/") for _, o in contracted)
        colons = sum(has_colons(o.path) for _, o in contracted)
        self._writes_colons = colons > sum("{" in o.path for _, o in contracted)

    def normalise(self, path: str) -> Segments:
        """A contract's path, in the one spelling of each word that routes are compared in."""
        return tuple(self._spellings.get(part.casefold(), part) for part in segments(path))

    def route_path(self, route: Operation) -> Segments:
        """A route's path, its words as the contracts spell them where it does not tell letter
        cases apart, or where they spell them just so."""
        return tuple(
            self._spellings.get(part.casefold(), part)
            if route.traits.paths_case_insensitive or part in self._so
            else part
            for part in segments(route.path)
        )

    def as_contracted(
        self, route: Operation, mountings: Sequence[tuple[ContractDocument, DocumentMount]]
    ) -> str:
        """A route's path as the contracts would write it: with a slash at its end where theirs have
        some, and with `:id` where theirs have that for the most part."""
        path = _relative_path(self._contract_spelling(route), mountings)
        if self._writes_colons:
            path = with_colons(path)
        has_slash = self._ends_in_slashes and path != "/" and route.path.endswith("/")
        return f"{path}/" if has_slash else path

    def _contract_spelling(self, route: Operation) -> str:
        """The path of a case-insensitive route as a contract would write it: its words as the
        contracts spell them, in lower case where all of theirs are."""
        if not route.traits.paths_case_insensitive:
            return route.path
        words = [part for part in self._so if PARAMETER not in part]
        small = route.traits.paths_named_after_types and all(w.islower() for w in words)
        return "/".join(
            part
            if "{" in part
            else self._spellings.get(part.casefold(), part.lower() if small else part)
            for part in route.path.split("/")
        )


def _relative_path(path: str, mountings: Sequence[tuple[ContractDocument, DocumentMount]]) -> str:
    """A route's path without the prefix that the code adds, with the prefix that the code lacks."""
    parts = [part for part in path.split("/") if part]
    plain = segments(path)
    best: list[str] = parts
    for _, mounting in mountings:
        offset = mounting.offset or Offset(added=mounting.prefixes[0])
        cut = len(offset.added)
        if plain[:cut] == offset.added and (cut or offset.removed):
            moved = [*offset.removed, *parts[cut:]]
            if best is parts or len(moved) < len(best):
                best = moved
    return "/" + "/".join(best)


def _spellings(contracted: Sequence[tuple[ContractDocument, Operation]]) -> dict[str, str]:
    """Casefolded segment -> its one spelling. A contract may itself write a word in two ways, as
    in `/Chapter` and `/series/chapter`."""
    spelling: dict[str, str] = {}
    for document in {id(document): document for document, _ in contracted}.values():
        for base in document.base_paths:
            for part in segments(base):
                spelling.setdefault(part.casefold(), part)
    for _, operation in contracted:
        for part in segments(operation.path):
            spelling.setdefault(part.casefold(), part)
    return spelling
