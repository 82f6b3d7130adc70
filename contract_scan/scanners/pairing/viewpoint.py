"""From which side an AsyncAPI document is written: that of the code, the other one, or both.

AsyncAPI 3 says what the application itself sends and receives; some are written for its clients all
the same. AsyncAPI 2 speaks of what others may do with its channels, and many documents mean the
reverse, or describe a whole system.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.event import Channel, Direction
from contract_scan.scanners.pairing.channels import ChannelPair

View: TypeAlias = Literal["as written", "other side", "either side"]
"""`either side`: the code holds both ends of its channels, and the document follows neither."""

REVERSED = 3
"""Channels, without one that agrees, from which on a document of AsyncAPI 3 is taken to be written
for the clients of this code. One or two that differ are mistakes."""

REASONS: dict[View, str] = {
    "other side": "the document seems to describe the other side of its channels: the code "
    "receives what it lets the application send, or the reverse; it was compared that way round",
    "either side": "the document seems to describe both sides of its channels at once; in which "
    "direction the code uses a channel was not compared",
}
"""What to say of a document that is not read as written."""


def view_of(document: ContractDocument, pairs: Sequence[ChannelPair]) -> View:
    """Decide by how the code uses the channels of the document.

    A channel tells nothing where both ends use it in this code, or both directions are contracted.
    """
    agreeing = reversed_ = 0
    both_ends = False
    for pair in pairs:
        uses = {use.direction for use in pair.uses}
        directions = contracted_directions(pair.channel)
        both_ends |= len(uses) == 2
        if len(uses) == len(directions) == 1:
            agreeing += uses == directions
            reversed_ += uses != directions
    if not document.version.startswith("2"):
        is_reversed = reversed_ >= REVERSED and not agreeing
        return "other side" if is_reversed else "as written"
    if reversed_ > agreeing:
        return "other side"
    return "either side" if reversed_ and both_ends else "as written"


def contracted_directions(channel: Channel) -> set[Direction]:
    """The directions that a channel is contracted in."""
    return {operation.direction for operation in channel.operations}
