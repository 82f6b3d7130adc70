"""What one row of the table of judgements says."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.contract_changes import ChangeLevel
from contract_scan.scanners.changes.differences import Direction

Prefix: TypeAlias = Literal["request", "response", "received", "sent", "model", ""]
"""The first word of an id: what of a contract the difference is about. `request` and `received`
are what the users of the contract make, `response` and `sent` what its owner makes."""

PREFIXES: dict[Prefix, Direction | None] = {
    "request": "request",
    "received": "request",
    "response": "response",
    "sent": "response",
    "model": "model",
    "": None,
}

OF_VALUES: tuple[Prefix, ...] = ("request", "response", "received", "sent", "model")
OF_HTTP: tuple[Prefix, ...] = ("request", "response")
OF_MESSAGES: tuple[Prefix, ...] = ("received", "sent")
OF_CONTRACTS: tuple[Prefix, ...] = ("",)

_RANK: dict[ChangeLevel, int] = {"safe": 0, "dangerous": 1, "breaking": 2}


class Example(Struct, frozen=True):
    """The smallest pair that shows a kind of difference, as YAML; it is its test as well."""

    of: Literal[
        "schema",
        "parameter",
        "operation",
        "response",
        "responses",
        "openapi",
        "asyncapi",
        "message",
    ]
    before: str
    after: str


class Judgement(Struct, frozen=True, kw_only=True):
    """What a kind of difference means for those who rely on the base."""

    kind: str
    sentence: str
    """What changed, without the values: shown in reports."""
    request: ChangeLevel
    """How bad it is where the users of the contract make the values (or, of something that is
    not about values, at all)."""
    response: ChangeLevel
    """How bad it is where its owner makes them."""
    mirror: str
    """The kind of the opposite change; its own where it is its own opposite."""
    example: Example
    asymmetry: str = ""
    """Why the opposite change in the opposite direction is judged otherwise."""
    prefixes: tuple[Prefix, ...] = OF_VALUES

    def level(self, prefix: Prefix) -> ChangeLevel:
        """How bad it is in what an id with this first word is about."""
        direction = PREFIXES[prefix]
        if direction == "model":
            return max(self.request, self.response, key=_RANK.__getitem__)
        return self.response if direction == "response" else self.request


def identifier(kind: str, prefix: Prefix) -> str:
    """The stable id of a kind of difference in one part of a contract."""
    return f"{prefix}-{kind}" if prefix else kind
