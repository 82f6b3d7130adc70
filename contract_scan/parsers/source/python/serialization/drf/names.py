"""How keys are written: as they are declared, or in camel case by the renderer."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Reference,
    Schema,
    Union,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.python.serialization.modes import flags, variant_of_flags
from contract_scan.parsers.source.python.serialization.naming import camel

CAMEL = "camel"
"""Keys are written in camel case by the renderer (and read so by the parser)."""
UNCLEAR = "unclear"
"""Whether keys are written in camel case is undetermined: a library has the settings."""
_RENAMED = Reason("camel-case-setting-not-found")


def as_rendered(program: Program, schema: Schema, wanted: Collection[str]) -> Schema:
    """A shape with its keys, and all keys below them, as the renderer that `wanted` speaks of
    writes them."""
    names = [flag for flag in (CAMEL, UNCLEAR) if flag in wanted]
    return _rendered(program, schema, names[0]) if names else schema


def _rendered(program: Program, schema: Schema, names: str) -> Schema:
    match schema:
        case Object():
            return _rendered_object(program, schema, names)
        case Array(items=items):
            return replace(schema, items=_rendered(program, items, names))
        case Union(options=options):
            return replace(schema, options=tuple(_rendered(program, o, names) for o in options))
        case Reference():
            return program.types.in_variant(schema, lambda v: variant_of_flags(*flags(v), names))
        case _:
            return schema


def _rendered_object(program: Program, schema: Object, names: str) -> Object:
    if schema.additional is not None:
        schema = replace(schema, additional=_rendered(program, schema.additional, names))
    fields = tuple(
        replace(field, schema=_rendered(program, field.schema, names)) for field in schema.fields
    )
    if names == CAMEL:
        return replace(schema, fields=tuple(map(_camel_field, fields)))
    # Only the names are told that camel case leaves as they are.
    unchanged = tuple(field for field in fields if camel(field.name) == field.name)
    why = schema.incomplete_reason or (_RENAMED if len(unchanged) < len(fields) else NO_REASON)
    return replace(schema, fields=unchanged, incomplete_reason=why)


def _camel_field(field: Field) -> Field:
    name = camel(field.name)
    declared = field.declared_as or (field.name if name != field.name else "")
    return replace(field, name=name, declared_as=declared)
