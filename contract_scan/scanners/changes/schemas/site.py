"""One schema of the base beside one of the revision, and what is found to differ there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.wire_contract import ANY_VALUE, Fact, SchemaKey, WireSchema
from contract_scan.scanners.changes.differences import Difference, Direction, Effect

Schemas: TypeAlias = Mapping[SchemaKey, WireSchema]

Encoding: TypeAlias = Literal["json", "text"]
"""How values travel: as JSON, or as text in which a number cannot be told from its digits."""


class Pair(NamedTuple):
    """A schema of the base and the one of the revision that stands in its place."""

    base: SchemaKey
    revision: SchemaKey


class UndeterminedPlace(Struct, frozen=True):
    """A place of which it cannot be said whether something changed."""

    path: str
    reason: str
    base: Origin
    revision: Origin


class PairComparer(Protocol):
    """The part of the comparison that looks at other pairs of schemas."""

    base: Schemas
    revision: Schemas

    def effects(self, pair: Pair, direction: Direction) -> frozenset[Effect]: ...


class Site:
    """A pair of schemas that is being compared; what differs is gathered here."""

    def __init__(
        self,
        base: WireSchema,
        revision: WireSchema,
        direction: Direction,
        encoding: Encoding,
        comparison: PairComparer,
    ) -> None:
        self.base, self.revision = base, revision
        self.direction: Direction = direction
        self.encoding: Encoding = encoding
        self.comparison = comparison
        self.differences: list[Difference] = []
        self.pairs: list[tuple[str, Pair]] = []

    def add(
        self,
        kind: str,
        base: Origin = NOWHERE,
        revision: Origin = NOWHERE,
        *,
        path: str = "",
        before: str = "",
        after: str = "",
    ) -> None:
        """Take one fact; a place that is not given is that of the schema itself."""
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

    def compare_child(self, way: str, base: SchemaKey | None, revision: SchemaKey | None) -> None:
        """Compare two more schemas, in their places."""
        pair = Pair(base or ANY_VALUE, revision or ANY_VALUE)
        if pair != (ANY_VALUE, ANY_VALUE):
            self.pairs.append((way, pair))

    def changes(self, pair: Pair) -> bool:
        """Whether two schemas differ in which values fit."""
        return bool(self.comparison.effects(pair, self.direction) - {"none"})

    def named_schemas(
        self, noun: str, before: Mapping[str, SchemaKey], after: Mapping[str, SchemaKey], way: str
    ) -> None:
        """Schemas under names, each compared with that of the same name."""
        for name, key in before.items():
            if name in after:
                self.compare_child(way, key, after[name])
            else:
                place = self.comparison.base[key].origin
                self.add(f"{noun}-removed", place, path=way, before=name)
        for name, key in after.items():
            if name not in before:
                place = self.comparison.revision[key].origin
                self.add(f"{noun}-added", NOWHERE, place, path=way, after=name)

    def optional_schema(
        self, noun: str, before: SchemaKey | None, after: SchemaKey | None, way: str = ""
    ) -> None:
        """A schema that either side may lack."""
        if before is not None and after is not None:
            self.compare_child(way, before, after)
        elif before is not None:
            self.add(f"{noun}-removed", self.comparison.base[before].origin, path=way)
        elif after is not None:
            self.add(f"{noun}-added", NOWHERE, self.comparison.revision[after].origin, path=way)

    def fact(self, noun: str, before: Fact | None, after: Fact | None) -> None:
        """A value that either side may lack, and that may be another one."""
        if before is not None and after is not None:
            if before.text != after.text:
                self.add(f"{noun}-changed", before.origin, after.origin,
                          before=before.text, after=after.text)  # fmt: skip
        else:
            self.one_sided(noun, before, after)

    def one_sided(self, noun: str, before: Fact | None, after: Fact | None) -> None:
        """A value that one side lacks."""
        if after is not None:
            self.add(f"{noun}-added", NOWHERE, after.origin, after=after.text)
        elif before is not None:
            self.add(f"{noun}-removed", before.origin, before=before.text)
