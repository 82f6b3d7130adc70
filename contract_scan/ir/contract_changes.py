"""What changed between two revisions of contracts, judged for those who rely on the first."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin

ChangeLevel: TypeAlias = Literal["breaking", "dangerous", "safe"]
"""`breaking`: somebody who keeps to the base can fail. `dangerous`: somebody may, by how they are
written. `safe`: nobody can."""
CHANGE_LEVELS: tuple[ChangeLevel, ...] = get_args(ChangeLevel)
"""The worst first."""


class ChangeSubject(Struct, frozen=True, kw_only=True):
    """One promise of the contract that a change is part of."""

    contract: str
    """Path of the document in the base (of what is new: in the revision)."""
    operation: str = ""
    """`GET /orders/{id}`; of webhooks and callbacks their name; empty for none."""
    channel: str = ""
    """Address of the channel; empty for none."""
    action: Literal["send", "receive", ""] = ""
    """What the described application does with the channel."""
    message: str = ""
    model: str = ""
    """Name of a shared JSON Schema."""
    part: str = ""
    """``request body (application/json)``, ``query parameter `limit` ``, ``response 200`` …"""
    field: str = ""
    """Wire path in that part: `a.b` property, `a[]` item, `a{}` value of a map."""

    @property
    def place(self) -> str:
        """Everything in one line."""
        words = (
            self.operation,
            f"channel {self.channel}" if self.channel else "",
            self.action,
            f"message {self.message}" if self.message else "",
            f"model {self.model}" if self.model else "",
            self.part,
            self.field,
        )
        return " ".join(word for word in words if word)


class ChangeImpact(Struct, frozen=True, kw_only=True):
    """A place in scanned code that implements or uses what a change is about."""

    role: Literal["provides", "sends", "receives", "has"]
    """Provides the operation, sends to or receives from the channel, has the model."""
    subject: str
    """The operation, channel or model."""
    origin: Origin
    fields: tuple[str, ...] = ()
    """Of the changed fields, those that this code names."""


class ContractChange(Struct, frozen=True, kw_only=True):
    """One difference between base and revision, in all promises that it shows in."""

    id: str
    """Stable: `request-max-length-lowered`, `endpoint-removed` … (docs/breaking-changes.md)."""
    level: ChangeLevel
    message: str
    """What changed, in one sentence without the place."""
    before: str = ""
    after: str = ""
    base: Origin
    """Where the base says it; where it says nothing, what is around that. Path relative to the
    base's root."""
    revision: Origin
    """The same in the revision."""
    subjects: tuple[ChangeSubject, ...] = ()
    """Never empty: a schema that ten operations use has ten."""
    impacts: tuple[ChangeImpact, ...] = ()
    """Only where code was looked at."""


class UndeterminedChange(Struct, frozen=True, kw_only=True):
    """A place of which it cannot be said whether something changed."""

    reason: str
    base: Origin
    revision: Origin
    subject: ChangeSubject


class ContractChanges(Struct, frozen=True, kw_only=True):
    """Everything that a comparison of two revisions says."""

    base: str
    """What was compared, as it was named (`git:main:api.yaml`, `old/`)."""
    revision: str
    changes: tuple[ContractChange, ...] = ()
    """The worst first, then by place."""
    suppressed: int = 0
    """Changes that were left out by `ignore`, `select` or a file of accepted ones."""
    undetermined: tuple[UndeterminedChange, ...] = ()
    problems: tuple[NotAnalysed, ...] = ()
    """What could not be read; the path says of which side (as it was named)."""
    contracts: int = 0
    """Pairs of documents that were compared."""

    def at_least(self, level: ChangeLevel) -> tuple[ContractChange, ...]:
        """The changes that are as bad as this, or worse."""
        worst = CHANGE_LEVELS[: CHANGE_LEVELS.index(level) + 1]
        return tuple(one for one in self.changes if one.level in worst)

    @property
    def is_breaking(self) -> bool:
        """Whether any change is breaking."""
        return bool(self.at_least("breaking"))
