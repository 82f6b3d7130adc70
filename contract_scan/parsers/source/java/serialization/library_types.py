"""Shapes of the types of the Java library and of the libraries that everybody uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.errors import ContractError
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import FROM_OTHER_SCALARS
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.java.resolution.build import module_of, related_modules
from contract_scan.parsers.source.java.resolution.containers import LISTS, MAPS
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.resolution.properties import settings
from contract_scan.parsers.source.java.serialization.generated_servers import generated_type
from contract_scan.parsers.source.java.serialization.geojson import PACKAGE as GEOJSON
from contract_scan.parsers.source.java.serialization.geojson import geojson_type
from contract_scan.parsers.source.java.serialization.gson.adapters import adapter_schema
from contract_scan.parsers.source.java.serialization.gson.classes import known_adapters
from contract_scan.parsers.source.java.serialization.hateoas import (
    collection_model,
    entity_model,
    paged_model,
)
from contract_scan.parsers.source.java.serialization.jackson.registered_modules import (
    registered_modules,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    GSON_MAPPER,
    JSONB_MAPPER,
    MOXY_MAPPER,
    READING,
    jackson_settings,
)
from contract_scan.parsers.source.java.serialization.serializers import written_by
from contract_scan.parsers.source.java.serialization.wire_names import wire_names

_SCALARS: dict[str, tuple[ScalarType, str]] = {
    "String": ("string", ""),
    "CharSequence": ("string", ""),
    "StringBuilder": ("string", ""),
    "Character": ("string", ""),
    "char": ("string", ""),
    "char[]": ("string", ""),
    "byte[]": ("string", "byte"),
    "Byte": ("integer", "int32"),
    "byte": ("integer", "int32"),
    "Short": ("integer", "int32"),
    "short": ("integer", "int32"),
    "Integer": ("integer", "int32"),
    "int": ("integer", "int32"),
    "OptionalInt": ("integer", "int32"),
    "AtomicInteger": ("integer", "int32"),
    "Long": ("integer", "int64"),
    "long": ("integer", "int64"),
    "OptionalLong": ("integer", "int64"),
    "AtomicLong": ("integer", "int64"),
    "BigInteger": ("integer", ""),
    "Float": ("number", "float"),
    "float": ("number", "float"),
    "Double": ("number", "double"),
    "double": ("number", "double"),
    "OptionalDouble": ("number", "double"),
    "BigDecimal": ("number", ""),
    "Number": ("numeric", ""),
    "Boolean": ("boolean", ""),
    "boolean": ("boolean", ""),
    "AtomicBoolean": ("boolean", ""),
    "UUID": ("string", "uuid"),
    "URI": ("string", "uri"),
    "URL": ("string", "uri"),
    "Locale": ("string", ""),
    "Currency": ("string", ""),
    "TimeZone": ("string", ""),
    "Pattern": ("string", ""),
    "Charset": ("string", ""),
    "InetAddress": ("string", ""),
    "ZoneId": ("string", ""),
    "ZoneOffset": ("string", ""),
    "Period": ("string", ""),
    "YearMonth": ("string", ""),
    "MonthDay": ("string", ""),
    "Year": ("integer", ""),
    "MediaType": ("string", ""),
    "ObjectId": ("string", ""),
}
"""Simple name -> scalar. `byte` and `char` arrays have names of their own (see `lower_types`)."""

_MULTIMAPS = frozenset({"MultiValueMap", "LinkedMultiValueMap", "MultivaluedMap"})

TRANSPARENT: dict[str, int] = {
    **dict.fromkeys(("ResponseEntity", "HttpEntity", "RequestEntity", "EntityModel"), 0),
    **dict.fromkeys(("Mono", "Uni", "Single", "Maybe", "Optional"), 0),
    **dict.fromkeys(("CompletableFuture", "CompletionStage", "Future", "ListenableFuture"), 0),
    **dict.fromkeys(("AsyncResult", "JsonNullable"), 0),
    **dict.fromkeys(("Callable", "DeferredResult", "WebAsyncTask", "Supplier", "Try"), 0),
    **dict.fromkeys(("AtomicReference", "GenericEntity", "RestResponse", "HttpResponse"), 0),
    **dict.fromkeys(("JAXBElement", "WeakReference", "SoftReference", "Lazy"), 0),
}
"""Wrappers around one value. `EntityModel` adds links to it, which `library_type` knows."""

_DATES: dict[str, tuple[str, str]] = {
    "Instant": ("date-time", "number"),
    "OffsetDateTime": ("date-time", "number"),
    "ZonedDateTime": ("date-time", "number"),
    "LocalDateTime": ("date-time", "parts"),
    "LocalDate": ("date", "parts"),
    "LocalTime": ("time", "parts"),
    "OffsetTime": ("time", "parts"),
    "Duration": ("duration", "number"),
    "Date": ("date-time", "integer"),
    "Calendar": ("date-time", "integer"),
    "GregorianCalendar": ("date-time", "integer"),
    "Timestamp": ("date-time", "integer"),
    "DateTime": ("date-time", "integer"),
}
"""Simple name -> format as text, and what it is as a timestamp."""
OLDER_DATES = frozenset(name for name, (_, number) in _DATES.items() if number == "integer")
"""Those that the mapper's own format of dates is for. It reads no further than its pattern goes."""
_ENUMS: dict[str, tuple[str, ...]] = {
    "DayOfWeek": (*("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"),),
    "Month": (
        *("JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST"),
        *("SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"),
    ),
    "TimeUnit": (
        *("NANOSECONDS", "MICROSECONDS", "MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS"),
    ),
    "ChronoUnit": (),
    "Direction": ("ASC", "DESC"),
    "HttpStatus": (),
    "HttpMethod": (),
    "RequestMethod": (),
}
_BINARY = frozenset(
    {
        *("Resource", "InputStreamResource", "ByteArrayResource", "FileSystemResource"),
        *("UrlResource", "ClassPathResource", "InputStream", "File", "StreamingOutput"),
        *("StreamingResponseBody", "MultipartFile", "FilePart", "DataBuffer", "ByteBuffer"),
        *("FileUpload", "Part", "Blob"),
    }
)
_ANY = frozenset(
    {
        *("Object", "JsonNode", "ObjectNode", "ArrayNode", "TreeNode", "JsonObject", "JsonValue"),
        *("JsonArray", "JsonElement", "JSONObject", "JSONArray", "Serializable", "Any", "Struct"),
    }
)
_JSON_COLLECTIONS = ("org.json.simple", "net.minidev.json", "com.alibaba.fastjson")
"""Packages whose `JSONObject` is a map, and whose `JSONArray` is a list, to every mapper."""
_TAKES_ANY = frozenset({"Object", "JsonNode", "TreeNode", "JsonElement", "JsonValue"})
"""Those of them that take whatever value JSON has: the others are of objects or of lists alone."""
_PACKAGES: dict[str, tuple[str, ...]] = {
    "Date": ("java.util", "java.sql"),
    "List": ("java.util", "io.vavr"),
    "Page": ("org.springframework.data", "io.micronaut.data"),
    "Slice": ("org.springframework.data", "io.micronaut.data"),
    "Resource": ("org.springframework.core.io", "org.springframework.hateoas"),
    "Document": ("org.bson",),
    "Resources": ("org.springframework.hateoas",),
    "DBObject": ("com.mongodb",),
    "Part": ("jakarta.servlet", "javax.servlet", "org.springframework"),
    "DateTime": ("org.joda.time",),
    "Direction": ("org.springframework.data",),
    **dict.fromkeys(
        (
            *("Instant", "LocalDate", "LocalTime", "LocalDateTime", "YearMonth", "MonthDay"),
            *("Period", "Duration"),
        ),
        ("java.time", "org.joda.time", "org.threeten.bp"),
    ),
    **dict.fromkeys(
        (
            *("OffsetDateTime", "ZonedDateTime", "OffsetTime", "Year", "ZoneId", "ZoneOffset"),
            *("DayOfWeek", "Month", "ChronoUnit"),
        ),
        ("java.time", "org.threeten.bp"),
    ),
    "Timestamp": ("java.sql",),
    **dict.fromkeys(
        (
            *("UUID", "Locale", "TimeZone", "Calendar", "GregorianCalendar", "OptionalInt"),
            *("OptionalLong", "OptionalDouble", "AtomicInteger", "AtomicLong", "AtomicBoolean"),
            "TimeUnit",
        ),
        ("java.util",),
    ),
    **dict.fromkeys(("BigInteger", "BigDecimal"), ("java.math",)),
    **dict.fromkeys(("URI", "URL", "InetAddress"), ("java.net",)),
    "Charset": ("java.nio",),
    "ObjectId": ("org.bson",),
    "MediaType": ("org.springframework.http", "javax.ws.rs", "jakarta.ws.rs"),
    "Pattern": ("java.util",),
    "File": ("java.io",),
    "Link": ("org.springframework.hateoas",),
    "Struct": ("com.google.protobuf",),
    "Any": ("com.google.protobuf",),
    "Blob": ("java.sql",),
    "Currency": ("java.util",),
    "Stack": ("java.util",),
    "Single": ("io.reactivex", "rx"),
}
"""Names that several libraries use, with what the packages begin with whose shape is known."""


