"""ffc-messaging: senders and receivers over Azure Service Bus, made from objects of settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Expr, New
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall, property_of
from contract_scan.parsers.source.typescript.messaging.received import handler_of, part_shape
from contract_scan.parsers.source.typescript.messaging.sites import uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

NAME = "ffc-messaging"

_MODULE = "ffc-messaging"
_RECEIVERS = frozenset({f"{_MODULE}.MessageReceiver", f"{_MODULE}.default.MessageReceiver"})
_SENDS = frozenset({"sendMessage", "sendBatchMessages"})
_UNTYPED = Unknown(reason="the handler declares no type for the body of the message")
_WHAT = "queue or topic name"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every queue or topic that is sent to or received from."""
    for found in library.method_calls(program, framework, (_MODULE,), _SENDS):
        first = found.argument(0)
        if first is not None:
            yield from _send_uses(program, found, first)
    for made, _, scope in library.constructions(program, framework, _RECEIVERS):
        if len(made.args) > 1:
            yield from _receive_uses(program, made, scope)


def _send_uses(program: Program, found: LibraryCall, first: Expr) -> Iterator[EventUse]:
    sender = found.receiver
    address: Expr | None = None
    scope = found.scope
    if isinstance(sender, LibraryResult) and sender.site.args:
        address, scope = sender.site.args[0].value, sender.scope
    entity = library.constant(
        program, _entity(program, address, scope), scope, found.call.span, _WHAT, place=found.scope
    )
    messages = library.items_of(first) if found.method == "sendBatchMessages" else [first]
    for message in messages:
        body = property_of(program, message, found.scope, "body")
        body = body or Attribute(value=message, name="body", span=message.span)
        yield from uses(
            program, library.send_site(NAME, entity, body, found.scope, found.call.span)
        )


def _receive_uses(program: Program, made: New, scope: Scope) -> Iterator[EventUse]:
    handler = handler_of(program, made.args[1].value, scope)
    shape: Schema = library.UNSEEN
    if handler is not None:
        shape = part_shape(program, handler, "body") or _UNTYPED
    address = _entity(program, made.args[0].value, scope)
    entity = library.constant(program, address, scope, made.span, _WHAT, place=scope)
    yield from uses(
        program, library.receive_site(NAME, entity, None, scope, made.span, shape=shape)
    )


def _entity(program: Program, settings: Expr | None, scope: Scope) -> Expr | None:
    """What the settings of a connection name: of a subscription, its topic."""
    for name in ("topic", "address"):
        found = property_of(program, settings, scope, name)
        if found is not None:
            return found
    return None


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"ffc-messaging",),
    calls=(b".sendMessage(", b".sendBatchMessages(", b"MessageReceiver("),
    events=events,
    protocols=("amqp", "http"),
)
