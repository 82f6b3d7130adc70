"""MQTT: `mqtt` (MQTT.js) and `async-mqtt`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, Expr, LiteralExpr, ObjectLiteral
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall
from contract_scan.parsers.source.typescript.messaging.pubsub import Clients, pubsub_uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic that is published to or subscribed to."""
    return pubsub_uses(program, framework, _CLIENTS)


def _topics(call: LibraryCall) -> list[Expr]:
    """A topic, a list of topics, or an object of options by topic."""
    expr = call.argument(0)
    if isinstance(expr, ObjectLiteral):
        span = call.call.span
        return [LiteralExpr(value=e.key, span=span) for e in expr.entries if e.key is not None]
    if isinstance(expr, ArrayLiteral):
        return list(expr.items)
    return [] if expr is None else [expr]


_CLIENTS = Clients(
    modules=("mqtt", "async-mqtt"),
    publishes=frozenset({"publish", "publishAsync"}),
    subscribes=frozenset({"subscribe", "subscribeAsync"}),
    messages=frozenset({"message"}),
    addresses=_topics,
    named=("mqtt",),
)
FRAMEWORK = Framework(
    name="MQTT.js",
    markers=(
        *(b"'mqtt'", b'"mqtt"', b"async-mqtt"),
        *(b"qtt.publish(", b"qttClient.publish(", b"qtt.subscribe(", b"qttClient.subscribe("),
    ),
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
