"""Objects as records, whose entries can be set and taken away."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON
from contract_scan.ir.schema import Field, Object
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    Instance,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Value,
    union_of,
)


def record_of(shape: Object) -> Record:
    """An object of a known shape as one whose properties can be taken away."""
    entries = tuple(
        RecordEntry(f.name, _field_value(f), f.origin, f.required is False) for f in shape.fields
    )
    return Record(entries, shape.incomplete_reason, None, shape.origin)


def _field_value(field: Field) -> Value:
    """The value of a field; it may be undefined where it is undetermined whether the field is
    there."""
    value = BySchema(field.schema)
    return value if field.required is not None else OneOf((value, LibrarySymbol("undefined")))


def to_record(program: Program, value: Value) -> Value | None:
    """An object (or one of several, or none) as a record; None for what is no plain object."""
    match value:
        case Record() | Constant(value=None) | LibrarySymbol(name="undefined"):
            return value
        case OneOf(options=options):
            each = [to_record(program, option) for option in options]
            known = tuple(option for option in each if option is not None)
            return union_of(known) if len(known) == len(each) else None
        case BySchema() | ByType() | Instance():
            shape = program.types.flat(program.types.schema_of(value))
            if not isinstance(shape, Object) or _is_map(shape):
                return None
            record: Value = record_of(shape)
            return union_of((record, Constant(None))) if shape.nullable else record
        case _:
            return None


def _is_map(shape: Object) -> bool:
    return not shape.fields and shape.additional is not None


def with_entry(record: Record, entry: RecordEntry) -> Record:
    """The record with one more entry; one that is set only sometimes joins what was there."""
    entries = list(record.entries)
    for position, known in enumerate(entries):
        if known.name == entry.name:
            if entry.optional:
                both = union_of((known.value, entry.value))
                entry = replace(known, value=both)
            entries[position] = replace(entry, is_replacement=True)
            return replace(record, entries=tuple(entries))
    return replace(record, entries=(*entries, entry))


def without_entry(record: Record, name: str) -> Record:
    """The record without an entry."""
    return replace(record, entries=tuple(e for e in record.entries if e.name != name))


def one_of_all(values: list[Value]) -> Value:
    """One value for several: records as one record, of which what not all have is optional."""
    flat = union_of(tuple(values))
    options = flat.options if isinstance(flat, OneOf) else (flat,)
    records = [option for option in options if isinstance(option, Record)]
    if len(records) < 2:
        return flat
    others = tuple(option for option in options if not isinstance(option, Record))
    return union_of((_one_record(records), *others))


def _one_record(records: list[Record]) -> Record:
    names = dict.fromkeys(entry.name for record in records for entry in record.entries)
    entries: list[RecordEntry] = []
    for name in names:
        found = [e for record in records for e in record.entries if e.name == name]
        optional = len(found) < len(records) or any(entry.optional for entry in found)
        value = one_of_all([entry.value for entry in found])
        undefined = found[0].undefined if len({e.undefined for e in found}) == 1 else None
        entries.append(replace(found[0], value=value, optional=optional, undefined=undefined))
    partial = next((record.partial for record in records if record.partial), NO_REASON)
    values = tuple(record.values for record in records if record.values is not None)
    return Record(tuple(entries), partial, union_of(values) if values else None, records[0].origin)
