"""Routes of which nothing but the name of the contracted operation is told."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from contract_scan.ir.operation import Operation
from contract_scan.scanners.pairing.routes import Route


class NamedRoutes:
    """The routes without method and path, by the names of their operations."""

    def __init__(self, routes: Iterable[Route], contracted: Iterable[Operation]) -> None:
        self._routes: dict[str, list[Route]] = defaultdict(list)
        self._count = Counter((each.document, _fold_name(each.operation_id)) for each in contracted)
        for route in routes:
            if route.operation.operation_id and not route.path and route.operation.method == "*":
                self._routes[_fold_name(route.operation.operation_id)].append(route)

    def route(self, operation: Operation) -> Route | None:
        """The only route with the operation's name, where no other operation of the document has
        it."""
        name = _fold_name(operation.operation_id)
        routes = self._routes.get(name, ())
        if len(routes) != 1 or self._count[operation.document, name] > 1:
            return None
        return routes[0] if routes[0].accepts_method(operation.method) else None


def has_name_of(route: Operation, operation: Operation) -> bool:
    """Whether a route has the name that the contract gives the operation."""
    name = _fold_name(operation.operation_id)
    return bool(name) and _fold_name(route.operation_id) == name


def _fold_name(name: str) -> str:
    """An operation's name without case and separators, which generators change."""
    return "".join(filter(str.isalnum, name)).casefold()
