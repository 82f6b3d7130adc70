"""Google Cloud Pub/Sub: messages that are published to topics, and subscriptions to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Value
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall, property_of
from contract_scan.parsers.source.typescript.messaging.received import handler_of
from contract_scan.parsers.source.typescript.messaging.sites import MessageSite, uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

NAME = "Google Pub/Sub"

_MODULES = ("@google-cloud/pubsub",)
_PUBLISHES = frozenset({"publish", "publishJSON", "publishMessage"})


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every topic that is published to, and every subscription that is listened to."""
    methods = _PUBLISHES | {"on"}
    for found in library.method_calls(program, framework, _MODULES, methods):
        first, second = found.argument(0), found.argument(1)
        if found.method in _PUBLISHES and first is not None:
            address = _resource_name(program, found, "topic", "topic name")
            yield from _short(program, _publish_site(program, found, address, first))
        elif second is not None and program.text(first, found.scope) == "message":
            address = _resource_name(program, found, "topic", "topic of the subscription")
            handler = handler_of(program, second, found.scope)
            site = library.receive_site(NAME, address, handler, found.scope, found.call.span)
            yield from _short(program, site)


def _publish_site(program: Program, found: LibraryCall, address: Expr, given: Expr) -> MessageSite:
    """`publishMessage({ json })` or `({ data })`; `publish(data)` and `publishJSON(value)`."""
    payload: Expr | None = given
    if found.method == "publishMessage":
        payload = property_of(program, given, found.scope, "json")
        payload = payload or property_of(program, given, found.scope, "data")
    return library.send_site(NAME, address, payload, found.scope, found.call.span)


def _resource_name(program: Program, found: LibraryCall, method: str, what: str) -> Expr:
    """The name argument of `client.topic(name)`, through the calls that are chained to it."""
    value: Value | None = found.receiver
    while isinstance(value, LibraryResult):
        if value.name.rsplit(".", 1)[-1] == method and isinstance(value.site, Call):
            first = value.site.args[0].value if value.site.args else None
            return library.constant(
                program, first, value.scope, found.call.span, what, place=found.scope
            )
        value = value.receiver
    return library.constant(program, None, found.scope, found.call.span, what)


def _short(program: Program, site: MessageSite) -> Iterator[EventUse]:
    """Uses by the name of the topic alone: `projects/shop/topics/orders` is `orders`."""
    for use in uses(program, site):
        yield replace(use, address=use.address.rsplit("/topics/", 1)[-1])


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"@google-cloud/pubsub",),
    calls=(b".publish(", b".publishMessage(", b".publishJSON(", b".on('message", b'.on("message'),
    events=events,
    protocols=("googlepubsub", "http"),
)
