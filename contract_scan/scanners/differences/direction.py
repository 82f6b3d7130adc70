"""Who sends and who accepts, and which of the two is the contract."""

from __future__ import annotations

from typing import TypedDict

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Field, Node
from contract_scan.scanners.differences.kinds import Direction


class DifferencePlaces(TypedDict):
    """The two places of a difference."""

    contract: Origin
    code: Origin


class Sides(Struct, frozen=True):
    """The direction of a comparison, for turning sender and receiver into contract and code."""

    direction: Direction

    @property
    def code_sends(self) -> bool:
        """Whether the code is the sender."""
        return self.direction in ("response", "model")

    @property
    def both_ways(self) -> bool:
        """Whether the receiver's lists of values must be covered as well."""
        return self.direction in ("model", "consumer")

    def places(self, sent: Node | Field, accepted: Node | Field) -> DifferencePlaces:
        """The two origins, by role."""
        if self.code_sends:
            return DifferencePlaces(contract=accepted.origin, code=sent.origin)
        return DifferencePlaces(contract=sent.origin, code=accepted.origin)

    def in_order(self, sent: str, accepted: str) -> tuple[str, str]:
        """(What the contract says, what the code says)."""
        return (accepted, sent) if self.code_sends else (sent, accepted)
