"""What a class inherits from a library class, as far as it shows on the wire."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import LibrarySymbol
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.containers import MAPS
from contract_scan.parsers.source.java.serialization.hateoas import BASES, link_field
from contract_scan.parsers.source.java.serialization.jackson.properties import Chain

_NOTHING_ADDED = frozenset(
    {"Object", "Record", "Enum", "AbstractAggregateRoot", "PanacheEntityBase", "PanacheEntity"}
)
"""Base classes that show nothing on the wire but `inherited_fields`."""
_MAPS = MAPS | {"AbstractMap"}
_LISTS = frozenset(
    {
        *("ArrayList", "LinkedList", "HashSet", "LinkedHashSet", "TreeSet", "List", "Set"),
        *("AbstractCollection", "AbstractList", "AbstractSet", "Collection", "Deque", "Queue"),
    }
)
"""Classes and interfaces whose objects Jackson writes item by item, as it does all collections."""


def library_base(use: TypeUse, chain: Chain) -> Reason:
    """Why a class has more fields than are seen: it inherits them from a library class."""
    for symbol, scope in chain:
        if "extends" not in symbol.decl.modifiers or not symbol.decl.bases:
            continue
        base = symbol.decl.bases[0]
        name = type_name(base)
        if not isinstance(base, NamedType) or name in _NOTHING_ADDED:
            continue
        outside = scope.parent or scope
        if not isinstance(use.program.names.lookup_type(base.name, outside), LibrarySymbol):
            continue
        if name in BASES:
            continue
        return Reason("superclass-from-library", type=symbol.decl.name, name=name)
    return NO_REASON


def inherited_fields(use: TypeUse, chain: Chain) -> Iterator[Field]:
    """The fields that a class inherits from a class of a library: the links of Spring HATEOAS, the
    key of Panache (`public Long id`)."""
    for symbol, _ in chain:
        bases = {type_name(base) for base in symbol.decl.bases}
        if not bases.isdisjoint(BASES):
            (lowest, _), *_ = chain
            yield link_field(
                use.program, symbol.file.path, symbol.origin, certain=False, symbol=lowest
            )
        if "PanacheEntity" in bases:
            key = Scalar(type="integer", format="int64", nullable=None, origin=symbol.origin)
            yield Field(name="id", schema=key, has_default=True, origin=symbol.origin)


def collection_base(use: TypeUse, chain: Chain) -> Schema | None:
    """The shape of a class that is a map or a list by inheritance: its own properties are not
    written. None for any other class."""
    for symbol, scope in chain:
        for base in symbol.decl.bases:
            if not isinstance(base, NamedType) or not base.args:
                continue
            if type_name(base) in _MAPS and len(base.args) == 2:
                item = use.schema(base.args[1], scope)
                return Object(name=symbol.decl.name, additional=item, origin=symbol.origin)
            if type_name(base) in _LISTS:
                return Array(items=use.schema(base.args[0], scope), origin=symbol.origin)
    return None


def has_state(chain: Chain) -> bool:
    """Whether instances of a class hold anything."""
    return any(
        "static" not in member.modifiers and member.kind != "enum"
        for symbol, _ in chain
        for member in symbol.decl.members
    )
