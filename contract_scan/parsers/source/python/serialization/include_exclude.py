"""Objects with only some of their fields: what `include=` and `exclude=` of pydantic leave."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Items, Record, Value


def field_names(program: Program, value: Value) -> dict[str, bool]:
    """`{"a", "b"}`, or `{"a": True, "b": {"c"}}`: the second is about parts of `b`."""
    if isinstance(value, Record):
        return {entry.name: not isinstance(entry.value, Record | Items) for entry in value.entries}
    return dict.fromkeys((text or "" for text in program.evaluator.texts(value)), True)


def select_fields(
    schema: Schema, include: Mapping[str, bool] | None, exclude: Mapping[str, bool] | None
) -> Schema:
    """An object with only some of its fields, by their names in the code."""
    if not isinstance(schema, Object):
        return schema
    if "" in (include or ()) or "" in (exclude or ()):
        return Unknown(reason=Reason("excluded-fields-not-constant"), origin=schema.origin)
    fields: list[Field] = []
    for field in schema.fields:
        name = field.declared_as or field.name
        if (include is not None and name not in include) or (exclude or {}).get(name):
            continue
        if name in (exclude or {}) or (include or {}).get(name) is False:
            parts = Unknown(reason=Reason("parts-excluded"), nullable=None, origin=field.origin)
            field = replace(field, schema=parts)
        fields.append(field)
    return replace(schema, fields=tuple(fields))
