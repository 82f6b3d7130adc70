"""Values of which a query has loaded some parts: what is left of that in other places."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from contract_scan.ir.schema import Array, Object, Reference, Scalar, Schema
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.effects import Mutation
from contract_scan.parsers.source.analysis.domain.program import Typing
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    Instance,
    OneOf,
    Value,
    is_null,
    is_undefined,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Name

_FILLS_IN = frozenset({"merge", "assign", "extend", "defaults", "load", "populate", "init"})
"""Last names of library functions that put more into what they are given."""

_Viewed = TypeVar("_Viewed", bound=ByType | Instance)


def seen_as(view: str, value: Value) -> Value:
    """A value with a view, where it is of a declared type."""
    match value:
        case ByType() | Instance() if view:
            return replace(value, view=view)
        case OneOf(options=options) if view:
            return union_of(tuple(seen_as(view, option) for option in options))
        case _:
            return value


def member_with_view(view: str, name: str, member: Value | None) -> Value | None:
    """A member of an object that has a view."""
    return None if member is None else seen_as(loaded_relations.nested_view(view, name), member)


def after_change(types: Typing, value: _Viewed, mutation: Mutation, given: Value | None) -> _Viewed:
    """What is known to be loaded after a change of the object."""
    if mutation.kind == "set" and mutation.key is not None:
        if _is_plain(types, value, mutation.key):
            view = loaded_relations.with_path(value.view, mutation.key)
            return replace(value, view=view) if mutation.key in view else value
        mark = "?" if mutation.conditional else "*"
        return replace(value, view=loaded_relations.with_path(value.view, mutation.key + mark))
    if mutation.kind == "remove":
        return value
    shape = types.flat(types.schema_of(given)) if given is not None else None
    if mutation.kind != "merge" or not isinstance(shape, Object) or shape.incomplete_reason:
        return replace(value, view="")
    view = value.view if shape.additional is None else ""
    for field in shape.fields:
        sure = field.required is True and not mutation.conditional
        view = loaded_relations.with_path(view, field.name + ("*" if sure else "?"))
    return replace(value, view=view)


def with_part_filled(value: _Viewed, name: str) -> _Viewed:
    """An object after something was put into a part of it, which nothing had loaded."""
    if loaded_relations.is_loaded(value.view, name) is not False:
        return value
    return replace(value, view=loaded_relations.with_path(value.view, f"{name}?"))


def _is_plain(types: Typing, value: Value, name: str) -> bool:
    """Whether a field holds no object that a query could load."""
    shape = types.flat(types.schema_of(value))
    fields = shape.fields if isinstance(shape, Object) else ()
    return any(f.name == name and isinstance(types.flat(f.schema), Scalar) for f in fields)


def fills_in(call: Call) -> bool:
    """Whether a function of a library puts something into an object that it is handed."""
    match call.callee:
        case Name(id=name) | Attribute(name=name):
            return name in _FILLS_IN
        case _:
            return True


def loaded_as(types: Typing, seen: Value, declared: ByType) -> Value | None:
    """What a body gives, where that is just the class that is declared, and it is seen what queries
    have loaded of it; None for anything else."""
    wanted = types.schema_of(declared)
    options = seen.options if isinstance(seen, OneOf) else (seen,)
    objects = tuple(o for o in options if not is_null(o))
    symbol = _class_of(types, wanted)
    if not objects or symbol is None:
        return None
    for value in objects:
        if not isinstance(value, ByType | Instance | BySchema):
            return None
        schema = types.schema_of(value)
        if isinstance(schema, Array) is not isinstance(wanted, Array):
            return None
        if _class_of(types, schema) is not symbol or not _is_viewed(schema):
            return None
    lacking = tuple(o for o in options if is_undefined(o))
    return union_of((*objects, *lacking)) if wanted.nullable is False else seen


def _class_of(types: Typing, schema: Schema) -> ClassSymbol | None:
    if isinstance(schema, Array):
        schema = schema.items
    return types.symbol_of(schema) if isinstance(schema, Reference) else None


def _is_viewed(schema: Schema) -> bool:
    if isinstance(schema, Array):
        schema = schema.items
    return isinstance(schema, Reference) and bool(loaded_relations.split_variant(schema.key)[1])
