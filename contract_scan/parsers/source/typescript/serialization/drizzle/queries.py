"""Drizzle: what queries give.

`db.select().from(orders)`, `db.insert(orders).values(…).returning()` and the like are kept as the
calls they are, from the one on that names the table; what they give is read off the whole chain.
Whatever `db` is, a connection or a transaction, it does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.ir.three_valued import any_of, negate
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Template,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Lambda,
    Name,
    ObjectLiteral,
    Return,
)
from contract_scan.parsers.source.typescript.serialization.drizzle import tables as drizzle_tables
from contract_scan.parsers.source.typescript.serialization.query_conditions import (
    Compared,
    held_by,
    rows_where,
    where_all,
    where_any,
)
from contract_scan.parsers.source.typescript.serialization.stored_types import row_as_written

RELATIONAL = ("findMany", "findFirst")
_QUERY = "drizzle-orm.Query."
_SELECTS = frozenset({"select", "selectDistinct", "selectDistinctOn"})
_JOINS = frozenset({"leftJoin", "rightJoin", "innerJoin", "fullJoin", "crossJoin"})
_KEEPS = frozenset(
    {
        "where",
        "orderBy",
        "limit",
        "offset",
        "groupBy",
        "having",
        "for",
        "set",
        "values",
        "onConflictDoNothing",
        "onConflictDoUpdate",
        "onDuplicateKeyUpdate",
        "returning",
        "execute",
        "all",
        "$dynamic",
        "$withCache",
        "union",
        "unionAll",
    }
)
_MAX_CHAIN = 60
"""Calls of one query."""
_MAX_NESTING = 6
_NOT_WRITTEN_OUT = Reason("query-selects-not-declared")


# ------------------------------------------------------------------------------------- relations
# Drizzle's relational queries: `db.query.orders.findMany({ columns, with })`.
#
# Tables are found by the names they are exported under, relations by `relations(orders, …)`.


_MAX_RELATIONS = 8
_OPTIONS = frozenset({"columns", "with", "where", "limit", "offset", "orderBy"})


class _Relation(Struct, frozen=True):
    table: LibraryResult
    is_list: bool
    may_be_missing: bool


@memoised
def _queried_table(program: Program, name: str) -> LibraryResult | None:
    """The one table that is exported under a name; None where there is none, or several."""
    found: dict[object, LibraryResult] = {}
    for path in program.files_containing(b"drizzle-orm/"):
        value = program.names.modules.variable(program.facts(path), name)
        if isinstance(value, LibraryResult) and drizzle_tables.is_table(value):
            found[value.identity] = value
    return next(iter(found.values())) if len(found) == 1 else None


def record(
    program: Program, table: LibraryResult, arguments: Value | None, depth: int = 0
) -> Schema:
    """What a query of a table gives for each row."""
    shape = drizzle_tables.row(program, table)
    if arguments is None:
        return shape
    if not isinstance(arguments, Record) or arguments.partial or depth > _MAX_RELATIONS:
        return Unknown(reason=_NOT_WRITTEN_OUT)
    parts = {entry.name: entry.value for entry in arguments.entries}
    if parts.keys() - _OPTIONS:
        return Unknown(reason=Reason("query-adds-computed-values"))
    where = parts.get("where")
    if isinstance(where, FunctionValue):
        where = program.evaluator.apply(where, (table, LibrarySymbol("drizzle-orm")), table.scope)
    shape = rows_where(shape, _of_table(table, _compared_columns(program, where)))
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


@memoised
def _relations(program: Program) -> dict[object, dict[str, _Relation]]:
    """The relations of each table."""
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
    found = [drizzle_tables.column_of(program, value) for value in fields.values]
    return any(one is None or one[1].schema.nullable is not False for one in found)


class _Chain(Struct, frozen=True):
    """A query: the call that names its table, and those after it, in order."""

    start: LibraryResult
    table: LibraryResult
    steps: tuple[LibraryResult, ...]

    def last_call(self, name: str) -> LibraryResult | None:
        """The last call of a method."""
        return next((s for s in reversed(self.steps) if _method(s) == name), None)


class _JoinedTable(Struct, frozen=True):
    table: LibraryResult
    may_be_missing: bool | None
    compared: Compared[str]


_Columns: TypeAlias = Compared[tuple[object, str]]
"""Identity of a table, name of a column."""


# ------------------------------------------------------------------ calls


def start(site: CallSite) -> Value | None:
    """A call that names a table, as the start of a query; None for a call of something else."""
    call = site.call
    if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
        return None
    if not call.args or not drizzle_tables.is_table(site.value(0)):
        return None
    return LibraryResult(_QUERY + call.callee.name, call, site.scope)


def relational(site: CallSite) -> Value | None:
    """`db.query.orders.findMany({ … })`; None for a call of something else."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    if not isinstance(callee, Attribute) or not isinstance(callee.value, Attribute):
        return None
    accessor = callee.value
    if not isinstance(accessor.value, Attribute) or accessor.value.name != "query":
        return None
    table = _queried_table(site.program, accessor.name)
    if table is None:
        return None
    shape = record(site.program, table, site.value(0))
    if callee.name == "findMany":
        return BySchema(Array(items=shape))
    return union_of((BySchema(shape), LibrarySymbol("undefined")))


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """What a query gives; a row of a table; None for anything else."""
    del variant
    if drizzle_tables.is_table(made):
        return drizzle_tables.row(program, made)
    if made.name in ("drizzle-orm.getTableColumns", "drizzle-orm.getColumns"):
        table = program.evaluate(made.site.args[0].value, made.scope) if made.site.args else None
        if isinstance(table, LibraryResult) and drizzle_tables.is_table(table):
            return drizzle_tables.row(program, table)
        return None
    if not made.name.startswith(_QUERY):
        return None
    chain = _chain(program, made)
    return None if chain is None else _query_schema(program, chain)


