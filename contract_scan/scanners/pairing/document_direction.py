"""From which side an AsyncAPI document is written: that of the code, the other one, or both.

AsyncAPI 3 says what the application itself sends and receives; some are written for its clients all
the same. AsyncAPI 2 speaks of what others may do with its channels, and many documents mean the
reverse, or describe a whole system; converting them to version 3 keeps that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from contract_scan.ir.document import CodeModel, ContractDocument
from contract_scan.ir.event import Channel, Direction, Message
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.alternatives import of_name
from contract_scan.scanners.differences.union_members import field_names
from contract_scan.scanners.pairing.channels import ChannelPair

View: TypeAlias = Literal["as written", "other side", "either side"]
"""`either side`: the code holds both ends of its channels, and the document follows neither."""

_OTHER: dict[Direction, Direction] = {"send": "receive", "receive": "send"}

REVERSED = 3
"""Channels (or messages that code names), without one that agrees, from which on a document of
AsyncAPI 3 is taken to be written for the clients of this code. One or two that differ are
mistakes."""

REASONS: dict[View, Reason] = {
    "other side": Reason("document-describes-other-side"),
    "either side": Reason("document-describes-both-sides"),
}
"""What to say of a document that is not read as written."""


def view_of(document: ContractDocument, pairs: Sequence[ChannelPair], code: CodeModel) -> View:
    """Decide by how the code uses the channels of the document.

    Messages that code sends and takes by their names tell most. A channel tells nothing where both
    ends use it in this code. Where both directions are
    contracted, what the messages carry tells: what the code sends has the fields of what it is
    contracted to receive, or the reverse.
    """
    agreeing = reversed_ = 0
    both_ends = False
    for pair in pairs:
        uses = {use.direction for use in pair.uses}
        directions = contracted_directions(pair.channel)
        both_ends |= len(uses) == 2
        same, other = _by_name(document, pair)
        if same or other:
            agreeing += same
            reversed_ += other
            continue
        if len(uses) == len(directions) == 1:
            agreeing += uses == directions
            reversed_ += uses != directions
        elif len(directions) == 2:
            likeness = _direction_score(document, pair, code)
            agreeing += likeness > 0
            reversed_ += likeness < 0
    if not document.version.startswith("2") and not _is_converted(document):
        is_reversed = reversed_ >= REVERSED and not agreeing
        return "other side" if is_reversed else "as written"
    if reversed_ > agreeing or (not (agreeing or reversed_) and _only_other_way(pairs)):
        return "other side"
    return "either side" if reversed_ and both_ends else "as written"


def _only_other_way(pairs: Sequence[ChannelPair]) -> bool:
    """Whether the code uses none of the channels for certain, and perhaps some of them (the address
    is computed) in the one direction alone in which no channel is contracted."""
    ways = {use.direction for pair in pairs for use in (*pair.uses, *pair.possible)}
    contracted = {way for pair in pairs for way in contracted_directions(pair.channel)}
    return len(ways) == len(contracted) == 1 and ways != contracted


def _by_name(document: ContractDocument, pair: ChannelPair) -> tuple[int, int]:
    """How many messages the code sends and takes by the very names that are contracted for its
    direction, and how many by those of the other one alone."""
    ways: dict[Direction, list[Message]] = {"send": [], "receive": []}
    for operation in pair.channel.operations:
        ways[operation.direction] += operation.messages
    counted = [0, 0]
    named = {(use.message, use.direction): use for use in pair.uses if use.has_wire_name}
    for use in named.values():
        own = bool(of_name(use, ways[use.direction], document))
        other = bool(of_name(use, ways[_OTHER[use.direction]], document))
        if own != other:
            counted[other] += 1
    return counted[0], counted[1]


def _is_converted(document: ContractDocument) -> bool:
    """Whether a document of version 3 was made of one of version 2, and so may be written from the
    side that others read into `publish`: operations without a name of their own are called so."""
    return any(
        operation.name.endswith((".publish", ".subscribe"))
        for channel in document.channels
        for operation in channel.operations
    )


def _direction_score(document: ContractDocument, pair: ChannelPair, code: CodeModel) -> int:
    """How much more fields the code's payloads share with the messages of their own direction than
    with those of the other one."""
    fields: dict[Direction, set[str]] = {"send": set(), "receive": set()}
    for operation in pair.channel.operations:
        for message in operation.messages or pair.channel.messages:
            fields[operation.direction] |= field_names(message.payload, document)
    both = fields["send"] & fields["receive"]
    total = 0
    for use in pair.uses:
        own = field_names(use.payload, code) - both
        same = len(own & fields[use.direction])
        total += same - len(own & fields[_OTHER[use.direction]])
    return total


def contracted_directions(channel: Channel) -> set[Direction]:
    """The directions that a channel is contracted in."""
    return {operation.direction for operation in channel.operations}
