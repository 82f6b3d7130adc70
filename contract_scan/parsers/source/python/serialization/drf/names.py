"""How keys are written: as they are declared, or in camel case by the renderer."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Schema,
    Union,
)
from contract_scan.parsers.source.python.serialization.naming import camel

if TYPE_CHECKING:
    pass


CAMEL = "camel"
"""Keys are written in camel case by the renderer (and read so by the parser)."""
UNCLEAR = "unclear"
"""Whether keys are written in camel case is undetermined: a library has the settings."""
_RENAMED = Reason("camel-case-setting-not-found")


def as_rendered(schema: Schema, wanted: Collection[str]) -> Schema:
    """A shape with its keys as the renderer that `wanted` speaks of writes them."""
    if CAMEL in wanted:
        return camel_case_keys(schema)
    return _of_unclear_names(schema) if UNCLEAR in wanted else schema


def _of_unclear_names(schema: Schema) -> Schema:
    """A shape of which only the names are told that camel case leaves as they are."""
    match schema:
        case Object(fields=fields, incomplete_reason=partial):
            unchanged = tuple(
                replace(f, schema=_of_unclear_names(f.schema))
                for f in fields
                if camel(f.name) == f.name
            )
            why = partial or (_RENAMED if len(unchanged) < len(fields) else "")
            return replace(schema, fields=unchanged, incomplete_reason=why)
        case Array(items=items):
            return replace(schema, items=_of_unclear_names(items))
        case Union(options=options):
            return replace(schema, options=tuple(_of_unclear_names(o) for o in options))
        case _:
            return schema


def camel_case_keys(schema: Schema) -> Schema:
    """A schema with its keys in camel case."""
    match schema:
        case Object(fields=fields):
            return replace(schema, fields=tuple(_camel_field(field) for field in fields))
        case Array(items=items):
            return replace(schema, items=camel_case_keys(items))
        case Union(options=options):
            return replace(schema, options=tuple(camel_case_keys(option) for option in options))
        case _:
            return schema


def _camel_field(field: Field) -> Field:
    name = camel(field.name)
    declared = field.declared_as or (field.name if name != field.name else "")
    return replace(field, name=name, declared_as=declared, schema=camel_case_keys(field.schema))
