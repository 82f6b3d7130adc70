"""Converters of Newtonsoft.Json for what stands in a list or map: `ItemConverterType`.

https://www.newtonsoft.com/json/help/html/P_Newtonsoft_Json_JsonPropertyAttribute_ItemConverterType.htm
"""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    ClassValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations
from contract_scan.parsers.source.csharp.serialization.library_types import CONTAINERS, PAIRS
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    ArrayLiteral,
    ArrayType,
    Cast,
    NamedType,
    NullableType,
    TypeExpr,
)

_MAX_HOPS = 5
_VALUE = 1
"""Which of the type arguments of a map its values are of."""


def item_converter(annotation: Annotation | None) -> Annotation | None:
    """The converter that an attribute sets for items, as the `[JsonConverter]` that they would be
    marked with; None where it sets none."""
    if annotation is None:
        return None
    type = argument(annotation, -1, "ItemConverterType")
    if type is None:
        return None
    given = argument(annotation, -1, "ItemConverterParameters")
    while isinstance(given, Cast):  # `new object[] { … }`
        given = given.value
    parameters = given.items if isinstance(given, ArrayLiteral) else ()
    return Annotation(
        name="JsonConverter",
        args=tuple(Argument(value=value) for value in (type, *parameters)),
        span=annotation.span,
    )


def class_item_converter(program: Program, scope: Scope) -> Annotation | None:
    """The converter that `[JsonObject(ItemConverterType = …)]` sets for all members of a class."""
    owner = scope.owner
    if owner is None:
        return None
    return item_converter(find(merged_annotations(program, owner), "JsonObject"))


def item_type(program: Program, type: TypeExpr, scope: Scope) -> BoundType | None:
    """The type of the items of a list, or of the values of a map."""
    for _ in range(_MAX_HOPS):
        if isinstance(type, NullableType):
            type = type.item
        if isinstance(type, ArrayType):
            return BoundType(type.item, scope)
        if not isinstance(type, NamedType):
            return None
        match program.names.lookup_type(type.name, scope):
            case LibrarySymbol(name=name):
                return _of_library(name.rpartition(".")[2], type, scope)
            case BoundType(type=inner, scope=inside):
                type, scope = inner, inside
            case AliasSymbol() as found:
                type, scope = found.alias.type, program.names.classes.alias_scope(found)
            case ClassValue(symbol=symbol):
                bound = program.names.classes.bind(symbol.decl.type_params, type, scope)
                inside = program.names.classes.class_scope(symbol, bound)
                return _of_bases(program, symbol.decl.bases, inside)
            case _:
                return None
    return None


def _of_bases(program: Program, bases: tuple[TypeExpr, ...], scope: Scope) -> BoundType | None:
    found = (item_type(program, base, scope) for base in bases)
    return next((item for item in found if item is not None), None)


def _of_library(name: str, type: NamedType, scope: Scope) -> BoundType | None:
    position = _VALUE if name in PAIRS else CONTAINERS.get(name)
    if position is None or position >= len(type.args):
        return None
    return BoundType(type.args[position], scope)
