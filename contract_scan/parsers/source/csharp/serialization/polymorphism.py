"""Types of which System.Text.Json writes one of those that `[JsonDerivedType]` lists."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from contract_scan.ir.schema import Field, Object, Scalar, Schema, Union
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import (
    argument,
    find,
    find_all,
    text,
)
from contract_scan.parsers.source.facts.nodes import Annotation, NamedType, TypeExpr, TypeValue

_DISCRIMINATOR = "$type"


def polymorphic(
    use: TypeUse,
    symbol: ClassSymbol,
    marked: tuple[Annotation, ...],
    own: Object,
    written: Callable[[ClassSymbol], Object],
) -> Schema:
    """One of the types that the attributes `marked` of a type list, told apart by a property.

    `own` is the type as it is written by itself; `written` gives that of a derived type: what its
    own attributes list does not count, the declared type alone decides."""
    program = use.program
    scope = program.class_scope(symbol)
    discriminator = _DISCRIMINATOR
    said = find(marked, "JsonPolymorphic")
    if said is not None:
        named = text(program, said, scope, -1, "TypeDiscriminatorPropertyName")
        discriminator = named or discriminator
    options: list[Schema] = []
    lists_itself = False
    for derived in find_all(marked, "JsonDerivedType"):
        type = argument(derived, 0, "derivedType")
        if not isinstance(type, TypeValue):
            continue
        found = _plain_class(program, type.type, scope)
        if found is not None and found.key == symbol.key:
            lists_itself = True
            shape: Schema = own
        elif found is not None:
            shape = written(found)
        else:
            shape = program.types.flat(use.schema(type.type, scope))
        mark = argument(derived, 1, "typeDiscriminator")
        value = program.evaluate(mark, scope) if mark is not None else None
        options.append(
            _with_discriminator(shape, discriminator, getattr(value, "value", None), symbol)
        )
    is_made = "abstract" not in symbol.decl.modifiers and symbol.decl.kind != "interface"
    if is_made and not lists_itself:
        options.append(own)
    if len(options) == 1:
        return options[0]
    return Union(options=tuple(options), discriminator=discriminator, origin=symbol.origin)


def _plain_class(program: Program, type: TypeExpr, scope: Scope) -> ClassSymbol | None:
    """The class of the project that a type without arguments is."""
    if not isinstance(type, NamedType) or type.args:
        return None
    return program.names.declared_class(type, scope)


def _with_discriminator(shape: Schema, name: str, value: object, symbol: ClassSymbol) -> Schema:
    """A schema with the property that tells it from the others."""
    if not isinstance(shape, Object) or not isinstance(value, str | int):
        return shape
    tag = Scalar(
        type="string" if isinstance(value, str) else "integer",
        values=(value,),
        origin=symbol.origin,
    )
    discriminator = Field(name=name, schema=tag, origin=symbol.origin)
    return replace(shape, fields=(discriminator, *(f for f in shape.fields if f.name != name)))
