"""Declared types that say only what a value has at least, as TypeScript's do.

`one(): Promise<UserDto> { return this.users.findOne(…) }` compiles where the entity has what the
DTO names, and JSON then holds every field of the entity. Where the body tells of such a value, the
value counts.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from contract_scan.ir.schema import Array, Object, Schema
from contract_scan.parsers.source.analysis.domain.program import Typing
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    Items,
    OneOf,
    Record,
    RecordEntry,
    Value,
    is_untyped,
)


def wider_value(
    types: Typing, seen: Value, declared: ByType, member: Callable[[ByType, str], Value | None]
) -> Value | None:
    """What a body gives, where it has more than the declared type names; None where it has not, or
    where that is undetermined. `member` gives a member of a type by its name."""
    options = seen.options if isinstance(seen, OneOf) else (seen,)
    objects = [o for o in options if not (isinstance(o, Constant) and o.value is None)]
    if objects and all(_has_more(types, option, declared) for option in objects):
        return seen
    [only] = objects if len(objects) == 1 else [None]
    if not isinstance(only, Record) or only.partial or only.values is not None:
        return None
    return _literal(types, only, declared, member)


def _literal(
    types: Typing, record: Record, declared: ByType, member: Callable[[ByType, str], Value | None]
) -> Value | None:
    """An object literal in which some field holds more than is declared; what the others hold is as
    their types say."""
    if _fields(types, declared) - {entry.name for entry in record.entries}:
        return None
    entries: list[RecordEntry] = []
    has_more = False
    for entry in record.entries:
        own = member(declared, entry.name)
        if own is None:
            return None
        is_unchanged = entry.is_replacement and is_untyped(entry.value)
        if is_unchanged or (isinstance(own, ByType) and _has_more(types, entry.value, own)):
            entries.append(entry)
            has_more = True
        elif isinstance(own, ByType) and is_untyped(entry.value):
            entries.append(replace(entry, value=replace(own, unchecked=True)))
            has_more = True
        else:
            entries.append(replace(entry, value=own))
    return replace(record, entries=tuple(entries)) if has_more else None


def _has_more(types: Typing, value: Value, declared: ByType) -> bool:
    """Whether objects of a value have every field of a declared type, and others for certain: an
    optional member of a type may never be given."""
    items = value.values if isinstance(value, Items) else (value,)
    if not items or not all(isinstance(item, ByType | BySchema) for item in items):
        return False
    named = _fields(types, declared)
    more = _fields(types, value, certain=True) - named
    return bool(named) and bool(more) and named < _fields(types, value)


def _fields(types: Typing, value: Value, *, certain: bool = False) -> frozenset[str]:
    """Names of the fields that objects of a value have (with `certain`, always), or the items of
    its lists; none where they could not all be told."""
    schema: Schema = types.flat(types.schema_of(value))
    if isinstance(schema, Array):
        schema = types.flat(schema.items)
    if not isinstance(schema, Object) or schema.incomplete_reason:
        return frozenset()
    return frozenset(f.name for f in schema.fields if f.required is True or not certain)
