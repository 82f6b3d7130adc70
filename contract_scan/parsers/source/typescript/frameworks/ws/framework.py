"""ws: what the sockets of a `WebSocketServer` send and receive.

A socket has no topics: the address is the path on which its server takes sockets, as far as that is
constant. A server that looks at no path takes sockets on every one (`*`).

A receiver may tell messages apart by name: by a `switch` over their type, or by schemas that it
tries one after the other. Each of them is then an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Lambda,
    LiteralExpr,
    Name,
    New,
    ObjectLiteral,
    Statement,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.ws.servers import (
    EVERY_PATH,
    LISTENS,
    Sockets,
)
from contract_scan.parsers.source.typescript.messaging.places import Place, put_away, taught
from contract_scan.parsers.source.typescript.messaging.received import handler_of
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, uses
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.function_scope import scope_of

NAME = "ws"

_OPEN = "path that is not constant where the socket is used"
_KEPT = "path of sockets that are kept in a collection, which is not followed"
_UNFOLLOWED = Unknown(reason=Reason("socket-collection-not-followed"))
_NO_JSON = Unknown(reason=Reason("sent-value-maybe-not-json"))
_UNSEEN = Unknown(reason=Reason("message-handler-not-found"))
_MAX_FOLLOWED = 2
"""How many functions deep a message is followed."""

_DISCRIMINATORS = frozenset(
    {"type", "event", "kind", "action", "command", "cmd", "op", "eventType", "messageType"}
    | {"event_type", "message_type", "msgType"}
)
_TRIES = frozenset({"safeParse", "safeParseAsync"})
_MODULE_PARTS = ("./", "../", "@/", "~/")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every place where a socket sends or takes messages."""
    sockets = Sockets(program)
    found = taught(program, framework, sockets)
    unread = [
        inner
        for call, scope in found
        for inner in _unread_listener_calls(program, sockets, call, scope)
    ]
    for call, scope in unread:
        sockets.connect(call, scope)
    found += unread
    for call, scope in found:
        if isinstance(call, Call) and isinstance(call.callee, Attribute):
            yield from _use(program, sockets, call, call.callee, scope)
    for assign, scope in _onmessage_assignments(scope for _, scope in found):
        target = assign.target
        if isinstance(target, Attribute) and assign.value is not None:
            servers = sockets.sockets(target.value, scope)
            if servers is not None:
                yield from _receive_uses(
                    program, sockets, servers, assign.value, assign.span, scope
                )


