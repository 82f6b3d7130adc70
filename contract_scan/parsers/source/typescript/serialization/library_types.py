"""Shapes of types that no project declares: those of the language and of well-known libraries."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Nothing,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.typescript.serialization import (
    class_transformer,
    schema_libraries,
)
from contract_scan.parsers.source.typescript.serialization.mongoose.changes import changes_to_json
from contract_scan.parsers.source.typescript.serialization.utility_types import (
    LIBRARY_UTILITIES,
    UTILITIES,
    UTILITY_LIBRARIES,
)

_SCALARS: dict[str, Scalar] = {
    "string": Scalar(type="string"),
    "String": Scalar(type="string"),
    "number": Scalar(type="numeric"),
    "Number": Scalar(type="numeric"),
    "boolean": Scalar(type="boolean"),
    "Boolean": Scalar(type="boolean"),
    "Date": Scalar(type="string", format="date-time", also_formats=("date",)),
    "URL": Scalar(type="string", format="uri"),
}

_DATES = frozenset(
    {"moment.Moment", "moment", "dayjs.Dayjs", "dayjs", "luxon.DateTime", "@js-joda/core.Instant"}
)
_TEXTS = frozenset(
    {
        "mongoose.Types.ObjectId",
        "mongoose.ObjectId",
        "mongoose.Schema.Types.ObjectId",
        "mongodb.ObjectId",
        "mongodb.ObjectID",
        "bson.ObjectId",
        "typeorm.ObjectId",
        "typeorm.ObjectID",
        "decimal.js.Decimal",
        "decimal.js",
        "big.js.Big",
        "big.js",
        "bignumber.js.BigNumber",
        "bignumber.js",
        "@prisma/client.Prisma.Decimal",
        "@prisma/client/runtime.Decimal",
        "@prisma/client/runtime/library.Decimal",
    }
)
"""Their `toJSON` gives a string."""
_UUIDS = frozenset({"crypto.UUID", "node:crypto.UUID"})
_DECLARED_ANY = frozenset({"any", "unknown", "object", "Object", "{}"})
_LISTS = frozenset(
    {
        "Array",
        "ReadonlyArray",
        "Iterable",
        "IterableIterator",
        "AsyncIterable",
        "Generator",
        "AsyncGenerator",
    }
)
_WRAPPERS = frozenset({"Promise", "PromiseLike", "Awaited", "Readonly"})
_LIBRARY_WRAPPERS = frozenset(
    {
        "rxjs.Observable",
        "bluebird",
        "bluebird.Promise",
        "typeorm.Relation",
        "@mikro-orm/core.Loaded",
        "@mikro-orm/core.Opt",
        "mongoose.LeanDocument",
        "mongoose.FlattenMaps",
    }
)
_NO_JSON: dict[str, Reason] = {
    "Map": Reason("map-written-as-empty-object"),
    "Set": Reason("set-written-as-empty-object"),
    "WeakMap": Reason("weakmap-written-as-empty-object"),
    "WeakSet": Reason("weakset-written-as-empty-object"),
    "RegExp": Reason("regexp-written-as-empty-object"),
    "bigint": Reason("bigint-no-json-form"),
    "BigInt": Reason("bigint-no-json-form"),
    "Function": Reason("functions-not-serialisable"),
    "symbol": Reason("symbols-not-serialisable"),
    "Buffer": Reason("binary-data"),
    "Uint8Array": Reason("binary-data"),
    "ArrayBuffer": Reason("binary-data"),
    "Blob": Reason("binary-data"),
    "Error": Reason("error-object-serialization"),
}
_IN_MEMORY = frozenset({"Map", "Set", "WeakMap", "WeakSet", "RegExp", "Function", "symbol"})
_CONSTRUCTORS = frozenset(
    f"{name}Constructor" for name in ("Number", "String", "Boolean", "Date", "RegExp", "Error")
)
"""What TypeScript calls the types of `Number`, `String` and the like themselves."""


def library_type(use: TypeUse) -> Schema | None:
    """The shape of a type of the language or of a library; None where nothing is known of it."""
    name = use.name
    scalar = _SCALARS.get(name)
    if scalar is not None:
        if name == "Date" and use.variant in class_transformer.INPUTS:
            scalar = Scalar(type="string")  # `new Date` reads more than date-times
        return replace(scalar, origin=use.origin)
    if name in _DECLARED_ANY:
        any_value = name in ("any", "unknown")
        reason = Reason("declared-as-any-type", name=name)
        return Unknown(reason=reason, accepts_any=any_value, origin=use.origin)
    if name == "never":
        return Nothing(origin=use.origin)
    if name in _NO_JSON:
        in_memory = name in _IN_MEMORY
        return Unknown(reason=_NO_JSON[name], in_memory=in_memory, origin=use.origin)
    if name in _CONSTRUCTORS:
        return Unknown(
            reason=Reason("functions-not-serialisable"), in_memory=True, origin=use.origin
        )
    if name in _LISTS:
        return Array(items=use.arg(0), origin=use.origin)
    if name in _WRAPPERS or name in _LIBRARY_WRAPPERS:
        return use.arg(0)
    utility = UTILITIES.get(name)
    if utility is not None:
        return utility(use)
    return _of_library(use)


def _of_library(use: TypeUse) -> Schema | None:
    name = use.name
    if name in _DATES:
        return Scalar(type="string", format="date-time", origin=use.origin)
    if name in _TEXTS:
        return Scalar(type="string", origin=use.origin)
    if name in _UUIDS:
        return Scalar(type="string", format="uuid", origin=use.origin)
    library, _, last = name.rpartition(".")
    if library in UTILITY_LIBRARIES and last in LIBRARY_UTILITIES:
        return LIBRARY_UTILITIES[last](use)
    if name in ("mongoose.HydratedDocument", "mongoose.Document"):
        return _document(use)
    return schema_libraries.library_type(use)


def _document(use: TypeUse) -> Schema:
    """A Mongoose document: its fields, and those that Mongoose adds."""
    reason = Reason("mongoose-document-members")
    if not use.type.args or changes_to_json(use.program):
        return Unknown(reason=reason, origin=use.origin)
    shape = use.program.types.flat(use.arg(0))
    if isinstance(shape, Object):
        return replace(shape, incomplete_reason=shape.incomplete_reason or reason)
    return with_nullable(shape, shape.nullable)
