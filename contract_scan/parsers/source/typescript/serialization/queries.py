"""What the queries of object-relational mappers and the like give, by the names of the methods."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from contract_scan.ir.schema import Object
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    FunctionValue,
    Items,
    LibraryResult,
    Value,
)
from contract_scan.parsers.source.language import CallModel, Property
from contract_scan.parsers.source.typescript.serialization import kysely, prisma, typeorm
from contract_scan.parsers.source.typescript.serialization.drizzle import queries as drizzle
from contract_scan.parsers.source.typescript.serialization.drizzle import tables as drizzle_tables
from contract_scan.parsers.source.typescript.serialization.mongoose import schemas as mongoose
from contract_scan.parsers.source.typescript.serialization.sequelize import queries as sequelize


def first_of(*call_models: CallModel) -> CallModel:
    """What the first of several intrinsics gives that is meant."""

    def call(site: CallSite) -> Value | None:
        for call_model in call_models:
            value = call_model(site)
            if value is not None:
                return value
        return None

    return call


def _row_json(site: CallSite) -> Value | None:
    """`order.toJSON()` of a row of a library: the JSON of the row."""
    value = site.unwrap(site.receiver)
    if not isinstance(value, ByType | BySchema):
        return None
    value = site.program.evaluator.without_null(value)
    shape = site.program.types.flat(site.program.schema_of(value))
    return BySchema(shape) if isinstance(shape, Object) else None


def _stored_record(program: Program, value: Value) -> Value | None:
    """`user._doc`, `user.dataValues`: the stored record, for `const { password, ...rest } =
    …`."""
    if isinstance(value, LibraryResult):
        schema = mongoose.made_schema(program, value, "")
        value = value if schema is None else BySchema(schema)
    if isinstance(value, BySchema) and isinstance(program.types.flat(value.schema), Object):
        return value
    return None


def transaction(site: CallSite) -> Value | None:
    """`db.transaction(async (tx) => …)`: what the function gives, whose parameter stands for the
    connection; `prisma.$transaction([a, b])`: what each query gives."""
    for position in range(len(site.call.args)):
        given = site.value(position)
        if isinstance(given, FunctionValue) and site.receiver is not None:
            return site.unwrap(site.apply(given, site.receiver))
        if isinstance(given, Items) and site.name.startswith(".$"):
            return replace(given, values=tuple(map(site.unwrap, given.values)))
    return None


_METHODS = {*prisma.METHODS, *typeorm.METHODS, *mongoose.METHODS, *sequelize.METHODS}
_QUERY = first_of(prisma.query, typeorm.query, mongoose.query, sequelize.query)

CALL_MODELS: Mapping[str, CallModel] = {
    **{f".{name}": _QUERY for name in sorted(_METHODS)},
    ".toJSON": first_of(sequelize.plain_object, _row_json),
    **dict.fromkeys((".transaction", ".$transaction", ".transactional"), transaction),
    **{f".{name}": kysely.rows for name in kysely.CALL_METHODS},
    **dict.fromkeys((".update", ".delete"), first_of(drizzle.start, _QUERY)),
    **{f".{name}": first_of(drizzle.relational, prisma.query) for name in drizzle.RELATIONAL},
    ".from": drizzle.start,
    ".insert": drizzle.start,
    "@prisma/client.Prisma.validator()": prisma.checked_arguments,
    **{f".{name}": mongoose.same_documents for name in mongoose.KEEPS},
    **{f".{name}": mongoose.populated_documents for name in mongoose.CHANGES},
}
"""Key: a method with a leading dot. `find` and `sort` are methods of lists, too."""

PROPERTIES: Mapping[str, Property] = {
    "$inferSelect": drizzle_tables.inferred_row,
    "$inferInsert": drizzle_tables.inferred_insert,
    "_doc": _stored_record,
    "dataValues": _stored_record,
}
"""Properties that stand for types of rows, or for what a row holds."""
