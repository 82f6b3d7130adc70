"""The keys of a declared map (`-> dict[str, int]`), after what its handlers return."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from contract_scan.ir.schema import Anything, Field, Nothing, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import OneOf, Record, ReturnedValue


def with_returned_keys(
    program: Program, schema: Schema, returned: Sequence[ReturnedValue]
) -> Schema:
    """A declared map as the objects that are returned, where each is written with all its keys: a
    map says no more of these than what they hold."""
    shape = program.types.flat(schema)
    if not isinstance(shape, Object) or shape.fields or shape.incomplete_reason:
        return schema
    held = shape.additional
    if held is None or isinstance(held, Nothing):
        return schema
    objects: list[Schema] = []
    for one in returned:
        if one.thrown or one.value is None:
            continue
        value = program.evaluate(one.value, one.scope)
        for option in value.options if isinstance(value, OneOf) else (value,):
            written = program.types.flat(program.schema_of(option))
            is_whole = isinstance(option, Record) and not option.partial and option.values is None
            if not is_whole or not isinstance(written, Object):
                return schema
            fields = tuple(_as_declared(program, field, held) for field in written.fields)
            objects.append(replace(written, fields=fields))
    return unite(objects) if objects else schema


def _as_declared(program: Program, field: Field, held: Schema) -> Field:
    """A key with its value, or with what the map is declared to hold where that converts it."""
    declared, written = program.types.flat(held), program.types.flat(field.schema)
    if isinstance(declared, Unknown | Anything):
        return field
    match declared, written:
        case Scalar(type=one, format=first), Scalar(type=other, format=second) if (
            one == other and first == second
        ):
            return field
        case _:
            return replace(field, schema=held)
