"""What a comparison gathers while it runs; paths are relative to the place that is compared."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

import msgspec

from contract_scan.ir.evidence import Evidence, Grade, stronger
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.differences.definitions import (
    DefinitionUse,
    Place,
    UsageVerdict,
    graver,
)
from contract_scan.scanners.differences.kinds import (
    Comparison,
    Difference,
    UndeterminedPart,
    grade_difference,
)
from contract_scan.scanners.differences.kinds import DifferencePlace as AnyPlace

PlaceT = TypeVar("PlaceT", bound=AnyPlace)

MAX_PLACES = 1_000
"""Differences, and as many undetermined places, that one comparison lists. A type that holds
another twice, which holds a third twice, has each place under two to the power of the depth paths.
"""
TOO_MANY = Reason("too-many-differences", max_places=MAX_PLACES)
"""Why not every difference is listed."""
TOO_MANY_UNDETERMINED = Reason("too-many-undetermined-places", max_places=MAX_PLACES)
"""Why not every undetermined place is listed."""


class PartialResult:
    """Differences and undetermined places of one pair of schemas."""

    __slots__ = (
        "assumed",
        "definition_verdicts",
        "differences",
        "exceeded",
        "is_recursive",
        "undetermined",
        "uses",
    )

    def __init__(self) -> None:
        self.differences: list[Difference] = []
        self.undetermined: list[UndeterminedPart] = []
        self.assumed: set[Hashable] = set()
        """Pairs further up that were taken to fit, so that a recursive schema ends. A result may be
        used again only while those are still being compared."""
        self.is_recursive = False
        """Whether a pair was met again inside itself."""
        self.exceeded: dict[str, UndeterminedPart] = {}
        """For each list that was cut to `MAX_PLACES`, by the reason: a place of it."""
        self.uses: dict[Hashable, DefinitionUse] = {}
        """What code has where the contract uses definitions that are looked for."""
        self.definition_verdicts: dict[Place, UsageVerdict] = {}
        """What is known of them by comparing where they are used."""

    def add(self, item: Difference | UndeterminedPart) -> None:
        """Take one more fact."""
        if isinstance(item, UndeterminedPart):
            self.undetermined.append(item)
        else:
            self.differences.append(item)

    def take(self, other: PartialResult, below: str = "") -> None:
        """Take everything of a comparison that was made at `below`."""
        self.assumed |= other.assumed
        self.is_recursive |= other.is_recursive
        self.learn(other)
        if below:
            self.differences += [_move_below(item, below) for item in other.differences]
            self.undetermined += [_move_below(item, below) for item in other.undetermined]
        else:
            self.differences += other.differences
            self.undetermined += other.undetermined
        self._limit()

    def _limit(self) -> None:
        """Keep the nearest places where there are more than a comparison lists."""
        if len(self.differences) > MAX_PLACES:
            self.differences = self._nearest(self.differences, TOO_MANY)
        if len(self.undetermined) > MAX_PLACES:
            self.undetermined = self._nearest(self.undetermined, TOO_MANY_UNDETERMINED)

    def _nearest(self, items: list[PlaceT], reason: Reason) -> list[PlaceT]:
        """Those under the shortest paths, in the order in which they were found."""
        unique = list(
            {(*_grouping_key(item), item.path): item for item in reversed(items)}.values()
        )[::-1]
        if len(unique) <= MAX_PLACES:
            return unique
        first = unique[0]
        self.exceeded[reason] = UndeterminedPart(
            path="", contract=first.contract, code=first.code, reason=reason
        )
        order = sorted(range(len(unique)), key=lambda index: _depth(unique[index].path))
        return [unique[index] for index in sorted(order[:MAX_PLACES])]

    def close(self, pair: Hashable) -> None:
        """Say that a pair is compared to its end. Where it was met again inside itself, each way
        round leads to the same members, so that each is told once."""
        self.is_recursive |= pair in self.assumed
        self.assumed.discard(pair)
        if self.is_recursive:
            self.differences = _at_nearest_places(self.differences)
            self.undetermined = _at_nearest_places(self.undetermined)

    def learn(self, other: PartialResult) -> None:
        """Take what another comparison found out about definitions, and that it found more than it
        lists; nothing else."""
        self.exceeded.update(other.exceeded)
        self.uses.update(other.uses)
        for place, verdict in other.definition_verdicts.items():
            self.definition_verdicts[place] = graver(self.definition_verdicts.get(place), verdict)

    def grade(self, evidence: Evidence | None, *, here: bool = False) -> None:
        """Say how the code's side is known of what has no grade yet: everywhere, or only `here`,
        at the place that is compared."""
        if evidence is not None:
            self.differences = [
                item if here and item.path else grade_difference(item, evidence)
                for item in self.differences
            ]

    def fill_places(self, contract: Origin, code: Origin) -> None:
        """Give what is said of this very place, and stands in no file, the places of its field."""
        self.differences = [_with_origins(item, contract, code) for item in self.differences]
        self.undetermined = [_with_origins(item, contract, code) for item in self.undetermined]

    def finish(self) -> Comparison:
        """Each difference once: of several at one place and of one sort, the first, known as the
        best known of them is."""
        differences: dict[tuple[object, ...], Difference] = {}
        for item in reversed(self.differences):
            key = (*_grouping_key(item), item.path)
            known = differences.get(key, item)
            grade = stronger(known.evidence, item.evidence)
            differences[key] = _of_grade(item, grade)
        listed = [*self.undetermined, *self.exceeded.values()]
        undetermined = {(item.path, item.reason): item for item in reversed(listed)}
        return Comparison(
            differences=tuple(map(_without_leading_dot, reversed(differences.values()))),
            undetermined=tuple(map(_without_leading_dot, reversed(undetermined.values()))),
            uses=tuple(self.uses.values()),
            definition_verdicts=self.definition_verdicts,
        )


def _at_nearest_places(items: list[PlaceT]) -> list[PlaceT]:
    """Of what says the same of the same member of the same two types, the first of those with the
    fewest steps to them."""
    nearest: dict[tuple[object, ...], PlaceT] = {}
    for item in sorted(items, key=lambda item: _depth(item.path)):
        is_placed = item.contract.path and item.code.path
        member = item.path.rpartition(".")[2] if is_placed else item.path
        nearest.setdefault((*_grouping_key(item), item.contract, item.code, member), item)
    kept = set(map(id, nearest.values()))
    return [item for item in items if id(item) in kept]


def _of_grade(item: Difference, grade: Grade | None) -> Difference:
    return item if item.evidence == grade else msgspec.structs.replace(item, evidence=grade)


def _grouping_key(item: AnyPlace) -> tuple[object, ...]:
    """What is the same for items of which one place shows one."""
    return (item.reason,) if isinstance(item, UndeterminedPart) else (type(item),)


def _depth(path: str) -> int:
    """How many steps lead to a place."""
    return path.count(".") + path.count("[") + path.count("{")


def _move_below(item: PlaceT, below: str) -> PlaceT:
    return msgspec.structs.replace(item, path=below + item.path)


def _with_origins(item: PlaceT, contract: Origin, code: Origin) -> PlaceT:
    if item.path or (item.contract.path and item.code.path):
        return item
    return msgspec.structs.replace(
        item,
        contract=item.contract if item.contract.path else contract,
        code=item.code if item.code.path else code,
    )


def _without_leading_dot(item: PlaceT) -> PlaceT:
    return msgspec.structs.replace(item, path=item.path.removeprefix("."))
