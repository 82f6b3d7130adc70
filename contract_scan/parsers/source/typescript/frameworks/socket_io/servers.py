"""Which Socket.IO servers, namespaces and sockets the code holds where.

Sockets are given to handlers of `connection` and handed on; rooms and flags
(`io.to(room).volatile`) lead back to their namespace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    New,
    TypeExpr,
)
from contract_scan.parsers.source.typescript.frameworks.nestjs.gateways import (
    ENHANCER_METHODS,
    WEBSOCKETS,
    Gateway,
    enhancers_of_gateway,
)
from contract_scan.parsers.source.typescript.messaging.extended import library_types, value_of_type
from contract_scan.parsers.source.typescript.messaging.places import (
    Place,
    parameter_place,
    receivers,
)
from contract_scan.parsers.source.typescript.messaging.received import handler_of
from contract_scan.parsers.source.typescript.resolution.decorators import decorators

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

ROOT = "/"
LISTENS = frozenset({"on", "once", "addListener"})

_MODULE = "socket.io"
_MAKERS = frozenset({"Server", "default", "listen"})
_SERVER_TYPES = frozenset({"Server", "SocketIOServer", "default"})
_OTHER_TYPES = frozenset({"Socket", "Namespace", "BroadcastOperator", "RemoteSocket"})
_ROOMS = frozenset({"to", "in", "except", "timeout", "compress", "local", "binary", "of"})
_FLAGS = frozenset({"broadcast", "volatile", "local", "sockets", "binary", "json"})
_CONNECTED = frozenset({"connection", "connect"})
_ANYTHING = frozenset({"any", "unknown"})
USUAL_NAMES = frozenset({"io"})
"""What people call a server that is kept where it cannot be followed (`req.io`)."""


class SocketEndpoint(Struct, frozen=True):
    """What messages go through: a server, a namespace or a socket of it."""

    namespace: str | None = ROOT
    """None: it is undetermined."""
    types: tuple[TypeExpr, ...] = ()
    """Maps of events: those that clients send, those that the server sends."""
    scope: Scope | None = None
    """Where the types are to be read."""


class SocketEndpoints:
    """What is known of servers and sockets; grows with every call that is looked at."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[Place, SocketEndpoint] = {}

    @property
    def size(self) -> int:
        """How much is known."""
        return len(self._known)

    def connect(self, call: Call | New, scope: Scope) -> None:
        """Learn from a call: sockets that a server gives to a handler, and what is handed on."""
        callee = call.callee if isinstance(call, Call) else None
        if isinstance(callee, Attribute) and callee.name in LISTENS and len(call.args) > 1:
            if self._program.text(call.args[0].value, scope) in _CONNECTED:
                end = self.end(callee.value, scope)
                handler = handler_of(self._program, call.args[1].value, scope)
                if end is not None and handler is not None:
                    self._note(parameter_place(handler, 0), end)
            return
        for position, argument in enumerate(call.args):
            if isinstance(argument.value, Name | Attribute):
                end = self.end(argument.value, scope)
                places = receivers(self._program, call, position, scope) if end else ()
                for place in places:
                    if end is not None:
                        self._note(place, end)

    def serve(self, gateway: Gateway) -> None:
        """Learn which fields hold the server of a gateway of Nest, that its methods are given
        sockets of its namespace, and its exception filters, guards and interceptors contexts with
        such a socket in them."""
        path, end = gateway.symbol.file.path, SocketEndpoint(gateway.namespace)
        inside = self._program.class_scope(gateway.symbol)
        for member in gateway.symbol.decl.members:
            found = decorators(self._program, member.annotations, inside)
            if any(d.name == WEBSOCKETS + "WebSocketServer" for d in found):
                self._note((path, member.span), end)
        for method in gateway.symbol.decl.methods:
            for param in method.params:
                self._note((path, param.span), end)
        for enhancer in enhancers_of_gateway(self._program, gateway):
            for method in enhancer.decl.methods:
                for param in method.params if method.name in ENHANCER_METHODS else ():
                    self._note((enhancer.file.path, param.span), end)

    def _note(self, place: Place | None, end: SocketEndpoint) -> None:
        if place is None:
            return
        known = self._known.get(place, end)
        self._known[place] = end if known.namespace == end.namespace else SocketEndpoint(None)

    # ------------------------------------------------------------------ asking

    def end(self, expr: Expr, scope: Scope) -> SocketEndpoint | None:
        """The server, namespace or socket that an expression gives; None where it gives none."""
        if isinstance(expr, Call) and isinstance(expr.callee, Attribute):
            callee = expr.callee
            if callee.name in _ROOMS:
                return self._in_namespace(self.end(callee.value, scope), callee.name, expr, scope)
        if isinstance(expr, Attribute) and expr.name in _FLAGS:
            within = self.end(expr.value, scope)
            if within is not None:
                return within
        value = self._program.evaluate(expr, scope)
        for option in value.options if isinstance(value, OneOf) else (value,):
            found = self._end_of_value(option)
            if found is not None:
                return found
        return SocketEndpoint() if self._bears_usual_name(expr, value, scope) else None

    def stored_socket(self, expr: Expr, scope: Scope) -> SocketEndpoint | None:
        """A value named `socket` whose source cannot be followed, as in a table of
        players."""
        value = self._program.evaluate(expr, scope)
        untyped = isinstance(value, Unresolved) or (
            isinstance(value, ByType)
            and isinstance(value.type, NamedType)
            and value.type.name in _ANYTHING
        )
        called = getattr(expr, "name", "") or getattr(expr, "id", "")
        hidden = self._program.any_file_contains(b"socket.io-client")
        return SocketEndpoint(None) if untyped and called == "socket" and not hidden else None

    def _in_namespace(
        self, end: SocketEndpoint | None, method: str, call: Call, scope: Scope
    ) -> SocketEndpoint | None:
        if end is None or method != "of":
            return end
        name = self._program.text(call.args[0].value, scope) if call.args else None
        if name is None:
            return replace(end, namespace=None)
        return replace(end, namespace=name if name.startswith("/") else f"/{name}")

    def _end_of_value(self, value: Value) -> SocketEndpoint | None:
        match value:
            case LibraryResult(name=name, site=site, scope=scope):
                if _is_maker(name):
                    made = site.type if isinstance(site, New) else None
                    args = made.args if isinstance(made, NamedType) else ()
                    return SocketEndpoint(ROOT, args or getattr(site, "type_args", ()), scope)
                last = name.rsplit(".", 1)[-1]
                if last == "getClient" and isinstance(value.receiver, LibraryResult):
                    return self._end_of_context(value.receiver)
                if name.startswith(_MODULE) and last in _ROOMS and isinstance(site, Call):
                    return self.end(site, scope)
            case ByType(type=type, scope=scope, span=span):
                behind = value_of_type(self._program, type, scope)
                if isinstance(behind, LibraryResult):
                    return self._end_of_value(behind)
                return self._end_of_type(type, scope, (scope.file.path, span))
            case Unresolved(span=span, path=path) if value.parameter:
                return self._known.get((path, span))
        return None

    def _end_of_context(self, context: LibraryResult) -> SocketEndpoint | None:
        """The socket in `host.switchToWs()`, where `host` is the context of a gateway's call."""
        if context.name.rsplit(".", 1)[-1] != "switchToWs":
            return None
        match context.receiver:
            case ByType(scope=scope, span=span):
                return self._known.get((scope.file.path, span))
            case Unresolved(path=path, span=span) if context.receiver.parameter:
                return self._known.get((path, span))
            case _:
                return None

    def _end_of_type(self, type: TypeExpr, scope: Scope, place: Place) -> SocketEndpoint | None:
        for found, written, outside in library_types(self._program, type, scope):
            kind = found.name.removeprefix(f"{_MODULE}.")
            if kind == found.name or kind not in _SERVER_TYPES | _OTHER_TYPES:
                continue
            known = self._known.get(place)
            end = known or SocketEndpoint(ROOT if kind in _SERVER_TYPES else None)
            return replace(end, types=written.args, scope=outside) if written.args else end
        return None

    def _bears_usual_name(self, expr: Expr, value: Value, scope: Scope) -> bool:
        """Whether `req.io`, `getIO()` or `app.get("io")` is meant, of which nothing is known."""
        if isinstance(value, ByType) or not isinstance(
            value, Unresolved | LibrarySymbol | LibraryResult
        ):
            return False
        if isinstance(value, LibrarySymbol | LibraryResult) and "client" in value.name:
            return False
        if isinstance(expr, Call):
            first = expr.args[0].value if len(expr.args) == 1 else None
            if isinstance(first, LiteralExpr):
                return first.value in USUAL_NAMES
            name = getattr(expr.callee, "name", "") or getattr(expr.callee, "id", "")
            return not expr.args and name.lower() in ("getio", "io")
        name = getattr(expr, "name", "") or getattr(expr, "id", "")
        return name in USUAL_NAMES


def _is_maker(name: str) -> bool:
    if name == _MODULE:
        return True
    return name.startswith(f"{_MODULE}.") and all(
        part in _MAKERS for part in name.removeprefix(f"{_MODULE}.").split(".")
    )
