"""MQTT: `mqtt` (MQTT.js) and `async-mqtt`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts import ArrayLiteral, Expr, LiteralExpr, ObjectLiteral
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.received import handler_of
from contract_scan.parsers.source.typescript.messaging.sites import uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

NAME = "MQTT.js"

_MODULES = ("mqtt", "async-mqtt")
_SUBSCRIBES = frozenset({"subscribe", "subscribeAsync"})
_PUBLISHES = frozenset({"publish", "publishAsync"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic that is published to or subscribed to."""
    clients: dict[object, library.Subscriber] = {}
    methods = _SUBSCRIBES | _PUBLISHES | {"on"}
    for found in library.method_calls(program, framework, _MODULES, methods):
        topic, second = found.argument(0), found.argument(1)
        if topic is None:
            continue
        if found.method in _PUBLISHES:
            if second is not None:
                site = library.sent(NAME, topic, second, found.scope, found.call.span)
                yield from uses(program, site)
            continue
        client = clients.setdefault(library.receiver_key(found), library.Subscriber())
        if found.method in _SUBSCRIBES:
            client.subscriptions.append(found)
        elif program.text(topic, found.scope) == "message" and second is not None:
            client.handlers.append(handler_of(program, second, found.scope))
    for client in clients.values():
        yield from _received(program, client)


def _received(program: Program, client: library.Subscriber) -> Iterator[EventUse]:
    subscribed = [
        (call, topic)
        for call in client.subscriptions
        for topic in _topics(call.argument(0), call.call.span)
    ]
    for call, topic in subscribed:
        handler, shape = client.handler(len(subscribed))
        site = library.received(NAME, topic, handler, call.scope, call.call.span, shape=shape)
        yield from uses(program, site)


def _topics(expr: Expr | None, span: Span) -> list[Expr]:
    """A topic, a list of topics, or an object of options by topic."""
    if isinstance(expr, ObjectLiteral):
        return [LiteralExpr(value=e.key, span=span) for e in expr.entries if e.key is not None]
    if isinstance(expr, ArrayLiteral):
        return list(expr.items)
    return [] if expr is None else [expr]


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"'mqtt'", b'"mqtt"', b"async-mqtt"),
    calls=(
        b".publish(",
        b".publishAsync(",
        b"ubscribe(",
        b"ubscribeAsync(",
        b".on('message",
        b'.on("message',
    ),
    events=events,
    protocols=("mqtt",),
)
