"""Routes of which all is told but the prefix that they are mounted below.

A service reads its base path from the environment, and nothing in the code says what it is. What
is known stands behind it: the tails of the routes. Where the operations of a contract are these
tails, all at one constant distance, the contract itself says what the prefix is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation
from contract_scan.scanners.pairing.base_path_offset import (
    DocumentMount,
    find_mounting,
    mounted_paths,
)
from contract_scan.scanners.pairing.paths import (
    PARAMETER,
    Segments,
    has_catch_all,
    in_order_within,
    literal_count,
    with_plain_parameters,
)
from contract_scan.scanners.pairing.routes import Route

ENOUGH = 3
"""How many operations have to be the tails of routes before they say what the prefix is."""


class UndeterminedPrefix(Struct, frozen=True):
    """A document of which is undetermined where its operations are answered: below which prefix,
    or, where the code has their names alone, on which paths."""

    document: ContractDocument
    route: Operation
    """One of the routes."""


class DynamicPrefixMatch(Struct, frozen=True):
    """A route whose tail is the path of an operation."""

    route: Route
    distance: int
    """How many segments the tail has more than the path in the contract."""


class DynamicPrefixRoutes:
    """The routes of a unit whose prefix is undetermined, by what stands behind it."""

    def __init__(self, unresolved: Iterable[Route]) -> None:
        self._routes: dict[Segments, list[Route]] = defaultdict(list)
        for route in unresolved:
            if tail := tail_of(route):
                self._routes[with_plain_parameters(tail)].append(route)

    def mounting(
        self, document: ContractDocument, contract: Sequence[tuple[str, Segments]]
    ) -> DocumentMount:
        """At which distance from the tails the operations (method, path) of a document stand."""
        methods = {
            tail: frozenset(route.operation.method for route in routes)
            for tail, routes in self._routes.items()
        }
        return find_mounting(contract, document.base_paths, methods, True)

    def routes_for(
        self, method: str, path: Segments, mounting: DocumentMount
    ) -> list[DynamicPrefixMatch]:
        """The routes whose tail is the contract's path, at that distance."""
        for moved in mounted_paths(path, mounting):
            found = [r for r in self._routes.get(moved, ()) if r.accepts_method(method)]
            if found and literal_count(moved):
                return [DynamicPrefixMatch(route, len(moved) - len(path)) for route in found]
        return []

    def routes_made_of(self, operation: Operation, path: Segments) -> list[Route]:
        """The routes that a build makes of an operation, which have its name and its path."""
        return [
            route
            for route in self._routes.get(with_plain_parameters(path), ())
            if route.accepts_method(operation.method) and route.has_name_of(operation)
        ]

    def other_methods(self, path: Segments, mounting: DocumentMount) -> tuple[Operation, ...]:
        """Routes of whatever method whose tail is the contract's path, at that distance."""
        return tuple(
            route.operation
            for moved in mounted_paths(path, mounting)
            if literal_count(moved)
            for route in self._routes.get(moved, ())
        )

    def undocumented_routes(
        self,
        used: set[int],
        reasons: Container[str],
        contracted: Sequence[tuple[str, Segments]],
    ) -> list[Operation]:
        """The routes below a prefix that is undetermined for one of the reasons that end like no
        contracted path of their method, whatever the prefix is. Their paths are without the
        prefix."""
        return [
            replace(route.operation, path=route.operation.path.removeprefix(DYNAMIC_PREFIX))
            for tail, routes in self._routes.items()
            for route in routes
            if id(route.operation) not in used
            and route.operation.unresolved in reasons
            and not has_catch_all(route.path)
            and not any(
                route.accepts_method(method) and _ends_like(path, tail)
                for method, path in contracted
            )
        ]


def prefix_length(found: Iterable[DynamicPrefixMatch], left: int) -> int | None:
    """The one distance at which enough operations are tails of routes to say what the prefix is.
    `left`: how many operations of the document have no other route."""
    counted = Counter(tailed.distance for tailed in found)
    distance, votes = max(counted.items(), key=lambda item: item[1], default=(0, 0))
    return distance if votes >= ENOUGH and 2 * votes >= left else None


def may_be(route: Route, path: Segments) -> bool:
    """Whether a route that is undetermined whole may have this path."""
    tail = tail_of(route)
    if tail and not has_catch_all(tail):
        return _ends_like(path, tail)
    return in_order_within(route.path, path)


def tail_of(route: Route) -> Segments:
    """What is known behind a prefix that is not; empty where no prefix is left open."""
    path = route.operation.path
    if f"{path}/".startswith(f"{DYNAMIC_PREFIX}/") and path.count(DYNAMIC_PREFIX) == 1:
        return route.path[1:]
    return ()


def _ends_like(path: Segments, tail: Segments) -> bool:
    """Whether a path ends in a tail. A parameter of either side may stand for a word of the other,
    where another word is the same."""
    if len(path) < len(tail):
        return False
    pairs = list(zip(tail, path[len(path) - len(tail) :], strict=True))
    same = any(ours == theirs and PARAMETER not in ours for ours, theirs in pairs)
    return (same or not literal_count(tail)) and all(
        ours == theirs or PARAMETER in ours or PARAMETER in theirs for ours, theirs in pairs
    )