def library_type(use: TypeUse) -> Schema | None:
    """The shape of a type that the project does not declare; None where it is not known."""
    serializers = registered_modules(use.program, use.scope.file.path).serializers
    if use.name in serializers:
        return written_by(use.program, serializers[use.name], use.type.name, use.origin)
    if GSON_MAPPER in use.variant.split(";"):
        adapters = known_adapters(use)
        if use.name in adapters:
            return adapter_schema(use, adapters[use.name], use.type.name, use.origin)
    simple, package = use.simple_name, use.name.rpartition(".")[0]
    if not package.startswith("java."):
        # A generated class hides whatever library has a class of its name.
        made = _generated_schema(use, simple)
        if made is not None:
            return made
    if _is_from(use, (GEOJSON,)) and _is_of_jackson(use):
        return geojson_type(use)
    if not _may_be_known(use, simple, package):
        return None
    if simple in _SCALARS:
        scalar, format = _SCALARS[simple]
        taken = _coerced(use, scalar, format)
        return Scalar(type=scalar, format=format, also_takes=taken, origin=use.origin)
    if simple in LISTS:
        return Array(items=_element(use, 0), origin=use.origin)
    if simple in MAPS:
        return Object(additional=_element(use, 1), origin=use.origin)
    if simple in _DATES:
        return _date(use, *_DATES[simple])
    maker = _MAKERS.get(simple)
    if maker is not None and not (simple == "Resource" and not use.type.args):
        return maker(use)
    return _rarer(use, simple)


