"""What code has where a contract uses its definitions, found by comparing the types around."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from contract_scan.ir.document import Resolver
from contract_scan.ir.model import Model
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Field, Object, Reference, Schema
from contract_scan.scanners.differences import Comparison
from contract_scan.scanners.differences.definitions import (
    DefinitionUse,
    Place,
    UsageVerdict,
    graver,
    identity_of,
    schema_place,
)
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.differences.union_members import Alternative, alternatives
from contract_scan.scanners.pairing.models import ModelPair

IN_PLACE = "in place"
"""The kind of a type that has no name: its fields are written down where they are used."""
Settled: TypeAlias = tuple[Place, Hashable]
"""A definition, and what code has for it (`DefinitionUse.identity`)."""


class UsedType(Struct, frozen=True):
    """What code has for a definition, in a type that stands for another model."""

    use: DefinitionUse
    owner: Model
    """The type in which it is used."""


class DefinitionUsage:
    """What comparisons of models with their types found out about the definitions of a contract."""

    def __init__(self, compared: Iterable[tuple[Model, Comparison]], code: Resolver) -> None:
        self._code = code
        self._types: dict[Place, dict[Hashable, UsedType]] = defaultdict(dict)
        self._verdicts: dict[Place, dict[str, UsageVerdict]] = defaultdict(dict)
        for owner, comparison in compared:
            for use in comparison.uses:
                self._types[use.place].setdefault(use.identity, UsedType(use, owner))
            for where, verdict in comparison.definition_verdicts.items():
                known = self._verdicts[where]
                known[owner.language] = graver(known.get(owner.language), verdict)

    def stands_for(self, pair: ModelPair, item: Model) -> bool:
        """Whether a type stands where the contract uses the model."""
        return bool(self.of_type(pair, item))

    def of_type(self, pair: ModelPair, item: Model) -> list[Settled]:
        """The uses of the model at which a type stands."""
        own = self._identities(item)
        return [
            (used.use.place, used.use.identity)
            for used in self._types_of(pair)
            if used.use.identity in own
        ]

    def is_another(self, pair: ModelPair, item: Model) -> bool:
        """Whether something else of its language stands where the contract uses the model."""
        verdict = self._verdicts_of(pair).get(item.language)
        if verdict is not None and verdict.verdict == "fits":
            return True
        own = self._identities(item)
        uses = [used for used in self._types_of(pair) if used.owner.language == item.language]
        return bool(uses) and not any(used.use.identity in own for used in uses)

    def has_in_another_form(self, pair: ModelPair, item: Model) -> bool:
        """Whether the type itself stands where the contract uses the model, written otherwise than
        alone: a derived class has its tag only where the type is its base."""
        own = self._origins(item.schema)
        return any(own & self._origins(used.use.code) for used in self._types_of(pair))

    def places_in_other_languages(self, pair: ModelPair, languages: set[str]) -> list[Settled]:
        """The types where the contract uses a model, in languages other than these."""
        return [
            (used.use.place, used.use.identity)
            for used in self._types_of(pair)
            if used.owner.language not in languages
        ]

    def gravest_result(self, pair: ModelPair) -> UsageVerdict | None:
        """The gravest result of comparing a model without a type where the contract uses it."""
        found: UsageVerdict | None = None
        for verdict in self._verdicts_of(pair).values():
            found = graver(found, verdict)
        return found

    def _verdicts_of(self, pair: ModelPair) -> dict[str, UsageVerdict]:
        """Language -> what comparing at the uses of a model says."""
        return next(
            (self._verdicts[one] for one in definition_places(pair) if one in self._verdicts), {}
        )

    def as_type(self, settled: Settled) -> Model:
        """What is used as a type that stands for the model."""
        where, key = settled
        used = self._types[where][key]
        options = alternatives(used.use.code, self._code).options
        return Model(
            name=used.use.name or used.owner.name,
            schema=used.use.code,
            origin=options[0].shape.origin,
            language=used.owner.language,
            kind="used" if used.use.name else IN_PLACE,
        )

    def _identities(self, item: Model) -> set[Hashable]:
        return {identity_of(option) for option in alternatives(item.schema, self._code).options}

    def _origins(self, schema: Schema) -> set[Origin]:
        shapes = (option.shape for option in alternatives(schema, self._code).options)
        return {shape.origin for shape in shapes if shape.origin.path}

    def _types_of(self, pair: ModelPair) -> Iterator[UsedType]:
        for one in definition_places(pair):
            yield from self._types.get(one, {}).values()


def definition_places(pair: ModelPair) -> list[Place]:
    """Where a model stands in its document: itself, then what it refers to, where it is no more
    than another name for that."""
    found = [schema_place(pair.model.schema)]
    schema = pair.model.schema
    while isinstance(schema, Reference):
        schema = pair.document.resolve(schema)
        if schema_place(schema) in found:
            break
        found.append(schema_place(schema))
    return [one for one in found if one[0]]


# --------------------------------------------------------------------------- usage of models


class ModelUsage:
    """The types that stand, in the fields of types that stand for models, where the contract uses
    a model.

    Of several types with the name of that model these are the ones that are meant. The others may
    be older, or belong to something else; without such a use, nothing tells them apart.
    """

    def __init__(self, pairs: Iterable[ModelPair], code: Resolver) -> None:
        self._code = code
        self._used: dict[Origin, set[Origin]] = defaultdict(set)
        self._language: dict[Origin, str] = {}
        several: list[ModelPair] = []
        for pair in pairs:
            several.append(pair)
            for item in pair.types:
                for shape in alternatives(item.schema, code).options:
                    self._language[shape.shape.origin] = item.language
        if any(self._same_language(pair) for pair in several):
            for pair in several:
                self._note(pair)

    def is_another(self, pair: ModelPair, item: Model) -> bool:
        """Whether a type only shares its name with the one that is used for the model."""
        used = {
            origin
            for origin in self._used.get(pair.model.schema.origin, ())
            if self._language.get(origin) == item.language
        }
        own = {option.shape.origin for option in alternatives(item.schema, self._code).options}
        return bool(used) and not own & used

    def _same_language(self, pair: ModelPair) -> bool:
        languages = [item.language for item in pair.types]
        return len(set(languages)) < len(languages)

    def _note(self, pair: ModelPair) -> None:
        for item in pair.types:
            theirs = {
                fold(field.name): field
                for field in _fields(alternatives(item.schema, self._code).options)
            }
            for ours in _fields(alternatives(pair.model.schema, pair.document).options):
                their = theirs.get(fold(ours.name))
                if their is None:
                    continue
                named = [option.shape for option in _items(their.schema, self._code)]
                for option in _items(ours.schema, pair.document):
                    found = (shape for shape in named if isinstance(shape, Object))
                    self._used[option.shape.origin].update(shape.origin for shape in found)


def _fields(options: Iterable[Alternative]) -> Iterator[Field]:
    for option in options:
        if isinstance(option.shape, Object):
            yield from option.shape.fields


def _items(schema: Schema, resolver: Resolver) -> Iterator[Alternative]:
    """The shapes a value may have; of lists, those of their items."""
    for option in alternatives(schema, resolver).options:
        if isinstance(option.shape, Array):
            yield from alternatives(option.shape.items, resolver).options
        else:
            yield option
