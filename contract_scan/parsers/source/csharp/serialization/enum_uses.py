"""Enums whose every use is written as text: generators set the converter on each property instead
of on the enum."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.serialization.enums import converted_enum
from contract_scan.parsers.source.csharp.serialization.item_converters import (
    item_converter,
    item_type,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import JsonSettings
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    NamedType,
    NullableType,
    TypeExpr,
)


def converted_by_uses(
    program: Program, symbol: ClassSymbol, settings: JsonSettings
) -> Schema | None:
    """The texts of an enum that a converter of every member writes which holds it; None where one
    has none, where they differ, or where no member holds it."""
    shapes: list[Schema] = []
    for converter in _converters(program, symbol):
        if converter is None:
            return None
        shape = converted_enum(program, symbol, converter, settings)
        if shape is None or (shapes and shape != shapes[0]):
            return None
        shapes.append(shape)
    return shapes[0] if shapes else None


def _converters(program: Program, symbol: ClassSymbol) -> Iterator[Annotation | None]:
    """The converter of each member that holds the enum, or lists or maps of it."""
    for path in program.files_with_word(unqualified_name(symbol.decl.name)):
        for owner in program.classes(program.facts(path)):
            scope = program.class_scope(owner)
            for member in owner.decl.members:
                if member.type is None or "static" in member.modifiers:
                    continue
                if _is_type(program, member.type, scope, symbol):
                    yield find(member.annotations, "JsonConverter")
                    continue
                item = item_type(program, member.type, scope)
                if item is not None and _is_type(program, item.type, item.scope, symbol):
                    yield item_converter(find(member.annotations, "JsonProperty"))


def _is_type(program: Program, type: TypeExpr, scope: Scope, symbol: ClassSymbol) -> bool:
    inner = type.item if isinstance(type, NullableType) else type
    if not isinstance(inner, NamedType) or unqualified_name(
        inner.name.rpartition(".")[2]
    ) != unqualified_name(symbol.decl.name):
        return False
    found = program.names.lookup_type(inner.name, scope)
    return isinstance(found, ClassValue) and found.symbol.key == symbol.key