def _chain(program: Program, made: LibraryResult) -> _Chain | None:
    steps: list[LibraryResult] = []
    current = made
    while isinstance(current.receiver, LibraryResult):
        steps.append(current)
        current = current.receiver
        if len(steps) > _MAX_CHAIN:
            return None
    table = program.evaluate(current.site.args[0].value, current.scope)
    return (
        _Chain(current, table, tuple(reversed(steps))) if isinstance(table, LibraryResult) else None
    )


def _method(made: LibraryResult) -> str:
    return made.name.rsplit(".", 1)[-1]


def _query_schema(program: Program, chain: _Chain) -> Schema:
    origin = program.origin(chain.start.site, chain.start.scope)
    names = [_method(step) for step in chain.steps]
    single = names[-1:] == ["get"]
    unread = [n for n in names[: -1 if single else None] if n not in _KEEPS and n not in _JOINS]
    if unread:
        return Unknown(reason=Reason("query-step-not-read", unread=unread[0]), origin=origin)
    tables = _joined_tables(program, chain)
    if tables is None:
        return Unknown(reason=Reason("joined-table-undetermined"), origin=origin)
    if _method(chain.start) == "from":
        chosen = _selection(program, chain.start)
    else:
        returning = chain.last_call("returning")
        if returning is None:
            reason = Reason("driver-change-result-undetermined")
            return Unknown(reason=reason, origin=origin)
        chosen = _argument(program, returning)
        if chosen is None:
            row = drizzle_tables.row(program, chain.table)
            step = chain.last_call("values") or chain.last_call("set")
            given = _argument(program, step) if step is not None else None
            return Array(items=row_as_written(program, given, row), origin=origin)
    item = _item(program, tables, chosen)
    return with_nullable(item, None) if single else Array(items=item, origin=origin)


def _joined_tables(program: Program, chain: _Chain) -> list[_JoinedTable] | None:
    """The tables of a query; one that is joined from the left may have no row, unless a foreign key
    that is never null leads to it, or a condition asks for one of its columns."""
    tables: list[tuple[LibraryResult, bool]] = [(chain.table, False)]
    where = chain.last_call("where")
    parts = [_compared_columns(program, _argument(program, where))] if where is not None else []
    for step in chain.steps:
        name = _method(step)
        if name not in _JOINS:
            continue
        joined = _argument(program, step)
        if not isinstance(joined, LibraryResult) or not drizzle_tables.is_table(joined):
            return None
        condition = _argument(program, step, 1)
        if name == "innerJoin":
            parts.append(_compared_columns(program, condition))
        found = name == "leftJoin" and _is_referred_to(program, tables, joined, condition)
        if name in ("rightJoin", "fullJoin"):
            tables = [(known, True) for known, _ in tables]
        tables.append((joined, name in ("leftJoin", "fullJoin") and not found))
    compared = where_all(parts)
    asked = [(table, missing, _of_table(table, compared)) for table, missing in tables]
    return [
        _JoinedTable(table, missing and negate(any_of(columns.values())), columns)
        for table, missing, columns in asked
    ]


