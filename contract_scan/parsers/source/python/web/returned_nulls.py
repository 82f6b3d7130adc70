"""Null in the fields of a declared model, after what its handlers return: a field that may hold
null is sent without it where each value that is returned has another one there."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from contract_scan.ir.schema import Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Instance,
    OneOf,
    Record,
    ReturnedValue,
    Unresolved,
    Value,
    is_null,
)
from contract_scan.parsers.source.python.serialization.pydantic.validators import validated_names


def with_returned_nulls(
    program: Program, schema: Schema, returned: Sequence[ReturnedValue]
) -> Schema:
    """A declared shape, without null in the fields that never hold it in what is returned."""
    shape = program.types.flat(schema)
    if not isinstance(shape, Object) or not any(_may_be_null(field) for field in shape.fields):
        return schema
    objects = _objects(program, returned)
    if not objects:
        return schema
    validated = validated_names(program)
    fields = tuple(
        replace(field, schema=replace(field.schema, nullable=False))
        if _may_be_null(field)
        and _name(field) not in validated
        and all(_is_never_null(program, value, _name(field), at) for value, at in objects)
        else field
        for field in shape.fields
    )
    if all(one is other for one, other in zip(fields, shape.fields, strict=True)):
        return schema
    return replace(shape, fields=fields, nullable=schema.nullable)


def _may_be_null(field: Field) -> bool:
    return field.schema.nullable is True


def _name(field: Field) -> str:
    return field.declared_as or field.name


def _objects(
    program: Program, returned: Sequence[ReturnedValue]
) -> list[tuple[Value, ReturnedValue]]:
    """The objects that are returned, each where it is."""
    found: list[tuple[Value, ReturnedValue]] = []
    for one in returned:
        if one.thrown or one.value is None:
            continue
        value = program.evaluate(one.value, one.scope)
        for option in value.options if isinstance(value, OneOf) else (value,):
            if is_null(option):
                continue  # a model refuses null, or its schema has it itself
            found.append((option, one))
    return found


def _is_never_null(program: Program, value: Value, name: str, at: ReturnedValue) -> bool:
    if isinstance(value, Instance) and (
        value.may_be_assigned is None or name in value.may_be_assigned
    ):
        return False
    held = program.evaluator.attribute(
        value, name, at.scope, at.span, subscript=isinstance(value, Record)
    )
    shape = program.types.flat(program.schema_of(held))
    return (
        not isinstance(held, Unresolved)
        and not isinstance(shape, Unknown)
        and shape.nullable is False
        and not shape.null_reason
    )
