"""All pairs of schemas that two schemas lead to, each compared once.

Recursive schemas end by themselves, and what differs at one pair is found once, however many
operations use it.
"""

from __future__ import annotations

from collections import deque

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.scanners.changes.differences import EFFECTS, Difference, Direction, Effect
from contract_scan.scanners.changes.schemas.alternatives import (
    compare_choice,
    compare_choices,
    is_choice_on_one_side,
)
from contract_scan.scanners.changes.schemas.conditions import (
    compare_conditions,
    compare_contents,
    compare_lifecycle,
)
from contract_scan.scanners.changes.schemas.limits import compare_limits
from contract_scan.scanners.changes.schemas.lists import compare_lists
from contract_scan.scanners.changes.schemas.objects import compare_objects
from contract_scan.scanners.changes.schemas.site import Encoding, Pair, Schemas, Site, Undetermined
from contract_scan.scanners.changes.schemas.values import (
    compare_formats,
    compare_null,
    compare_refusals,
    compare_types,
    compare_values,
)

_MAX_NESTED_CHOICES = 40


class Local(Struct, frozen=True):
    """What differs at one pair, and the pairs below it by the way there."""

    differences: tuple[Difference, ...] = ()
    below: tuple[tuple[str, Pair], ...] = ()
    undetermined: tuple[Undetermined, ...] = ()


class Below(Struct, frozen=True):
    """Everything that differs at a pair of schemas and below it."""

    differences: tuple[Difference, ...]
    undetermined: tuple[Undetermined, ...]


class SchemaComparison:
    """Compares schemas of two contracts. Keep one for all of them: it remembers each pair."""

    def __init__(self, base: Schemas, revision: Schemas) -> None:
        self.base = base
        self.revision = revision
        self._locals: dict[tuple[Pair, Direction, Encoding], Local] = {}
        self._effects: dict[tuple[Pair, Direction], frozenset[Effect]] = {}
        self._comparing: set[tuple[Pair, Direction]] = set()

    def below(self, pair: Pair, direction: Direction, encoding: Encoding = "json") -> Below:
        """All differences of two schemas, each where it is met first."""
        differences: list[Difference] = []
        undetermined: list[Undetermined] = []
        pending: deque[tuple[str, Pair]] = deque([("", pair)])
        seen: set[Pair] = {pair}
        while pending:
            path, current = pending.popleft()
            local = self._local(current, direction, encoding)
            differences += (replace(one, path=path + one.path) for one in local.differences)
            undetermined += (replace(one, path=path + one.path) for one in local.undetermined)
            for way, inner in local.below:
                if inner not in seen:
                    seen.add(inner)
                    pending.append((path + way, inner))
        return Below(tuple(differences), tuple(undetermined))

    def effects(self, pair: Pair, direction: Direction) -> frozenset[Effect]:
        """What the differences of two schemas do to the values that fit, taken together. A pair
        that is met inside itself changes nothing more. Undetermined places may change anything."""
        key = (pair, direction)
        known = self._effects.get(key)
        if known is not None:
            return known
        if key in self._comparing or len(self._comparing) > _MAX_NESTED_CHOICES:
            return frozenset()
        self._comparing.add(key)
        try:
            below = self.below(pair, direction)
        finally:
            self._comparing.discard(key)
        found: set[Effect] = {EFFECTS[one.kind] for one in below.differences}
        if below.undetermined:
            found.add("changed")
        if not self._comparing:  # inside of another pair, what is found rests on assumptions
            self._effects[key] = frozenset(found)
        return frozenset(found)

    def _local(self, pair: Pair, direction: Direction, encoding: Encoding) -> Local:
        key = (pair, direction, encoding)
        known = self._locals.get(key)
        if known is None:
            base, revision = self.base[pair.base], self.revision[pair.revision]
            known = _compare(Site(base, revision, direction, encoding, self))
            if not self._comparing:
                self._locals[key] = known
        return known


def _compare(site: Site) -> Local:
    base, revision = site.base, site.revision
    reason = base.undetermined or revision.undetermined
    if reason:
        return Local(undetermined=(Undetermined("", reason, base.origin, revision.origin),))
    compare_lifecycle(site)
    if base.impossible != revision.impossible:
        compare_refusals(site)
    elif is_choice_on_one_side(site):
        compare_null(site)
        compare_choice(site, base, revision)
    elif compare_types(site):
        compare_null(site)
        compare_formats(site)
        compare_values(site)
        compare_limits(site)
        compare_objects(site)
        compare_lists(site)
        compare_choices(site)
        compare_conditions(site)
        compare_contents(site)
        site.fact("default", base.default, revision.default)
    return Local(tuple(site.differences), tuple(site.pairs))
