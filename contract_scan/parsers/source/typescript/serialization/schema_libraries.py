"""Types and values that a schema library stands behind: each library is one entry here."""

from __future__ import annotations

from collections.abc import Mapping

from contract_scan.ir.schema import Scalar, Schema
from contract_scan.parsers.source.analysis.domain.hooks import CallSite, TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import BySchema, LibraryResult, Value
from contract_scan.parsers.source.analysis.typing.json_schema_values import schema_document
from contract_scan.parsers.source.language import CallModel
from contract_scan.parsers.source.typescript.serialization import (
    joi,
    kysely,
    loopback,
    nest_mapped,
    prisma,
    typebox,
    vine,
    yup,
)
from contract_scan.parsers.source.typescript.serialization.drizzle import queries as drizzle
from contract_scan.parsers.source.typescript.serialization.drizzle import tables as drizzle_tables
from contract_scan.parsers.source.typescript.serialization.mongoose import schemas as mongoose
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod

_TYPES = (
    zod.library_type,
    yup.library_type,
    typebox.library_type,
    prisma.library_type,
    drizzle_tables.library_type,
    kysely.library_type,
    loopback.library_type,
)
_TEXTS = frozenset(
    {"JSON.stringify", "String"}
    | {
        f"{module}.{name}"
        for module in ("path", "path.default", "node:path", "node:path.default")
        for name in ("basename", "dirname", "extname", "join", "normalize", "relative", "resolve")
    }
)
"""Calls whose arguments count (see `messaging`, `folders`), so that they are no intrinsics."""
_DOCUMENTS = (
    *("zod.z.toJSONSchema", "zod.toJSONSchema", "zod/v4.z.toJSONSchema", "zod/v4.toJSONSchema"),
    *("zod-to-json-schema.zodToJsonSchema", "zod-to-json-schema"),
    "@valibot/to-json-schema.toJsonSchema",
)
"""Functions that write a schema as a JSON Schema (https://zod.dev/json-schema)."""
_GIVES_VALUE = frozenset({"parse", "parseAsync"})
_GIVES_RESULT = frozenset({"safeParse", "safeParseAsync", "spa"})
_DATA = frozenset({"data", "output"})
"""Where a result holds the value (https://zod.dev, https://valibot.dev/guides/parse-data)."""
_VALUES = (
    zod.made_schema,
    typebox.made_schema,
    nest_mapped.made_schema,
    joi.made_schema,
    yup.made_schema,
    vine.made_schema,
    loopback.made_schema,
    drizzle.made_schema,
    mongoose.made_schema,
)


def library_type(use: TypeUse) -> Schema | None:
    """The shape of a library's type (`z.infer<typeof S>`); None where no library here has it."""
    for read in _TYPES:
        schema = read(use)
        if schema is not None:
            return schema
    return None


def made_schema(program: Program, made: LibraryResult, variant: str) -> Schema | None:
    """The shape that a library's value stands for (`z.object({…})`); None where no library here
    makes such values."""
    if made.name in _TEXTS:
        return Scalar(type="string", origin=program.origin(made.site, made.scope))
    for read in _VALUES:
        schema = read(program, made, variant)
        if schema is not None:
            return schema
    return None


def _written_document(site: CallSite) -> Value | None:
    """`z.toJSONSchema(Order)`."""
    described = site.value(0)
    if not isinstance(described, LibraryResult):
        return None
    return schema_document(described, site.program.origin(site.call, site.scope))


CALL_MODELS: Mapping[str, CallModel] = dict.fromkeys(_DOCUMENTS, _written_document)


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """A member of the value that zod, valibot, Yup or Joi has let through, by the schema
    (`Order.parse(x).id`, `Order.safeParse(x).data`); None for anything else."""
    if not isinstance(value, LibraryResult):
        return None
    method = value.name.rpartition(".")[2]
    if zod.is_zod(value.name):
        if method in _GIVES_VALUE:
            return program.evaluator.member(BySchema(program.schema_of(value)), name)
        if method in _GIVES_RESULT and name in _DATA:
            return BySchema(program.schema_of(value))
        return None
    if yup.is_yup(value.name) and method in yup.GIVES_VALUE:
        return program.evaluator.member(BySchema(program.schema_of(value)), name)
    if joi.is_joi(value.name) and method == "validate" and name == "value":
        return BySchema(program.schema_of(value.receiver)) if value.receiver else None
    return None
