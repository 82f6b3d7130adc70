"""node-rdkafka, and that API of `@confluentinc/kafka-javascript`: `produce`, `subscribe`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, UnsupportedSyntax
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.received import handler_of
from contract_scan.parsers.source.typescript.messaging.sites import uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

NAME = "node-rdkafka"

_MODULES = ("node-rdkafka", "@confluentinc/kafka-javascript")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic that is produced to or consumed."""
    consumers: dict[object, library.Subscriber] = {}
    methods = frozenset({"produce", "subscribe", "on"})
    for found in library.method_calls(program, framework, _MODULES, methods):
        first = found.argument(0)
        if first is None:
            continue
        if found.method == "produce":
            if len(found.call.args) > 2:
                payload = found.argument(2)
                yield from uses(
                    program, library.send_site(NAME, first, payload, found.scope, found.call.span)
                )
            continue
        consumer = consumers.setdefault(library.receiver_key(found), library.Subscriber())
        if found.method == "subscribe" and isinstance(first, ArrayLiteral):
            consumer.subscriptions.append(found)
        elif program.text(first, found.scope) == "data" and len(found.call.args) > 1:
            handler = handler_of(program, found.call.args[1].value, found.scope)
            consumer.handlers.append(handler)
    for consumer in consumers.values():
        yield from _receive_uses(program, consumer)


def _receive_uses(program: Program, consumer: library.Subscriber) -> Iterator[EventUse]:
    topics = [
        (call, item)
        for call in consumer.subscriptions
        for item in getattr(call.argument(0), "items", ())
    ]
    handler, shape = consumer.handler(len(topics))
    for call, topic in topics:
        site = library.receive_site(
            NAME,
            topic,
            handler,
            call.scope,
            call.call.span,
            shape=shape,
            pattern=isinstance(topic, UnsupportedSyntax),
        )
        yield from uses(program, site)


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"node-rdkafka", b"@confluentinc/kafka-javascript"),
    calls=(b".produce(", b".subscribe(", b".on('data", b'.on("data'),
    events=events,
    protocols=("kafka",),
)
