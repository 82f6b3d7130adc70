"""Models of Lucid, AdonisJS's ORM: columns are written under names in snake case."""

from __future__ import annotations

import re

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    LiteralExpr,
    Member,
    NamedType,
    NullType,
    ObjectLiteral,
    TypeExpr,
    UnionType,
)

_MODULES = ("@adonisjs/lucid/orm.", "@ioc:Adonis/Lucid/Orm.")
_RELATIONS = frozenset({"hasMany", "hasOne", "belongsTo", "manyToMany", "hasManyThrough"})
_WRITERS = frozenset({"serialize", "toJSON", "serializeAttributes", "serializeExtras", "toObject"})
_LOADED = Reason("loaded-columns-depend-on-query")


def model_schema(use: TypeUse, symbol: ClassSymbol) -> Schema | None:
    """The schema of a serialised model; None for a class that is no model."""
    fields: dict[str, Field] = {}
    partial = NO_REASON
    known = False
    for owner, scope in reversed(use.chain(symbol)):
        for member in owner.decl.members:
            annotation, kind = _kind(use, member, scope)
            if annotation is None:
                continue
            known = True
            field = _field(use, member, annotation, kind, scope)
            if field is not None:
                fields[field.name] = field
        for method in owner.decl.methods:
            if method.name in _WRITERS:
                partial = Reason(
                    "model-method-decides-serialization", method=method.name, owner=owner.decl.name
                )
        if any(member.name in _WRITERS for member in owner.decl.members):
            partial = Reason("writes-more-than-columns", owner=owner.decl.name)
    if not known:
        return None
    if use.program.any_file_contains(b"namingStrategy"):
        reason = Reason("custom-column-naming")
        return Unknown(reason=reason, origin=symbol.origin)
    return Object(
        fields=tuple(fields.values()),
        incomplete_reason=partial,
        name=symbol.decl.name,
        origin=symbol.origin,
    )


def _kind(use: TypeUse, member: Member, scope: Scope) -> tuple[Annotation | None, str]:
    for annotation in member.annotations:
        if annotation.callee is None:
            continue
        name = use.program.qualified_name(annotation.callee, scope)
        for module in _MODULES:
            if name.startswith(module):
                return annotation, name.removeprefix(module)
    return None, ""


def _field(
    use: TypeUse, member: Member, annotation: Annotation, kind: str, scope: Scope
) -> Field | None:
    name = member.name if kind == "computed" else _snake(member.name)
    options = annotation.args[-1].value if annotation.args else None
    for entry in options.entries if isinstance(options, ObjectLiteral) else ():
        if entry.key == "serializeAs" and isinstance(entry.value, LiteralExpr):
            if entry.value.value is None:
                return None
            name = str(entry.value.value)
        elif entry.key == "serialize":
            origin = Origin(scope.file.path, member.span)
            reason = Unknown(reason=Reason("serialize-option-decides"), origin=origin)
            return Field(
                name=name, schema=reason, required=None, undetermined_reason=_LOADED, origin=origin
            )
    origin = Origin(scope.file.path, member.span)
    if kind.split(".")[0] in _RELATIONS:
        schema: Schema = Unknown(reason=Reason("relation-written-as-loaded"), origin=origin)
    else:
        schema = _column(use, member.type, scope, origin)
    return Field(
        name=name, schema=schema, required=None, undetermined_reason=_LOADED, origin=origin
    )


def _column(use: TypeUse, type: TypeExpr | None, scope: Scope, origin: Origin) -> Schema:
    if type is None:
        return Unknown(reason=Reason("column-untyped"), origin=origin)
    if isinstance(type, UnionType):
        inner = [option for option in type.options if not isinstance(option, NullType)]
        if len(inner) == 1 and len(inner) < len(type.options):
            return with_nullable(_column(use, inner[0], scope, origin), True)
    if isinstance(type, NamedType) and type.name.rsplit(".", 1)[-1] == "DateTime":
        return Scalar(type="string", format="date-time", origin=origin)
    schema = use.schema(type, scope)
    return replace(schema, origin=origin) if isinstance(schema, Scalar) else schema


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
