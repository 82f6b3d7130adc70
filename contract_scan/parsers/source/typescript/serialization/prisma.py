"""Prisma: what queries give, by the models of `schema.prisma` and what a query selects."""

from __future__ import annotations

import posixpath
import re

from msgspec import Struct

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import CallSite, TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    LiteralType,
    NamedType,
    ObjectType,
    TypeExpr,
    TypeOfType,
)
from contract_scan.parsers.source.typescript.serialization.query_conditions import (
    compared_columns,
    rows_where,
)

MAX_DEPTH = 12
_MAX_SCHEMA = 2_000_000

ONE_OR_NONE = ("findUnique", "findFirst")
ONE = ("findUniqueOrThrow", "findFirstOrThrow", "create", "update", "upsert", "delete")
MANY = ("findMany", "createManyAndReturn", "updateManyAndReturn")
COUNTS = ("createMany", "updateMany", "deleteMany")
METHODS = (*ONE_OR_NONE, *ONE, *MANY, *COUNTS, "count")
_WRITTEN = frozenset({"data", "create", "update"})
"""What a query writes into the rows that it has found."""

_SCALARS: dict[str, Scalar] = {
    "String": Scalar(type="string"),
    "Int": Scalar(type="integer"),
    "Float": Scalar(type="number"),
    "Boolean": Scalar(type="boolean"),
    "DateTime": Scalar(type="string", format="date-time"),
    "Decimal": Scalar(type="string"),
}
_NO_JSON: dict[str, Reason] = {
    "BigInt": Reason("prisma-bigint-no-json-form"),
    "Json": Reason("declared-as-prisma-json"),
    "Bytes": Reason("binary-data"),
}
_BLOCK = re.compile(r"^\s*(model|enum|type|view)\s+(\w+)\s*\{\s*$")
_FIELD = re.compile(r"^\s*(\w+)\s+(\w+)(\[\]|\?)?")
_VALUE = re.compile(r"^\s*(\w+)")
_CLIENT = re.compile(r"^@prisma/client(?:/\w+)*\.PrismaClient(?:\(\))?(?:\.\$extends\(\))?$")
_TYPES = "@prisma/client."
_PAYLOAD = re.compile(r"Prisma\.(\w+)GetPayload")


class Column(Struct, frozen=True):
    """One field of a model."""

    name: str
    type: str
    is_list: bool
    optional: bool
    defaulted: bool
    """Whether a row that is written without it gets a value, so that null has to be written."""
    origin: Origin


class DataModel(Struct, frozen=True):
    """One schema.prisma."""

    folder: str
    models: dict[str, tuple[Column, ...]]
    enums: dict[str, tuple[str, ...]]

    def is_relation(self, column: Column) -> bool:
        """Whether a field is there only where a query asks for it."""
        return column.type in self.models

    def model(self, accessor: str) -> tuple[Column, ...] | None:
        """The model that `prisma.userProfile` queries."""
        for name, columns in self.models.items():
            if name[:1].lower() + name[1:] == accessor:
                return columns
        return None


def parse(path: str, text: str) -> DataModel:
    """The models and enums of a schema file."""
    models: dict[str, tuple[Column, ...]] = {}
    enums: dict[str, tuple[str, ...]] = {}
    kind, name = "", ""
    columns: list[Column] = []
    values: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        code = line.split("//", 1)[0].rstrip()
        opened = _BLOCK.match(code)
        if opened:
            kind, name = opened[1], opened[2]
            columns, values = [], []
        elif code.strip() == "}":
            if kind == "enum":
                enums[name] = tuple(values)
            elif kind:
                models[name] = tuple(columns)
            kind = ""
        elif kind == "enum" and not code.lstrip().startswith("@@"):
            value = _VALUE.match(code)
            if value:
                values.append(value[1])
        elif kind and not code.lstrip().startswith("@@"):
            field = _FIELD.match(code)
            if field:
                place = Origin(path, Span(number, field.start(1) + 1, number, field.end(1) + 1))
                is_list, optional, defaulted = (
                    field[3] == "[]",
                    field[3] == "?",
                    "@default(" in code,
                )
                columns.append(Column(field[1], field[2], is_list, optional, defaulted, place))
    return DataModel(posixpath.dirname(path), models, enums)


def data_model(program: Program, near: str) -> DataModel | None:
    """The schema whose folder is nearest to a source file."""
    return max(
        _data_models(program),
        key=lambda model: len(posixpath.commonpath(["/" + model.folder, "/" + near])),
        default=None,
    )


@memoised
def _data_models(program: Program) -> list[DataModel]:
    found = []
    for path in program.files.files_named("schema.prisma"):
        content = program.files.read(path)
        if content is not None and len(content) < _MAX_SCHEMA:
            found.append(parse(path, content.decode("utf-8", "replace")))
    return found


