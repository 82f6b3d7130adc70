"""Shapes of the types of the Java library and of the libraries that everybody uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

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
from contract_scan.parsers.source.facts import NamedType
from contract_scan.parsers.source.java.contract_first import generated_type
from contract_scan.parsers.source.java.evidence import mentions
from contract_scan.parsers.source.java.models.jackson_registered import registered
from contract_scan.parsers.source.java.models.jackson_settings import (
    READING,
    jackson_settings,
)
from contract_scan.parsers.source.java.models.serializers import written_by

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.types import TypeUse

_Maker: TypeAlias = "Callable[[TypeUse], Schema]"

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

_LISTS = frozenset(
    {
        *("List", "ArrayList", "LinkedList", "Collection", "Iterable", "Iterator", "Set"),
        *("HashSet", "LinkedHashSet", "TreeSet", "SortedSet", "NavigableSet", "Queue", "Deque"),
        *("ArrayDeque", "PriorityQueue", "Vector", "Stack", "CopyOnWriteArrayList", "EnumSet"),
        *("AbstractList", "SequencedCollection", "Stream", "Flux", "Multi", "Publisher"),
        *("ImmutableList", "ImmutableSet", "ImmutableSortedSet", "ImmutableCollection"),
        *("Flowable", "Observable", "Streamable", "ConcurrentLinkedQueue", "BlockingQueue"),
    }
)
_MAPS = frozenset(
    {
        *("Map", "HashMap", "LinkedHashMap", "TreeMap", "SortedMap", "NavigableMap", "EnumMap"),
        *("ConcurrentHashMap", "ConcurrentMap", "Hashtable", "WeakHashMap", "ImmutableMap"),
        *("ImmutableSortedMap", "ConcurrentSkipListMap"),
    }
)
_MULTIMAPS = frozenset({"MultiValueMap", "LinkedMultiValueMap", "MultivaluedMap"})

TRANSPARENT: dict[str, int] = {
    **dict.fromkeys(("ResponseEntity", "HttpEntity", "RequestEntity", "EntityModel"), 0),
    **dict.fromkeys(("Mono", "Uni", "Single", "Maybe", "Optional"), 0),
    **dict.fromkeys(("CompletableFuture", "CompletionStage", "Future", "ListenableFuture"), 0),
    **dict.fromkeys(("Callable", "DeferredResult", "WebAsyncTask", "Supplier", "Try"), 0),
    **dict.fromkeys(("AtomicReference", "GenericEntity", "RestResponse", "HttpResponse"), 0),
    **dict.fromkeys(("JAXBElement", "WeakReference", "SoftReference", "Lazy"), 0),
}
"""Wrappers around one value. `EntityModel` adds links to it, which `library_type` knows."""
CONTAINERS: dict[str, int] = {
    **dict.fromkeys(sorted(_LISTS), 0),
    **dict.fromkeys(("Page", "Slice", "CollectionModel", "PagedModel"), 0),
    **dict.fromkeys(sorted(_MAPS), 1),
}

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
_AMBIGUOUS: dict[str, tuple[str, ...]] = {
    "Date": ("java.util", "java.sql"),
    "List": ("java.util", "io.vavr"),
    "Page": ("org.springframework.data", "io.micronaut.data"),
    "Slice": ("org.springframework.data", "io.micronaut.data"),
    "Resource": ("org.springframework.core.io",),
    "Part": ("jakarta.servlet", "javax.servlet", "org.springframework"),
    "DateTime": ("org.joda.time",),
    "Period": ("java.time", "org.joda.time"),
    "MediaType": ("org.springframework.http", "javax.ws.rs", "jakarta.ws.rs"),
    "Pattern": ("java.util",),
    "File": ("java.io",),
    "Link": ("org.springframework.hateoas",),
    "Struct": ("com.google.protobuf",),
    "Any": ("com.google.protobuf",),
    "Blob": ("java.sql",),
    "Currency": ("java.util",),
    "Duration": ("java.time", "org.joda.time"),
    "Stack": ("java.util",),
    "Single": ("io.reactivex", "rx"),
}
"""Names that several libraries use, with the packages of which the shape is known."""


def library_type(use: TypeUse) -> Schema | None:
    """The shape of a type that the project does not declare; None where it is not known."""
    serializers = registered(use.program, use.scope.file.path).serializers
    if use.name in serializers:
        return written_by(use.program, serializers[use.name], use.type.name, use.origin)
    simple, package = use.simple_name, use.name.rpartition(".")[0]
    expected = _AMBIGUOUS.get(simple)
    if expected is not None and package and not package.startswith(expected):
        return None
    if simple in _SCALARS:
        scalar, format = _SCALARS[simple]
        return Scalar(type=scalar, format=format, origin=use.origin)
    if simple in _LISTS:
        return Array(items=use.arg(0), origin=use.origin)
    if simple in _MAPS:
        return Object(additional=use.arg(1), origin=use.origin)
    if simple in _DATES:
        return _date(use, *_DATES[simple])
    maker = _MAKERS.get(simple)
    if maker is not None:
        return maker(use)
    return _rarer(use, simple)


def _rarer(use: TypeUse, simple: str) -> Schema | None:
    if simple in TRANSPARENT:
        return use.arg(0)
    if simple in _MULTIMAPS:
        return Object(additional=Array(items=use.arg(1)), origin=use.origin)
    if simple in _ENUMS:
        return Scalar(type="string", values=_ENUMS[simple] or None, origin=use.origin)
    if simple in _BINARY:
        return Scalar(type="string", format="binary", origin=use.origin)
    if simple in _ANY:
        return Unknown(reason=f"it is declared as `{simple}`", origin=use.origin)
    return _generated(use, simple)


def _generated(use: TypeUse, simple: str) -> Schema | None:
    """The shape of a class that is made of a contract at build time."""
    package = use.name.rpartition(".")[0]
    file = use.scope.file
    stars = [entry.module for entry in file.imports if entry.name == "*"]
    packages = [package] if package else [file.package, *stars]
    found = generated_type(use.program, file.path, simple, packages)
    return None if found is None else replace(found, origin=use.origin)


def _date(use: TypeUse, format: str, number: str) -> Schema:
    """Dates are texts or numbers, as the mapper is configured."""
    if READING in use.variant.split(";"):
        numbers = Scalar(type="number", origin=use.origin)
        return Union(options=(date_text(use, format), numbers), origin=use.origin)
    if "mapper=gson" in use.variant.split(";") and number == "integer":
        return Scalar(type="string", origin=use.origin)  # `java.util.Date`, in words
    as_text = jackson_settings(use.program, use.scope.file.path, use.variant).dates_as_text
    if as_text is None:
        reason = (
            f"whether `{use.simple_name}` is written as text or as a number depends on how the "
            "mapper is configured, which was not found (SerializationFeature."
            "WRITE_DATES_AS_TIMESTAMPS)"
        )
        return Unknown(reason=reason, origin=use.origin)
    if as_text:
        return date_text(use, format)
    if number == "parts":
        return Array(items=Scalar(type="integer"), origin=use.origin)
    kind: ScalarType = "integer" if number == "integer" else "number"
    return Scalar(type=kind, origin=use.origin)


def date_text(use: TypeUse, format: str) -> Schema:
    """A date written as text."""
    return Scalar(type="string", format=format, origin=use.origin)


def date_format(type: NamedType) -> str | None:
    """The format that a date type has as text; None for types that are no dates."""
    known = _DATES.get(type.name.rpartition(".")[2])
    return known[0] if known is not None else None


# --------------------------------------------------------------------------- objects of libraries


def _optional(use: TypeUse) -> Schema:
    return with_nullable(use.arg(0), True)


def _void(use: TypeUse) -> Schema:
    return Nothing(nullable=True, origin=use.origin)


def _fields(use: TypeUse, **schemas: Schema) -> tuple[Field, ...]:
    return tuple(
        Field(name=name, schema=schema, origin=use.origin) for name, schema in schemas.items()
    )


_INTEGER = Scalar(type="integer", format="int32")
_BOOLEAN = Scalar(type="boolean")
_TEXT = Scalar(type="string")


def _sort(use: TypeUse) -> Schema:
    fields = _fields(use, empty=_BOOLEAN, sorted=_BOOLEAN, unsorted=_BOOLEAN)
    return Object(name="Sort", fields=fields, origin=use.origin)


def _pageable(use: TypeUse) -> Schema:
    fields = _fields(
        use,
        pageNumber=_INTEGER,
        pageSize=_INTEGER,
        sort=_sort(use),
        offset=Scalar(type="integer", format="int64"),
        paged=_BOOLEAN,
        unpaged=_BOOLEAN,
    )
    return Object(name="Pageable", fields=fields, origin=use.origin)


def _slice(use: TypeUse) -> Schema:
    """Spring Data's `Slice`, as Jackson writes its getters."""
    fields = _fields(
        use,
        content=Array(items=use.arg(0)),
        pageable=_pageable(use),
        size=_INTEGER,
        number=_INTEGER,
        sort=_sort(use),
        first=_BOOLEAN,
        last=_BOOLEAN,
        numberOfElements=_INTEGER,
        empty=_BOOLEAN,
    )
    return Object(name="Slice", fields=fields, origin=use.origin)


