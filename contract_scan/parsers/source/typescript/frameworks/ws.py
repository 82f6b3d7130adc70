"""ws: what the sockets of a `WebSocketServer` send and receive.

A socket has no topics: the address is the path of the server, where that is constant. Anything
else (`noServer` with a path that the code looks at itself, a socket given from elsewhere) is left
open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.facts import (
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    New,
    Opaque,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.link.values import (
    External,
    FunctionValue,
    Made,
    OneOf,
    Scope,
    Typed,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.typescript.messaging.sites import Site, uses
from contract_scan.parsers.source.typescript.web import walker

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

NAME = "ws"
MAX_ROUNDS = 4
"""How many functions a socket is handed on through."""

_SOCKETS = frozenset({"ws", "ws.default", "ws.WebSocket"})
_SERVERS = frozenset(
    {"ws.WebSocketServer", "ws.Server", "ws.default.Server", "ws.WebSocket.Server"}
)
_LISTENS = frozenset({"on", "once", "addListener", "addEventListener"})
_OPEN = "path that is not constant where the socket is used"
_NO_JSON = Unknown(reason="what is sent is not seen to be JSON")
_UNSEEN = Unknown(reason="the handler of the messages is not seen here")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every place where a socket sends or takes messages."""
    found = [
        (call, scope)
        for file in program.seeds(framework)
        for call, scope in walker.calls(program, file)
        if call.args
    ]
    reader = _Reader(program)
    for _ in range(MAX_ROUNDS):
        known = dict(reader.given)
        for call, scope in found:
            reader.connect(call, scope)
        if reader.given == known:
            break
    for call, scope in found:
        yield from reader.use(call, scope)


