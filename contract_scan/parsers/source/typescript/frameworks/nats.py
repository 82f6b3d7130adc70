"""NATS: `publish`, `request` and `subscribe` of connections and of JetStream."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Cast,
    Expr,
    Lambda,
    Loop,
    Name,
    Statement,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall, property_of
from contract_scan.parsers.source.typescript.messaging.received import handler_of, received_in
from contract_scan.parsers.source.typescript.messaging.sites import uses
from contract_scan.parsers.source.typescript.resolution import walker

NAME = "NATS"

_MODULES = (
    "nats",
    "@nats-io/transport-node",
    "@nats-io/nats-core",
    "@nats-io/jetstream",
    "nats.ws",
)
_SENDS = frozenset({"publish", "request"})
_UNSEEN = Unknown(reason=Reason("no-message-consumer"))


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every subject that is published to or subscribed to."""
    methods = _SENDS | {"subscribe"}
    for found in library.method_calls(program, framework, _MODULES, methods):
        subject = found.argument(0)
        if subject is None:
            continue
        if found.method in _SENDS:
            payload = found.argument(1)
            site = library.send_site(NAME, subject, payload, found.scope, found.call.span, _EMPTY)
            yield from uses(program, site)
        else:
            yield from _receive_uses(program, found, subject)


_EMPTY = Reason("message-without-content")


def _receive_uses(program: Program, found: LibraryCall, subject: Expr) -> Iterator[EventUse]:
    text = program.text(subject, found.scope) or ""
    callback = property_of(program, found.argument(1), found.scope, "callback")
    handler = handler_of(program, callback, found.scope) if callback is not None else None
    shape: Schema | None = None
    if handler is not None:
        body = program.body(handler.function, handler.scope.file)
        inside = program.function_scope(handler.function, handler.scope)
        params = handler.function.params
        name = params[1].name if len(params) > 1 else ""
        shape = _decoded_schema(program, body, name, inside)
    else:
        shape = _in_loop(program, found)
    site = library.receive_site(
        NAME,
        subject,
        None,
        found.scope,
        found.call.span,
        shape=shape or _UNSEEN,
        pattern="*" in text or ">" in text,
    )
    yield from uses(program, site)


def _in_loop(program: Program, found: LibraryCall) -> Schema | None:
    """What `for await (const message of subscription)` takes messages for."""
    current: Scope | None = found.scope
    while current is not None:
        for node, place in _loops(program, current.statements or (), current):
            if not isinstance(node.variable, Name) or node.iterable is None:
                continue
            value = program.evaluate(node.iterable, place)
            if isinstance(value, LibraryResult) and value.site.span == found.call.span:
                return _decoded_schema(program, node.body, node.variable.id, place)
        current = current.parent
    return None


def _loops(
    program: Program, statements: tuple[Statement, ...], scope: Scope
) -> Iterator[tuple[Loop, Scope]]:
    """Loops among statements, those of functions written inside them too."""
    pending: list[tuple[tuple[Statement, ...], Scope]] = [(statements, scope)]
    while pending:
        nodes, place = pending.pop()
        for node in walker.nested_nodes(nodes):
            if isinstance(node, Loop):
                yield node, place
            elif isinstance(node, Lambda):
                inner = program.function_scope(node.function, place)
                pending.append((inner.statements or (), inner))


def _decoded_schema(
    program: Program, statements: tuple[Statement, ...], message: str, scope: Scope
) -> Schema | None:
    """The type that `codec.decode(message.data)` or `message.json()` is declared or cast to."""
    found: list[Schema] = list(received_in(program, statements, scope))
    for node in walker.nested_nodes(statements):
        if isinstance(node, Assign) and node.type is not None and node.value is not None:
            if _decodes(node.value, message):
                found.append(program.schema(node.type, scope))
        elif isinstance(node, Cast) and _decodes(node.value, message):
            found.append(program.schema(node.type, scope))
        elif isinstance(node, Call) and node.type_args and _decodes(node, message):
            found.append(program.schema(node.type_args[0], scope))
        elif isinstance(node, Call) and _decodes(node, message):
            found.extend(_of_codec(program, node, scope))
    determined = [shape for shape in found if not program.types.is_unknown(shape)]
    return unite(determined) if determined else None


def _of_codec(program: Program, call: Call, scope: Scope) -> Iterator[Schema]:
    """The type that a codec is made for: `JSONCodec<Order>()`."""
    if isinstance(call.callee, Attribute):
        codec = program.evaluate(call.callee.value, scope)
        if (
            isinstance(codec, LibraryResult)
            and isinstance(codec.site, Call)
            and codec.site.type_args
        ):
            yield program.schema(codec.site.type_args[0], codec.scope)


def _decodes(expr: Expr, message: str) -> bool:
    """`codec.decode(m.data)`, `m.json()`."""
    if not isinstance(expr, Call) or not isinstance(expr.callee, Attribute):
        return False
    callee = expr.callee
    if callee.name == "json":
        return isinstance(callee.value, Name) and callee.value.id == message
    if callee.name != "decode" or not expr.args:
        return False
    given = expr.args[0].value
    return (
        isinstance(given, Attribute)
        and given.name == "data"
        and isinstance(given.value, Name)
        and given.value.id == message
    )


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"'nats'", b'"nats"', b"@nats-io/", b"nats.ws"),
    calls=(b".publish(", b".request(", b".subscribe("),
    events=events,
    protocols=("nats",),
)
