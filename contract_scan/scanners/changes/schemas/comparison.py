"""All pairs of schemas that two schemas lead to, each compared once.

Recursive schemas end by themselves, and what differs at one pair is found once, however many
operations use it.
"""

from __future__ import annotations

from collections import deque

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.wire_contract import Fact, WireSchema
from contract_scan.scanners.changes.differences import EFFECTS, Difference, Direction, Effect
from contract_scan.scanners.changes.schemas.alternatives import (
    compare_choice,
    compare_choices,
    is_choice_on_one_side,
)
from contract_scan.scanners.changes.schemas.limits import compare_limits
from contract_scan.scanners.changes.schemas.objects import compare_objects
from contract_scan.scanners.changes.schemas.site import (
    Encoding,
    Pair,
    Schemas,
    Site,
    UndeterminedPlace,
)
from contract_scan.scanners.changes.schemas.values import (
    compare_formats,
    compare_null,
    compare_refusals,
    compare_types,
    compare_values,
)

_MAX_NESTED_CHOICES = 40
_MAX_STEPS = 20_000
"""Pairs that are compared only to find out which alternatives belong together, in one document."""
_TOO_MANY = "the contract combines too many alternatives to compare them all"
_NO_ASSUMPTION = 1_000_000
"""Stands for a place further in than any."""


class Local(Struct, frozen=True):
    """What differs at one pair, and the pairs below it by the way there."""

    differences: tuple[Difference, ...] = ()
    pairs: tuple[tuple[str, Pair], ...] = ()
    undetermined: tuple[UndeterminedPlace, ...] = ()


class Below(Struct, frozen=True):
    """Everything that differs at a pair of schemas and below it."""

    differences: tuple[Difference, ...]
    undetermined: tuple[UndeterminedPlace, ...]


class _Graph:
    """The pairs that were walked in one direction, by number."""

    def __init__(self) -> None:
        self.numbers: dict[Pair, int] = {}
        self.locals: list[Local] = []
        self.leading: list[bool] = []
        """Whether something differs at a pair or below it."""
        self.ways: list[tuple[tuple[str, int], ...]] = []
        """From each pair to those below it that lead to a difference."""


class SchemaComparison:
    """Compares schemas of two contracts. Keep one for all of them: it remembers each pair."""

    def __init__(self, base: Schemas, revision: Schemas) -> None:
        self.base = base
        self.revision = revision
        self._locals: dict[tuple[Pair, Direction, Encoding], Local] = {}
        self._below: dict[tuple[Pair, Direction, Encoding], Below] = {}
        """Many operations send or accept the same schema."""
        self._graphs: dict[tuple[Direction, Encoding], _Graph] = {}
        self._effects: dict[tuple[Pair, Direction], frozenset[Effect]] = {}
        self._comparing: dict[tuple[Pair, Direction], int] = {}
        """Pairs whose effects are being found, and how many others were before them."""
        self._steps = 0
        self._outermost = _NO_ASSUMPTION
        """The first of these that was assumed to have no effect, since it was met inside itself."""

    def differences_below(
        self, pair: Pair, direction: Direction, encoding: Encoding = "json"
    ) -> Below:
        """All differences of two schemas and what they lead to, each where the comparison first
        meets it."""
        key = (pair, direction, encoding)
        known = self._below.get(key)
        if known is None:
            known = self._below[key] = self._found_below(pair, direction, encoding)
        return known

    def _found_below(self, pair: Pair, direction: Direction, encoding: Encoding) -> Below:
        graph = self._walk(pair, direction, encoding)
        start = graph.numbers[pair]
        differences: list[Difference] = []
        undetermined: list[UndeterminedPlace] = []
        came_from: dict[int, tuple[int, str]] = {start: (start, "")}
        pending = deque([start] if graph.leading[start] else [])
        while pending:
            current = pending.popleft()
            local = graph.locals[current]
            if local.differences or local.undetermined:
                path = _path(current, came_from)
                differences += (replace(one, path=path + one.path) for one in local.differences)
                undetermined += (replace(one, path=path + one.path) for one in local.undetermined)
            for way, inner in graph.ways[current]:
                if inner not in came_from:
                    came_from[inner] = current, way
                    pending.append(inner)
        return Below(tuple(differences), tuple(undetermined))

    def effects(self, pair: Pair, direction: Direction) -> frozenset[Effect]:
        """What the differences of two schemas do to the values that fit, taken together. A pair
        that is met inside itself changes nothing more. Undetermined places may change anything."""
        key = (pair, direction)
        known = self._effects.get(key)
        if known is not None:
            return known
        if self._steps > _MAX_STEPS:
            return frozenset({"changed"})
        depth = len(self._comparing)
        if key in self._comparing or depth > _MAX_NESTED_CHOICES:
            self._outermost = min(self._outermost, self._comparing.get(key, 0))
            return frozenset()
        self._comparing[key] = depth
        before, self._outermost = self._outermost, _NO_ASSUMPTION
        try:
            found = self._effects_below(pair, direction)
        finally:
            del self._comparing[key]
        if self._outermost >= depth:  # what is found rests on no pair around this one
            self._effects[key] = found
            self._outermost = _NO_ASSUMPTION
        self._outermost = min(self._outermost, before)
        return found

    def _effects_below(self, pair: Pair, direction: Direction) -> frozenset[Effect]:
        found: set[Effect] = set()
        pending, seen = [pair], {pair}
        while pending:
            local = self._local(pending.pop(), direction, "json")
            found.update(EFFECTS[one.kind] for one in local.differences)
            if local.undetermined:
                found.add("changed")
            for _, inner in local.pairs:
                if inner not in seen:
                    seen.add(inner)
                    pending.append(inner)
        return frozenset(found)

    def _local(self, pair: Pair, direction: Direction, encoding: Encoding) -> Local:
        key = (pair, direction, encoding)
        known = self._locals.get(key)
        if known is None:
            base, revision = self.base[pair.base], self.revision[pair.revision]
            before, self._outermost = self._outermost, _NO_ASSUMPTION
            self._steps += bool(self._comparing)
            known = _compare(Site(base, revision, direction, encoding, self))
            if self._steps > _MAX_STEPS and _is_matched(base, revision):
                place = UndeterminedPlace("", _TOO_MANY, base.origin, revision.origin)
                known = Local(undetermined=(place,))
            if self._outermost == _NO_ASSUMPTION:
                self._locals[key] = known
            self._outermost = min(self._outermost, before)
        return known

    def _walk(self, start: Pair, direction: Direction, encoding: Encoding) -> _Graph:
        """Walk all pairs below one that the graph lacks, and note which of them lead to a
        difference: an operation need not look at the others again."""
        graph = self._graphs.setdefault((direction, encoding), _Graph())
        if start in graph.numbers:
            return graph
        first = len(graph.locals)
        order = [start]
        graph.numbers[start] = first
        above: dict[int, list[int]] = {}
        for number, pair in enumerate(order, first):  # grows while it is walked
            local = self._local(pair, direction, encoding)
            graph.locals.append(local)
            graph.leading.append(bool(local.differences or local.undetermined))
            for _, inner in local.pairs:
                if inner not in graph.numbers:
                    graph.numbers[inner] = first + len(order)
                    order.append(inner)
                above.setdefault(graph.numbers[inner], []).append(number)
        ready = [number for number in above if number < first and graph.leading[number]]
        ready += (number for number in range(first, len(graph.locals)) if graph.leading[number])
        while ready:
            for number in above.get(ready.pop(), ()):
                if not graph.leading[number]:
                    graph.leading[number] = True
                    ready.append(number)
        for local in graph.locals[first:]:
            ways = ((way, graph.numbers[inner]) for way, inner in local.pairs)
            graph.ways.append(tuple(one for one in ways if graph.leading[one[1]]))
        return graph


