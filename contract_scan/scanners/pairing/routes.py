"""Routes of the code as pairing looks at them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from contract_scan.ir.operation import Operation, with_answers
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.scanners.media import share_a_type
from contract_scan.scanners.pairing.paths import (
    PathIndex,
    Segments,
    ends_in_catch_all,
    has_catch_all,
    literal_count,
)


class Route(Struct, frozen=True):
    """A route of the code with its path taken apart."""

    operation: Operation
    path: Segments

    def accepts_method(self, method: str) -> bool:
        """Whether the route may answer the method."""
        return self.operation.method in (method, "*", "")

    def has_name_of(self, operation: Operation) -> bool:
        """Whether the route has the name that the contract gives the operation."""
        name = _fold_name(operation.operation_id)
        return bool(name) and _fold_name(self.operation.operation_id) == name

    @property
    def label(self) -> str:
        """The route as it is told."""
        return f"{self.operation.method} {self.operation.path}"

    @property
    def why_undetermined(self) -> Reason:
        """Why something may be the route's that is not told to be."""
        return Reason("route-undetermined", unresolved=self.operation.unresolved)

    @property
    def always_refuses(self) -> bool:
        """Whether all that the route ever answers is that there is no such endpoint."""
        deferred, of_all = self.operation.deferred, self.operation.method in ("*", "")
        if deferred is not None and not of_all and not deferred.may_refuse():
            return False
        answering = with_answers(self.operation)
        statuses = {response.status for response in answering.responses}
        # Whatever is asked for below a path is not found there.
        refusing = {"404", "405", "501"} if of_all else {"405", "501"}
        return bool(statuses) and answering.statuses_complete and statuses <= refusing

    @property
    def answers_with_pages(self) -> bool:
        """Whether the route gives people pages, which no contract of an interface lists, and
        nothing for programs beside them."""
        deferred = self.operation.deferred
        if deferred is not None and not deferred.may_show_page():
            return False
        sent = [
            option
            for response in with_answers(self.operation).responses
            if response.status.startswith("2")
            for body in response.bodies
            for option in getattr(body.schema, "options", (body.schema,))
        ]
        reasons = [each.reason if isinstance(each, Unknown) else None for each in sent]
        is_page = [getattr(reason, "code", "") == "body-is-page" for reason in reasons]
        return any(is_page) and None not in reasons


def of_content_types(contract: Operation, routes: list[Route]) -> list[Route]:
    """Of several routes that each take bodies of other content types those that take what the
    contract sends; all of them where none does."""
    content_types = {body.content_type.lower() for body in contract.request}
    read = [{body.content_type.lower() for body in route.operation.request} for route in routes]
    if len(routes) < 2 or not content_types or not all(read):
        return routes
    fitting = [route for route, own in zip(routes, read, strict=True) if own & content_types]
    return fitting or routes


def reads_other_types(contract: Operation, route: Route) -> bool:
    """Whether a route reads bodies, and none of a content type of the contract's."""
    ours, theirs = contract.request, route.operation.request
    return bool(ours and theirs) and not share_a_type(ours, theirs)


class CatchAlls:
    """The catch-alls among routes, by their fixed part: there may be hundreds of them."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self.routes = [route for route in routes if has_catch_all(route.path)]
        # One at the root is a fallback page or a 404 handler, unless it is all there is.
        is_all = len(self.routes) == len(routes)
        self._by_fixed_part: dict[Segments, list[tuple[int, Route]]] = defaultdict(list)
        for number, route in enumerate(self.routes):
            if ends_in_catch_all(route.path) and (is_all or literal_count(route.path)):
                self._by_fixed_part[route.path[:-1]].append((number, route))
        self._index = PathIndex(self._by_fixed_part)
        self._places: dict[object, list[Route]] = defaultdict(list)
        for route in self.routes:
            self._places[route.operation.origin].append(route)

    def routes_covering(self, method: str, path: Segments) -> list[Route]:
        """Those that may answer a method on a path, which may have words where their fixed part
        has parameters, in their order."""
        found = [
            each for start in self._index.starts_of(path) for each in self._by_fixed_part[start]
        ]
        return [route for _, route in sorted(found, key=_number) if route.accepts_method(method)]

    def routes_beside(self, method: str, paths: Iterable[Segments]) -> Iterator[Route]:
        """Those that may answer a method on one of the paths, with what else is registered at the
        same places."""
        places = {
            each.operation.origin for path in paths for each in self.routes_covering(method, path)
        }
        for place in places:
            yield from self._places[place]


def _number(numbered: tuple[int, Route]) -> int:
    return numbered[0]


# Routes of which nothing but the name of the contracted operation is told


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


def _fold_name(name: str) -> str:
    """An operation's name without case and separators, which generators change."""
    return "".join(filter(str.isalnum, name)).casefold()
