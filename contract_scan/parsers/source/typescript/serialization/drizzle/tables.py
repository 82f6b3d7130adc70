"""Drizzle: the rows of a table that `pgTable("orders", { id: serial().primaryKey() })` declares.

A row is written with the names of the properties, not with those of the columns in the database.
"""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call

_CORE = r"drizzle-orm/(?P<dialect>pg|mysql|sqlite|singlestore|gel)-core"
_TABLE = re.compile(_CORE + r"\.(?:\w+Table|\w+Schema\(\)\.table|\w+TableCreator\(\)|alias)$")
_COLUMN = re.compile(_CORE + r"\.(?P<kind>\w+)(?P<called>\(\))?$")
_MAX_CHAIN = 30
"""Calls of one column."""

_STRING = Scalar(type="string")
_INTEGER = Scalar(type="integer")
_NUMBER = Scalar(type="number")
_MOMENT = Scalar(type="string", format="date-time")
_KINDS: dict[str, Scalar] = {
    **dict.fromkeys(("serial", "smallserial", "integer", "smallint", "year"), _INTEGER),
    **dict.fromkeys(("int", "tinyint", "mediumint"), _INTEGER),
    **dict.fromkeys(("real", "doublePrecision", "double", "float"), _NUMBER),
    **dict.fromkeys(("text", "varchar", "char", "citext", "inet", "cidr", "macaddr"), _STRING),
    **dict.fromkeys(("tinytext", "mediumtext", "longtext", "interval", "time"), _STRING),
    **dict.fromkeys(("numeric", "decimal"), _STRING),
    "boolean": Scalar(type="boolean"),
    "uuid": Scalar(type="string", format="uuid"),
    **dict.fromkeys(("timestamp", "datetime"), _MOMENT),
}
_MODES: dict[tuple[str, str], Scalar] = {
    ("integer", "boolean"): Scalar(type="boolean"),
    ("integer", "timestamp"): _MOMENT,
    ("integer", "timestamp_ms"): _MOMENT,
    ("bigint", "number"): _INTEGER,
    ("bigserial", "number"): _INTEGER,
    ("numeric", "number"): _NUMBER,
    ("decimal", "number"): _NUMBER,
    ("timestamp", "string"): _STRING,
    ("datetime", "string"): _STRING,
    ("date", "string"): Scalar(type="string", format="date"),
    ("date", "date"): _MOMENT,
}
_NO_JSON: dict[str, Reason] = {
    "json": Reason("declared-as-json"),
    "jsonb": Reason("declared-as-json"),
    "bigint": Reason("bigint-no-json-form"),
    "bigserial": Reason("bigint-no-json-form"),
    "bytea": Reason("binary-data"),
    "blob": Reason("binary-data"),
    "binary": Reason("binary-data"),
    "varbinary": Reason("binary-data"),
}
_ALWAYS_THERE = frozenset({"notNull", "primaryKey", "generatedAlwaysAsIdentity"})
_COUNTS_ITSELF = frozenset({"serial", "smallserial", "bigserial"})
_FILLED_IN = frozenset(
    {
        "default",
        "defaultNow",
        "defaultRandom",
        "$default",
        "$defaultFn",
        "$onUpdate",
        "$onUpdateFn",
        "autoincrement",
        "generatedAlwaysAs",
        "generatedAlwaysAsIdentity",
        "generatedByDefaultAsIdentity",
    }
)


class Column(Struct, frozen=True):
    """One column of a table."""

    name: str
    schema: Schema
    has_default: bool
    """Whether a row may be inserted without it."""
    origin: Origin
    refers_to: LibrarySymbol | None = None
    """The column that a foreign key leads to."""


def is_table(value: Value | None) -> bool:
    """Whether a value is a table."""
    return isinstance(value, LibraryResult) and _TABLE.match(value.name) is not None


def declared_table(program: Program, table: LibraryResult) -> LibraryResult:
    """The table that `alias(orders, "first")` names anew; any other is itself."""
    given = _argument(program, table, 0) if table.name.endswith(".alias") else None
    return given if isinstance(given, LibraryResult) and is_table(given) else table


