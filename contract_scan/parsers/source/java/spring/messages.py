"""What Spring's messaging libraries share: the walk over listeners and sends, replies, sends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.facts import Call
from contract_scan.parsers.source.java.annotations import argument, find, items, type_name
from contract_scan.parsers.source.java.messaging import Address, address
from contract_scan.parsers.source.java.spring.converters import converter_variant
from contract_scan.parsers.source.java.spring.listeners import Listener, listeners, replies
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.link.values import Scope

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program


class Messaging(Struct, frozen=True, kw_only=True):
    """What sets one library apart."""

    listener: str
    """Annotation of methods that receive, or of classes whose methods do."""
    handler: str
    """Annotation of the receiving methods of such a class."""
    converters: frozenset[str]
    """Classes that write payloads with a mapper of their own."""
    received: Callable[[Program, Listener, str], Iterator[EventUse]]
    """(program, listener, variant) -> what it receives."""
    is_send: Callable[[Program, Call, Scope], bool]
    sent: Callable[[Program, Call, Scope, str], Iterator[EventUse]]
    """(program, call that sends, its scope, variant) -> what it sends."""


def exchanged(program: Program, framework: Framework, library: Messaging) -> Iterator[EventUse]:
    """Every listener with its replies, and every send."""
    for file in program.seeds(framework):
        variant = converter_variant(program, file.path, library.converters)
        for symbol in program.classes(file):
            for listener in listeners(program, symbol, library.listener, library.handler):
                yield from library.received(program, listener, variant)
                yield from _replied(program, listener, variant, framework.name)
        for call, scope in program.calls(file):
            if isinstance(call, Call) and library.is_send(program, call, scope):
                yield from library.sent(program, call, scope, variant)


def _replied(
    program: Program, listener: Listener, variant: str, framework: str
) -> Iterator[EventUse]:
    """What a listener returns, sent to where `@SendTo` says."""
    reply = find(listener.method.annotations, "SendTo")
    returns = listener.method.returns
    if reply is None or returns is None or not replies(listener.method):
        return
    payload = program.schema(returns, listener.scope, variant)
    for item in items(argument(reply, "value")):
        found = address(program, item, listener.scope)
        # RabbitMQ writes an exchange before the queue; a topic of Kafka has no slash.
        found = replace(found, text=found.text.rpartition("/")[2])
        yield sent_use(found, payload, type_name(returns), listener.origin, framework)


def sent_use(
    found: Address,
    payload: Schema,
    message: str,
    origin: Origin,
    framework: str,
    *,
    aliases: tuple[str, ...] = (),
) -> EventUse:
    """A send to an address."""
    return EventUse(
        direction="send",
        address=found.text,
        payload=payload,
        message=message,
        aliases=aliases,
        unresolved=found.why,
        framework=framework,
        origin=origin,
    )
