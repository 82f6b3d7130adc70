"""Documents that are written step by step: values, objects with their fields, lists."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)


class WrittenField(Struct, frozen=True):
    """A field that is written on the way."""

    schemas: tuple[Schema, ...]
    always: bool


class Frame(Struct, frozen=True):
    """An open document, object or list."""

    kind: str
    """`document`, `object`, `list`."""
    name: str = ""
    """Objects and lists: the field of the object around it that it is written to."""
    values: tuple[Schema, ...] = ()
    """What a document is, or the items of a list."""
    fields: dict[str, WrittenField] = {}
    further: tuple[Schema, ...] = ()
    """Values under names that are computed."""
    pending: str | None = None
    """The name that the next value is written under."""


Frames: TypeAlias = tuple[Frame, ...]


class LostError(Exception):
    """What is written cannot be followed."""


def with_value(frames: Frames, schema: Schema) -> Frames:
    """What is open after a value has been written."""
    top = frames[-1]
    if top.kind != "object":
        top = replace(top, values=(*top.values, schema))
    elif top.pending is None:
        raise LostError
    elif top.pending:
        before = top.fields.get(top.pending)
        schemas = (*(before.schemas if before is not None else ()), schema)
        fields = {**top.fields, top.pending: WrittenField(schemas, True)}
        top = replace(top, fields=fields, pending=None)
    else:
        top = replace(top, further=(*top.further, schema), pending=None)
    return (*frames[:-1], top)


def close(frames: Frames, kind: str) -> Frames:
    """What is open after the innermost object or list has been closed."""
    top = frames[-1]
    if top.kind != kind or len(frames) < 2:
        raise LostError
    if kind == "list":
        items = (
            one_of_shapes(top.values)
            if top.values
            else Unknown(reason=Reason("nothing-written-to-document"))
        )
        return with_value(frames[:-1], Array(items=items))
    fields = tuple(
        Field(name=name, schema=one_of_shapes(w.schemas), required=w.always, has_default=True)
        for name, w in top.fields.items()
    )
    further = one_of_shapes(top.further) if top.further else None
    return with_value(frames[:-1], Object(fields=fields, additional=further))


def join(one: Frames, other: Frames) -> Frames:
    """The frames after two ways join."""
    if len(one) != len(other) or any(a.kind != b.kind for a, b in zip(one, other, strict=True)):
        raise LostError
    return tuple(_merged_frame(a, b) for a, b in zip(one, other, strict=True))


def _merged_frame(one: Frame, other: Frame) -> Frame:
    if one == other:
        return one
    if one.pending != other.pending:
        raise LostError
    fields: dict[str, WrittenField] = {}
    for name in (*one.fields, *other.fields):
        a, b = one.fields.get(name), other.fields.get(name)
        always = a is not None and b is not None and a.always and b.always
        schemas = (*(a.schemas if a else ()), *(b.schemas if b else ()))
        fields[name] = WrittenField(_distinct(schemas), always)
    return replace(
        one,
        values=_distinct((*one.values, *other.values)),
        fields=fields,
        further=_distinct((*one.further, *other.further)),
    )


def _distinct(schemas: tuple[Schema, ...]) -> tuple[Schema, ...]:
    found: list[Schema] = []
    for schema in schemas:
        if schema not in found:
            found.append(schema)
    return tuple(found)


def one_of_shapes(schemas: tuple[Schema, ...]) -> Schema:
    """One of several shapes; null among them makes the others nullable."""
    nullable = any(isinstance(schema, Nothing) for schema in schemas)
    known = _distinct(tuple(s for s in schemas if not isinstance(s, Nothing)))
    if not known:
        return Nothing(nullable=True)
    texts = [s for s in known if isinstance(s, Scalar) and s.type == "string" and s.values]
    if len(texts) > 1 and len(texts) == len(known):
        values: dict[LiteralValue, None] = {}
        for text in texts:
            values |= dict.fromkeys(text.values or ())
        known = (Scalar(type="string", values=tuple(values)),)
    result = known[0] if len(known) == 1 else Union(options=known)
    return with_nullable(result, True) if nullable else result
