"""What a receiver that tells kinds of messages apart takes of one channel."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.event import Channel, EventUse, Message, MessageKind
from contract_scan.ir.schema import Anything, Object, Schema
from contract_scan.scanners.alternatives import Alternative, alternatives, resolve_references
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.pairing.addresses import canonical


def of_channel(
    use: EventUse, channel: Channel, messages: Sequence[Message], contract: Resolver
) -> list[tuple[EventUse, Message | None]]:
    """A use as the contract can be compared with it: what it takes the kind of message for that is
    called like the channel, else each message of the contract that is called like a kind; as it
    is where neither is there. With each the only message that it stands for."""
    if not use.kinds:
        return [(use, None)]
    own = {canonical(name) for name in (channel.address or channel.key, *channel.aliases)}
    for kind in use.kinds:
        if canonical(kind.name) in own:
            return [(_use_of_kind(use, kind), None)]
    found: list[tuple[EventUse, Message | None]] = []
    for one in alternatives(messages, contract):
        kinds = _kinds_of_alternative(use, one)
        if len(kinds) == 1:
            found.append((_use_of_kind(use, kinds[0]), one.message))
    return found or [(use, None)]


def unreceived_messages(
    uses: Sequence[EventUse], channel: Channel, messages: Sequence[Message], contract: Resolver
) -> list[Alternative]:
    """The messages that no receiver has a kind for, where they tell kinds by the names of the
    others."""
    known = alternatives(messages, contract)
    if not all(_is_by_message(use, channel, messages, contract) for use in uses):
        return []
    return [one for one in known if not any(_kinds_of_alternative(use, one) for use in uses)]


def _is_by_message(
    use: EventUse, channel: Channel, messages: Sequence[Message], contract: Resolver
) -> bool:
    return any(only is not None for _, only in of_channel(use, channel, messages, contract))


def _kinds_of_alternative(use: EventUse, one: Alternative) -> list[MessageKind]:
    return [kind for kind in use.kinds if fold(kind.name) in one.spellings]


def _use_of_kind(use: EventUse, kind: MessageKind) -> EventUse:
    return replace(use, payload=kind.payload, message=kind.message, kinds=())


def unnamed_contents(payload: Schema, code: Resolver) -> str:
    """A key of which a handler that declares no type was only seen to read it; empty where there
    is none."""
    read = resolve_references(payload, code)
    if not isinstance(read, Object) or read.name:
        return ""
    seen = (f.name for f in read.fields if f.schema == Anything(nullable=None, origin=f.origin))
    return next(seen, "")
