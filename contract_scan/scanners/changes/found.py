"""Collecting what differs: each fact with the promise of the contract that it is part of."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.contract_changes import (
    CHANGE_LEVELS,
    ChangeSubject,
    ContractChange,
    UndeterminedChange,
)
from contract_scan.ir.origin import Origin
from contract_scan.ir.wire_contract import Fact
from contract_scan.scanners.changes.differences import Difference
from contract_scan.scanners.changes.judgements import JUDGEMENTS, PREFIXES, identifier
from contract_scan.scanners.changes.judgements.judgement import Prefix
from contract_scan.scanners.changes.schemas import Encoding, Pair, SchemaComparison


class FoundDifference(Struct, frozen=True):
    """One fact, and where in the contract."""

    difference: Difference
    prefix: Prefix
    subject: ChangeSubject


class Findings:
    """What two documents are found to differ in."""

    def __init__(self, schemas: SchemaComparison) -> None:
        self.schemas = schemas
        self.found: list[FoundDifference] = []
        self.undetermined: list[UndeterminedChange] = []

    def add(
        self,
        kind: str,
        prefix: Prefix,
        subject: ChangeSubject,
        base: Origin,
        revision: Origin,
        before: str = "",
        after: str = "",
    ) -> None:
        """Take one fact that is not about schemas."""
        difference = Difference(kind=kind, base=base, revision=revision, before=before, after=after)
        self.found.append(FoundDifference(difference, prefix, subject))

    def add_text(
        self, kind: str, prefix: Prefix, subject: ChangeSubject, before: Fact, after: Fact
    ) -> None:
        """Take the fact that a text is another one, where it is."""
        if before.text != after.text:
            self.add(kind, prefix, subject, before.origin, after.origin, before.text, after.text)

    def compare_values(
        self, pair: Pair, prefix: Prefix, subject: ChangeSubject, encoding: Encoding = "json"
    ) -> None:
        """Take everything that differs at two schemas and below."""
        direction = PREFIXES[prefix]
        assert direction is not None
        below = self.schemas.differences_below(pair, direction, encoding)
        is_parameter = "parameter `" in subject.part
        for one in below.differences:
            if is_parameter and not one.path and one.kind.startswith("default-"):
                one = replace(one, kind=f"parameter-{one.kind}")
            place = replace(subject, field=one.path.removeprefix("."))
            self.found.append(FoundDifference(one, prefix, place))
        for missing in below.undetermined:
            place = replace(subject, field=missing.path.removeprefix("."))
            self.undetermined.append(
                UndeterminedChange(
                    reason=missing.reason,
                    base=missing.base,
                    revision=missing.revision,
                    subject=place,
                )
            )


def judge_differences(found: list[FoundDifference]) -> list[ContractChange]:
    """Differences as changes with an id and a level: equal differences at the same two places
    are one change, in all promises that they are part of."""
    groups: dict[tuple[str, Origin, Origin, str, str], list[FoundDifference]] = {}
    for one in found:
        difference = one.difference
        identity = identifier(difference.kind, one.prefix)
        places = difference.base, difference.revision
        key = (identity, *places, difference.before, difference.after)
        groups.setdefault(key, []).append(one)
    changes: list[ContractChange] = []
    for (identity, *_), group in groups.items():
        first = group[0]
        judgement = JUDGEMENTS[first.difference.kind]
        changes.append(
            ContractChange(
                id=identity,
                level=judgement.level(first.prefix),
                message=judgement.sentence,
                before=first.difference.before,
                after=first.difference.after,
                base=first.difference.base,
                revision=first.difference.revision,
                subjects=tuple(dict.fromkeys(one.subject for one in group)),
            )
        )
    return sorted(changes, key=_order)


def _order(change: ContractChange) -> tuple[object, ...]:
    level = CHANGE_LEVELS.index(change.level)
    base, revision = change.base, change.revision
    return (level, base.path, base.span, change.id, revision.path, revision.span, change.after)
