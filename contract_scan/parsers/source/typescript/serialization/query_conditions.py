"""Which columns the conditions of a query rule null out of.

SQL finds no row by comparing NULL with a value: `where: { owner }` of TypeORM, Prisma and Sequelize
gives rows that have an owner. A column that may be null is told as one that is not, or as
undetermined where what it is compared with may be null or left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Schema, Unknown, with_nullable
from contract_scan.ir.three_valued import all_of, any_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Items,
    LibraryResult,
    OneOf,
    Record,
    Value,
    is_null,
    is_undefined,
)

Key = TypeVar("Key", bound=Hashable)
Compared: TypeAlias = Mapping[Key, bool | None]
"""Columns -> True: null is ruled out; None: whether it is is undetermined."""

_OPERATORS = frozenset(
    {"equals", "in", "notIn", "lt", "lte", "gt", "gte", "not", "contains", "startsWith", "endsWith"}
    | {"search", "mode", "has", "hasEvery", "hasSome", "path", "isEmpty", "between", "like", "ne"}
)
_IN_COLUMN = Reason("null-in-column")


def where_all(parts: Iterable[Compared[Key]]) -> Compared[Key]:
    """What holds where each of several conditions holds."""
    parts = list(parts)
    names = {name for part in parts for name in part}
    return {name: any_of(part.get(name, False) for part in parts) for name in names}


def where_any(parts: Sequence[Compared[Key]]) -> Compared[Key]:
    """What holds where one of several conditions holds."""
    names = set[Key]().union(*parts[:1]).intersection(*parts[1:])
    return {name: all_of(part[name] for part in parts) for name in names}


def compared_columns(program: Program, conditions: Value | None) -> Compared[str]:
    """The columns that an object of conditions compares, or a list, of which one has to hold."""
    match conditions:
        case Items(values=values, repeated=False):
            return where_any([compared_columns(program, each) for each in values])
        case OneOf(options=options):
            return where_any([compared_columns(program, each) for each in options])
        case Record(entries=entries):
            parts = [
                _of_entry(program, entry.name, entry.value)
                for entry in entries
                if not entry.optional
            ]
            return where_all(parts)
        case _:
            return {}


def _of_entry(program: Program, name: str, value: Value) -> Compared[str]:
    match name, value:
        case "AND", Items(values=values, repeated=False):
            return where_all(compared_columns(program, each) for each in values)
        case "AND" | "OR", _:
            return compared_columns(program, value)
        case "NOT", _:
            return dict.fromkeys(compared_columns(program, value))
        case _:
            ruled_out = _rules_null_out(program, value)
            return {} if ruled_out is False else {name: ruled_out}


def _rules_null_out(program: Program, value: Value) -> bool | None:
    """Whether a column that is compared with a value is not null."""
    match value:
        case LibraryResult(name=name, site=site, scope=scope) if name.startswith("typeorm."):
            given = [program.evaluate(argument.value, scope) for argument in site.args]
            operator = name.rpartition(".")[2]
            if operator in ("IsNull", "Raw"):
                return None if operator == "Raw" else False
            if operator == "Not" and given and not _is_call(given[0], "Not"):
                return True if _is_call(given[0], "IsNull") else _is_there(program, given[0])
            combine = all_of if operator == "Or" else any_of if operator == "And" else None
            if combine is not None:
                return combine(_rules_null_out(program, each) for each in given)
            return _is_there(program, given[0]) if given else None
        case Record(entries=entries, partial="", values=None) if entries:
            if not {entry.name for entry in entries} <= _OPERATORS:
                return False  # what is asked of a relation
            return any_of(
                True
                if entry.name == "not" and is_null(entry.value)
                else _is_there(program, entry.value)
                for entry in entries
                if not entry.optional and entry.name not in ("mode", "path", "isEmpty")
            )
        case _:
            return _is_there(program, value)


def _is_call(value: Value, name: str) -> bool:
    return isinstance(value, LibraryResult) and value.name == f"typeorm.{name}"


def _is_there(program: Program, value: Value) -> bool | None:
    """Whether a value is neither null nor undefined: a condition with undefined is left out."""
    value = program.evaluator.unwrap(value)
    if is_null(value):
        return False
    options = value.options if isinstance(value, OneOf) else (value,)
    if any(is_null(option) or is_undefined(option) for option in options):
        return None
    shape = program.types.flat(program.schema_of(value))
    return None if isinstance(shape, Unknown) or shape.nullable is not False else True


def held_by(schema: Schema, ruled_out: bool | None) -> Schema:
    """What a column that may be null holds in the rows that a condition finds."""
    if ruled_out is False or schema.nullable is False:
        return schema
    if ruled_out:
        return with_nullable(schema, False)
    return replace(schema, nullable=None, null_reason=schema.null_reason or _IN_COLUMN)


def rows_where(row: Object, compared: Compared[str]) -> Object:
    """A row that conditions find."""
    fields = (replace(f, schema=held_by(f.schema, compared.get(f.name, False))) for f in row.fields)
    return replace(row, fields=tuple(fields)) if compared else row
