"""What a class inherits from a library class, as far as it shows on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.schema import Field, Object
from contract_scan.parsers.source.java.annotations import type_name
from contract_scan.parsers.source.link.values import External

if TYPE_CHECKING:
    from contract_scan.parsers.source.java.models.jackson_properties import Chain
    from contract_scan.parsers.source.link.types import TypeUse

_NOTHING_ADDED = frozenset({"Object", "Record", "Enum"})
_WITH_LINKS = frozenset({"RepresentationModel", "ResourceSupport"})
_COLLECTIONS = frozenset({"HashMap", "LinkedHashMap", "TreeMap", "ArrayList", "LinkedList"})


def library_base(use: TypeUse, chain: Chain) -> tuple[tuple[Field, ...], str]:
    """Fields that a library base class adds, and why there may be more of them."""
    from contract_scan.parsers.source.facts import NamedType

    for symbol, scope in chain:
        if "extends" not in symbol.decl.modifiers or not symbol.decl.bases:
            continue
        base = symbol.decl.bases[0]
        name = type_name(base)
        if not isinstance(base, NamedType) or name in _NOTHING_ADDED:
            continue
        outside = scope.parent or scope
        if not isinstance(use.program.names.lookup_type(base.name, outside), External):
            continue
        if name in _WITH_LINKS:
            links = Object(name="Links", partial="links are made at run time")
            field = Field(name="_links", schema=links, required=None, origin=symbol.origin)
            return (field,), ""
        return (), f"`{symbol.decl.name}` extends `{name}`, which comes from a library"
    return (), ""


def is_collection(chain: Chain) -> bool:
    """Whether a class is a map or list by inheritance."""
    return any(type_name(b) in _COLLECTIONS for symbol, _ in chain for b in symbol.decl.bases)