def _is_referred_to(
    program: Program,
    tables: list[tuple[LibraryResult, bool]],
    joined: LibraryResult,
    condition: Value | None,
) -> bool:
    """Whether each row has one of the joined table: `eq(customers.id, orders.customerId)`, where
    the column of orders is not null and refers to that of customers."""
    if not isinstance(condition, LibraryResult) or condition.name != "drizzle-orm.eq":
        return False
    sides = [drizzle_tables.column_of(program, _argument(program, condition, n)) for n in (0, 1)]
    for target, key in (sides, sides[::-1]):
        if target is None or key is None or target[0].identity != joined.identity:
            continue
        there = any(t.identity == key[0].identity and not missing for t, missing in tables)
        referred = drizzle_tables.column_of(program, key[1].refers_to)
        if there and key[1].schema.nullable is False and referred is not None:
            declared = drizzle_tables.declared_table(program, joined)
            return referred[0].identity == declared.identity and referred[1] is target[1]
    return False


def _compared_columns(program: Program, condition: Value | None) -> _Columns:
    """The columns that a condition compares (https://orm.drizzle.team/docs/operators)."""
    match condition:
        case OneOf(options=options):
            return where_any([_compared_columns(program, each) for each in options])
        case Items(values=values):  # of a list, which may have been filled under conditions
            return dict.fromkeys(where_all(_compared_columns(program, each) for each in values))
        case LibraryResult(name=name, site=site, scope=scope) if name.startswith("drizzle-orm."):
            given = [program.evaluate(argument.value, scope) for argument in site.args]
        case Template(parts=given):
            return dict.fromkeys(_columns(program, given))
        case _:
            return {}
    match name.removeprefix("drizzle-orm."):
        case "and":
            return where_all(_compared_columns(program, each) for each in given)
        case "or":
            return where_any([_compared_columns(program, each) for each in given])
        case "not" if isinstance(given[0], LibraryResult) and _method(given[0]) == "isNull":
            return _columns(program, (_argument(program, given[0]),))
        case "not" | "sql":
            return dict.fromkeys(where_all(_compared_columns(program, each) for each in given))
        case "isNull" | "exists" | "notExists":
            return {}
        case _:
            return _columns(program, given)


def _columns(program: Program, values: Sequence[Value | None]) -> _Columns:
    found = [drizzle_tables.column_of(program, value) for value in values]
    return {(one[0].identity, one[1].name): True for one in found if one is not None}


def _of_table(table: LibraryResult, compared: _Columns) -> Compared[str]:
    return {name: sure for (owner, name), sure in compared.items() if owner == table.identity}


def _argument(program: Program, step: LibraryResult, position: int = 0) -> Value | None:
    args = step.site.args
    return program.evaluate(args[position].value, step.scope) if position < len(args) else None


def _selection(program: Program, start: LibraryResult) -> Value | None:
    """What `db.select({ … })` is given, before the `from`."""
    callee = start.site.callee if isinstance(start.site, Call) else None
    before: Expr | None = callee.value if isinstance(callee, Attribute) else None
    if not isinstance(before, Call) or not isinstance(before.callee, Attribute):
        return Constant(None)
    if before.callee.name not in _SELECTS:
        return Constant(None)
    position = 1 if before.callee.name == "selectDistinctOn" else 0
    if position >= len(before.args):
        return None
    return program.evaluate(before.args[position].value, start.scope)


# ------------------------------------------------------------------ shapes


def _item(program: Program, tables: list[_JoinedTable], chosen: Value | None) -> Schema:
    if chosen is not None:
        return _selection_schema(program, tables, chosen, 0)
    if len(tables) == 1:
        return _row(program, tables[0])
    fields = []
    for joined in tables:
        name = drizzle_tables.name_in_database(program, joined.table)
        if not name:
            return Unknown(reason=Reason("table-name-not-constant"))
        fields.append(Field(name=name, schema=_row(program, joined)))
    return Object(fields=tuple(fields))


