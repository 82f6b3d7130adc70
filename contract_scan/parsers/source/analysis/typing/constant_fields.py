"""Fields whose value in an object that is made here is a constant of the code."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from contract_scan.ir.schema import Field, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program, Typing
from contract_scan.parsers.source.analysis.domain.values import Constant, Instance, Value
from contract_scan.parsers.source.analysis.typing.constructions import initial_constant
from contract_scan.parsers.source.analysis.typing.member_narrowing import with_fields, without_null
from contract_scan.parsers.source.analysis.typing.written_values import is_made_here
from contract_scan.parsers.source.facts.nodes import New

_PLAIN_FORMATS = frozenset({"", "int32", "int64"})
"""Formats of values that are written as a constant of the code is."""
CHOSEN = ("string", "boolean")
"""Types of which contracts list values: constants of these are told."""


def with_constants(
    program: Program, schema: Schema, made: Instance, given: Collection[str], variant: str
) -> Schema:
    """The shape of what is constructed here with the constants that its constructor gives members
    which are set once, or that members begin with which nothing sets."""
    types, found = program.types, program.evaluator.member_of_construction
    flat = types.flat(schema)
    if not isinstance(flat, Object) or made.site is None:
        return schema
    is_set_once = isinstance(made.site, New) and not made.site.entries
    fields = []
    for field in flat.fields:
        value, shape, name = None, types.flat(field.schema), field.declared_as or field.name
        if isinstance(shape, Scalar):
            value = found(made, name) if is_set_once else None
        is_choice = isinstance(shape, Scalar) and shape.type in CHOSEN
        if is_choice and value is None and name not in given:
            value = initial_constant(program, made, name)
        if isinstance(value, Constant | Instance) and is_made_here(value):
            field = without_null(types, with_values_of(types, field, value, variant))
        fields.append(field)
    return with_fields(schema, flat, fields)


def with_values_of(types: Typing, field: Field, value: Value, variant: str) -> Field:
    """A field with the values that what is set has: one constant, of an enum or another one."""
    shape = types.flat(field.schema)
    given = types.flat(types.schema_of(value, variant)) if isinstance(shape, Scalar) else None
    if not isinstance(shape, Scalar) or not isinstance(given, Scalar) or given.values is None:
        return field
    if shape.values is None:
        is_number = shape.type == "numeric" and given.type in ("integer", "number")
        if shape.format not in _PLAIN_FORMATS or not (given.type == shape.type or is_number):
            return field
        return replace(field, schema=replace(shape, type=given.type, values=given.values))
    left = tuple(one for one in shape.values if one in given.values)
    # What is sent for other constants is not what they are elsewhere: a serializer says it.
    is_narrower = len(given.values) == len(left) < len(shape.values)
    return replace(field, schema=replace(shape, values=left)) if is_narrower else field
