"""What a scan says: findings, what is undetermined, and what was not looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from contract_scan.ir.evidence import Grade
from contract_scan.ir.fix import Fix, WithheldFix
from contract_scan.ir.origin import Origin

Severity: TypeAlias = Literal["error", "warning", "note"]
RuleId: TypeAlias = Literal[
    "CONTRACT-000", "CONTRACT-001", "CONTRACT-002", "CONTRACT-003", "CONTRACT-004"
]
RULE_IDS: frozenset[str] = frozenset(get_args(RuleId))
"""The ids of every rule."""
Kind: TypeAlias = Literal[
    "missing-field",
    "extra-field",
    "name-case",
    "type",
    "required",
    "nullable",
    "enum",
    "shape",
    "status",
    "missing-endpoint",
    "undocumented-endpoint",
    "method",
    "parameter",
    "base-path",
    "other-application",
    "missing-channel",
    "undocumented-channel",
    "missing-model",
    "invalid-ignore",
    "unused-ignore",
    "stale-baseline",
    "unused-exception",
    "expired-exception",
]
"""What kind of drift. Kinds are added when a promise needs one and never renamed."""

_OF_SCHEMAS: tuple[Kind, ...] = (
    "missing-field",
    "extra-field",
    "name-case",
    "type",
    "required",
    "nullable",
    "enum",
    "shape",
)
KINDS_OF_RULE: Mapping[str, tuple[Kind, ...]] = {
    "CONTRACT-000": (
        "invalid-ignore",
        "unused-ignore",
        "stale-baseline",
        "unused-exception",
        "expired-exception",
    ),
    "CONTRACT-001": (*_OF_SCHEMAS, "status", "parameter"),
    "CONTRACT-002": (
        "missing-endpoint",
        "undocumented-endpoint",
        "method",
        "base-path",
        "other-application",
    ),
    "CONTRACT-003": (*_OF_SCHEMAS, "missing-channel", "undocumented-channel"),
    "CONTRACT-004": (*_OF_SCHEMAS, "missing-model"),
}
"""The kinds of drift that each rule finds. A kind is selected as `CONTRACT-001/missing-field`."""


class OperationRef(Struct, frozen=True, kw_only=True):
    """The operation (and the part of it) that a finding is about."""

    method: str
    path: str
    """The contract's template; for an undocumented endpoint the code's."""
    status: str = ""
    direction: Literal["response", "request", ""] = ""


class ObjectPair(Struct, frozen=True, array_like=True):
    """An object of the code and the object of the contract that it is compared with."""

    code: Origin
    code_type: str
    """Name of its type, else of the declaration that it stands in; empty where neither has one."""
    contract: Origin
    contract_type: str
    """Name of the component; empty for a schema that is written in place."""
    code_sends: bool = True
    """Whether the code writes the value, rather than reads it."""
    shares_little: bool = False
    """Whether the two have so few fields in common that one is no version of the other."""


class Finding(Struct, frozen=True, kw_only=True):
    """One broken promise in one place."""

    rule: str
    kind: Kind
    severity: Severity
    message: str
    origin: Origin
    """The place to show: in code, or in the contract where the code has nothing to show."""
    operation: OperationRef | None = None
    channel: str | None = None
    model: str | None = None
    field: str = ""
    """Wire path: `a.b` property, `a[]` array item, `a{}` map value, empty for the whole body."""
    expected: str = ""
    found: str = ""
    evidence: Grade = "enforced"
    """How it is known what the code does."""
    contract: Origin | None = None
    reached_from: Origin | None = None
    """The route, publish site or handler through which `origin` was reached, where it differs."""
    help: str = ""
    """One sentence that says how to mend it."""
    fingerprint: str = ""
    objects: ObjectPair | None = None
    """The innermost objects that hold the field; None where the finding is not about a field."""
    problem: str = ""
    """Fingerprint of the problem of which this is a place (`scanners/problems.py`)."""
    fix: Fix | None = None
    """What would mend it, where a program can tell."""
    withheld: WithheldFix | None = None
    """What would mend it and break something else, or change nothing on the wire."""

    @property
    def name(self) -> str:
        """The name that selects its kind: `CONTRACT-001/missing-field`."""
        return f"{self.rule}/{self.kind}"


class Suppressed(Struct, frozen=True, kw_only=True):
    """A finding that somebody chose not to be told."""

    finding: Finding
    by: Literal["comment", "configuration"]
    justification: str = ""
    """Why, in the words of whoever did."""
    origin: Origin | None = None
    """Where it says so, for a comment."""


class Undetermined(Struct, frozen=True, kw_only=True):
    """A promise of which is undetermined whether it is kept."""

    rule: str
    reason: str
    origin: Origin
    operation: OperationRef | None = None
    channel: str | None = None
    model: str | None = None
    field: str = ""
    absent: bool = False
    """Nothing in the code stands for the shared model: there is nothing that could be compared."""