def column_of(program: Program, value: Value | None) -> tuple[LibraryResult, Column] | None:
    """The table and the column that `orders.id` means."""
    table = value.receiver if isinstance(value, LibrarySymbol) else None
    if not isinstance(value, LibrarySymbol) or not isinstance(table, LibraryResult):
        return None
    if not is_table(table):
        return None
    column = columns(program, table)[0].get(value.name.rsplit(".", 1)[-1])
    return None if column is None else (table, column)


def columns(program: Program, table: LibraryResult) -> tuple[dict[str, Column], Reason]:
    """The columns of a table by the names of their properties, and why there may be more (empty:
    these are all)."""
    table = declared_table(program, table)
    known = program.memory.setdefault(__name__, {})
    assert isinstance(known, dict)
    key = table.identity
    if key not in known:
        known[key] = _columns(program, table)
    found: tuple[dict[str, Column], Reason] = known[key]
    return found


def _columns(program: Program, table: LibraryResult) -> tuple[dict[str, Column], Reason]:
    matched = _TABLE.match(table.name)
    dialect = matched["dialect"] if matched else ""
    given = _argument(program, table, 1)
    if isinstance(given, FunctionValue):
        builders = LibrarySymbol(f"drizzle-orm/{dialect}-core")
        given = program.evaluator.apply(given, (builders,), table.scope)
    if not isinstance(given, Record):
        return {}, Reason("drizzle-columns-not-found")
    found = {
        entry.name: _column(program, entry.name, entry.value, entry.origin)
        for entry in given.entries
    }
    return found, given.partial


def name_in_database(program: Program, table: LibraryResult) -> str:
    """The name that results of joins are found under; empty where it is undetermined."""
    given = _argument(program, table, 1 if table.name.endswith(".alias") else 0)
    return program.evaluator.text(given) or "" if given is not None else ""


def row(program: Program, table: LibraryResult) -> Object:
    """What a row is written as."""
    known, partial = columns(program, table)
    place = program.origin(table.site, table.scope)
    fields = tuple(
        Field(name=c.name, schema=c.schema, required=True, origin=c.origin) for c in known.values()
    )
    return Object(fields=fields, incomplete_reason=partial, origin=place)


def insert_schema(program: Program, table: LibraryResult) -> Schema:
    """The shape of the values for inserting a row."""
    known, partial = columns(program, table)
    place = program.origin(table.site, table.scope)
    fields = tuple(
        Field(
            name=column.name,
            schema=column.schema,
            required=not (column.has_default or column.schema.nullable is not False),
            origin=column.origin,
        )
        for column in known.values()
    )
    return Object(fields=fields, incomplete_reason=partial, origin=place)


def library_type(use: TypeUse) -> Schema | None:
    """`InferSelectModel<typeof orders>`; None for any other type."""
    if use.name not in ("drizzle-orm.InferSelectModel", "drizzle-orm.InferInsertModel"):
        return None
    shape = use.program.types.flat(use.arg(0))
    if use.name.endswith("InferInsertModel"):
        reason = Reason("inserted-row-undetermined")
        return Unknown(reason=reason, origin=use.origin)
    return shape


def inferred_row(program: Program, value: Value) -> Value | None:
    """`orders.$inferSelect`."""
    if isinstance(value, LibraryResult) and is_table(value):
        return BySchema(row(program, value))
    return None


def inferred_insert(program: Program, value: Value) -> Value | None:
    """`orders.$inferInsert`."""
    if isinstance(value, LibraryResult) and is_table(value):
        return BySchema(insert_schema(program, value))
    return None


# ------------------------------------------------------------------ columns


