"""Routes of code outside the folder of a service, which may be part of it all the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain

from contract_scan.ir.document import CodeModel
from contract_scan.ir.operation import Operation
from contract_scan.scanners.pairing.dynamic_prefix import may_be, tail_of
from contract_scan.scanners.pairing.path_normalisation import Spelling
from contract_scan.scanners.pairing.paths import (
    PARAMETER,
    Segments,
    catch_all_covers,
    has_catch_all,
)
from contract_scan.scanners.pairing.routes import Route

MOUNTED_FROM = 3
"""How many operations of a contract without a route have to have one in other services, which have
contracts themselves, to tell that these are mounted, or stood in front of: one may be named alike
by chance."""


class SiblingRoutes:
    """What is looked at only where a service itself has no route: a library that it shares with its
    neighbours may declare one (a log-in, a health check), and so may a neighbour for itself."""

    def __init__(self, code: CodeModel | None, spelling: Spelling) -> None:
        self._code = code
        self._spelling = spelling

    @property
    def operations(self) -> Sequence[Operation]:
        """The routes, as the code has them."""
        return self._code.operations if self._code is not None else ()

    def route(self, method: str, paths: Sequence[Segments]) -> Operation | None:
        """A route that answers the method on one of the paths."""
        if self._code is None:
            return None
        exact = (route for path in paths for route in self._routes.get(path, ()))
        covering = (
            route
            for path in paths
            if path and path[-1] == PARAMETER
            for own, routes in self._routes.items()
            if has_catch_all(own) and len(own) == len(path) and catch_all_covers(own, path)
            for route in routes
        )
        below_dynamic_prefix = (
            route
            for route in self._routes_with_unknown_prefix
            if any(may_be(route, path) for path in paths)
        )
        each = chain(exact, covering, below_dynamic_prefix)
        return next((route.operation for route in each if route.accepts_method(method)), None)

    def served_by_siblings(
        self, missing: Sequence[tuple[str, Sequence[Segments]]], count: int
    ) -> Sequence[Operation | None]:
        """For each method and its paths, all of one contract, a route that serves it; None for
        all if there are so few that equal names may be chance. `count`: how many operations the
        contract has."""
        found = [self.route(method, paths) for method, paths in missing]
        if sum(route is not None for route in found) >= min(MOUNTED_FROM, count):
            return found
        return [None] * len(found)

    @cached_property
    def _routes_with_unknown_prefix(self) -> list[Route]:
        """The routes of which all is told but the prefix."""
        unresolved = (
            Route(operation, self._spelling.route_path(operation))
            for operation in self.operations
            if operation.unresolved
        )
        return [route for route in unresolved if tail_of(route)]

    @cached_property
    def _routes(self) -> dict[Segments, list[Route]]:
        found: dict[Segments, list[Route]] = {}
        for operation in self._code.operations if self._code is not None else ():
            if not operation.unresolved:
                path = self._spelling.route_path(operation)
                found.setdefault(path, []).append(Route(operation, path))
        return found
