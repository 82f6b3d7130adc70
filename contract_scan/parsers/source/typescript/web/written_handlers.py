"""Functions that are written out where a route is registered. They answer requests: what they are
given is no router, and what they call registers none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    LiteralExpr,
    ObjectLiteral,
    Text,
)
from contract_scan.parsers.source.typescript.web.routers import Graph, Node

_ROUTE_METHODS = frozenset({"get", "head", "options", "post", "put", "patch", "delete"})
_OF_COLLECTIONS = frozenset(
    {"push", "unshift", "includes", "indexOf", "has", "add", "join", "concat", "slice", "trim"}
    | {"split", "startsWith", "endsWith", "toLowerCase", "toUpperCase", "toString", "test"}
)
"""Methods of lists, sets, maps and texts, where they are given one argument or none."""


class WrittenHandlers:
    """The handlers that stand in the calls that were read so far."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._places: set[tuple[str, Span]] = set()

    def note_handlers(self, calls: Iterable[tuple[Call, Scope]]) -> Iterator[tuple[Call, Scope]]:
        """The calls, each one's handlers noted before the calls that stand in these."""
        for call, scope in calls:
            path = scope.file.path
            for handler in _handlers_of(call):
                self._places.add((path, handler.span))
                self._graph.handler_parameters.update(Node(path, p.span) for p in handler.params)
            yield call, scope

    def may_register(self, call: Call, scope: Scope) -> bool:
        """Whether a call in a loop at this place may register something: not while a request is
        answered, and no method of lists, sets, maps and texts does."""
        callee = call.callee
        if isinstance(callee, Attribute) and callee.name in _OF_COLLECTIONS and len(call.args) < 2:
            return any(isinstance(argument.value, Lambda) for argument in call.args)
        around: Scope | None = scope
        while around is not None:
            function = around.function
            if function is not None and (around.file.path, function.span) in self._places:
                return False
            around = around.parent
        return True


def _handlers_of(call: Call) -> Iterator[Function]:
    """The functions that are written out behind the path of a route, whatever registers it:
    `server.get("/x", async (request, reply) => …)`, also within a call that wraps one, and those
    of `server.route({ url: "/x", handler: … })`."""
    callee = call.callee
    if not isinstance(callee, Attribute) or not call.args:
        return
    first, *handlers = (argument.value for argument in call.args)
    if callee.name == "route" and isinstance(first, ObjectLiteral):
        handlers = [entry.value for entry in first.entries]
    elif callee.name not in _ROUTE_METHODS or not _is_text(first):
        return
    while handlers:
        handler = handlers.pop()
        if isinstance(handler, Lambda):
            yield handler.function
        elif isinstance(handler, Call):
            handlers.extend(argument.value for argument in handler.args)


def _is_text(expr: Expr) -> bool:
    return isinstance(expr, Text) or (isinstance(expr, LiteralExpr) and isinstance(expr.value, str))