def _row(program: Program, joined: _JoinedTable) -> Schema:
    row = rows_where(drizzle_tables.row(program, joined.table), joined.compared)
    return with_nullable(row, joined.may_be_missing)


def _selection_schema(
    program: Program, tables: list[_JoinedTable], chosen: Value, depth: int
) -> Schema:
    """`{ id: orders.id, customer: { name: customers.name }, total: count() }`."""
    if isinstance(chosen, LibraryResult) and chosen.name.startswith("drizzle-orm.get"):
        return program.schema_of(chosen)
    if not isinstance(chosen, Record) or depth > _MAX_NESTING or chosen.values is not None:
        return Unknown(reason=_NOT_WRITTEN_OUT)
    fields = tuple(
        Field(
            name=entry.name,
            schema=_value(program, tables, entry, depth),
            required=None if entry.optional else True,
            origin=entry.origin,
        )
        for entry in chosen.entries
    )
    place = chosen.origin
    shape = Object(fields=fields, incomplete_reason=chosen.partial)
    return (
        shape
        if place is None
        else Object(fields=fields, incomplete_reason=chosen.partial, origin=place)
    )


def _value(program: Program, tables: list[_JoinedTable], entry: RecordEntry, depth: int) -> Schema:
    value = entry.value
    if isinstance(value, LibraryResult) and value.name == "drizzle-orm.sql().as":
        value = value.receiver or value
    column = _column(program, tables, value)
    if column is not None:
        return column
    undetermined = Unknown(reason=Reason("query-column-type-undetermined", entry=entry.name))
    match value:
        case BySchema(schema=schema):
            # A column of `...getTableColumns(orders)`: of which table it is, is no longer known.
            missing = any(joined.may_be_missing is not False for joined in tables)
            return with_nullable(schema, None) if missing and not schema.nullable else schema
        case Record():
            inner = _selection_schema(program, tables, value, depth + 1)
            # Drizzle gives null for an object all of whose columns are of one missing row.
            missing = any(joined.may_be_missing is not False for joined in tables)
            return with_nullable(inner, None) if missing else inner
        case LibraryResult() if drizzle_tables.is_table(value):
            return _row(program, _joined_table(tables, value))
        case LibraryResult(name="drizzle-orm.count" | "drizzle-orm.countDistinct"):
            return Scalar(type="integer")
        case LibraryResult(name="drizzle-orm.sum" | "drizzle-orm.avg"):
            return Scalar(type="string", nullable=True)
        case LibraryResult(name="drizzle-orm.max" | "drizzle-orm.min", site=site, scope=scope):
            held = _column(program, tables, _first_argument(program, site.args, scope))
            if held is not None:
                return with_nullable(held, True)
        case LibraryResult(name="drizzle-orm.sql", site=site, scope=scope):
            # Of just a column: null is in it where it is in that.
            text = _first_argument(program, site.args, scope)
            parts = text.parts if isinstance(text, Template) else ()
            held = _column(program, tables, parts[0]) if len(parts) == 1 else None
            return undetermined if held is None else with_nullable(undetermined, held.nullable)
        case _:
            pass
    return undetermined


def _first_argument(program: Program, args: tuple[object, ...], scope: Scope) -> Value | None:
    value = getattr(args[0], "value", None) if args else None
    return program.evaluate(value, scope) if value is not None else None


def _column(program: Program, tables: list[_JoinedTable], value: Value | None) -> Schema | None:
    """`orders.id`, as far as its table is one of the query's."""
    found = drizzle_tables.column_of(program, value)
    if found is None:
        return None
    joined = _joined_table(tables, found[0])
    schema = held_by(found[1].schema, joined.compared.get(found[1].name, False))
    if joined.may_be_missing is False or schema.nullable:
        return schema
    return with_nullable(schema, joined.may_be_missing)


def _joined_table(tables: list[_JoinedTable], table: LibraryResult) -> _JoinedTable:
    """The table as a query has it."""
    found = next((j for j in tables if j.table.identity == table.identity), None)
    return _JoinedTable(table, False, {}) if found is None else found