def _coerced(use: TypeUse, scalar: ScalarType, format: str) -> tuple[ScalarType, ...]:
    """The other scalars of JSON that Jackson, or Gson, reads into a type: text is made of all. A
    number is read from a text that holds one, and refuses all others that a contract allows."""
    parts = use.variant.split(";")
    if READING in parts and GSON_MAPPER in parts and scalar == "boolean":
        return ("string",)  # of any text that is not `true` Gson makes false
    is_read = READING in parts and _is_of_jackson(use) and scalar == "string" and not format
    return FROM_OTHER_SCALARS["string"] if is_read else ()


def _is_of_jackson(use: TypeUse) -> bool:
    return {GSON_MAPPER, JSONB_MAPPER, MOXY_MAPPER}.isdisjoint(use.variant.split(";"))


def _element(use: TypeUse, position: int) -> Schema:
    """What stands in a list or map: a mapper that reads puts null there without a word, and whether
    a constraint of the type argument refuses it is not read."""
    shape = use.arg(position)
    return with_nullable(shape, None) if READING in use.variant.split(";") else shape


def _may_be_known(use: TypeUse, simple: str, package: str) -> bool:
    """Whether a type may be the one of its name that is known: by the package that it is imported
    from, or by those that are imported as a whole."""
    expected = _PACKAGES.get(simple)
    if expected is None:
        return True
    if package or _is_from(use, expected):
        return _is_from(use, expected)
    foreign = [module for module in _stars(use) if not module.startswith("java")]
    return not foreign and simple not in _ENUMS  # what is not imported is of the same package


