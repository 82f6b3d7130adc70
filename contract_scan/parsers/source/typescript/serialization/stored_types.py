"""What a query that stores an object takes the values of the object for.

Prisma refuses a value of another type than its model says. The others convert one scalar into
another, or leave that to the database: of those only lists and objects are no scalars.
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, New
from contract_scan.parsers.source.typescript.serialization import prisma
from contract_scan.parsers.source.typescript.serialization.drizzle import tables as drizzle_tables

_WRITES = frozenset({"create", "save", "update", "upsert", "build", "findOrCreate", "merge"})
_UPDATES = frozenset({"findByIdAndUpdate", "findOneAndUpdate"})
_OF_TABLES = frozenset({"values", "set"})
_UNDER = ("data", "create", "update")
"""Where Prisma's queries have what they store."""
_PRISMA: dict[str, Scalar] = {
    "String": Scalar(type="string"),
    "Int": Scalar(type="numeric"),
    "Float": Scalar(type="numeric"),
    "Boolean": Scalar(type="boolean"),
    "DateTime": Scalar(type="string"),
}
_SCALAR = Union(
    options=(Scalar(type="string"), Scalar(type="numeric"), Scalar(type="boolean")), nullable=None
)
_WHY = Reason("query-given-whole-value")


def stored_object(
    program: Program, call: Call | New, scope: Scope
) -> tuple[Object, tuple[str, ...]] | None:
    """The object that a call stores and the keys under which an argument of the call holds it
    (none: the argument is the object); None for a call that stores nothing."""
    if isinstance(call, New):
        made = program.evaluate(call, scope)
        return None if _has_own_constructor(program, made) else _of_row(program, made)
    if not isinstance(call.callee, Attribute):
        return None
    name = call.callee.name
    if name in _OF_TABLES:
        return _of_table(program, program.evaluate(call.callee.value, scope))
    if name not in _WRITES and name not in _UPDATES:
        return None
    columns = prisma.columns_of(program, program.evaluate(call.callee.value, scope), scope)
    if columns is not None:
        known = {column.name: _PRISMA.get(column.type) for column in columns if not column.is_list}
        return _object({name: type for name, type in known.items() if type is not None}), _UNDER
    return _of_row(program, program.evaluate(call, scope))


def _has_own_constructor(program: Program, made: Value) -> bool:
    """Whether a class of the project says itself what it makes of its arguments: it need not be a
    model that is given a row."""
    if not isinstance(made, Instance):
        return False
    owners = (made.symbol, *program.bases(made.symbol))
    methods = (method for owner in owners for method in owner.decl.methods)
    return any("constructor" in method.modifiers and method.params for method in methods)


def _of_table(program: Program, query: Value) -> tuple[Object, tuple[str, ...]] | None:
    """`db.insert(users).values({ … })`, `db.update(users).set({ … })`."""
    if not isinstance(query, LibraryResult) or not query.site.args:
        return None
    table = program.evaluate(query.site.args[0].value, query.scope)
    if not isinstance(table, LibraryResult) or not drizzle_tables.is_table(table):
        return None
    return _scalars(program.types.flat(drizzle_tables.row(program, table)))


def _of_row(program: Program, value: Value) -> tuple[Object, tuple[str, ...]] | None:
    """What a query gives back is what it has stored."""
    value = program.evaluator.unwrap(value)
    options = value.options if isinstance(value, OneOf) else (value,)
    rows = [o for o in options if not (isinstance(o, Constant) and o.value is None)]
    if len(rows) != 1 or (isinstance(rows[0], LibraryResult) and not rows[0].site.args):
        return None
    return _scalars(program.types.flat(program.schema_of(rows[0])))


def _scalars(row: Schema) -> tuple[Object, tuple[str, ...]] | None:
    row = row.items if isinstance(row, Array) else row
    if not isinstance(row, Object):
        return None
    return _object({f.name: _SCALAR for f in row.fields if isinstance(f.schema, Scalar)}), ()


def _object(types: dict[str, Scalar] | dict[str, Union]) -> Object:
    fields = tuple(
        Field(name=name, schema=schema, required=None, has_default=True)
        for name, schema in types.items()
    )
    return Object(fields=fields, incomplete_reason=_WHY, nullable=None)


def row_as_written(program: Program, given: Value | None, row: Schema) -> Schema:
    """A row that was just inserted or changed: a column that may be null is null only where what
    was written to it may be."""
    if isinstance(given, Items):
        given = program.evaluator.item(given)
    if not isinstance(given, Record) or not isinstance(row, Object):
        return row
    written = {e.name: program.schema_of(e.value) for e in given.entries if not e.optional}
    fields = tuple(
        replace(f, schema=with_nullable(f.schema, written[f.name].nullable))
        if f.name in written
        and f.schema.nullable is not False
        and not isinstance(written[f.name], Unknown)
        else f
        for f in row.fields
    )
    return replace(row, fields=fields)
