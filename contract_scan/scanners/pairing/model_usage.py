"""Which of several types of one name stands where a model is used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from contract_scan.ir.document import Resolver
from contract_scan.ir.model import Model
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Field, Object, Schema
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.differences.union_members import Alternative, alternatives
from contract_scan.scanners.pairing.models import ModelPair


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