def _is_matched(base: WireSchema, revision: WireSchema) -> bool:
    """Whether comparing two schemas takes finding out which of their parts belong together."""
    return any(one.alternatives or one.conditions for one in (base, revision))


def _path(number: int, came_from: dict[int, tuple[int, str]]) -> str:
    """The way to a pair from where the walk began."""
    ways: list[str] = []
    while came_from[number][0] != number:
        number, way = came_from[number]
        ways.append(way)
    return "".join(reversed(ways))


def _compare(site: Site) -> Local:
    base, revision = site.base, site.revision
    reason = base.undetermined or revision.undetermined
    if reason:
        return Local(undetermined=(UndeterminedPlace("", reason, base.origin, revision.origin),))
    _compare_lifecycle(site)
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
        _compare_lists(site)
        compare_choices(site)
        _compare_conditions(site)
        _compare_contents(site)
        site.fact("default", base.default, revision.default)
    return Local(tuple(site.differences), tuple(site.pairs))


def _compare_lists(site: Site) -> None:
    """Compare what is said of items."""
    base, revision = site.base, site.revision
    site.compare_child("[]", base.items, revision.items)
    for index, (old, new) in enumerate(zip(base.prefix, revision.prefix, strict=False)):
        site.compare_child(f"[{index}]", old, new)
    shared = min(len(base.prefix), len(revision.prefix))
    for index in range(shared, len(base.prefix)):
        place = site.comparison.base[base.prefix[index]].origin
        site.add("tuple-item-removed", place, path=f"[{index}]")
    for index in range(shared, len(revision.prefix)):
        place = site.comparison.revision[revision.prefix[index]].origin
        site.add("tuple-item-added", NOWHERE, place, path=f"[{index}]")
    if (base.closed_items is None) != (revision.closed_items is None):
        allowed = base.closed_items is not None
        kind = "further-items-allowed" if allowed else "further-items-forbidden"
        site.add(kind, base.closed_items or NOWHERE, revision.closed_items or NOWHERE)
    site.optional_schema("contains", base.contains, revision.contains, "[]")


def _compare_conditions(site: Site) -> None:
    """Compare `if`, `then`, `else` and `not`."""
    before, after = site.base.conditions, site.revision.conditions
    for word, key in before.items():
        place = site.comparison.base[key].origin
        if word not in after:
            site.add("condition-removed", place, before=word)
        elif site.changes(Pair(key, after[word])):
            other = site.comparison.revision[after[word]].origin
            site.add("condition-changed", place, other, before=word, after=word)
    for word, key in after.items():
        if word not in before:
            place = site.comparison.revision[key].origin
            site.add("condition-added", NOWHERE, place, after=word)


def _compare_contents(site: Site) -> None:
    """Compare what texts hold."""
    base, revision = site.base, site.revision
    for kind, old, new in (
        ("content-encoding-changed", base.content_encoding, revision.content_encoding),
        ("content-media-type-changed", base.content_media_type, revision.content_media_type),
    ):
        before, after = old or Fact(""), new or Fact("")
        if before.text.lower() != after.text.lower():
            site.add(kind, before.origin, after.origin, before=before.text, after=after.text)
    site.optional_schema("content-schema", base.content_schema, revision.content_schema)


def _compare_lifecycle(site: Site) -> None:
    """Compare deprecation and sunset."""
    old, new = site.base.deprecated, site.revision.deprecated
    if (old is None) != (new is None):
        kind = "deprecated" if old is None else "no-longer-deprecated"
        site.add(kind, old or NOWHERE, new or NOWHERE)
    site.fact("sunset", site.base.sunset, site.revision.sunset)