def _column(program: Program, name: str, value: Value, origin: Origin) -> Column:
    undetermined = Unknown(
        reason=Reason("named-column-type-undetermined", name=name), origin=origin
    )
    if not isinstance(value, LibraryResult):
        return Column(name, undetermined, False, origin)
    steps: dict[str, LibraryResult] = {}
    base = value
    while isinstance(base.receiver, LibraryResult) and not base.name.endswith("()"):
        if len(steps) > _MAX_CHAIN:
            return Column(name, undetermined, False, origin)
        steps[base.name.rsplit(".", 1)[-1]] = base
        base = base.receiver
    matched = _COLUMN.match(base.name)
    if matched is None:
        return Column(name, undetermined, False, origin)
    kind, dialect = matched["kind"], matched["dialect"]
    schema = (
        _type_argument_schema(program, steps)
        or _stored_schema(program, base, kind, dialect, origin)
        or undetermined
    )
    schema = replace(schema, origin=origin)
    if "array" in steps:
        schema = Array(items=schema, origin=origin)
    there = steps.keys() & _ALWAYS_THERE or kind in _COUNTS_ITSELF
    filled_in = bool(steps.keys() & _FILLED_IN) or kind in _COUNTS_ITSELF
    filled_in = filled_in or (dialect == "sqlite" and kind == "integer" and "primaryKey" in steps)
    if not there:
        # With a default, a null is there only where somebody wrote one.
        schema = with_nullable(schema, None if steps.keys() & _FILLED_IN else True)
    leads = _argument(program, steps["references"], 0) if "references" in steps else None
    refers_to = program.evaluator.apply(leads, (), base.scope) if leads is not None else None
    refers_to = refers_to if isinstance(refers_to, LibrarySymbol) else None
    return Column(name, schema, filled_in, origin, refers_to)


def _type_argument_schema(program: Program, steps: dict[str, LibraryResult]) -> Schema | None:
    """`jsonb().$type<Settings>()`."""
    step = steps.get("$type")
    types = step.site.type_args if step is not None and isinstance(step.site, Call) else ()
    return program.schema(types[0], step.scope) if step is not None and types else None


def _stored_schema(
    program: Program, base: LibraryResult, kind: str, dialect: str, origin: Origin
) -> Schema | None:
    if kind.endswith("Enum"):
        listed = base.receiver if base.name.endswith("()") else base
        values = None
        if isinstance(listed, LibraryResult):
            values = _texts(program, listed, 1) or _texts(program, listed, 0)
        return None if values is None else Scalar(type="string", values=values, origin=origin)
    options = _options(program, base)
    mode = options.get("mode")
    said = (program.evaluator.text(mode) or "?") if mode is not None else ""
    if kind == "date" and not said:
        said = "string" if dialect in ("pg", "gel") else "date"
    known = _MODES.get((kind, said)) or (_KINDS.get(kind) if said != "json" else None)
    if known is None:
        reason = _NO_JSON.get(kind, Reason("declared-as-json") if said == "json" else NO_REASON)
        return Unknown(reason=reason, origin=origin) if reason else None
    if said and said not in ("date", "string", "number") and (kind, said) not in _MODES:
        return known if kind == "text" else None
    listed_values = options.get("enum")
    if isinstance(listed_values, Items) and not listed_values.repeated:
        texts = tuple(program.evaluator.text(item) for item in listed_values.values)
        if all(text is not None for text in texts):
            return replace(known, values=texts)
    return known


def _options(program: Program, base: LibraryResult) -> dict[str, Value]:
    """`text("name", { enum: […] })`, `integer({ mode: "boolean" })`."""
    for position in range(min(2, len(base.site.args))):
        given = _argument(program, base, position)
        if isinstance(given, Record):
            return {entry.name: entry.value for entry in given.entries}
    return {}


def _texts(program: Program, made: LibraryResult, position: int) -> tuple[str, ...] | None:
    """The values of `pgEnum("status", ["open", "closed"])`; an object or an enum of TypeScript may
    stand there too."""
    given = _argument(program, made, position)
    if isinstance(given, Record):
        items: tuple[Value, ...] = tuple(entry.value for entry in given.entries)
    elif isinstance(given, Items) and not given.repeated:
        items = given.values
    else:
        return None
    texts = [item.value for item in items if isinstance(item, Constant)]
    known = tuple(text for text in texts if isinstance(text, str))
    return known if known and len(known) == len(items) else None


def _argument(program: Program, made: LibraryResult, position: int) -> Value | None:
    args = made.site.args
    if position >= len(args):
        return None
    return program.evaluate(args[position].value, made.scope)
