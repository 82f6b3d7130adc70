"""One thing to mend: the findings that one change of the code or of the contract would settle."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding, Kind, Severity


class Member(Struct, frozen=True, kw_only=True):
    """One field of a problem that is about several."""

    name: str
    """Innermost part of its wire path; `[]` and `{}` stand for items and values of a map."""
    kind: Kind
    expected: str = ""
    found: str = ""


_DIFFERENCES: Mapping[Kind, str] = {
    "missing-field": "missing",
    "extra-field": "not in the contract",
    "required": "optional",
    "nullable": "with other nulls",
    "enum": "with other values",
    "type": "of another type",
    "shape": "of another type",
    "name-case": "in another case",
}


def difference_of(member: Member) -> str:
    """What is different about a field, beside others of which something else is: "missing"."""
    return _DIFFERENCES.get(member.kind, "different")


class Problem(Struct, frozen=True, kw_only=True):
    """What one place of the code and one place of the contract disagree about, and in one way."""

    fingerprint: str
    rule: str
    kind: Kind
    """Of the gravest of its findings: an object that is another type altogether has several."""
    severity: Severity
    """Of the gravest of its findings."""
    title: str
    """The problem in one sentence."""
    places: tuple[Finding, ...]
    """Every finding of it by place, those of its kind first."""
    code_type: str = ""
    """The type, or declaration, of the code; empty where it has no name."""
    contract_type: str = ""
    """The component of the contract; empty where it has no name."""
    code: Origin | None = None
    """None where the code has nothing to show."""
    contract: Origin | None = None
    members: tuple[Member, ...] = ()
    """By name, those of its kind first."""
    operations: tuple[str, ...] = ()
    """`GET /orders`, sorted."""
    channels: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name that selects its kind: `CONTRACT-001/missing-field`."""
        return f"{self.rule}/{self.kind}"

    @property
    def reach(self) -> int:
        """How many operations, channels and models it affects."""
        return len(self.operations) + len(self.channels) + len(self.models)


class ProblemGroup(Struct, frozen=True, kw_only=True):
    """Problems that one entry of a report tells together; most groups hold one."""

    title: str
    problems: tuple[Problem, ...]
    """The worst and most far-reaching first."""

    @property
    def first(self) -> Problem:
        """The problem that stands for all of them."""
        return self.problems[0]

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations that any of them affects, sorted."""
        return tuple(sorted({name for each in self.problems for name in each.operations}))

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels that any of them affects, sorted."""
        return tuple(sorted({name for each in self.problems for name in each.channels}))

    @property
    def models(self) -> tuple[str, ...]:
        """The models that any of them affects, sorted."""
        return tuple(sorted({name for each in self.problems for name in each.models}))

    @property
    def places(self) -> int:
        """How many findings they have together."""
        return sum(len(each.places) for each in self.problems)
