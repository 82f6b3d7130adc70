"""What a scan says: findings, what is undetermined, and what was not looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import force_setattr

from contract_scan.ir.evidence import Grade
from contract_scan.ir.fix import Fix, WithheldFix
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason

Severity: TypeAlias = Literal["error", "warning", "note"]
ScanRuleId: TypeAlias = Literal[
    "CONTRACT-000", "CONTRACT-001", "CONTRACT-002", "CONTRACT-003", "CONTRACT-004"
]
ScopeRuleId: TypeAlias = Literal["SCOPE-001", "SCOPE-002", "SCOPE-003", "SCOPE-004", "SCOPE-005"]
RuleId: TypeAlias = ScanRuleId | ScopeRuleId
RULE_IDS: frozenset[str] = frozenset(get_args(ScanRuleId))
"""The ids of the rules that scans apply. Those of scopes are applied to scope contracts alone."""
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
    "undelivered",
    "forbidden-file",
    "merge-conflict",
    "missing-export",
    "unmet-import",
    "double-export",
    "type-conflict",
    "wrong-claim",
    "unmentioned",
    "stalled",
    "blocked",
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
"""The kinds of drift that each rule of scans finds. A kind is selected as
`CONTRACT-001/missing-field`."""
KINDS_OF_SCOPE_RULE: Mapping[ScopeRuleId, tuple[Kind, ...]] = {
    "SCOPE-001": ("undelivered",),
    "SCOPE-002": ("forbidden-file", "merge-conflict"),
    "SCOPE-003": ("missing-export", "unmet-import", "double-export", "type-conflict"),
    "SCOPE-004": ("wrong-claim", "unmentioned"),
    "SCOPE-005": ("stalled", "blocked"),
}
"""The kinds that the rules of scopes find. Nothing selects or ignores them: what a scope need not
keep is taken out of its contract."""


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
    predicate: str = ""
    """Where the message is about one operation: what it says of that, without its name."""
    origin: Origin
    """The place to show: in code, or in the contract where the code has nothing to show."""
    operation: OperationRef | None = None
    channel: str | None = None
    model: str | None = None
    field: str = ""
    """Wire path: `a.b` property, `a[]` array item, `a{}` map value, empty for the whole body. Of a
    scope contract: the item."""
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
    scopes: tuple[str, ...] = ()
    """The scopes that broke it, by their ids, where scopes of a feature are held against their
    contracts."""

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
    null_alone: bool = False
    """Whether the type of the field was compared, and null alone is undetermined."""
    code: str = ""
    """The code of the reason in docs/reasons.md; of a reason within another, of that one. It comes
    with a `Reason`, which a report holds as its text."""

    def __post_init__(self) -> None:
        if isinstance(self.reason, Reason):
            force_setattr(self, "code", self.reason.cause.code)
            force_setattr(self, "reason", str(self.reason))
