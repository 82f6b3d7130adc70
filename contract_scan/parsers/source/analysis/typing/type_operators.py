"""Types made of other types: intersections, picked properties, keys, mapped types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain.program import Program, Typing
from contract_scan.parsers.source.analysis.domain.schemas import describe, unite
from contract_scan.parsers.source.analysis.domain.values import BoundType, Scope
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Expr,
    FunctionType,
    IntersectionType,
    KeyOfType,
    LiteralType,
    MappedType,
    Member,
    Name,
    NamedType,
    ObjectType,
    TypeExpr,
)


def intersect(types: Typing, schemas: list[Schema], origin: Origin) -> Schema:
    """What fits all of several shapes: objects are merged, later fields narrow earlier ones."""
    flat = [types.flat(schema) for schema in schemas]
    objects = [schema for schema in flat if isinstance(schema, Object)]
    others = [s for s in flat if not isinstance(s, Object)]
    if not objects:
        return others[0] if len(others) == 1 else _undetermined_intersection(flat, origin)
    partial = next((s.incomplete_reason for s in objects if s.incomplete_reason), NO_REASON)
    for other in others:
        if isinstance(other, Unknown):
            partial = partial or other.reason
        else:
            return _undetermined_intersection(flat, origin)
    fields: dict[str, Field] = {}
    for schema in objects:
        for field in schema.fields:
            fields[field.name] = field
    additional = next((s.additional for s in objects if s.additional is not None), None)
    return Object(
        fields=tuple(fields.values()),
        additional=additional,
        incomplete_reason=partial,
        origin=origin,
    )


def indexed_access_schema(
    types: Typing, item: TypeExpr, index: TypeExpr, scope: Scope, variant: str, origin: Origin
) -> Schema:
    """Shape of the property that `T[K]` picks."""
    schema = types.flat(types.schema(item, scope, variant))
    if isinstance(schema, Array):
        return schema.items
    keys = types.flat(types.schema(index, scope, variant))
    if isinstance(schema, Object) and isinstance(keys, Scalar) and keys.values is not None:
        found = [f.schema for f in schema.fields if f.name in keys.values]
        if len(found) == len(keys.values):
            return unite(found)
    if isinstance(schema, Object) and isinstance(keys, Scalar) and schema.additional:
        return schema.additional
    return Unknown(reason=Reason("property-picked-undetermined"), origin=origin)


def keys(types: Typing, schema: Schema, origin: Origin) -> Schema:
    """Shape of a type's property names: `keyof T`."""
    flat = types.flat(schema)
    if isinstance(flat, Object) and not flat.incomplete_reason and flat.additional is None:
        names = tuple(field.name for field in flat.fields)
        return Scalar(type="string", values=names, origin=origin)
    return Scalar(type="string", origin=origin)


def mapped_type_schema(
    types: Typing, type: MappedType, scope: Scope, variant: str, origin: Origin
) -> Schema:
    """Shape of `{[K in keyof T]: ...}`."""
    keys = types.flat(types.schema(type.constraint, scope, variant))
    if not isinstance(keys, Scalar) or keys.values is None:
        return Object(additional=_mapped_item(types, type, None, scope, variant), origin=origin)
    source = None
    if isinstance(type.constraint, KeyOfType):
        shape = types.flat(types.schema(type.constraint.item, scope, variant))
        source = shape if isinstance(shape, Object) else None
    fields = []
    for key in keys.values:
        original = next((f for f in source.fields if f.name == key), None) if source else None
        required = original.required if original is not None else True
        changes = {"+": False, "-": True, "?": required and None}
        required = changes.get(type.optional, required)
        fields.append(
            Field(
                name=str(key),
                schema=_mapped_item(types, type, str(key), scope, variant),
                required=required,
                origin=original.origin if original is not None else origin,
            )
        )
    return Object(fields=tuple(fields), origin=origin)


def _mapped_item(
    types: Typing, type: MappedType, key: str | None, scope: Scope, variant: str
) -> Schema:
    bound = LiteralType(value=key) if key is not None else NamedType(name="string")
    inside = Scope(
        file=scope.file,
        parent=scope,
        types={type.variable: BoundType(bound, scope)},
    )
    return types.schema(type.item, inside, variant)


def with_names(program: Program, members: Iterable[Member], scope: Scope) -> Iterator[Member]:
    """Members with the texts that constants between brackets give for names: `[Measure.Height]`.
    Those of which no text is known are left out: symbols, which are never written."""
    for member in members:
        if not member.name.startswith("["):
            yield member
            continue
        first, *rest = member.name[1:-1].split(".")
        name: Expr = Name(id=first, span=member.name_span)
        for each in rest:
            name = Attribute(value=name, name=each, span=member.name_span)
        text = program.text(name, scope)
        if text is not None:
            yield replace(member, name=text)


def json_form(type: ObjectType | IntersectionType) -> TypeExpr | None:
    """What the `toJSON` method of an object is declared to give, which is written in its place."""
    parts = type.options if isinstance(type, IntersectionType) else (type,)
    members = (member for part in parts if isinstance(part, ObjectType) for member in part.members)
    for member in members:
        if member.name == "toJSON" and isinstance(member.type, FunctionType):
            return member.type.returns
    return None


def _undetermined_intersection(schemas: list[Schema], origin: Origin) -> Schema:
    for schema in schemas:
        if isinstance(schema, Unknown):
            return schema
    if len({describe(schema) for schema in schemas}) == 1:
        return schemas[0]
    if any(isinstance(schema, Union) for schema in schemas):
        return Unknown(reason=Reason("unions-intersection-undetermined"), origin=origin)
    return Unknown(reason=Reason("types-intersection-undetermined"), origin=origin)
