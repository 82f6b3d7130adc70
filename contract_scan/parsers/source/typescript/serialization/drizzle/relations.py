"""Drizzle's relational queries: `db.query.orders.findMany({ columns, with })`.

Tables are found by the names they are exported under, relations by `relations(orders, …)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Call,
    Expr,
    Lambda,
    Name,
    ObjectLiteral,
    Return,
)
from contract_scan.parsers.source.typescript.serialization.drizzle import tables as drizzle_tables

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_MAX_NESTING = 8
_NOT_WRITTEN_OUT = Reason("query-selects-not-declared")
_OPTIONS = frozenset({"columns", "with", "where", "limit", "offset", "orderBy"})


class _Relation(Struct, frozen=True):
    table: LibraryResult
    is_list: bool
    may_be_missing: bool


def table(program: Program, name: str) -> LibraryResult | None:
    """The one table that is exported under a name; None where there is none, or several."""
    key = f"{__name__}.{name}"
    if key not in program.memory:
        found: dict[object, LibraryResult] = {}
        for path in program.files_containing(b"drizzle-orm/"):
            value = program.names.modules.variable(program.facts(path), name)
            if isinstance(value, LibraryResult) and drizzle_tables.is_table(value):
                found[value.identity] = value
        program.memory[key] = next(iter(found.values())) if len(found) == 1 else None
    known = program.memory[key]
    return known if isinstance(known, LibraryResult) else None


def record(
    program: Program, table: LibraryResult, arguments: Value | None, depth: int = 0
) -> Schema:
    """What a query of a table gives for each row."""
    shape = drizzle_tables.row(program, table)
    if not isinstance(shape, Object) or arguments is None:
        return shape
    if not isinstance(arguments, Record) or arguments.partial or depth > _MAX_NESTING:
        return Unknown(reason=_NOT_WRITTEN_OUT)
    parts = {entry.name: entry.value for entry in arguments.entries}
    if parts.keys() - _OPTIONS:
        return Unknown(reason=Reason("query-adds-computed-values"))
    fields = _of_columns(shape, parts.get("columns"))
    wanted = parts.get("with")
    if fields is None or not isinstance(wanted, Record | None):
        return Unknown(reason=_NOT_WRITTEN_OUT)
    related = _relations(program).get(table.identity, {})
    added = []
    for entry in wanted.entries if wanted is not None else ():
        if isinstance(entry.value, Constant) and not entry.value.value:
            continue
        required = None if entry.optional else True
        schema = _relation_schema(program, related.get(entry.name), entry.value, depth)
        added.append(Field(name=entry.name, schema=schema, required=required, origin=entry.origin))
    partial = shape.incomplete_reason or (wanted.partial if wanted is not None else NO_REASON)
    return replace(shape, fields=(*fields, *added), incomplete_reason=partial)


def _of_columns(shape: Object, chosen: Value | None) -> tuple[Field, ...] | None:
    """`columns: { id: true }` takes just these, `{ password: false }` all others."""
    if chosen is None:
        return shape.fields
    if not isinstance(chosen, Record) or chosen.partial or chosen.values is not None:
        return None
    said = {e.name: e.value.value for e in chosen.entries if isinstance(e.value, Constant)}
    if len(said) != len(chosen.entries):
        return None
    if any(value is True for value in said.values()):
        return tuple(field for field in shape.fields if said.get(field.name) is True)
    return tuple(field for field in shape.fields if said.get(field.name) is not False)


def _relation_schema(
    program: Program, relation: _Relation | None, chosen: Value, depth: int
) -> Schema:
    if relation is None:
        return Unknown(reason=Reason("relation-not-declared"))
    arguments = chosen if isinstance(chosen, Record) else None
    inner = record(program, relation.table, arguments, depth + 1)
    if relation.is_list:
        return Array(items=inner)
    return with_nullable(inner, None if relation.may_be_missing else False)


def _relations(program: Program) -> dict[object, dict[str, _Relation]]:
    """The relations of each table."""
    known = program.memory.get(__name__)
    if not isinstance(known, dict):
        known = program.memory[__name__] = _collect_relations(program)
    return known


def _collect_relations(program: Program) -> dict[object, dict[str, _Relation]]:
    found: dict[object, dict[str, _Relation]] = {}
    for path in program.files_containing(b"relations("):
        file = program.facts(path)
        scope = program.module_scope(file)
        for statement in file.statements:
            made = statement.value if isinstance(statement, Assign) else None
            if not isinstance(made, Call) or len(made.args) != 2:
                continue
            if program.qualified_name(made.callee, scope) != "drizzle-orm.relations":
                continue
            owner = program.evaluate(made.args[0].value, scope)
            if isinstance(owner, LibraryResult):
                declared = found.setdefault(owner.identity, {})
                declared.update(_declared_relations(program, made.args[1].value, scope))
    return found


def _declared_relations(program: Program, given: Expr, scope: Scope) -> dict[str, _Relation]:
    """`({ one, many }) => ({ items: many(items), customer: one(customers, { fields: … }) })`."""
    if not isinstance(given, Lambda):
        return {}
    body = program.function_scope(given.function, scope).statements or ()
    last = body[-1] if body else None
    literal = last.value if isinstance(last, Return) else None
    if not isinstance(literal, ObjectLiteral):
        return {}
    found = {}
    for entry in literal.entries:
        call = entry.value
        if entry.key is None or not isinstance(call, Call) or not isinstance(call.callee, Name):
            continue
        target = program.evaluate(call.args[0].value, scope) if call.args else None
        if isinstance(target, LibraryResult) and drizzle_tables.is_table(target):
            many = call.callee.id == "many"
            found[entry.key] = _Relation(target, many, not many and _is_open(program, call, scope))
    return found


def _is_open(program: Program, call: Call, scope: Scope) -> bool:
    """Whether `one` may find nothing: it is the other table that refers to this one, or a column
    that leads there may be null."""
    options = program.evaluate(call.args[1].value, scope) if len(call.args) > 1 else None
    parts = options.entries if isinstance(options, Record) else ()
    fields = next((entry.value for entry in parts if entry.name == "fields"), None)
    if not isinstance(fields, Items) or not fields.values:
        return True
    for value in fields.values:
        owner = value.receiver if isinstance(value, LibrarySymbol) else None
        if not isinstance(owner, LibraryResult) or not isinstance(value, LibrarySymbol):
            return True
        column = drizzle_tables.columns(program, owner)[0].get(value.name.rsplit(".", 1)[-1])
        if column is None or column.schema.nullable is not False:
            return True
    return False
