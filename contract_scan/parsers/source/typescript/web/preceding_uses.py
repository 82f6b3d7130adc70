"""What the functions of a route read of its request, those included that routers run before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Lambda, Name, New
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.web.collector import Route
from contract_scan.parsers.source.typescript.web.routers import Graph, Node
from contract_scan.parsers.source.web.request_members import (
    ANYTHING,
    RequestMembers,
    RequestUses,
)
from contract_scan.parsers.source.web.request_uses import RequestUsesReader

_WRAPPERS = (
    *("express-async-handler", "koa-compose", "hono/factory.createMiddleware"),
    "hono/factory.createFactory().createMiddleware",
)
"""Libraries that call the functions that they are given with what they are handed."""
_BIND = "bind"
_REQUESTS = frozenset({"req", "_req", "request", "ctx", "context", "c"})
"""What functions among options call the request."""
_READS_TOKENS = (b"fromUrlQueryParameter", b"passReqToCallback", b"localapikey")
"""What makes passport read more of a request than its headers."""
_WITH_ERROR = 4
"""Parameters of a function of Express that is handed an error, before the request."""

_UPLOADS = ("multer", "express-fileupload", "connect-multiparty", "@koa/multer", "koa-multer")
"""Libraries that read a body, and nothing of the query."""
_BODY = RequestUses(body=True)
_Asked: TypeAlias = tuple[FunctionValue, int] | RequestUses | None
"""A function with the position of the request, what one of a library reads, or None for one that is
not seen."""


class RequestLibrary(Struct, frozen=True, kw_only=True):
    """What the functions of a library are handed."""

    members: RequestMembers
    middleware: frozenset[str]
    """Packages, and functions of them, whose middleware reads neither query nor body for anything
    but to refuse requests."""


class PrecedingUses:
    """Notes what routers run before their routes, and says what a route reads with all of it."""

    def __init__(self, program: Program, graph: Graph, library: RequestLibrary) -> None:
        self._program = program
        self._graph = graph
        self._library = library
        self._reader = RequestUsesReader(program, library.members)
        self._noted: list[tuple[tuple[Node, ...], tuple[_Asked, ...]]] = []
        self.is_lost = program.any_file_contains(b"pp.param(", b"outer.param(")
        """Whether something is run before routes of which it is not told before which."""

    def note(self, value: Value, expr: Expr, scope: Scope, routers: tuple[Node, ...]) -> None:
        """Note what routers run before their routes."""
        self._noted.append((routers, tuple(self._functions_of(value, expr, scope))))

    def note_unseen(self, receiver: Value) -> None:
        """Note that something runs before the routes of a router that is not seen; the objects of
        other libraries have methods of that name as well."""
        if not isinstance(receiver, LibrarySymbol | LibraryResult):
            self.is_lost = True

    def of_route(self, route: Route, others: Iterable[Route] = ()) -> RequestUses:
        """What a route reads. `others`: routes that may hand requests on to it."""
        if self.is_lost or self._graph.loose_ends:
            return ANYTHING
        asked = [
            one
            for routers, functions in self._noted
            if any(r == route.node or self._graph.is_below(route.node, r) for r in routers)
            for one in functions
        ]
        before = len(asked)
        for each in (route, *others):
            for expr in each.handlers:
                value = self._program.evaluate(expr, each.scope)
                asked.extend(self._functions_of(value, expr, each.scope))
            if each is route and len(asked) == before:
                return ANYTHING  # middleware of libraries alone hands requests on to what answers
        found = self._reader.uses(one for one in asked if not isinstance(one, RequestUses))
        for one in asked:
            found = found.and_also(one) if isinstance(one, RequestUses) else found
        return found if route.handlers else ANYTHING

    def _functions_of(
        self, value: Value | None, expr: Expr | None, scope: Scope
    ) -> Iterator[_Asked]:
        """The functions of a value that stands for one or several."""
        match value:
            case FunctionValue():
                yield value, 1 if len(value.function.params) == _WITH_ERROR else 0
            case Items(values=values, repeated=False) | OneOf(options=values):
                for one in values:
                    yield from self._functions_of(one, None, scope)
            case Constant(value=None | False):
                pass
            case LibrarySymbol(name=name) if self._is_harmless(name):
                pass
            case LibraryResult(name=name, site=site, scope=around) if self._is_harmless(name):
                yield from self._options(site, around)
            case LibraryResult(name=name) if _is_of(name, _UPLOADS):
                yield _BODY
            case LibraryResult(name=name, site=site, scope=around) if _is_of(name, _WRAPPERS):
                for argument in site.args:
                    given = self._program.evaluate(argument.value, around)
                    yield from self._functions_of(given, argument.value, around)
            case _:
                bound = _bound(expr)
                function = None if bound is None else self._program.function_value(bound, scope)
                yield None if function is None else (function, 0)

    def _options(self, site: Call | New, scope: Scope) -> Iterator[_Asked]:
        """The functions among the options of a middleware that are given the request:
        `rateLimit({ keyGenerator: (req) => req.ip })`."""
        for node in nodes_of(tuple(argument.value for argument in site.args)):
            value = self._program.evaluate(node, scope) if isinstance(node, Name | Lambda) else None
            params = value.function.params if isinstance(value, FunctionValue) else ()
            if isinstance(value, FunctionValue) and params and params[0].name in _REQUESTS:
                yield value, 0

    def _is_harmless(self, name: str) -> bool:
        if name == "undefined":
            return True
        if _is_of(name, ("passport",)) and self._program.any_file_contains(*_READS_TOKENS):
            return False
        return _is_of(name, self._library.middleware)


def asked_first(route: Route, routes: Iterable[Route]) -> Iterator[Route]:
    """The routes that may hand requests of a route on to it: those of every method, and of the same
    path."""
    for other in routes:
        same = (other.node, other.path) == (route.node, route.path)
        if other is not route and (same or other.method in ("", "*")):
            yield other


def _bound(expr: Expr | None) -> Expr | None:
    """`orders.list` of `orders.list.bind(orders)`."""
    callee = expr.callee if isinstance(expr, Call) else None
    return callee.value if isinstance(callee, Attribute) and callee.name == _BIND else None


def _is_of(name: str, packages: Iterable[str]) -> bool:
    return any(name == one or name.startswith((f"{one}.", f"{one}(")) for one in packages)