def _is_from(use: TypeUse, packages: tuple[str, ...]) -> bool:
    """Whether a type is imported from one of some packages, or may be as they are as a whole."""
    package = use.name.rpartition(".")[0]
    return any(module.startswith(packages) for module in ([package] if package else _stars(use)))


def _stars(use: TypeUse) -> list[str]:
    """The packages that a file imports as a whole."""
    return [
        entry.module
        for entry in use.scope.file.imports
        if entry.name == "*" and "static" not in entry.modifiers
    ]


def _rarer(use: TypeUse, simple: str) -> Schema | None:
    if simple in TRANSPARENT:
        return use.arg(0)
    if use.type.name.endswith("Map.Entry"):  # written as an object with one key
        return Object(additional=use.arg(1), origin=use.origin)
    if simple in _MULTIMAPS:
        return Object(additional=Array(items=use.arg(1)), origin=use.origin)
    if simple in _ENUMS:
        return Scalar(type="string", values=_ENUMS[simple] or None, origin=use.origin)
    if simple in _BINARY:
        return Scalar(type="string", format="binary", origin=use.origin)
    if simple in ("JSONObject", "JSONArray") and _is_from(use, _JSON_COLLECTIONS):
        values = Unknown(reason=Reason("declared-as-quoted-type", simple=simple), accepts_any=True)
        is_object = simple == "JSONObject"
        made = Object(additional=values) if is_object else Array(items=values)
        return replace(made, origin=use.origin)
    if simple in _ANY:
        reason = Reason("declared-as-quoted-type", simple=simple)
        return Unknown(reason=reason, accepts_any=simple in _TAKES_ANY, origin=use.origin)
    return None


def _generated_schema(use: TypeUse, simple: str) -> Schema | None:
    """The shape of a class that the build generates from a contract or an Avro schema."""
    package = use.name.rpartition(".")[0]
    file = use.scope.file
    stars = [entry.module for entry in file.imports if entry.name == "*"]
    packages = [package] if package else [file.package, *stars]
    found = generated_type(use.program, file.path, simple, packages)
    if found is None:
        found = avro_class(use.program, file.path, simple, packages)
    return None if found is None else replace(found, origin=use.origin)


def _date(use: TypeUse, format: str, number: str) -> Schema:
    """Dates are texts or numbers, as the mapper is configured."""
    if READING in use.variant.split(";"):
        numbers = Scalar(type="number", origin=use.origin)
        return Union(options=(date_text(use, format), numbers), origin=use.origin)
    if JSONB_MAPPER in use.variant.split(";"):
        return date_text(use, format)
    if GSON_MAPPER in use.variant.split(";") and number == "integer":
        return Scalar(type="string", origin=use.origin)  # `java.util.Date`, in words
    settings = jackson_settings(use.program, use.scope.file.path, use.variant)
    as_text = settings.dates_as_text
    if as_text is None:
        reason = Reason("date-format-setting-not-found", type=use.simple_name)
        return Unknown(reason=reason, origin=use.origin)
    if as_text:
        return date_text(use, format)
    if number == "parts":
        return Array(items=Scalar(type="integer"), origin=use.origin)
    whole = number == "integer" or not settings.dates_with_nanoseconds
    kind: ScalarType = "integer" if whole else "number"
    return Scalar(type=kind, origin=use.origin)


