"""Schemas that code checks requests by: zod's, Joi's and Yup's, alone or one for each part."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.schema import Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Record, Scope, Value
from contract_scan.parsers.source.facts.nodes import Expr, ObjectLiteral
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.serialization import joi, yup
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod

_PARTS = frozenset({"body", "query", "params"})
_ENVELOPE = _PARTS | {"headers", "cookies", "signedCookies", "file", "files", "user"}


def checks(value: LibraryResult) -> bool:
    """Whether what a library made is a schema that values are checked by."""
    return any(is_one(value.name) for is_one in (zod.is_zod, joi.is_joi, yup.is_yup))


def parts(program: Program, expr: Expr, scope: Scope) -> Iterator[tuple[str, Schema]]:
    """(`body`, `query` or `params`, its shape) of `{ body: Joi.object({…}) }`, also by the names of
    celebrate (`[Segments.BODY]`)."""
    value = program.evaluate(expr, scope)
    found: dict[str, Value] = {}
    if isinstance(value, Record):
        found = {entry.name: entry.value for entry in value.entries if entry.name in _PARTS}
    if isinstance(expr, ObjectLiteral):
        for entry in expr.entries:
            name = (
                dotted_name_of(entry.key_expression).lower()
                if entry.key_expression is not None
                else ""
            )
            part = name.removeprefix("segments.")
            if part in _PARTS and part != name:
                found[part] = program.evaluate(entry.value, scope)
    for name, given in found.items():
        if isinstance(given, LibraryResult) and checks(given):
            shape = program.schema_of(given, zod.INPUT)
            if not isinstance(program.types.flat(shape), Scalar):
                yield name, shape
        elif isinstance(given, Record) and _is_of_joi(given):
            yield name, joi.of_keys(program, given)


def is_envelope(program: Program, schema: Schema) -> bool:
    """Whether a schema is one of `{ body, query, params }`: a field `body` may also be what a note
    says."""
    flat = program.types.flat(schema)
    return (
        isinstance(flat, Object)
        and bool(flat.fields)
        and all(
            field.name in _ENVELOPE and not isinstance(program.types.flat(field.schema), Scalar)
            for field in flat.fields
        )
        and any(field.name in _PARTS for field in flat.fields)
    )


def _is_of_joi(record: Record) -> bool:
    values = [entry.value for entry in record.entries]
    return bool(values) and all(isinstance(v, LibraryResult) and joi.is_joi(v.name) for v in values)