def _unread_listener_calls(
    program: Program, sockets: Sockets, call: Call | New, scope: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    """The calls of a function that is given sockets, where none of them showed that it had to be
    read: it may put the sockets away."""
    if not isinstance(call, Call) or sockets.servers_of_listener(call, scope) is None:
        return
    handler = program.function_value(call.args[-1].value, scope)
    if handler is not None and handler.function.body is None:
        inner = program.function_scope(handler.function, handler.scope)
        for found, place in walker.calls_in(program, inner.statements or (), inner):
            if found.args:
                yield found, place


def _onmessage_assignments(scopes: Iterable[Scope]) -> Iterator[tuple[Assign, Scope]]:
    """Every `socket.onmessage = …` in these scopes and those around them."""
    seen: set[tuple[str, Span | None]] = set()
    for scope in scopes:
        current: Scope | None = scope
        while current is not None:
            function = current.function
            key = (current.file.path, function.span if function is not None else None)
            for node in () if key in seen else walker.nested_nodes(current.statements or ()):
                if isinstance(node, Assign) and getattr(node.target, "name", "") == "onmessage":
                    yield node, current
            seen.add(key)
            current = current.parent


def _use(
    program: Program, sockets: Sockets, call: Call, callee: Attribute, scope: Scope
) -> Iterator[EventUse]:
    """What a call of a socket sends or receives, and where a socket is put away."""
    yield from _stored_socket_uses(program, sockets, call, scope)
    if callee.name == "send":
        servers = sockets.sockets(callee.value, scope)
        if servers is None and _names_library(scope):
            servers = sockets.only_server(callee.value, scope)
        if servers is not None:
            yield from _send_uses(program, sockets, servers, call, scope)
    elif callee.name in LISTENS and len(call.args) > 1:
        servers = sockets.sockets(callee.value, scope)
        if servers is not None and program.text(call.args[0].value, scope) == "message":
            handler = call.args[1].value
            yield from _receive_uses(program, sockets, servers, handler, call.span, scope)


def _names_library(scope: Scope) -> bool:
    return any(entry.module == "ws" for entry in scope.file.imports)


def _stored_socket_uses(
    program: Program, sockets: Sockets, call: Call, scope: Scope
) -> Iterator[EventUse]:
    """`clients.add(socket)`: code that reads the collection may send to the socket unseen."""
    for name in put_away(call):
        if sockets.sockets(name, scope) is not None:
            site = MessageSite(
                direction="send",
                address=UnsupportedSyntax(description=_KEPT, span=call.span),
                payload=None,
                shape=_UNFOLLOWED,
                scope=scope,
                span=call.span,
                framework=NAME,
            )
            yield from uses(program, site)


def _send_uses(
    program: Program, sockets: Sockets, servers: frozenset[Place], call: Call, scope: Scope
) -> Iterator[EventUse]:
    payload = call.args[0].value
    value = program.evaluate(payload, scope)
    is_json = isinstance(value, LibraryResult) and value.name == "JSON.stringify"
    site = MessageSite(
        direction="send",
        address=UnsupportedSyntax(description=_OPEN, span=call.span),
        payload=payload if is_json else None,
        shape=None if is_json else _NO_JSON,
        scope=scope,
        span=call.span,
        framework=NAME,
    )
    yield from _on_paths(program, site, sockets.paths(servers))


def _receive_uses(
    program: Program,
    sockets: Sockets,
    servers: frozenset[Place],
    written: Expr,
    span: Span,
    scope: Scope,
) -> Iterator[EventUse]:
    handler = handler_of(program, written, scope)
    site = MessageSite(
        direction="receive",
        address=UnsupportedSyntax(description=_OPEN, span=span),
        payload=None,
        shape=None if handler is not None else _UNSEEN,
        handler=handler,
        scope=scope,
        span=span,
        framework=NAME,
    )
    for use in _on_paths(program, site, sockets.paths(servers)):
        names: tuple[str, ...] = ()
        if handler is not None and not use.message:
            names = _message_names(program, handler)
        for name in names:
            yield replace(use, message=name, has_wire_name=True)
        if not names:
            yield use


def _on_paths(program: Program, site: MessageSite, paths: tuple[str, ...]) -> Iterator[EventUse]:
    for address in [_constant(path, site.span) for path in paths] or [site.address]:
        every = isinstance(address, LiteralExpr) and address.value == EVERY_PATH
        yield from uses(program, replace(site, address=address, pattern=every))


def _constant(path: str, span: Span) -> Expr:
    return LiteralExpr(value=path, span=span)


def _message_names(program: Program, handler: FunctionValue) -> tuple[str, ...]:
    """The names of the messages that a handler takes; none where it does not tell them by name, or
    does so in more than one place."""
    tried: dict[str, None] = {}
    switched: list[tuple[str, ...]] = []
    _collect(program, handler, tried, switched, 0)
    if tried and not switched:
        return tuple(tried)
    return switched[0] if len(switched) == 1 and not tried else ()


def _collect(
    program: Program,
    handler: FunctionValue,
    tried: dict[str, None],
    switched: list[tuple[str, ...]],
    depth: int,
) -> None:
    scope = scope_of(program, handler)
    statements = scope.statements or ()
    switched.extend(_switches(program, statements, scope))
    for call, place in walker.calls_in(program, statements, scope):
        callee = call.callee
        if isinstance(callee, Attribute) and callee.name in _TRIES:
            found = program.evaluate(callee.value, place)
            for option in found.options if isinstance(found, OneOf) else (found,):
                if isinstance(option, LibrarySymbol):
                    tried.setdefault(_schema_name(option.name))
        elif depth < _MAX_FOLLOWED and any(isinstance(a.value, Name) for a in call.args):
            target = program.evaluate(callee, place)
            if isinstance(target, FunctionValue) and target.function is not handler.function:
                _collect(program, target, tried, switched, depth + 1)
    tried.pop("", None)


def _schema_name(qualified: str) -> str:
    """`AddCard` of a schema `AddCardSchema` that stands in a file which is not there; empty for one
    of a library."""
    if not qualified.startswith(_MODULE_PARTS):
        return ""
    name = qualified.rsplit(".", 1)[-1]
    return name.removesuffix("Schema") or name


def _switches(
    program: Program, statements: tuple[Statement, ...], scope: Scope
) -> Iterator[tuple[str, ...]]:
    """The cases of each `switch` over what may be the name of a message."""
    pending: list[object] = list(statements)
    while pending:
        for node in walker.nested_nodes(pending.pop()):
            if isinstance(node, Lambda):
                pending.extend(node.function.body or ())
            elif isinstance(node, Branch) and node.kind == "switch" and node.condition is not None:
                cases = [program.text(case, scope) for case in node.cases]
                names = [case for case in cases if case is not None]
                if names and _is_discriminator(statements, node.condition):
                    yield tuple(dict.fromkeys(names))


def _is_discriminator(statements: tuple[Statement, ...], condition: Expr) -> bool:
    """`message.type`, or `type` of `const { type, data } = JSON.parse(raw)`."""
    if isinstance(condition, Attribute):
        return condition.name in _DISCRIMINATORS
    if not isinstance(condition, Name) or condition.id not in _DISCRIMINATORS:
        return False
    return any(
        isinstance(target := getattr(node, "target", None), ObjectLiteral)
        and any(entry.key == condition.id for entry in target.entries)
        for node in walker.nested_nodes(statements)
    )


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"'ws'", b'"ws"'),
    calls=(
        b".send(",
        *(b"(%smessage%s" % (quote, quote) for quote in (b"'", b'"')),
        *(b"(%sconnection%s" % (quote, quote) for quote in (b"'", b'"')),
        b".clients",
        b".onmessage",
        b".handleUpgrade(",
    ),
    events=events,
    protocols=("ws", "http"),
)
