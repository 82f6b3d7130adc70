"""Socket.IO: events that servers and sockets emit and take.

The address is the name of the event. A contract may instead list the namespace as the channel, with
the event as the name of a message.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ByType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.typing.value_types import value_of_type
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    FunctionType,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    ObjectType,
    Param,
    TypeExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.nestjs.gateways import (
    ENHANCER_METHODS,
    WEBSOCKETS,
    Gateway,
    enhancers_of_gateway,
    gateways,
)
from contract_scan.parsers.source.typescript.messaging.extended import library_types
from contract_scan.parsers.source.typescript.messaging.places import (
    Place,
    parameter_place,
    put_away,
    receivers,
    taught,
)
from contract_scan.parsers.source.typescript.messaging.reads import keys_read_of
from contract_scan.parsers.source.typescript.messaging.received import handler_of, validated_as
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, uses
from contract_scan.parsers.source.typescript.resolution.decorators import decorators

NAME = "Socket.IO"

_EMITS = frozenset({"emit", "emitWithAck", "serverSideEmit"})
_OF_THE_LIBRARY = frozenset(
    {"connect", "connection", "connect_error", "disconnect", "disconnecting"}
    | {"new_namespace", "newListener", "removeListener"}
)
_LISTENED_OF_THE_LIBRARY = frozenset({"error"})
"""Told by the library itself, though code may send one of that name
(https://socket.io/docs/v4/emit-cheatsheet/#reserved-events)."""
_KEPT = "name of an event sent to sockets of a collection, which is not followed"
_UNFOLLOWED = Unknown(reason=Reason("socket-collection-not-followed"))
_EMPTY = Unknown(reason=Reason("event-without-data"))
_SEVERAL = Unknown(reason=Reason("event-has-several-values"))
_UNSEEN = Unknown(reason=Reason("event-handler-not-found"))
_UNTYPED = Unknown(reason=Reason("handler-event-untyped"))


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every event that is emitted or listened to."""
    if not program.any_file_contains(b"socket.io'", b'socket.io"'):
        return
    ends = _SocketEndpoints(program)
    for file in program.seeds(framework):
        for gateway in gateways(program, file):
            ends.serve(gateway)
    for call, scope in taught(program, framework, ends):
        if isinstance(call, Call) and isinstance(call.callee, Attribute):
            yield from _use(program, ends, call, call.callee, scope)


def _use(
    program: Program, ends: _SocketEndpoints, call: Call, callee: Attribute, scope: Scope
) -> Iterator[EventUse]:
    found_again = program.text(call.args[0].value, scope) in _USUAL_NAMES
    if not found_again and any(ends.end(name, scope) is not None for name in put_away(call)):
        stored = _site("send", UnsupportedSyntax(description=_KEPT, span=call.span), scope, call)
        yield from uses(program, replace(stored, shape=_UNFOLLOWED))
    if callee.name in _EMITS:
        end = ends.end(callee.value, scope) or ends.stored_socket(callee.value, scope)
        if end is not None:
            yield from _send_uses(program, end, call, scope)
    elif callee.name in _LISTENS and len(call.args) > 1:
        end = ends.end(callee.value, scope)
        if end is not None:
            yield from _receive_uses(program, end, call, scope)


def _send_uses(
    program: Program, end: _SocketEndpoint, call: Call, scope: Scope
) -> Iterator[EventUse]:
    event, *given = [argument.value for argument in call.args]
    if given and isinstance(given[-1], Lambda):
        given = given[:-1]  # takes the acknowledgement
    shape: Schema | None = None
    if len(given) != 1 or call.args[1].spread:
        shape = _SEVERAL if given else _EMPTY
    site = _site("send", event, scope, call)
    site = replace(site, payload=given[0] if shape is None else None, shape=shape)
    for use in _uses_in_namespace(program, end, site):
        declared = _declared_payload(program, end, 1, use.message)
        if declared is not None and program.types.is_unknown(use.payload):
            use = replace(use, payload=declared)
        yield use


def _receive_uses(
    program: Program, end: _SocketEndpoint, call: Call, scope: Scope
) -> Iterator[EventUse]:
    handler = handler_of(program, call.args[1].value, scope)
    shape: Schema = _UNSEEN if handler is None else _handler_payload(program, handler)
    site = replace(_site("receive", call.args[0].value, scope, call), shape=shape)
    for use in _uses_in_namespace(program, end, site):
        declared = _declared_payload(program, end, 0, use.message)
        if declared is not None and program.types.is_unknown(use.payload):
            use = replace(use, payload=declared)
        yield use


def _site(direction: Direction, event: Expr, scope: Scope, call: Call) -> MessageSite:
    return MessageSite(
        direction=direction,
        address=event,
        payload=None,
        scope=scope,
        span=call.span,
        framework=NAME,
    )


def _uses_in_namespace(
    program: Program, end: _SocketEndpoint, site: MessageSite
) -> Iterator[EventUse]:
    """The uses of a site, which a contract may list under their namespace."""
    own = _OF_THE_LIBRARY
    if site.direction == "receive":
        own |= _LISTENED_OF_THE_LIBRARY
    for use in uses(program, site):
        if use.address not in own:
            aliases = () if end.namespace is None else (end.namespace,)
            yield replace(
                use, aliases=aliases, message=use.address, has_wire_name=not use.unresolved
            )


# ------------------------------------------------------------------ what events carry


def _handler_payload(program: Program, handler: FunctionValue) -> Schema:
    """The payload that a handler accepts: the type of its first parameter, or a schema that
    checks it."""
    carried = [p for p in handler.function.params if not _is_acknowledgement(p)]
    if not carried:
        return _EMPTY
    if len(carried) > 1:
        return _SEVERAL
    if carried[0].type is not None:
        return program.schema(carried[0].type, handler.scope)
    checked = validated_as(program, handler, carried[0])
    position = handler.function.params.index(carried[0])
    return checked or keys_read_of(program, handler, position) or _UNTYPED


def _is_acknowledgement(param: Param) -> bool:
    if isinstance(param.type, FunctionType):
        return True
    return param.type is None and param.name.lower() in ("ack", "callback", "cb", "fn", "done")


def _declared_payload(
    program: Program, end: _SocketEndpoint, position: int, event: str
) -> Schema | None:
    """The payload that a typed map of events declares for an event."""
    types = end.types
    if end.scope is None or position >= len(types) or not event:
        return None
    found = _params(program, types[position], end.scope, event)
    if found is None:
        return None
    params, scope = found
    carried = [p for p in params if not _is_acknowledgement(p)]
    if len(carried) != 1:
        return _SEVERAL if carried else _EMPTY
    return program.schema(carried[0].type, scope) if carried[0].type is not None else None


def _params(
    program: Program, map_: TypeExpr, scope: Scope, event: str
) -> tuple[tuple[Param, ...], Scope] | None:
    """Parameters of an event in an interface or object type of functions."""
    if isinstance(map_, NamedType):
        found = program.names.lookup_type(map_.name, scope)
        if isinstance(found, AliasSymbol):
            return _params(
                program, found.alias.type, program.names.classes.alias_scope(found), event
            )
        return _in_class(program, found.symbol, event) if isinstance(found, ClassValue) else None
    if isinstance(map_, ObjectType):
        for member in map_.members:
            if member.name == event and isinstance(member.type, FunctionType):
                return member.type.params, scope
    return None


def _in_class(
    program: Program, symbol: ClassSymbol, event: str
) -> tuple[tuple[Param, ...], Scope] | None:
    for holder in (symbol, *program.bases(symbol)):
        inside = program.class_scope(holder)
        for member in holder.decl.members:
            if member.name == event and isinstance(member.type, FunctionType):
                return member.type.params, inside
        for method in holder.decl.methods:
            if method.name == event:
                return method.params, inside
    return None


# --------------------------------------------------------------------------------------- servers
# Which Socket.IO servers, namespaces and sockets the code holds where.
#
# Sockets are given to handlers of `connection` and handed on; rooms and flags
# (`io.to(room).volatile`) lead back to their namespace.


_ROOT = "/"
_LISTENS = frozenset({"on", "once", "addListener"})

_MODULE = "socket.io"
_MAKERS = frozenset({"Server", "default", "listen"})
_SERVER_TYPES = frozenset({"Server", "SocketIOServer", "default"})
_OTHER_TYPES = frozenset({"Socket", "Namespace", "BroadcastOperator", "RemoteSocket"})
_ROOMS = frozenset({"to", "in", "except", "timeout", "compress", "local", "binary", "of"})
_FLAGS = frozenset({"broadcast", "volatile", "local", "sockets", "binary", "json"})
_CONNECTED = frozenset({"connection", "connect"})
_ANYTHING = frozenset({"any", "unknown"})
_USUAL_NAMES = frozenset({"io"})
"""What people call a server that is kept where it cannot be followed (`req.io`)."""


class _SocketEndpoint(Struct, frozen=True):
    """What messages go through: a server, a namespace or a socket of it."""

    namespace: str | None = _ROOT
    """None: it is undetermined."""
    types: tuple[TypeExpr, ...] = ()
    """Maps of events: those that clients send, those that the server sends."""
    scope: Scope | None = None
    """Where the types are to be read."""


class _SocketEndpoints:
    """What is known of servers and sockets; grows with every call that is looked at."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[Place, _SocketEndpoint] = {}

    @property
    def size(self) -> int:
        """How much is known."""
        return len(self._known)

    def connect(self, call: Call | New, scope: Scope) -> None:
        """Learn from a call: sockets that a server gives to a handler, and what is handed on."""
        callee = call.callee if isinstance(call, Call) else None
        if isinstance(callee, Attribute) and callee.name in _LISTENS and len(call.args) > 1:
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
        path, end = gateway.symbol.file.path, _SocketEndpoint(gateway.namespace)
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

    def _note(self, place: Place | None, end: _SocketEndpoint) -> None:
        if place is None:
            return
        known = self._known.get(place, end)
        self._known[place] = end if known.namespace == end.namespace else _SocketEndpoint(None)

    # ------------------------------------------------------------------ asking

    def end(self, expr: Expr, scope: Scope) -> _SocketEndpoint | None:
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
        return _SocketEndpoint() if self._bears_usual_name(expr, value) else None

    def stored_socket(self, expr: Expr, scope: Scope) -> _SocketEndpoint | None:
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
        return _SocketEndpoint(None) if untyped and called == "socket" and not hidden else None

    def _in_namespace(
        self, end: _SocketEndpoint | None, method: str, call: Call, scope: Scope
    ) -> _SocketEndpoint | None:
        if end is None or method != "of":
            return end
        name = self._program.text(call.args[0].value, scope) if call.args else None
        if name is None:
            return replace(end, namespace=None)
        return replace(end, namespace=name if name.startswith("/") else f"/{name}")

    def _end_of_value(self, value: Value) -> _SocketEndpoint | None:
        match value:
            case LibraryResult(name=name, site=site, scope=scope):
                if _is_maker(name):
                    made = site.type if isinstance(site, New) else None
                    args = made.args if isinstance(made, NamedType) else ()
                    return _SocketEndpoint(_ROOT, args or getattr(site, "type_args", ()), scope)
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

    def _end_of_context(self, context: LibraryResult) -> _SocketEndpoint | None:
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

    def _end_of_type(self, type: TypeExpr, scope: Scope, place: Place) -> _SocketEndpoint | None:
        for found, written, outside in library_types(self._program, type, scope):
            kind = found.name.removeprefix(f"{_MODULE}.")
            if kind == found.name or kind not in _SERVER_TYPES | _OTHER_TYPES:
                continue
            known = self._known.get(place)
            end = known or _SocketEndpoint(_ROOT if kind in _SERVER_TYPES else None)
            return replace(end, types=written.args, scope=outside) if written.args else end
        return None

    def _bears_usual_name(self, expr: Expr, value: Value) -> bool:
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
                return first.value in _USUAL_NAMES
            name = getattr(expr.callee, "name", "") or getattr(expr.callee, "id", "")
            return not expr.args and name.lower() in ("getio", "io")
        name = getattr(expr, "name", "") or getattr(expr, "id", "")
        return name in _USUAL_NAMES


def _is_maker(name: str) -> bool:
    if name == _MODULE:
        return True
    return name.startswith(f"{_MODULE}.") and all(
        part in _MAKERS for part in name.removeprefix(f"{_MODULE}.").split(".")
    )


FRAMEWORK = Framework(
    name=NAME,
    markers=(
        b"socket.io'",
        b'socket.io"',
        b"socket.on(",
        b"socket.emit(",
        *(b"io.%s(" % method for method in (b"emit", b"to", b"in", b"of", b"on")),
        b"getIO()",
        b"get('io')",
        b'get("io")',
        b".switchToWs(",
        b"@nestjs/websockets",
    ),
    calls=(b".emit(", b".emitWithAck(", b".on(", b".once("),
    events=events,
    protocols=("ws", "http"),
)
