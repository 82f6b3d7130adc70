"""What the three Kafka clients have in common: producers that send, consumers that subscribe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope, Value
from contract_scan.parsers.source.facts.nodes import Attribute, Call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging.payloads import (
    enclosing_function,
    handler_payload,
)
from contract_scan.parsers.source.python.messaging.received import received_by
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    made_by,
    receive,
    sends,
)
from contract_scan.parsers.source.python.web.common import argument, place
from contract_scan.parsers.source.python.web.mounts import all_calls, called_name

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


class Client(Struct, frozen=True):
    """How one client library spells sending and receiving."""

    markers: tuple[bytes, ...]
    send: frozenset[str]
    """Methods of a producer; the topic comes first, then the value."""
    producers: tuple[str, ...]
    consumers: tuple[str, ...]
    topics_in_constructor: bool = True


def events(program: Program, framework: Framework, client: Client) -> Iterator[EventUse]:
    """Every message that one client library sends or receives."""
    seeds = program.holding(*client.markers)
    names = (*sorted(client.send), "subscribe")
    # A client may be made in one file and used in another.
    others = program.holding(*(f".{name}(".encode() for name in names)) if seeds else ()
    for path in dict.fromkeys((*seeds, *others)):
        for call, scope in all_calls(program, path):
            if not isinstance(call, Call):
                continue
            callee = call.callee
            if isinstance(callee, Attribute) and callee.name in client.send:
                if made_by(program, program.evaluate(callee.value, scope), *client.producers):
                    topic, value = argument(call, 0, "topic"), argument(call, 1, "value")
                    yield from sends(program, framework, scope, call, topic, value)
            elif isinstance(callee, Attribute) and callee.name == "subscribe":
                consumer = program.evaluate(callee.value, scope)
                if made_by(program, consumer, *client.consumers):
                    yield from _subscribe_uses(
                        program, framework, call, scope, _parsed_attribute(consumer)
                    )
            elif client.topics_in_constructor and _is_constructor(call, client):
                made = program.evaluate(call, scope)
                if isinstance(made, LibraryResult) and made.name in client.consumers:
                    yield from _constructor_uses(
                        program, framework, call, scope, _parsed_attribute(made)
                    )


def _is_constructor(call: Call, client: Client) -> bool:
    return called_name(call) in {name.rpartition(".")[2] for name in client.consumers}


def _parsed_attribute(consumer: Value) -> str:
    """The attribute of a message that has the parsed content, where the consumer has a
    deserializer."""
    named = {a.name for a in consumer.site.args} if isinstance(consumer, LibraryResult) else set()
    parses = "value_deserializer" in named or (
        isinstance(consumer, LibraryResult) and consumer.name.endswith("DeserializingConsumer")
    )
    return "value" if parses else ""


def _subscribe_uses(
    program: Program, framework: Framework, call: Call, scope: Scope, parsed: str
) -> Iterator[EventUse]:
    if any(item.name == "pattern" for item in call.args):
        content = handler_payload(program, enclosing_function(scope), parsed)
        for text, unresolved in addresses(program, argument(call, -1, "pattern"), scope):
            origin = place(scope, call.span)
            yield receive(framework, text, content, origin, unresolved=unresolved, pattern=True)
        return
    topics, origin = argument(call, 0, "topics"), place(scope, call.span)
    yield from received_by(
        program, framework, topics, scope, enclosing_function(scope), origin, parsed=parsed
    )


def _constructor_uses(
    program: Program, framework: Framework, call: Call, scope: Scope, parsed: str
) -> Iterator[EventUse]:
    origin = place(scope, call.span)
    for item in call.args:
        if not item.name and item.spread != "**":
            yield from received_by(
                program,
                framework,
                item.value,
                scope,
                enclosing_function(scope),
                origin,
                parsed=parsed,
            )
