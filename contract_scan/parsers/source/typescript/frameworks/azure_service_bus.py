"""Azure Service Bus: senders and receivers of queues and topics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.values import Items, LibraryResult, OneOf, Value
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, Attribute, Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall, property_of
from contract_scan.parsers.source.typescript.messaging.received import handler_of, part_shape
from contract_scan.parsers.source.typescript.messaging.sites import uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

NAME = "Azure Service Bus"

_MODULES = ("@azure/service-bus",)
_SENDS = frozenset({"sendMessages", "scheduleMessages", "tryAddMessage", "tryAdd"})
_MAKES = frozenset({"createSender", "createReceiver", "acceptSession", "acceptNextSession"})
_UNTYPED = Unknown(reason="the handler declares no type for the body of the message")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every queue or topic that is sent to or received from."""
    for found in library.method_calls(program, framework, _MODULES, _SENDS | {"subscribe"}):
        first = found.argument(0)
        if first is None:
            continue
        address = _entity(program, found)
        if found.method == "subscribe":
            written = property_of(program, first, found.scope, "processMessage")
            handler = handler_of(program, written, found.scope) if written is not None else None
            shape: Schema = library.UNSEEN
            if handler is not None:
                shape = part_shape(program, handler, "body") or _UNTYPED
            span = found.call.span
            site = library.receive_site(NAME, address, None, found.scope, span, shape=shape)
            yield from uses(program, site)
            continue
        for message in _messages(program, found, first):
            payload = property_of(program, message, found.scope, "body")
            payload = payload or Attribute(value=message, name="body", span=message.span)
            yield from uses(
                program, library.send_site(NAME, address, payload, found.scope, found.call.span)
            )


def _messages(program: Program, found: LibraryCall, first: Expr) -> list[Expr]:
    """A message, or those of a list; those of a batch are told where they are added to it."""
    value = program.evaluate(first, found.scope)
    options = value.options if isinstance(value, OneOf) else (value,)
    if any(
        isinstance(o, LibraryResult) and o.name.endswith(".createMessageBatch") for o in options
    ):
        return []
    listed = isinstance(first, ArrayLiteral)
    if listed or isinstance(value, Items):
        return library.items_of(first)
    return [first]


def _entity(program: Program, found: LibraryCall) -> Expr:
    """The queue or topic that a sender or receiver was made for."""
    value: Value | None = found.receiver
    if isinstance(value, LibraryResult) and value.name.endswith(".createMessageBatch"):
        value = value.receiver
    if isinstance(value, LibraryResult) and value.name.rsplit(".", 1)[-1] in _MAKES:
        first = value.site.args[0].value if value.site.args else None
        if isinstance(value.site, Call):
            what = "queue or topic name"
            return library.constant(
                program, first, value.scope, found.call.span, what, place=found.scope
            )
    return library.constant(
        program, None, found.scope, found.call.span, "queue or topic of a given sender or receiver"
    )


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"@azure/service-bus",),
    calls=(b".sendMessages(", b".scheduleMessages(", b".tryAdd", b".subscribe("),
    events=events,
    protocols=("amqp", "http"),
)