def _page(use: TypeUse) -> Schema:
    if mentions(use.program, use.scope.file.path, b"VIA_DTO"):
        return Unknown(
            reason="`Page` is written through a DTO that the project turns on", origin=use.origin
        )
    base = _slice(use)
    assert isinstance(base, Object)
    totals = _fields(use, totalPages=_INTEGER, totalElements=Scalar(type="integer", format="int64"))
    return Object(name="Page", fields=(*base.fields, *totals), origin=use.origin)


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
    partial = "a `ProblemDetail` may carry further properties"
    return Object(name="ProblemDetail", fields=optional, partial=partial, origin=use.origin)


def _entity_model(use: TypeUse) -> Schema:
    inner = use.program.types.flat(use.arg(0))
    links = Field(name="_links", schema=_links(use), required=None, origin=use.origin)
    if isinstance(inner, Object):
        return Object(
            name=inner.name,
            fields=(*inner.fields, links),
            additional=inner.additional,
            partial=inner.partial,
            origin=inner.origin,
        )
    return inner


def _links(use: TypeUse) -> Schema:
    partial = "links are made at run time"
    return Object(name="Links", partial=partial, origin=use.origin)


def _collection_model(use: TypeUse) -> Schema:
    reason = f"`{use.simple_name}` is written with embedded relations named at run time"
    return Unknown(reason=reason, origin=use.origin)


_MAKERS: dict[str, _Maker] = {
    "Optional": _optional,
    "Void": _void,
    "void": _void,
    "Sort": _sort,
    "Pageable": _pageable,
    "PageRequest": _pageable,
    "Slice": _slice,
    "Page": _page,
    "PageImpl": _page,
    "ProblemDetail": _problem_detail,
    "EntityModel": _entity_model,
    "CollectionModel": _collection_model,
    "PagedModel": _collection_model,
}