class _Reader:
    """Knows the sockets that servers give to functions."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.given: dict[tuple[str, Span], str] = {}
        """Parameter that is a socket -> the path of its server; empty where it is open."""

    def connect(self, call: Call, scope: Scope) -> None:
        """Note the parameter of `server.on("connection", (socket) => …)`, of
        `server.clients.forEach(…)` and of `server.handleUpgrade(…)`, and those of functions of the
        project that a socket is handed on to."""
        server = self._giver(call, scope)
        path = None
        if server is not None:
            path = self._server_path(self._program.evaluate(server, scope))
        if path is not None:
            handler = self._program.function_value(call.args[-1].value, scope)
            if handler is not None:
                self._note(handler, 0, path)
            return
        for position, argument in enumerate(call.args):
            if isinstance(argument.value, Name):
                path = self._socket_path(argument.value, scope)
                function = self._program.evaluate(call.callee, scope) if path is not None else None
                if path is not None and isinstance(function, FunctionValue):
                    self._note(function, position, path)

    def _giver(self, call: Call, scope: Scope) -> Expr | None:
        """What may be a server in a call that gives sockets to its last argument."""
        callee = call.callee
        if not isinstance(callee, Attribute):
            return None
        if callee.name == "forEach":
            of = callee.value
            return of.value if isinstance(of, Attribute) and of.name == "clients" else None
        if callee.name in _LISTENS:
            told = self._program.text(call.args[0].value, scope) == "connection"
            return callee.value if told else None
        return callee.value if callee.name == "handleUpgrade" else None

    def _note(self, function: FunctionValue, position: int, path: str) -> None:
        params = function.function.params
        if position < len(params):
            key = (function.scope.file.path, params[position].span)
            # What several servers give their sockets to serves several paths.
            self.given[key] = path if self.given.get(key, path) == path else ""

    def use(self, call: Call, scope: Scope) -> Iterator[EventUse]:
        """What a call of a socket sends or receives."""
        callee = call.callee
        if not isinstance(callee, Attribute):
            return
        if callee.name == "send":
            path = self._socket_path(callee.value, scope)
            if path is not None:
                yield from self._sent(call, path, scope)
        elif callee.name in _LISTENS and len(call.args) > 1:
            path = self._socket_path(callee.value, scope)
            if path is not None and self._program.text(call.args[0].value, scope) == "message":
                yield from self._received(call, path, scope)

    def _sent(self, call: Call, path: str, scope: Scope) -> Iterator[EventUse]:
        payload = call.args[0].value
        value = self._program.evaluate(payload, scope)
        told = isinstance(value, Made) and value.name == "JSON.stringify"
        site = _site("send", path, payload if told else None, call.span, scope)
        yield from uses(self._program, site)

    def _received(self, call: Call, path: str, scope: Scope) -> Iterator[EventUse]:
        handler = self._program.function_value(call.args[1].value, scope)
        site = Site(
            direction="receive",
            address=_address(path, call.span),
            payload=None,
            shape=None if handler is not None else _UNSEEN,
            handler=handler,
            scope=scope,
            span=call.span,
            framework=NAME,
        )
        yield from uses(self._program, site)

    def _socket_path(self, expr: Expr, scope: Scope) -> str | None:
        """The path of a socket, empty where it is open; None for what is no socket."""
        value = self._program.evaluate(expr, scope)
        paths = [self._path(option) for option in _options(value)]
        told = {path for path in paths if path is not None}
        if not told:
            return self._looped(expr, scope) if isinstance(expr, Name) else None
        return told.pop() if len(told) == 1 else ""

    def _looped(self, name: Name, scope: Scope) -> str | None:
        """The path of `client` in `for (const client of server.clients)`."""
        current: Scope | None = scope
        while current is not None:
            for node in walker.nested(current.statements or ()):
                if (
                    isinstance(node, Loop)
                    and isinstance(node.variable, Name)
                    and node.variable.id == name.id
                    and isinstance(node.iterable, Attribute)
                    and node.iterable.name == "clients"
                ):
                    return self._server_path(self._program.evaluate(node.iterable.value, current))
            current = current.parent
        return None

    def _path(self, value: Value) -> str | None:
        match value:
            case Typed(scope=scope, span=span) if self._is_typed(value, _SOCKETS):
                return self.given.get((scope.file.path, span), "")
            case Unresolved(span=span, path=path) if value.reason.startswith("parameter `"):
                return self.given.get((path, span))
            case Made(name=name, site=New()) if name in _SOCKETS:
                return ""
            case _:
                return None

    def _server_path(self, value: Value) -> str | None:
        """The path of a server, empty where it is open; None for what is no server."""
        found: set[str] = set()
        for option in _options(value):
            if isinstance(option, Made) and option.name in _SERVERS:
                found.add(self._constant_path(option))
            elif isinstance(option, Typed) and self._is_typed(option, _SERVERS):
                found.add("")
        if not found:
            return None
        return found.pop() if len(found) == 1 else ""

    def _constant_path(self, server: Made) -> str:
        if not server.site.args:
            return ""
        options = self._program.evaluate(server.site.args[0].value, server.scope)
        entry = walker.entries(options).get("path")
        return (self._program.evaluator.text(entry.value) or "") if entry is not None else ""

    def _is_typed(self, value: Typed, names: frozenset[str]) -> bool:
        if not isinstance(value.type, NamedType):
            return False
        found = self._program.names.lookup_type(value.type.name, value.scope)
        return isinstance(found, External) and found.name in names


def _options(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, OneOf) else (value,)


def _site(direction: Direction, path: str, payload: Expr | None, span: Span, scope: Scope) -> Site:
    return Site(
        direction=direction,
        address=_address(path, span),
        payload=payload,
        shape=None if payload is not None else _NO_JSON,
        scope=scope,
        span=span,
        framework=NAME,
    )


def _address(path: str, span: Span) -> Expr:
    return LiteralExpr(value=path, span=span) if path else Opaque(what=_OPEN, span=span)


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"'ws'", b'"ws"'),
    calls=(
        b".send(",
        *(b"(%smessage%s" % (quote, quote) for quote in (b"'", b'"')),
        *(b"(%sconnection%s" % (quote, quote) for quote in (b"'", b'"')),
        b".clients",
        b".handleUpgrade(",
    ),
    events=events,
    protocols=("ws", "http"),
)
