"""Amazon EventBridge: entries that the AWS SDK puts on a bus."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.messaging.sends import OutgoingMessage, channel_uses
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    serialised_payload,
    undetermined_because,
)
from contract_scan.parsers.source.facts.nodes import Expr, NamedType, New
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

_ENTRY = b"PutEventsRequestEntry"


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every entry that is made to be put on a bus."""
    for file in program.seeds(framework):
        for made, scope in calls_of(program, file, _ENTRY):
            match made:
                case New(type=NamedType(name=name)) if name.endswith(_ENTRY.decode()):
                    yield from _entry_uses(program, made, scope, framework)
                case _:
                    pass


def _entry_uses(
    program: Program, made: New, scope: Scope, framework: Framework
) -> Iterator[EventUse]:
    """An event: its type is the address, with its source and bus as aliases."""
    parts: dict[str, Expr] = {entry.key: entry.value for entry in made.entries if entry.key}

    def read_message(seen: Scope) -> OutgoingMessage:
        kind, detail = parts.get("DetailType"), parts.get("Detail")
        found = (
            address(program, kind, seen)
            if kind is not None
            else Address(reason=Reason("entry-no-detail-type"))
        )
        payload = (
            serialised_payload(program, detail, seen, "")
            if detail is not None
            else undetermined_because(Reason("entry-no-detail"))
        )
        return OutgoingMessage(found, payload, tuple(_aliases(program, parts, found.text, seen)))

    for use in channel_uses(program, made, scope, read_message, framework.name):
        yield replace(use, message=use.message or use.address)


def _aliases(program: Program, parts: dict[str, Expr], kind: str, scope: Scope) -> Iterator[str]:
    source = program.text(parts.get("Source"), scope)
    bus = program.text(parts.get("EventBusName"), scope)
    if source and kind:
        yield f"{source}/{kind}"
        yield f"{source}.{kind}"
    if bus and kind:
        yield bus.rpartition("/")[2]


FRAMEWORK = Framework(
    name="Amazon EventBridge",
    markers=(_ENTRY,),
    calls=(_ENTRY,),
    events=events,
)
