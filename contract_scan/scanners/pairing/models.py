"""Which type definitions in code stand for which shared model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.model import Model
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.pairing.versions import Version, share, versions_in
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
    has_class: bool = False
    """Whether the build makes a class of it."""


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
    versions = _versions(wanted)
    made = unit.code.schemas_with_classes
    return tuple(
        _pair(document, model, candidates, own_names, versions, made) for document, model in wanted
    )


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
    versions: Mapping[str, Mapping[str, frozenset[Version]]],
    made: Sequence[str],
) -> ModelPair:
    of_documents = versions[fold(model.name)]

    def fitting(named: Iterable[Model]) -> list[Model]:
        types = _not_of_another(document, named)
        types = [item for item in types if not _is_below(document.path, item.other_classes_of)]
        return [item for item in types if not _is_of_another_version(document, item, of_documents)]

    types: list[Model] = []
    ambiguous: list[Model] = []
    affixed = [fold(name) for name in spellings(model.name)]
    others = own_names - {fold(model.name)}
    for by_name in candidates.values():
        if exact := fitting(by_name.get(fold(model.name), ())):
            types += exact
            continue
        near = [
            item
            for name in dict.fromkeys(affixed)
            if name not in others
            for item in fitting(by_name.get(name, ()))
        ]
        if len({fold(item.name) for item in near}) > 1:
            ambiguous += near
        else:
            types += near
    return ModelPair(
        document, model, tuple(types), tuple(ambiguous), _is_below(document.path, made)
    )


def _versions(
    wanted: Iterable[tuple[ContractDocument, Model]],
) -> dict[str, dict[str, frozenset[Version]]]:
    """Folded name of a model -> path of each document that has one of the name -> the versions that
    the path speaks of."""
    found: dict[str, dict[str, frozenset[Version]]] = defaultdict(dict)
    for document, model in wanted:
        found[fold(model.name)][document.path] = versions_in(document.path)
    return found


def _is_of_another_version(
    document: ContractDocument, item: Model, of_documents: Mapping[str, frozenset[Version]]
) -> bool:
    """Whether folder, namespace or package of a type name the version of another document that has
    a model of the name, and not that of this one."""
    if item.stated_source or len(set(of_documents.values())) < 2:
        return False  # what a file says of its source counts more than a version in its name
    own = versions_in(item.package) or versions_in(item.origin.path)
    others = (there for path, there in of_documents.items() if path != document.path)
    return any(share(own, there) for there in others) and not share(
        own, of_documents[document.path]
    )


def _not_of_another(document: ContractDocument, types: Iterable[Model]) -> list[Model]:
    """The types but for those whose file says that it was generated from another document."""
    parts = PurePosixPath(document.path).parts
    return [item for item in types if not item.stated_source or item.stated_source in parts]


def _is_below(path: str, places: Iterable[str]) -> bool:
    """Whether a document is one of some files and folders, or stands in one of them."""
    return any(path == place or path.startswith(f"{place}/") for place in places)
