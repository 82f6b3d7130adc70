"""Uses of channels, as the representation has them."""

from __future__ import annotations

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.java.messaging.payloads import Payload
from contract_scan.parsers.source.messaging.addresses import Address


def channel_use(
    direction: Direction,
    found: Address,
    payload: Payload,
    origin: Origin,
    framework: str,
    *,
    aliases: tuple[str, ...] = (),
    pattern: bool = False,
) -> EventUse:
    """A place that sends to an address or receives from it."""
    return EventUse(
        direction=direction,
        address=found.text,
        payload=payload.schema,
        message=payload.message,
        aliases=aliases,
        pattern=pattern,
        unresolved=found.reason,
        framework=framework,
        origin=origin,
    )