def date_text(use: TypeUse, format: str) -> Schema:
    """A date written as text. The older classes are made of a date alone, too
    (https://javadoc.io/doc/com.fasterxml.jackson.core/jackson-databind: `StdDateFormat`)."""
    is_older = use.simple_name in OLDER_DATES
    if is_older and READING not in use.variant.split(";") and _is_of_jackson(use):
        pattern = jackson_settings(use.program, use.scope.file.path, use.variant).date_pattern
        format = format_of_pattern(pattern) if pattern else format
    taken = ("date",) if format == "date-time" and is_older else ()
    return Scalar(type="string", format=format, also_formats=taken, origin=use.origin)


def date_format(type: NamedType) -> str | None:
    """The format that a date type has as text; None for types that are no dates."""
    known = _DATES.get(type.name.rpartition(".")[2])
    return known[0] if known is not None else None


def format_of_pattern(pattern: str) -> str:
    """The format of dates that are written by a pattern of Java's formatters; empty where that is
    undetermined (seconds or a zone alone are missing)."""
    if re.fullmatch(r"[yu]{4}-MM-dd", pattern):
        return "date"
    if re.match(r"[yu]{4}-MM-dd'T'HH:mm", pattern):
        return "date-time" if "mm:ss" in pattern else ""
    if pattern.startswith("HH:mm") or not re.search(r"[yuMdH]", pattern) or "[" in pattern:
        return ""
    return f"pattern {pattern}"


# What builds make of Avro schemas (`.avsc`): classes that are not among the sources.

Found: TypeAlias = Mapping[str, Mapping[str, Schema]]
"""Shapes by the full name of the class and the file that describes it."""


def avro_class(program: Program, near: str, name: str, packages: list[str]) -> Schema | None:
    """The shape of a class that is generated from an Avro schema; None: it is not, or which of
    several schemas of its name it is made of is undetermined. `packages` are those in which the
    name may be declared, and `near` is the file that names it."""
    for package in packages:
        found = _classes(program).get(f"{package}.{name}" if package else name, {})
        if found:
            modules = related_modules(program, module_of(program, near))
            own = [shape for path, shape in found.items() if module_of(program, path) in modules]
            shapes = own or list(found.values())
            return shapes[0] if len(shapes) == 1 else None
    return None


@memoised
def _classes(program: Program) -> Found:
    from contract_scan.parsers.contracts.avro import classes_of
    from contract_scan.parsers.contracts.located_tree import open_text

    found: dict[str, dict[str, Schema]] = {}
    for path in program.files.ending(".avsc"):
        content = program.files.read(path)
        try:
            root = open_text(content or b"", path).root
        except ContractError:
            continue  # a broken schema makes no class
        for name, shape in classes_of(root).items():
            found.setdefault(name, {})[path] = shape
    return found


# ------------------------------------------------------ objects: pages, problems, models with links


_Maker: TypeAlias = "Callable[[TypeUse], Schema]"


def _optional(use: TypeUse) -> Schema:
    return with_nullable(use.arg(0), True)


def _void(use: TypeUse) -> Schema:
    return Nothing(nullable=True, origin=use.origin)


def _fields(use: TypeUse, **schemas: Schema) -> tuple[Field, ...]:
    return tuple(
        Field(name=name, schema=schema, origin=use.origin) for name, schema in schemas.items()
    )


def _bean(use: TypeUse, name: str, **schemas: Schema) -> Schema:
    """What Jackson reads from getters, under the names that the mapper's strategy makes of them."""
    wire_name = wire_names(use)
    if wire_name is None:
        reason = Reason("type-naming-strategy-unknown", name=name)
        return Unknown(reason=reason, origin=use.origin)
    named = {wire_name(key): schema for key, schema in schemas.items()}
    return Object(name=name, fields=_fields(use, **named), origin=use.origin)


_INTEGER = Scalar(type="integer", format="int32")
_BOOLEAN = Scalar(type="boolean")
_TEXT = Scalar(type="string")


