"""Shapes of values that handlers give, with names as the application's settings write them."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Nothing, Object, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.typing.object_shapes import refined_schema
from contract_scan.parsers.source.analysis.typing.types import MAX_STEPS, TOO_MANY_STEPS
from contract_scan.parsers.source.csharp.serialization.library_types import with_number_handling
from contract_scan.parsers.source.csharp.serialization.naming import wire_name
from contract_scan.parsers.source.csharp.serialization.settings.application import settings_for
from contract_scan.parsers.source.facts.nodes import Expr, New, TupleType

_MAX_DEPTH = 40
MAP = "map"
"""Mark (as the pointer of its origin) of a record that is a dictionary: its keys are not named like
members."""


def expression_schema(program: Program, expr: Expr, scope: Scope, variant: str) -> Schema:
    """The shape on the wire of what an expression gives."""
    value = program.evaluator.unwrap(program.evaluate(expr, scope))
    return value_schema(program, value, scope, variant)


def value_schema(
    program: Program,
    value: Value,
    scope: Scope,
    variant: str,
    depth: int = 0,
    steps: Iterator[int] | None = None,
) -> Schema:
    """The shape on the wire of a value. Anonymous objects are named like any other; the keys of a
    dictionary stay as they are. `steps` are those that are left for what is around the value."""
    left = iter(range(MAX_STEPS)) if steps is None else steps
    if next(left, None) is None:
        program.evaluator.budget.cuts += 1
        return Unknown(reason=TOO_MANY_STEPS)
    if depth > _MAX_DEPTH:
        return Unknown(reason=Reason("value-too-deep"))
    match value:
        case Record():
            return _record(program, value, scope, variant, depth, left)
        case Items(values=values, is_tuple=False) if values:
            inner = (value_schema(program, v, scope, variant, depth + 1, left) for v in values)
            return Array(items=unite(inner), origin=value.origin or NOWHERE)
        case Items(values=(), is_tuple=False):
            return Array(items=Nothing(), origin=value.origin or NOWHERE)
        case Items() | ByType(type=TupleType()):
            return Unknown(reason=Reason("tuple-serialization"))
        case OneOf(options=options):
            # An empty list next to one with items says nothing of its own.
            known = [o for o in options if not (isinstance(o, Items) and not o.values)]
            return unite(
                value_schema(program, o, scope, variant, depth + 1, left) for o in known or options
            )
        case Instance() | LibraryResult(site=New()):
            return refined_schema(program, program.schema_of(value, variant), value, variant)
        case _:
            return program.schema_of(value, variant)


def _record(
    program: Program, record: Record, scope: Scope, variant: str, depth: int, left: Iterator[int]
) -> Schema:
    settings = settings_for(program, variant, scope.file.path)
    is_map = record.origin is not None and record.origin.pointer == MAP
    fields = []
    for entry in record.entries:
        schema = value_schema(program, entry.value, scope, variant, depth + 1, left)
        if not isinstance(entry.value, Instance | OneOf):  # constants of enums stay numbers
            schema = with_number_handling(schema, settings.number_handling, variant)
        naming = settings.key_naming if is_map else settings.naming
        name = wire_name(entry.name, naming)
        left_out = settings.ignore == "null" and not is_map and schema.nullable is not False
        if left_out:
            schema = with_nullable(schema, False)
        fields.append(
            Field(
                name=name,
                schema=schema,
                required=not (entry.optional or left_out),
                declared_as=entry.name if name != entry.name else "",
                origin=entry.origin,
            )
        )
    additional = (
        None
        if record.values is None
        else value_schema(program, record.values, scope, variant, depth + 1, left)
    )
    origin = record.origin
    return Object(
        fields=tuple(fields),
        additional=additional,
        incomplete_reason=record.partial or (NO_REASON if is_map else settings.unknown_naming),
        origin=NOWHERE
        if origin is None
        else type(origin)(origin.path, origin.span, "", origin.symbol),
    )
