"""Which type definitions in code stand for which shared model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

from msgspec import Struct

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.model import Model
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.unit import Unit

_SUFFIXES = ("Dto", "DTO", "Model", "Schema")
"""Endings that name the same thing in another role."""


class ModelPair(Struct, frozen=True):
    """A shared model and the types that stand for it."""

    document: ContractDocument
    model: Model
    types: tuple[Model, ...] = ()
    ambiguous: tuple[Model, ...] = ()
    """Types of one language that could all stand for it; none was compared."""


def pair_models(unit: Unit) -> tuple[ModelPair, ...]:
    """Pair every model of a unit's JSON Schema documents with types in code."""
    wanted = [
        (document, model)
        for document in unit.documents
        if document.kind == "json-schema"
        for model in document.models
    ]
    if not wanted:
        return ()
    names = frozenset(name for _, model in wanted for name in spellings(model.name))
    candidates = _by_language(unit.code.models(names))
    own_names = {fold(model.name) for _, model in wanted}
    return tuple(_pair(document, model, candidates, own_names) for document, model in wanted)


def spellings(name: str) -> tuple[str, ...]:
    """The names a type that stands for a model may have: its own and those with an affix."""
    pascal = name[:1].upper() + name[1:]
    affixed = [name + suffix for suffix in _SUFFIXES]
    affixed += [pascal + suffix for suffix in _SUFFIXES]
    return tuple(dict.fromkeys((name, pascal, *affixed, f"I{pascal}")))


def _by_language(types: Iterable[Model]) -> dict[str, dict[str, list[Model]]]:
    """Language -> folded name -> types."""
    found: dict[str, dict[str, list[Model]]] = defaultdict(lambda: defaultdict(list))
    for item in types:
        found[item.language][fold(item.name)].append(item)
    return found


def _pair(
    document: ContractDocument,
    model: Model,
    candidates: dict[str, dict[str, list[Model]]],
    own_names: set[str],
) -> ModelPair:
    types: list[Model] = []
    ambiguous: list[Model] = []
    affixed = [fold(name) for name in spellings(model.name)]
    others = own_names - {fold(model.name)}
    for by_name in candidates.values():
        if exact := _not_of_another(document, by_name.get(fold(model.name), ())):
            types += exact
            continue
        near = [
            item
            for name in dict.fromkeys(affixed)
            if name not in others
            for item in _not_of_another(document, by_name.get(name, ()))
        ]
        if len({fold(item.name) for item in near}) > 1:
            ambiguous += near
        else:
            types += near
    return ModelPair(document, model, tuple(types), tuple(ambiguous))


def _not_of_another(document: ContractDocument, types: Iterable[Model]) -> list[Model]:
    """The types but for those whose file says that it was generated from another document."""
    parts = PurePosixPath(document.path).parts
    return [item for item in types if not item.stated_source or item.stated_source in parts]
