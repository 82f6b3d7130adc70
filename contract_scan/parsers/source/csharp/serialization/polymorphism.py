"""Types of which one of those is written that attributes list: `[JsonDerivedType]` for
System.Text.Json, `[JsonInheritance]` for the converter that NSwag and NJsonSchema generate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.schema import Field, Object, Scalar, Schema, Union
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import (
    argument,
    find,
    find_all,
    simple_name,
    text,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import Annotation, NamedType, TypeExpr, TypeValue

_DISCRIMINATOR = "$type"
_INHERITANCE = "JsonInheritanceConverter"
_Listed: TypeAlias = tuple[TypeExpr, object]
"""A type that attributes list, and the value of its discriminator."""


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
    listed: list[_Listed] = []
    for derived in find_all(marked, "JsonDerivedType"):
        type = argument(derived, 0, "derivedType")
        if isinstance(type, TypeValue):
            mark = argument(derived, 1, "typeDiscriminator")
            value = program.evaluate(mark, scope) if mark is not None else None
            listed.append((type.type, getattr(value, "value", None)))
    return _one_of(use, symbol, own, written, listed, discriminator)


def inheritance_converter(
    use: TypeUse, symbol: ClassSymbol
) -> tuple[Annotation, ClassSymbol] | None:
    """The attribute of a class, or of one that it derives from, that names the generated converter,
    and the class that it stands at."""
    named_at = use.program.files_containing(_INHERITANCE.encode())
    for owner, _ in use.chain(symbol) if named_at else ():
        for one in find_all(owner.decl.annotations, "JsonConverter", _INHERITANCE):
            by = one.args[0].value if one.args else None
            named = (
                by.type.name if isinstance(by, TypeValue) and isinstance(by.type, NamedType) else ""
            )
            if simple_name(one) == _INHERITANCE or unqualified_name(named) == _INHERITANCE:
                return one, owner
    return None


def inheritance_schema(
    use: TypeUse,
    symbol: ClassSymbol,
    converter: tuple[Annotation, ClassSymbol],
    own: Object,
    written: Callable[[ClassSymbol], Object],
) -> Schema:
    """One of the types below a class that `[JsonInheritance("circle", typeof(Circle))]` lists, as
    the generated converter writes them: each with its discriminator. One that is not listed has its
    own name there."""
    program = use.program
    annotation, owner = converter
    scope = program.class_scope(owner)
    name = text(program, annotation, scope, 1, "discriminatorName") or "discriminator"
    below = {each.key for each in program.names.classes.implementations(symbol)} | {symbol.key}
    listed: list[_Listed] = []
    for one in find_all(owner.decl.annotations, "JsonInheritance"):
        type = argument(one, 1, "type")
        found = _plain_class(program, type.type, scope) if isinstance(type, TypeValue) else None
        if isinstance(type, TypeValue) and found is not None and found.key in below:
            listed.append((type.type, text(program, one, scope, 0, "key")))
    own_name = symbol.decl.name
    if use.variant.startswith(READING):
        # Any other discriminator, or none, is read as the declared type.
        return _one_of(use, symbol, own, written, listed, name)
    if not any(_is_class(program, type, scope, symbol) for type, _ in listed):
        tagged = _with_discriminator(own, name, own_name, symbol)
        own = tagged if isinstance(tagged, Object) else own
    is_made = program.any_file_contains(*(f"new {own_name}{c}".encode() for c in "( {\n\r"))
    return _one_of(use, symbol, own, written, listed, name, is_made=is_made or not listed)


def _is_class(program: Program, type: TypeExpr, scope: Scope, symbol: ClassSymbol) -> bool:
    found = _plain_class(program, type, scope)
    return found is not None and found.key == symbol.key


def _one_of(
    use: TypeUse,
    symbol: ClassSymbol,
    own: Object,
    written: Callable[[ClassSymbol], Object],
    listed: list[_Listed],
    discriminator: str,
    *,
    is_made: bool = True,
) -> Schema:
    """One of the listed types, or the type itself where it is made and not among them."""
    program = use.program
    scope = program.class_scope(symbol)
    options: list[Schema] = []
    lists_itself = False
    for type, value in listed:
        found = _plain_class(program, type, scope)
        if found is not None and found.key == symbol.key:
            lists_itself = True
            shape: Schema = own
        elif found is not None:
            shape = written(found)
        else:
            shape = program.types.flat(use.schema(type, scope))
        options.append(_with_discriminator(shape, discriminator, value, symbol))
    is_concrete = "abstract" not in symbol.decl.modifiers and symbol.decl.kind != "interface"
    if is_made and is_concrete and not lists_itself:
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