def _sort_schema(use: TypeUse) -> Schema:
    return _bean(use, "Sort", empty=_BOOLEAN, sorted=_BOOLEAN, unsorted=_BOOLEAN)


def _pageable(use: TypeUse) -> Schema:
    return _bean(
        use,
        "Pageable",
        pageNumber=_INTEGER,
        pageSize=_INTEGER,
        sort=_sort_schema(use),
        offset=Scalar(type="integer", format="int64"),
        paged=_BOOLEAN,
        unpaged=_BOOLEAN,
    )


def _slice_properties(use: TypeUse) -> dict[str, Schema]:
    return {
        "content": Array(items=use.arg(0)),
        "pageable": _pageable(use),
        "size": _INTEGER,
        "number": _INTEGER,
        "sort": _sort_schema(use),
        "first": _BOOLEAN,
        "last": _BOOLEAN,
        "numberOfElements": _INTEGER,
        "empty": _BOOLEAN,
    }


def _slice(use: TypeUse) -> Schema:
    """Spring Data's `Slice`, as Jackson writes its getters."""
    return _bean(use, "Slice", **_slice_properties(use))


def _is_written_as_model(use: TypeUse) -> bool:
    """Whether pages are written as Spring Data's `PagedModel`."""
    path = use.scope.file.path
    setting = settings(use.program, path).get("spring.data.web.pageable.serializationmode", "")
    return setting.lower() == "via-dto" or is_in_related_files(use.program, path, b"VIA_DTO")


def _page(use: TypeUse) -> Schema:
    if _is_written_as_model(use):
        return paged_model(replace(use, name="org.springframework.data.web.PagedModel"))
    totals = {"totalPages": _INTEGER, "totalElements": Scalar(type="integer", format="int64")}
    return _bean(use, "Page", **_slice_properties(use), **totals)


def _problem_detail(use: TypeUse) -> Schema:
    fields = _fields(
        use,
        type=Scalar(type="string", format="uri"),
        title=_TEXT,
        status=_INTEGER,
        detail=_TEXT,
        instance=Scalar(type="string", format="uri"),
    )
    optional = tuple(
        Field(name=f.name, schema=f.schema, required=None if f.name != "status" else True)
        for f in fields
    )
    partial = Reason("problem-detail-properties")
    return Object(
        name="ProblemDetail", fields=optional, incomplete_reason=partial, origin=use.origin
    )


def _mongo_document(use: TypeUse) -> Schema:
    """A map of what the database holds."""
    reason = Reason("known-to-database-only", type=use.simple_name)
    return Object(additional=Unknown(reason=reason, origin=use.origin), origin=use.origin)


_LEFT_OUT = Reason("mapper-module-may-omit")


def _geo_json_point(use: TypeUse) -> Schema:
    """Spring Data's point. Whether `x` and `y` are written, a module of the mapper decides."""
    number = Scalar(type="number", format="double")
    fields = _fields(use, type=_TEXT, coordinates=Array(items=number), x=number, y=number)
    return Object(
        name="GeoJsonPoint",
        fields=tuple(
            replace(f, required=None, has_default=True, undetermined_reason=_LEFT_OUT)
            if f.name in ("x", "y")
            else replace(f, has_default=True)
            for f in fields
        ),
        origin=use.origin,
    )


_MAKERS: dict[str, _Maker] = {
    "Optional": _optional,
    "Void": _void,
    "void": _void,
    "Sort": _sort_schema,
    "Pageable": _pageable,
    "PageRequest": _pageable,
    "Slice": _slice,
    "Page": _page,
    "PageImpl": _page,
    "ProblemDetail": _problem_detail,
    **dict.fromkeys(("EntityModel", "Resource"), entity_model),
    **dict.fromkeys(("CollectionModel", "Resources"), collection_model),
    **dict.fromkeys(("PagedModel", "PagedResources"), paged_model),
    **dict.fromkeys(("DBObject", "BasicDBObject", "Document"), _mongo_document),
    "GeoJsonPoint": _geo_json_point,
}
