"""Socket.IO: events that servers and sockets emit and take.

The address is the name of the event. A contract may instead list the namespace as the channel, with
the event as the name of a message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    FunctionType,
    Lambda,
    NamedType,
    ObjectType,
    Param,
    TypeExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.nestjs.gateways import gateways
from contract_scan.parsers.source.typescript.frameworks.socket_io.servers import (
    LISTENS,
    USUAL_NAMES,
    SocketEndpoint,
    SocketEndpoints,
)
from contract_scan.parsers.source.typescript.messaging.places import put_away, taught
from contract_scan.parsers.source.typescript.messaging.reads import keys_read_of
from contract_scan.parsers.source.typescript.messaging.received import handler_of, validated_as
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

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
    ends = SocketEndpoints(program)
    for file in program.seeds(framework):
        for gateway in gateways(program, file):
            ends.serve(gateway)
    for call, scope in taught(program, framework, ends):
        if isinstance(call, Call) and isinstance(call.callee, Attribute):
            yield from _use(program, ends, call, call.callee, scope)


def _use(
    program: Program, ends: SocketEndpoints, call: Call, callee: Attribute, scope: Scope
) -> Iterator[EventUse]:
    found_again = program.text(call.args[0].value, scope) in USUAL_NAMES
    if not found_again and any(ends.end(name, scope) is not None for name in put_away(call)):
        stored = _site("send", UnsupportedSyntax(description=_KEPT, span=call.span), scope, call)
        yield from uses(program, replace(stored, shape=_UNFOLLOWED))
    if callee.name in _EMITS:
        end = ends.end(callee.value, scope) or ends.stored_socket(callee.value, scope)
        if end is not None:
            yield from _send_uses(program, end, call, scope)
    elif callee.name in LISTENS and len(call.args) > 1:
        end = ends.end(callee.value, scope)
        if end is not None:
            yield from _receive_uses(program, end, call, scope)


def _send_uses(
    program: Program, end: SocketEndpoint, call: Call, scope: Scope
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
    program: Program, end: SocketEndpoint, call: Call, scope: Scope
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
    program: Program, end: SocketEndpoint, site: MessageSite
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
    program: Program, end: SocketEndpoint, position: int, event: str
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
