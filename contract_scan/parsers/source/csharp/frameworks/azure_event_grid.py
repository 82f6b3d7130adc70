"""Azure Event Grid: events that are made to be sent, in its own form or as CloudEvents."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibrarySymbol, Scope
from contract_scan.parsers.source.csharp.messaging.addresses import Address, address
from contract_scan.parsers.source.csharp.messaging.sends import OutgoingMessage, channel_uses
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    serialised_payload,
    undetermined_because,
)
from contract_scan.parsers.source.facts.nodes import Expr, NamedType, New
from contract_scan.parsers.source.language import Framework

_MAKERS = (b"new EventGridEvent(", b"new CloudEvent(")
_PLACES = {
    # (position of the type, position of the data)
    "EventGridEvent": (1, 3),
    "CloudEvent": (1, 2),
}
_NAMES = {"type": ("eventType", "type"), "data": ("data", "jsonSerializableData")}


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every event that is made in a file that uses the library."""
    for file in program.seeds(framework):
        for made, scope in calls_of(program, file, *_MAKERS):
            if not isinstance(made, New) or not isinstance(made.type, NamedType):
                continue
            name = made.type.name.rpartition(".")[2]
            found = program.names.lookup_type(made.type.name, scope)
            if name in _PLACES and isinstance(found, LibrarySymbol):
                yield from _send_uses(program, made, name, scope, framework)


def _send_uses(
    program: Program, made: New, name: str, scope: Scope, framework: Framework
) -> Iterator[EventUse]:
    type_at, data_at = _PLACES[name]
    kind, data = (
        _constructor_argument(made, "type", type_at),
        _constructor_argument(made, "data", data_at),
    )

    def read_message(seen: Scope) -> OutgoingMessage:
        found = (
            address(program, kind, seen)
            if kind is not None
            else Address(reason=Reason("event-untyped"))
        )
        if data is None:
            return OutgoingMessage(found, undetermined_because(Reason("event-no-data")))
        return OutgoingMessage(found, serialised_payload(program, data, seen, "bare"))

    for use in channel_uses(program, made, scope, read_message, framework.name):
        yield replace(use, message=use.message or use.address)


def _constructor_argument(made: New, part: str, position: int) -> Expr | None:
    for argument in made.args:
        if argument.name in _NAMES[part]:
            return argument.value
    positional = [argument.value for argument in made.args if not argument.name]
    return positional[position] if position < len(positional) else None


FRAMEWORK = Framework(
    name="Azure Event Grid",
    markers=(b"Azure.Messaging.EventGrid", b"EventGridPublisherClient"),
    calls=_MAKERS,
    events=events,
)
