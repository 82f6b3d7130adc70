"""What differs between two schemas: each keyword by itself, and the pairs of schemas below.

`SchemaComparison.below` walks all pairs that two schemas lead to, each pair once, so recursive
schemas end by themselves. What differs at one pair is found once, however many operations use it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.wire_contract import (
    ANY,
    ANY_VALUE,
    Fact,
    Limit,
    LimitName,
    SchemaKey,
    WireProperty,
    WireSchema,
)
from contract_scan.scanners.changes.differences import EFFECTS, Difference, Direction, Effect

Schemas: TypeAlias = Mapping[SchemaKey, WireSchema]

_SCALARS = frozenset({"string", "integer", "number", "boolean"})
_NARROWER_FORMATS = frozenset({("int32", "int64"), ("float", "double")})
"""(format, one that holds all of its values and more)."""
_LARGEST_CHOICE = 4_096
"""Pairs of unnamed alternatives that are compared with each other to find out which belong
together."""
_MAX_NESTED_CHOICES = 40
_FROM_BELOW: tuple[LimitName, ...] = ("min-length", "min-items", "min-properties", "min-contains")
_FROM_ABOVE: tuple[LimitName, ...] = ("max-length", "max-items", "max-properties", "max-contains")

Encoding: TypeAlias = Literal["json", "text"]
"""How values travel: as JSON, or as text in which a number cannot be told from its digits."""


class Pair(NamedTuple):
    """A schema of the base and the one of the revision that stands in its place."""

    base: SchemaKey
    revision: SchemaKey


class Undetermined(Struct, frozen=True):
    """A place of which it cannot be said whether something changed."""

    path: str
    reason: str
    base: Origin
    revision: Origin


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
            known = _LocalComparison(base, revision, direction, encoding, self).run()
            if not self._comparing:
                self._locals[key] = known
        return known


class _LocalComparison:
    """One schema of the base against one of the revision."""

    def __init__(
        self,
        base: WireSchema,
        revision: WireSchema,
        direction: Direction,
        encoding: Encoding,
        comparison: SchemaComparison,
    ) -> None:
        self.base, self.revision = base, revision
        self.direction: Direction = direction
        self.encoding = encoding
        self.comparison = comparison
        self.differences: list[Difference] = []
        self.pairs: list[tuple[str, Pair]] = []

    def run(self) -> Local:
        base, revision = self.base, self.revision
        reason = base.undetermined or revision.undetermined
        if reason:
            return Local(undetermined=(Undetermined("", reason, base.origin, revision.origin),))
        self._lifecycle()
        if base.impossible != revision.impossible:
            self._add(
                "type-narrowed" if revision.impossible else "type-widened",
                base.type_origin or base.origin,
                revision.type_origin or revision.origin,
                before=type_text(base),
                after=type_text(revision),
            )
            return self._result()
        if self._is_choice_on_one_side():
            self._null()
            self._choice(base, revision)
            return self._result()
        if not self._types():
            return self._result()
        self._null()
        self._format()
        self._values()
        self._limits()
        self._objects()
        self._lists()
        self._choices()
        self._conditions()
        self._contents()
        self._fact("default", base.default, revision.default)
        return self._result()

    def _result(self) -> Local:
        return Local(tuple(self.differences), tuple(self.pairs))

    def _add(
        self,
        kind: str,
        base: Origin = NOWHERE,
        revision: Origin = NOWHERE,
        *,
        path: str = "",
        before: str = "",
        after: str = "",
    ) -> None:
        self.differences.append(
            Difference(
                kind=kind,
                base=base if base.path else self.base.origin,
                revision=revision if revision.path else self.revision.origin,
                path=path,
                before=before,
                after=after,
            )
        )

    def _below(self, way: str, base: SchemaKey | None, revision: SchemaKey | None) -> None:
        pair = Pair(base or ANY_VALUE, revision or ANY_VALUE)
        if pair != (ANY_VALUE, ANY_VALUE):
            self.pairs.append((way, pair))

    def _changes(self, pair: Pair) -> bool:
        return bool(self.comparison.effects(pair, self.direction) - {"none"})

    # Types, null, formats, values

    def _types(self) -> bool:
        """Compare the types; whether it makes sense to compare anything else."""
        base, revision = self.base, self.revision
        if _is_any(base) or _is_any(revision):
            if _is_any(base) != _is_any(revision):
                self._type("type-narrowed" if _is_any(base) else "type-widened")
            return False
        if base.types == revision.types:
            return True
        kept = self._covers(revision.types, base.types, revision)
        gained = not self._covers(base.types, revision.types, base)
        if kept and gained:
            self._type("type-widened")
        elif not kept and not gained:
            self._type("type-narrowed")
        elif not kept:
            self._type("type-changed")
        common = base.types is None or revision.types is None or base.types & revision.types
        return bool(common) or ((kept or not gained) and not _is_textual_change(base, revision))

    def _covers(
        self, wide: frozenset[str] | None, narrow: frozenset[str] | None, whole: WireSchema
    ) -> bool:
        """Whether every value of some types is one of others."""
        if wide is None or narrow is None:
            return wide is None
        found = wide | ({"integer"} if "number" in wide else frozenset())
        plain = whole.values is None and whole.format is None and not whole.patterns
        if self.encoding == "text" and "string" in found and plain:
            found |= _SCALARS
        return narrow <= found

    def _type(self, kind: str) -> None:
        self._add(
            kind,
            self.base.type_origin,
            self.revision.type_origin,
            before=type_text(self.base),
            after=type_text(self.revision),
        )

    def _null(self) -> None:
        before, after = self.base.nullable, self.revision.nullable
        if before is None or after is None or before == after or self.encoding == "text":
            return
        if _is_any(self.base) or _is_any(self.revision):
            return
        self._add("null-allowed" if after else "null-forbidden", self.base.type_origin,
                  self.revision.type_origin)  # fmt: skip

    def _format(self) -> None:
        before, after = self.base.format, self.revision.format
        if before is None and after is None:
            return
        if before is None or after is None:
            given = after or before
            assert given is not None
            if self.base.values is not None and self.revision.values is not None:
                return  # the values say it all
            self._one_sided("format", before, after)
        elif before.text != after.text:
            kind = "format-changed"
            if (before.text, after.text) in _NARROWER_FORMATS:
                kind = "format-widened"
            elif (after.text, before.text) in _NARROWER_FORMATS:
                kind = "format-narrowed"
            self._add(kind, before.origin, after.origin, before=before.text, after=after.text)

    def _values(self) -> None:
        base, revision = self.base, self.revision
        self._extensible_values()
        before, after = base.values, revision.values
        if before is None and after is None:
            return
        places = base.values_origin, revision.values_origin
        if before is None or after is None:
            given = after if before is None else before
            noun = "const" if given is not None and len(given) == 1 else "enum"
            kind = f"{noun}-{'added' if before is None else 'removed'}"
            self._add(kind, *places, before=_listed(before), after=_listed(after))
            return
        old, new = {one.text: one for one in before}, {one.text: one for one in after}
        if len(old) == len(new) == 1:
            if old.keys() != new.keys():
                texts = _listed(before), _listed(after)
                self._add("const-changed", *places, before=texts[0], after=texts[1])
            return
        for text, value in old.items():
            if text not in new:
                self._add("enum-value-removed", value.origin, places[1], before=text)
        for text, value in new.items():
            if text not in old:
                self._add("enum-value-added", places[0], value.origin, after=text)

    def _extensible_values(self) -> None:
        before, after = self.base.extensible_values, self.revision.extensible_values
        if before is None or after is None:
            return
        old, new = {one.text: one for one in before}, {one.text: one for one in after}
        for text, given in old.items():
            if text not in new:
                self._add("extensible-value-removed", given.origin, before=text)
        for text, given in new.items():
            if text not in old:
                self._add("extensible-value-added", NOWHERE, given.origin, after=text)

    # Limits

    def _limits(self) -> None:
        for name in _FROM_BELOW:
            self._at_least(name)
        for name in _FROM_ABOVE:
            self._limit(name, tighter_is_lower=True)
        self._limit("lower-bound", tighter_is_lower=False)
        self._limit("upper-bound", tighter_is_lower=True)
        before, after = self._both("multiple-of")
        if before is not None and after is not None:
            if before.value != after.value:
                self._limit_differs("multiple-of-changed", before, after)
        elif before is not None or after is not None:
            self._limit_differs(f"multiple-of-{_side(before)}", before, after)
        self._patterns()
        unique = self.base.unique_items, self.revision.unique_items
        if (unique[0] is None) != (unique[1] is None):
            kind = "unique-items-added" if unique[0] is None else "unique-items-removed"
            self._add(kind, unique[0] or NOWHERE, unique[1] or NOWHERE)

    def _both(self, name: LimitName) -> tuple[Limit | None, Limit | None]:
        return self.base.limits.get(name), self.revision.limits.get(name)

    def _at_least(self, name: LimitName) -> None:
        """Without a limit, what counts things starts at none (at one for `contains`)."""
        before, after = self._both(name)
        least = Limit(1 if name == "min-contains" else 0)
        old, new = (before or least).value, (after or least).value
        if old != new:
            change = "raised" if new > old else "lowered"
            self._limit_differs(f"{name}-{change}", before or least, after or least)

    def _limit(self, name: LimitName, *, tighter_is_lower: bool) -> None:
        before, after = self._both(name)
        if before is None and after is None:
            return
        if before is None or after is None:
            self._limit_differs(f"{name}-{_side(before)}", before, after)
            return
        old, new = (before.value, before.exclusive), (after.value, after.exclusive)
        if old == new:
            return
        raised = new[0] > old[0]
        if new[0] == old[0]:  # becoming exclusive moves a bound towards the values
            raised = new[1] != tighter_is_lower
        self._limit_differs(f"{name}-{'raised' if raised else 'lowered'}", before, after)

    def _limit_differs(self, kind: str, before: Limit | None, after: Limit | None) -> None:
        self._add(
            kind,
            before.origin if before is not None else NOWHERE,
            after.origin if after is not None else NOWHERE,
            before=limit_text(before),
            after=limit_text(after),
        )

    def _patterns(self) -> None:
        before, after = self.base.patterns, self.revision.patterns
        gone = [one for one in before if one not in after]
        new = [one for one in after if one not in before]
        for old, changed in zip(gone, new, strict=False):
            self._add("pattern-changed", before[old], after[changed], before=old, after=changed)
        for old in gone[len(new) :]:
            self._add("pattern-removed", before[old], before=old)
        for changed in new[len(gone) :]:
            self._add("pattern-added", NOWHERE, after[changed], after=changed)

    # Objects

    def _objects(self) -> None:
        base, revision = self.base, self.revision
        for name, old in base.properties.items():
            new = revision.properties.get(name)
            if new is None:
                self._property_removed(name, old)
            else:
                self._property(name, old, new)
        for name, new in revision.properties.items():
            if name not in base.properties:
                self._property_added(name, new)
        for name, place in base.required.items():
            if name not in revision.required and not _requires(revision, name):
                self._add("property-became-optional", place, path=f".{name}", before=name)
        for name, place in revision.required.items():
            if name not in base.required and not _requires(base, name):
                self._add("property-became-required", NOWHERE, place, path=f".{name}", after=name)
        self._further_properties()
        self._named_schemas(
            "pattern-property", base.pattern_properties, revision.pattern_properties, "{}"
        )
        self._optional_schema("property-names", base.property_names, revision.property_names)
        self._dependencies()

    def _is_hidden(self, one: WireProperty) -> bool:
        """Whether a property is no part of what travels in this direction."""
        if self.direction == "request":
            return one.read_only
        return one.write_only and self.direction == "response"

    def _property(self, name: str, old: WireProperty, new: WireProperty) -> None:
        path = f".{name}"
        self._visibility(path, old, new)
        if self._is_hidden(old) or self._is_hidden(new):
            return
        self._below(path, old.schema, new.schema)
        if old.required != new.required:
            kind = "property-became-required" if new.required else "property-became-optional"
            before, after = ("optional", "required")[:: 1 if new.required else -1]
            self._add(kind, old.origin, new.origin, path=path, before=before, after=after)

    def _visibility(self, path: str, old: WireProperty, new: WireProperty) -> None:
        places = old.origin, new.origin
        if old.read_only != new.read_only and self.direction != "response":
            kind = "property-became-read-only"
            if old.read_only:
                needed = new.required and self.direction == "request"
                prefix = "required-" if needed else ""
                kind = f"{prefix}property-no-longer-read-only"
            self._add(kind, *places, path=path)
        if old.write_only != new.write_only and self.direction != "request":
            kind = "property-no-longer-write-only"
            if new.write_only:
                needed = old.required and self.direction == "response"
                kind = f"{'required-' if needed else ''}property-became-write-only"
            self._add(kind, *places, path=path)

    def _property_added(self, name: str, new: WireProperty) -> None:
        if self._is_hidden(new):
            return
        if new.required and name in self.base.required:
            self._below(f".{name}", self.base.additional, new.schema)
            return
        kind = "required-property-added" if new.required else "optional-property-added"
        if not new.required and self.base.closed is not None and self.direction != "request":
            kind = "property-admitted"
        places = NOWHERE, new.origin
        self._add(
            kind, *places, path=f".{name}", after=self._named_type(new, self.comparison.revision)
        )

    def _property_removed(self, name: str, old: WireProperty) -> None:
        if self._is_hidden(old):
            return
        if old.required and name in self.revision.required:
            self._below(f".{name}", old.schema, self.revision.additional)
            return
        kind = "required-property-removed" if old.required else "optional-property-removed"
        place = NOWHERE
        if self.revision.closed is not None and self.direction != "response":
            kind, place = "property-refused", self.revision.closed
        text = self._named_type(old, self.comparison.base)
        self._add(kind, old.origin, place, path=f".{name}", before=text)

    def _named_type(self, one: WireProperty, schemas: Schemas) -> str:
        return type_text(schemas[one.schema])

    def _further_properties(self) -> None:
        base, revision = self.base, self.revision
        if (base.closed is None) != (revision.closed is None):
            allowed = base.closed is not None
            kind = "further-properties-allowed" if allowed else "further-properties-forbidden"
            self._add(kind, base.closed or NOWHERE, revision.closed or NOWHERE)
        elif base.closed is None:
            self._below("{}", base.additional, revision.additional)

    def _named_schemas(
        self, noun: str, before: Mapping[str, SchemaKey], after: Mapping[str, SchemaKey], way: str
    ) -> None:
        """Schemas under names, each compared with that of the same name."""
        for name, key in before.items():
            if name in after:
                self._below(way, key, after[name])
            else:
                place = self.comparison.base[key].origin
                self._add(f"{noun}-removed", place, path=way, before=name)
        for name, key in after.items():
            if name not in before:
                place = self.comparison.revision[key].origin
                self._add(f"{noun}-added", NOWHERE, place, path=way, after=name)

    def _optional_schema(
        self, noun: str, before: SchemaKey | None, after: SchemaKey | None, way: str = ""
    ) -> None:
        if before is not None and after is not None:
            self._below(way, before, after)
        elif before is not None:
            self._add(f"{noun}-removed", self.comparison.base[before].origin, path=way)
        elif after is not None:
            self._add(f"{noun}-added", NOWHERE, self.comparison.revision[after].origin, path=way)

    def _dependencies(self) -> None:
        before, after = self.base.dependent_required, self.revision.dependent_required
        for name in {**before, **after}:
            old, new = before.get(name, {}), after.get(name, {})
            for needed, place in old.items():
                if needed not in new:
                    text = f"{name} needs {needed}"
                    self._add("dependent-required-removed", place, path=f".{needed}", before=text)
            for needed, place in new.items():
                if needed not in old:
                    text = f"{name} needs {needed}"
                    self._add(
                        "dependent-required-added", NOWHERE, place, path=f".{needed}", after=text
                    )
        self._named_schemas(
            "dependent-schema", self.base.dependent_schemas, self.revision.dependent_schemas, ""
        )

    # Lists

    def _lists(self) -> None:
        base, revision = self.base, self.revision
        self._below("[]", base.items, revision.items)
        for index, (old, new) in enumerate(zip(base.prefix, revision.prefix, strict=False)):
            self._below(f"[{index}]", old, new)
        shared = min(len(base.prefix), len(revision.prefix))
        for index in range(shared, len(base.prefix)):
            place = self.comparison.base[base.prefix[index]].origin
            self._add("tuple-item-removed", place, path=f"[{index}]")
        for index in range(shared, len(revision.prefix)):
            place = self.comparison.revision[revision.prefix[index]].origin
            self._add("tuple-item-added", NOWHERE, place, path=f"[{index}]")
        if (base.closed_items is None) != (revision.closed_items is None):
            allowed = base.closed_items is not None
            kind = "further-items-allowed" if allowed else "further-items-forbidden"
            self._add(kind, base.closed_items or NOWHERE, revision.closed_items or NOWHERE)
        self._optional_schema("contains", base.contains, revision.contains, "[]")

    # Alternatives

    def _is_choice_on_one_side(self) -> bool:
        """Whether one side is nothing but a choice and the other one is no choice at all."""
        base, revision = self.base, self.revision
        if _is_any(base) or _is_any(revision):
            return False
        return (_is_pure_choice(base) and not revision.alternatives) or (
            _is_pure_choice(revision) and not base.alternatives
        )

    def _choice(self, base: WireSchema, revision: WireSchema) -> None:
        """A schema without a choice is a choice of one."""
        self._options(_options_of(base), _options_of(revision))

    def _choices(self) -> None:
        base, revision = self.base.alternatives, self.revision.alternatives
        for old, new in zip(base, revision, strict=False):
            self._options(
                _Options(old.options, old.names, old.origin),
                _Options(new.options, new.names, new.origin),
            )
            if old.exclusive != new.exclusive and len(old.options) > 1 and len(new.options) > 1:
                kind = "choice-became-exclusive" if new.exclusive else "choice-no-longer-exclusive"
                self._add(kind, old.origin, new.origin)
        for old in base[len(revision) :]:
            self._add("choice-removed", old.origin, before=", ".join(filter(None, old.names)))
        for new in revision[len(base) :]:
            self._add("choice-added", NOWHERE, new.origin, after=", ".join(filter(None, new.names)))
        self._discriminator()

    def _options(self, base: _Options, revision: _Options) -> None:
        left_base, left_revision = self._matched(base, revision)
        few = len(base.keys) * len(revision.keys) <= _LARGEST_CHOICE
        for index in left_base:
            key = base.keys[index]
            covered = few and any(
                not self.comparison.effects(Pair(key, other), self.direction)
                & {"narrowed", "changed"}
                for other in revision.keys
            )
            if not covered:
                schema = self.comparison.base[key]
                text = base.names[index] or type_text(schema)
                self._add("alternative-removed", schema.origin, revision.origin, before=text)
        for index in left_revision:
            key = revision.keys[index]
            covered = few and any(
                not self.comparison.effects(Pair(other, key), self.direction)
                & {"widened", "changed"}
                for other in base.keys
            )
            if not covered:
                schema = self.comparison.revision[key]
                text = revision.names[index] or type_text(schema)
                self._add("alternative-added", base.origin, schema.origin, after=text)

    def _matched(self, base: _Options, revision: _Options) -> tuple[list[int], list[int]]:
        """Pair the options that belong together; the indexes of those that are left."""
        left_base = list(range(len(base.keys)))
        left_revision = list(range(len(revision.keys)))

        def pair(old: int, new: int) -> None:
            left_base.remove(old)
            left_revision.remove(new)
            self._below("", base.keys[old], revision.keys[new])

        by_name = {name: index for index, name in enumerate(revision.names) if name}
        for old in tuple(left_base):
            new = by_name.get(base.names[old], -1) if base.names[old] else -1
            if new in left_revision:
                pair(old, new)
        if len(left_base) * len(left_revision) > _LARGEST_CHOICE:
            return left_base, left_revision
        for old in tuple(left_base):
            for new in tuple(left_revision):
                if not self._changes(Pair(base.keys[old], revision.keys[new])):
                    pair(old, new)
                    break
        for old in tuple(left_base):
            ranked = [
                (
                    _likeness(self._base_option(base, old), self._revision_option(revision, new)),
                    -new,
                )
                for new in left_revision
            ]
            best = max(ranked, default=(0.0, 0))
            if best[0] >= 0.5:
                pair(old, -best[1])
        return left_base, left_revision

    def _base_option(self, options: _Options, index: int) -> WireSchema:
        return self.comparison.base[options.keys[index]]

    def _revision_option(self, options: _Options, index: int) -> WireSchema:
        return self.comparison.revision[options.keys[index]]

    def _discriminator(self) -> None:
        base, revision = self.base, self.revision
        self._fact("discriminator", base.discriminator, revision.discriminator)
        if base.discriminator is None or revision.discriminator is None:
            return
        noun = "discriminator-value"
        for value, old in base.mapping.items():
            new = revision.mapping.get(value)
            if new is None:
                self._add(f"{noun}-removed", old.origin, before=value)
        for value, new in revision.mapping.items():
            if value not in base.mapping:
                self._add(f"{noun}-added", NOWHERE, new.origin, after=value)
            elif self._leads_elsewhere(base.mapping[value], new):
                before, after = base.mapping[value].text, new.text
                self._add(f"{noun}-changed", base.mapping[value].origin, new.origin,
                          before=f"{value}: {before}", after=f"{value}: {after}")  # fmt: skip

    def _leads_elsewhere(self, before: Fact, after: Fact) -> bool:
        """Whether a value stands for another schema, not only for one with another name."""
        if before.text == after.text:
            return False
        old = [
            key
            for one in self.base.alternatives
            for key, name in zip(one.options, one.names, strict=True)
            if name == before.text
        ]
        new = [
            key
            for one in self.revision.alternatives
            for key, name in zip(one.options, one.names, strict=True)
            if name == after.text
        ]
        return not (old and new and not self._changes(Pair(old[0], new[0])))

    # Conditions, contents, lifecycle

    def _conditions(self) -> None:
        before, after = self.base.conditions, self.revision.conditions
        for word, key in before.items():
            place = self.comparison.base[key].origin
            if word not in after:
                self._add("condition-removed", place, before=word)
            elif self._changes(Pair(key, after[word])):
                other = self.comparison.revision[after[word]].origin
                self._add("condition-changed", place, other, before=word, after=word)
        for word, key in after.items():
            if word not in before:
                place = self.comparison.revision[key].origin
                self._add("condition-added", NOWHERE, place, after=word)

    def _contents(self) -> None:
        base, revision = self.base, self.revision
        for kind, old, new in (
            ("content-encoding-changed", base.content_encoding, revision.content_encoding),
            ("content-media-type-changed", base.content_media_type, revision.content_media_type),
        ):
            before, after = old or Fact(""), new or Fact("")
            if before.text.lower() != after.text.lower():
                self._add(kind, before.origin, after.origin, before=before.text, after=after.text)
        self._optional_schema("content-schema", base.content_schema, revision.content_schema)

    def _lifecycle(self) -> None:
        old, new = self.base.deprecated, self.revision.deprecated
        if (old is None) != (new is None):
            kind = "deprecated" if old is None else "no-longer-deprecated"
            self._add(kind, old or NOWHERE, new or NOWHERE)
        self._fact("sunset", self.base.sunset, self.revision.sunset)

    def _fact(self, noun: str, before: Fact | None, after: Fact | None) -> None:
        if before is not None and after is not None:
            if before.text != after.text:
                self._add(f"{noun}-changed", before.origin, after.origin,
                          before=before.text, after=after.text)  # fmt: skip
        else:
            self._one_sided(noun, before, after)

    def _one_sided(self, noun: str, before: Fact | None, after: Fact | None) -> None:
        if after is not None:
            self._add(f"{noun}-added", NOWHERE, after.origin, after=after.text)
        elif before is not None:
            self._add(f"{noun}-removed", before.origin, before=before.text)


class _Options(NamedTuple):
    """The alternatives of one choice."""

    keys: tuple[SchemaKey, ...]
    names: tuple[str, ...]
    origin: Origin


# Words for schemas


def type_text(schema: WireSchema) -> str:
    """The types of a schema in a few words."""
    if schema.impossible:
        return "nothing"
    if schema.values is not None and len(schema.values) <= 4:
        return " | ".join(one.text for one in schema.values) or "null"
    if schema.types is None:
        if schema.alternatives:
            names = [name for one in schema.alternatives for name in one.names if name]
            return f"one of {', '.join(names)}" if names else "one of several schemas"
        return "any value" if schema.nullable or _is_any(schema) else "any value but null"
    words = " | ".join(sorted(schema.types)) or "null"
    if schema.types == frozenset({"string"}) and schema.format is not None:
        words = f"string ({schema.format.text})"
    return f"{words} or null" if schema.nullable and words != "null" else words


def limit_text(limit: Limit | None) -> str:
    """A limit in a few words; empty for none."""
    if limit is None:
        return ""
    return f"{limit.value} (exclusive)" if limit.exclusive else str(limit.value)


# Private helpers


def _side(before: object | None) -> str:
    return "added" if before is None else "removed"


def _listed(values: tuple[Fact, ...] | None) -> str:
    return "" if values is None else " | ".join(one.text for one in values)


def _requires(schema: WireSchema, name: str) -> bool:
    one = schema.properties.get(name)
    return one is not None and one.required


_UNSAID = replace(ANY, default=None)


def _is_any(schema: WireSchema) -> bool:
    """Whether a schema limits nothing, whatever it says besides."""
    if schema.types is not None:
        return False
    bare = replace(
        schema,
        key=ANY.key,
        name=ANY.name,
        origin=ANY.origin,
        type_origin=ANY.type_origin,
        default=None,
        deprecated=None,
        sunset=None,
        extensible_values=None,
        values_origin=ANY.values_origin,
        nullable=True,
    )
    return bare == _UNSAID


def _is_pure_choice(schema: WireSchema) -> bool:
    """Whether a schema says nothing but that one of several holds."""
    if len(schema.alternatives) != 1:
        return False
    return _is_any(replace(schema, alternatives=(), discriminator=None, mapping={}))


def _options_of(schema: WireSchema) -> _Options:
    if schema.alternatives:
        only = schema.alternatives[0]
        return _Options(only.options, only.names, only.origin)
    return _Options((schema.key,), (schema.name,), schema.origin)


def _is_textual_change(base: WireSchema, revision: WireSchema) -> bool:
    """Whether the types share nothing but that all are written as text."""
    numbers = frozenset({"integer", "number"})
    both = (base.types or frozenset()) | (revision.types or frozenset())
    return not both <= numbers


def _likeness(base: WireSchema, revision: WireSchema) -> float:
    """How likely one schema is a later version of another: 0 to 1."""
    if base.types != revision.types:
        return 0.0
    names, others = set(base.properties), set(revision.properties)
    if not names and not others:
        return 0.5 if base.types is not None and not base.types <= {"object"} else 0.0
    return len(names & others) / len(names | others)
