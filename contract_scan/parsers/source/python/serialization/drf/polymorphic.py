"""Serializers that choose another serializer by a value of the object: those of drf-polymorphic and
of django-rest-polymorphic."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, LiteralValue, Object, Scalar, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Instance,
    Items,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Call, Entry, Expr, Name, ObjectLiteral
from contract_scan.parsers.source.python.serialization.django import choices
from contract_scan.parsers.source.python.serialization.drf.fields import own_representation
from contract_scan.parsers.source.python.serialization.fields import is_null
from contract_scan.parsers.source.python.serialization.kinds import library_bases


class _Library(Struct, frozen=True):
    """How a library's class says which serializer is for which value."""

    mapping: str
    """The member that maps values to serializers."""
    tag: str
    """The member that names the field which holds the value."""
    usual_tag: str
    by_model: bool
    """The values are the names of models, and the class writes no fields of its own."""
    namer: str = ""
    """The method that makes a value of what is in the mapping."""


LIBRARIES = {
    "drf_polymorphic.serializers.PolymorphicSerializer": _Library(
        "serializer_mapping", "discriminator_field", "object_type", by_model=False
    ),
    "rest_polymorphic.serializers.PolymorphicSerializer": _Library(
        "model_serializer_mapping",
        "resource_type_field_name",
        "resourcetype",
        by_model=True,
        namer="to_resource_type",
    ),
}
"""The classes of libraries of which it is known what they write."""


def alternatives(use: TypeUse, symbol: ClassSymbol, own: Object) -> Schema | None:
    """What a polymorphic serializer writes or takes, where `own` are the fields that it declares:
    an alternative for each value. None where it is no such serializer."""
    program = use.program
    names = [base.name for base in library_bases(program, symbol)]
    library = next((LIBRARIES[name] for name in names if name in LIBRARIES), None)
    if library is None:
        return None
    mapping = _member(use, symbol, library.mapping)
    tag = _tag(use, symbol, library)
    unknown = Unknown(
        reason=Reason("serializer-mapping-undetermined", type=symbol.decl.name),
        origin=symbol.origin,
    )
    changed = own_representation(program, symbol) or program.find_method(symbol, library.namer)
    if mapping is None or not isinstance(mapping[0], ObjectLiteral) or not tag or changed:
        return unknown
    options: list[Schema] = []
    for entry in mapping[0].entries:
        values = list(_values(program, entry, mapping[1], library))
        fields = None if not values else _fields(use, entry.value, mapping[1], own)
        if fields is None:
            return unknown
        declared = () if library.by_model else own.fields
        merged = {field.name: field for field in (*declared, *fields.fields)}
        merged[tag] = _with_values(merged.get(tag), tag, tuple(values), symbol)
        why = fields.incomplete_reason or own.incomplete_reason
        shape = replace(fields, fields=tuple(merged.values()), incomplete_reason=why)
        options.append(shape)
    return Union(options=tuple(options), discriminator=tag, origin=symbol.origin)


def _member(use: TypeUse, symbol: ClassSymbol, name: str) -> tuple[Expr, Scope] | None:
    """What the nearest class gives a member, and the scope in which that is written."""
    for owner, scope in use.chain(symbol):
        for member in owner.decl.members:
            if member.name == name and member.value is not None:
                return member.value, scope
    return None


def _tag(use: TypeUse, symbol: ClassSymbol, library: _Library) -> str:
    """The field that holds the value; empty where its name is not constant."""
    named = _member(use, symbol, library.tag)
    return library.usual_tag if named is None else use.program.text(*named) or ""


def _values(
    program: Program, entry: Entry, scope: Scope, library: _Library
) -> Iterator[LiteralValue]:
    """The value that an entry of the mapping is for; none where it is undetermined."""
    key = entry.key_expression
    if entry.spread:
        return
    if entry.key is not None or key is None:
        yield entry.key
        return
    match key:
        case Call(callee=Name(id="str"), args=[only]):  # `str(Kinds.home)`
            key = only.value
        case _:
            pass
    value = program.evaluate(key, scope)
    if library.by_model:
        if isinstance(value, ClassValue):
            yield value.symbol.decl.name
        return
    yield from choices(program, Items((value,))) or ()


def _fields(use: TypeUse, serializer: Expr, scope: Scope, own: Object) -> Object | None:
    """The fields of one serializer of a mapping; None where they are undetermined."""
    program = use.program
    value = program.evaluate(serializer, scope)
    if is_null(value):
        return replace(own, fields=())
    if not isinstance(value, ClassValue | Instance):
        return None
    symbol = value.symbol
    shape = program.types.flat(program.types.reference(symbol, {}, use.variant, symbol.origin))
    return shape if isinstance(shape, Object) else None


def _with_values(
    field: Field | None, name: str, values: tuple[LiteralValue, ...], symbol: ClassSymbol
) -> Field:
    shape = Scalar(type="string", values=values, origin=symbol.origin)
    if field is None:
        return Field(name=name, schema=shape, origin=symbol.origin)
    return replace(field, schema=replace(shape, origin=field.schema.origin))
