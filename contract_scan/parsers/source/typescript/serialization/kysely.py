"""Kysely: the rows that queries give, by the interface of the database (https://kysely.dev).

`new Kysely<Database>(…)` and parameters of type `Kysely<Database>` or `Transaction<Database>` name
the tables; a column of type `ColumnType<Select, Insert, Update>` holds the first.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import CallSite, TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Call, NamedType, New
from contract_scan.parsers.source.typescript.serialization.stored_types import row_as_written

_DATABASES = frozenset({"Kysely", "Transaction", "ControlledTransaction"})
_SELECTED = frozenset(
    {"Selectable", "Generated", "GeneratedAlways", "ColumnType", "JSONColumnType"}
)
_WRITTEN = frozenset({"Insertable", "Updateable"})
_FROM = frozenset({"selectFrom", "insertInto", "replaceInto", "updateTable", "deleteFrom"})
_JOINS = frozenset({"innerJoin", "leftJoin", "rightJoin", "fullJoin", "crossJoin"})
_ALL_COLUMNS = frozenset({"selectAll", "returningAll"})
_CHOSEN_COLUMNS = frozenset({"select", "returning"})
_KEEPS = frozenset(
    {
        *("where", "whereRef", "having", "havingRef", "groupBy", "orderBy", "clearOrderBy"),
        *("limit", "offset", "fetch", "top", "distinct", "distinctOn", "forUpdate", "forShare"),
        *("forKeyShare", "forNoKeyUpdate", "skipLocked", "noWait", "modifyFront", "modifyEnd"),
        *("values", "set", "columns", "onConflict", "onDuplicateKeyUpdate", "ignore", "using"),
        *("$narrowType", "$assertType"),
    }
)
"""Steps that change which rows a query gives, not which columns these have."""
_KNOWN = _KEEPS | _JOINS | _ALL_COLUMNS | _CHOSEN_COLUMNS
_GIVES = frozenset({"execute", "executeTakeFirst", "executeTakeFirstOrThrow"})
_COMPARES = frozenset({"=", "==", "!=", "<>", "<", "<=", ">", ">=", "like", "ilike", "in"})
"""Operators that hold for no null (SQL)."""
_WRITES = frozenset({"values", "set"})
_MAX_CHAIN = 60
"""Calls of one query."""


def library_type(use: TypeUse) -> Schema | None:
    """`Selectable<Orders>`: a row of a table, and the types of its columns; None for any other."""
    package, _, name = use.name.rpartition(".")
    if package != "kysely":
        return None
    if name in _SELECTED:
        return use.arg(0)
    if name in _WRITTEN:
        return Unknown(reason=Reason("inserted-row-undetermined"), origin=use.origin)
    return None


def rows(site: CallSite) -> Value | None:
    """What `db.selectFrom("orders").selectAll().execute()` gives, or the function that a
    transaction runs; None for a call of something else."""
    steps = _steps(site.receiver)
    if not steps:
        return None
    database = _database(site.program, steps[0].receiver)
    if database is None:
        return None
    if _method(steps[0]) in ("transaction", "connection", "startTransaction"):
        given, connection = site.value(0), steps[0].receiver
        if not isinstance(given, FunctionValue) or connection is None:
            return None
        return site.unwrap(site.apply(given, connection))
    row = _row(site.program, database, steps)
    if row is None:
        return None
    method = site.name.rpartition(".")[2]
    if method == "execute":
        return BySchema(Array(items=row))
    if method == "executeTakeFirst":
        return union_of((BySchema(row), LibrarySymbol("undefined")))
    return BySchema(row)


CALL_METHODS = tuple(sorted(_GIVES))


class _Table(Struct, frozen=True):
    name: str
    """How the query names it: its alias, where it has one."""
    row: Object
    may_be_missing: bool


def _steps(value: Value | None) -> list[LibraryResult]:
    """The calls of a query in their order, from the one on whose receiver is the database."""
    steps: list[LibraryResult] = []
    while isinstance(value, LibraryResult) and isinstance(value.site, Call):
        if len(steps) > _MAX_CHAIN:
            return []
        steps.insert(0, value)
        value = value.receiver
    return steps


def _method(step: LibraryResult) -> str:
    return step.name.rpartition(".")[2]


def _database(program: Program, value: Value | None) -> BoundType | None:
    """The interface that names the tables of a connection."""
    if isinstance(value, LibraryResult) and isinstance(value.site, New):
        made = value.site.type
        found = BoundType(made, value.scope) if made is not None else None
        return _argument_of_database(program, found) or _argument_of_database(
            program, value.declared_type
        )
    if isinstance(value, ByType):
        return _argument_of_database(program, BoundType(value.type, value.scope))
    return None


def _argument_of_database(program: Program, typed: BoundType | None) -> BoundType | None:
    """`Orders` of `Kysely<Orders>`, behind an alias as well."""
    for _ in range(_MAX_CHAIN):
        if typed is None or not isinstance(typed.type, NamedType):
            return None
        found = program.names.lookup_type(typed.type.name, typed.scope)
        if isinstance(found, LibrarySymbol):
            package, _, name = found.name.rpartition(".")
            is_database = package == "kysely" and name in _DATABASES
            arguments = typed.type.args if is_database else ()
            return BoundType(arguments[0], typed.scope) if arguments else None
        if not isinstance(found, AliasSymbol):
            return None
        inside = program.names.classes.scope_in_alias(found, typed.type, typed.scope)
        typed = BoundType(found.alias.type, inside)
    return None


def _row(program: Program, database: BoundType, steps: list[LibraryResult]) -> Schema | None:
    """A row of a query; None where it gives none, or is no query."""
    start, *others = steps
    if _method(start) not in _FROM:
        return None
    origin = program.origin(start.site, start.scope)
    unread = next((m for m in map(_method, others) if m not in _KNOWN), "")
    if unread:
        return Unknown(reason=Reason("query-step-not-read", unread=unread), origin=origin)
    tables = _tables(program, database, steps)
    if tables is None:
        return Unknown(reason=Reason("joined-table-undetermined"), origin=origin)
    never_null = _compared_columns(program, others)
    fields: dict[str, Field] = {}
    partial = NO_REASON
    chosen = [s for s in others if _method(s) in _ALL_COLUMNS or _method(s) in _CHOSEN_COLUMNS]
    if not chosen:
        return None
    for step in chosen:
        of_step = _chosen_fields(program, tables, step)
        if of_step is None:
            partial = Reason("query-selects-not-declared")
            continue
        for source, field in of_step:
            known = never_null & {source, source.rpartition(".")[2]}
            schema = with_nullable(field.schema, False) if known else field.schema
            fields[field.name] = replace(field, schema=schema)
    row = Object(fields=tuple(fields.values()), incomplete_reason=partial, origin=origin)
    writes = next((s for s in reversed(others) if _method(s) in _WRITES), None)
    given = writes.site.args[0].value if writes is not None and writes.site.args else None
    if writes is None or given is None:
        return row
    return row_as_written(program, program.evaluate(given, writes.scope), row)


def _tables(
    program: Program, database: BoundType, steps: list[LibraryResult]
) -> list[_Table] | None:
    """The tables of a query; one that is joined from the left may have no row."""
    tables: list[_Table] = []
    for step in steps:
        method = _method(step)
        if method not in _FROM and method not in _JOINS:
            continue
        texts = _texts(program, step)
        named = [_table(program, database, text) for text in texts[:1] or ()]
        if method == "selectFrom" and len(texts) > 1:
            named = [_table(program, database, text) for text in texts]
        if method in ("rightJoin", "fullJoin"):
            tables = [replace(known, may_be_missing=True) for known in tables]
        for table in named:
            if table is None:
                return None
            missing = method in ("leftJoin", "fullJoin")
            tables.append(replace(table, may_be_missing=missing))
        if not named:
            return None
    return tables


def _table(program: Program, database: BoundType, text: str) -> _Table | None:
    """`orders as o`; None where no interface tells its columns."""
    name, _, alias = text.partition(" as ")
    shape = program.types.flat(program.types.schema(database.type, database.scope))
    fields = shape.fields if isinstance(shape, Object) else ()
    held = next((field for field in fields if field.name == name), None)
    row = program.types.flat(held.schema) if held is not None else None
    return _Table(alias or name, row, False) if isinstance(row, Object) else None


def _texts(program: Program, step: LibraryResult) -> list[str]:
    """The constant texts of the first argument, a text or a list of texts; none where some is
    anything else."""
    args = step.site.args
    given = program.evaluate(args[0].value, step.scope) if args else None
    values = given.values if isinstance(given, Items) and not given.repeated else (given,)
    texts = [value.value for value in values if isinstance(value, Constant)]
    named = [text for text in texts if isinstance(text, str)]
    return named if len(named) == len(values) else []


def _chosen_fields(
    program: Program, tables: list[_Table], step: LibraryResult
) -> list[tuple[str, Field]] | None:
    """The fields that a step adds to the row, each with its column; None where it computes some."""
    names = _texts(program, step)
    if _method(step) in _ALL_COLUMNS:
        if step.site.args and not names:
            return None
        return [
            (f"{table.name}.{field.name}", _of_table(table, field))
            for table in tables
            if not names or table.name in names
            for field in table.row.fields
        ]
    found: list[tuple[str, Field]] = []
    for text in names:
        column, _, alias = text.partition(" as ")
        owner, _, name = column.rpartition(".")
        held = [
            _of_table(table, field)
            for table in tables
            if owner in ("", table.name)
            for field in table.row.fields
            if field.name == name
        ]
        if len(held) != 1:
            return None
        found.append((column, replace(held[0], name=alias or name)))
    return found or None


def _of_table(table: _Table, field: Field) -> Field:
    """A column in a row; whether a joined row is there, the keys decide, which no type tells."""
    if not table.may_be_missing or field.schema.nullable is not False:
        return replace(field, required=True)
    return replace(field, schema=with_nullable(field.schema, None), required=True)


def _compared_columns(program: Program, steps: list[LibraryResult]) -> set[str]:
    """The columns that each row has a value in, since `where` compares them with one."""
    found: set[str] = set()
    for step in steps:
        if _method(step) != "where" or len(step.site.args) != 3:
            continue
        given = [program.evaluate(a.value, step.scope) for a in step.site.args]
        column, operator = (v.value if isinstance(v, Constant) else None for v in given[:2])
        to_null = isinstance(given[2], Constant) and given[2].value is None
        compares = operator == "is not" if to_null else operator in _COMPARES
        if isinstance(column, str) and compares:
            found.add(column)
    return found
