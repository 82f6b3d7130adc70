"""NATS Streaming: `publish` and `subscribe` of `node-nats-streaming`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, LibraryResult
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall
from contract_scan.parsers.source.typescript.messaging.received import handler_of
from contract_scan.parsers.source.typescript.messaging.sites import uses

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

NAME = "NATS Streaming"
_MODULES = ("node-nats-streaming",)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every subject that is published to or subscribed to."""
    methods = frozenset({"publish", "subscribe", "on"})
    found = list(library.method_calls(program, framework, _MODULES, methods))
    for call in found:
        subject, payload = call.argument(0), call.argument(1)
        if subject is None or call.method == "on":
            continue
        if call.method == "publish":
            site = library.send_site(NAME, subject, payload, call.scope, call.call.span)
        else:
            handler = _handler(program, call, found)
            site = library.receive_site(NAME, subject, handler, call.scope, call.call.span)
        yield from uses(program, site)


def _handler(
    program: Program, subscription: LibraryCall, found: list[LibraryCall]
) -> FunctionValue | None:
    """What `subscription.on("message", …)` gives the messages of a subscription to."""
    for call in found:
        event, handler = call.argument(0), call.argument(1)
        if call.method != "on" or event is None or handler is None:
            continue
        is_same = (
            isinstance(call.receiver, LibraryResult)
            and call.receiver.site.span == subscription.call.span
            and call.scope.file is subscription.scope.file
        )
        if is_same and program.text(event, call.scope) == "message":
            return handler_of(program, handler, call.scope)
    return None


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"node-nats-streaming",),
    calls=(b".publish(", b".subscribe(", b'.on("message', b".on('message"),
    events=events,
    protocols=("nats",),
)