# ------------------------------------------------------------------ queries


def query(site: CallSite) -> Value | None:
    """What `prisma.user.findMany({ … })` gives; None for a call of something else."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    if not isinstance(callee, Attribute):
        return None
    program = site.program
    accessor = _accessor(program, site.receiver)
    if not accessor:
        return None
    method = callee.name
    if method in COUNTS:
        return BySchema(Object(fields=(Field(name="count", schema=Scalar(type="integer")),)))
    if method == "count":
        counted = site.argument(0) is None or "select" not in _parts(site.value(0))
        return BySchema(Scalar(type="integer")) if counted else None
    schema = _Query(program, site.scope.file.path).shape(accessor, site.value(0))
    if isinstance(schema, Unknown):
        return None
    if method in MANY:
        return BySchema(Array(items=schema))
    if method in ONE_OR_NONE:
        return union_of((BySchema(schema), Constant(None, site.call.span, site.scope.file.path)))
    return BySchema(schema)


def checked_arguments(site: CallSite) -> Value | None:
    """`Prisma.validator<Prisma.UserDefaultArgs>()({ … })` gives what it is given."""
    return site.value(0)


def columns_of(program: Program, owner: Value, scope: Scope) -> tuple[Column, ...] | None:
    """The fields of the model that `prisma.user` queries; None for what is no such thing."""
    options = owner.options if isinstance(owner, OneOf) else (owner,)
    accessor = next(filter(None, (_accessor(program, option) for option in options)), "")
    known = data_model(program, scope.file.path) if accessor else None
    return None if known is None else known.model(accessor)


def _accessor(program: Program, owner: Value | None) -> str:
    """`user` of `prisma.user`; empty for what is no Prisma client."""
    if not isinstance(owner, LibrarySymbol) or "." not in owner.name:
        return ""
    client, _, accessor = owner.name.rpartition(".")
    if _CLIENT.match(client) or _is_own_client(program, client):
        return accessor
    return ""


def _is_own_client(program: Program, name: str) -> bool:
    """`PrismaService extends PrismaClient`."""
    path, separator, qualified = name.partition("#")
    if not separator or "." in qualified or not program.files.has(path):
        return False
    file = program.facts(path)
    found = program.names.modules.declared_in(file, qualified)
    if not isinstance(found, ClassValue):
        return False
    scope = program.module_scope(file)
    return any(
        isinstance(base, NamedType)
        and program.evaluator.qualified_name(ByType(base, scope)) == "@prisma/client.PrismaClient"
        for base in found.symbol.decl.bases
    )


class _Query:
    def __init__(self, program: Program, path: str) -> None:
        self._program = program
        self._data = data_model(program, path)

    def shape(self, accessor: str, arguments: Value | None) -> Schema:
        """The shape of one record that a query gives."""
        columns = self._data.model(accessor) if self._data is not None else None
        if arguments is not None and not isinstance(arguments, Record):
            return Unknown(reason=Reason("query-selects-not-declared"))
        return self._record(columns, arguments, 0)

    def _record(
        self, columns: tuple[Column, ...] | None, arguments: Value | None, depth: int
    ) -> Schema:
        row = self._selected_row(columns, arguments, depth)
        parts = _parts(arguments)
        if "where" not in parts or not isinstance(row, Object) or parts.keys() & _WRITTEN:
            return row
        return rows_where(row, compared_columns(self._program, parts["where"]))

    def _selected_row(
        self, columns: tuple[Column, ...] | None, arguments: Value | None, depth: int
    ) -> Schema:
        parts = _parts(arguments)
        if isinstance(arguments, Record) and arguments.partial:
            return Unknown(reason=arguments.partial)
        if depth > MAX_DEPTH:
            return Unknown(reason=Reason("query-too-deep"))
        chosen = parts.get("select")
        if chosen is not None:
            return self._selection_schema(columns, chosen, depth)
        if columns is None:
            return Unknown(reason=Reason("prisma-schema-not-found"))
        left_out = {name for name, value in _parts(parts.get("omit")).items() if _true(value)}
        assert self._data is not None
        fields = {
            column.name: self._scalar(column)
            for column in columns
            if not self._data.is_relation(column) and column.name not in left_out
        }
        included = parts.get("include")
        if included is not None:
            shape = self._selection_schema(columns, included, depth)
            if not isinstance(shape, Object):
                return shape
            fields.update((field.name, field) for field in shape.fields)
        return Object(fields=tuple(fields.values()))

    def _selection_schema(
        self, columns: tuple[Column, ...] | None, chosen: Value, depth: int
    ) -> Schema:
        if not isinstance(chosen, Record) or chosen.partial or chosen.values is not None:
            return Unknown(reason=Reason("query-selects-not-declared"))
        by_name = {column.name: column for column in columns or ()}
        fields = []
        for entry in chosen.entries:
            if isinstance(entry.value, Constant) and not entry.value.value:
                continue
            sure = _true(entry.value) or isinstance(entry.value, Record)
            required: bool | None = True if sure and not entry.optional else None
            if entry.name == "_count":
                schema: Schema = self._count_schema(columns, entry.value)
            else:
                column = by_name.get(entry.name)
                schema = self._field(column, entry.value, depth)
            place = entry.origin
            fields.append(Field(name=entry.name, schema=schema, required=required, origin=place))
        return Object(fields=tuple(fields))

    def _field(self, column: Column | None, chosen: Value, depth: int) -> Schema:
        if column is None:
            if isinstance(chosen, Record) and "select" in _parts(chosen):
                return Unknown(reason=Reason("prisma-schema-not-found"))
            return Unknown(reason=Reason("column-type-unknown"))
        assert self._data is not None
        if not self._data.is_relation(column):
            return self._scalar(column).schema
        arguments = chosen if isinstance(chosen, Record) else None
        inner = self._record(self._data.models[column.type], arguments, depth + 1)
        if column.is_list:
            return Array(items=inner)
        return with_nullable(inner, True) if column.optional else inner

    def _count_schema(self, columns: tuple[Column, ...] | None, chosen: Value) -> Schema:
        inner = _parts(chosen).get("select")
        if isinstance(inner, Record):
            names = [entry.name for entry in inner.entries]
        else:
            names = [column.name for column in columns or () if column.is_list]
        integer = Scalar(type="integer")
        return Object(fields=tuple(Field(name=name, schema=integer) for name in names))

    def _scalar(self, column: Column) -> Field:
        schema: Schema
        values = self._data.enums.get(column.type) if self._data is not None else None
        if values is not None:
            schema = Scalar(type="string", values=values, origin=column.origin)
        elif column.type in _SCALARS:
            known = _SCALARS[column.type]
            schema = Scalar(type=known.type, format=known.format, origin=column.origin)
        else:
            reason = _NO_JSON.get(column.type, Reason("type-name-undetermined", type=column.type))
            schema = Unknown(reason=reason, origin=column.origin)
        if column.is_list:
            schema = Array(items=schema, origin=column.origin)
        elif column.optional:
            schema = with_nullable(schema, None if column.defaulted else True)
        return Field(name=column.name, schema=schema, origin=column.origin)


def _parts(value: Value | None) -> dict[str, Value]:
    if not isinstance(value, Record):
        return {}
    return {entry.name: entry.value for entry in value.entries}


def _true(value: Value) -> bool:
    return isinstance(value, Constant) and value.value is True


# ------------------------------------------------------------------ types


def library_type(use: TypeUse) -> Schema | None:
    """`User` of `@prisma/client`: all its columns; an enum of the schema; what a query with some
    arguments gives: `Prisma.UserGetPayload<typeof args>`."""
    if not use.name.startswith(_TYPES):
        return None
    name = use.name.removeprefix(_TYPES).removeprefix("$Enums.")
    data = data_model(use.program, use.scope.file.path)
    if data is None:
        return None
    if name in data.enums:
        return Scalar(type="string", values=data.enums[name], origin=use.origin)
    payload = _PAYLOAD.fullmatch(name)
    if payload is not None and payload[1] in data.models and use.type.args:
        accessor = payload[1][:1].lower() + payload[1][1:]
        given = _arguments_of_type(use, use.type.args[0], MAX_DEPTH)
        return (
            None
            if given is None
            else _Query(use.program, use.scope.file.path).shape(accessor, given)
        )
    if name in data.models:
        shape = _Query(use.program, use.scope.file.path).shape(name[:1].lower() + name[1:], None)
        return shape if isinstance(shape, Object) else None
    return None


def _arguments_of_type(use: TypeUse, type: TypeExpr, depth: int) -> Value | None:
    """The arguments of a query that a type stands for, `typeof args` or `{ include: { lines: true }
    }`; None where they are undetermined."""
    match type:
        case TypeOfType(value=expr):
            return use.program.evaluate(expr, use.scope)
        case LiteralType(value=value):
            return Constant(value)
        case ObjectType(members=members, index=None) if depth:
            entries = []
            for member in members:
                held = (
                    None if member.type is None else _arguments_of_type(use, member.type, depth - 1)
                )
                if held is None:
                    return None
                entries.append(RecordEntry(member.name, held, use.origin))
            return Record(tuple(entries))
        case _:
            return None
