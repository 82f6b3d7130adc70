"""Shapes on the wire of types that .NET and its libraries declare."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.resolution.library_names import library_name
from contract_scan.parsers.source.csharp.serialization.library_classes import (
    ENUMS,
    library_class,
    library_enum,
)
from contract_scan.parsers.source.csharp.serialization.settings.application import settings_for
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import ArrayType, FileFacts, NamedType, TypeExpr

_INTEGERS = {
    "int": "int32",
    "Int32": "int32",
    "long": "int64",
    "Int64": "int64",
    **dict.fromkeys(("short", "Int16", "ushort", "UInt16", "byte", "Byte", "sbyte", "SByte"), ""),
    **dict.fromkeys(("uint", "UInt32", "ulong", "UInt64", "nint", "nuint"), ""),
    **dict.fromkeys(("BigInteger", "Int128", "UInt128"), ""),
}
_NUMBERS = {
    "double": "double",
    "Double": "double",
    "float": "float",
    "Single": "float",
    **dict.fromkeys(("decimal", "Decimal", "Half"), ""),
}
_STRINGS = {
    **dict.fromkeys(("string", "String", "char", "Char"), ""),
    "Guid": "uuid",
    "DateTime": "date-time",
    "DateTimeOffset": "date-time",
    "Instant": "date-time",
    "DateOnly": "date",
    "LocalDate": "date",
    # Written as `hh:mm:ss`, which no format of JSON Schema describes.
    **dict.fromkeys(("TimeOnly", "TimeSpan", "LocalTime", "LocalDateTime"), ""),
    "Uri": "uri",
    **dict.fromkeys(("Version", "CultureInfo", "MailAddress", "Ulid", "PathString"), ""),
    "byte[]": "byte",
    "Memory`1": "byte",
    "ReadOnlyMemory`1": "byte",
}
_DATES_AND_TIMES = frozenset({"DateTime", "DateTimeOffset"})
"""What System.Text.Json, Json.NET and the binders of ASP.NET Core make of a date alone, too
(https://learn.microsoft.com/dotnet/standard/datetime/system-text-json-support)."""
_REFERENCE_STRINGS = frozenset(
    {"string", "String", "Uri", "Version", "byte[]", "CultureInfo", "MailAddress"}
)

_LISTS = frozenset(
    f"{name}`1"
    for name in (
        "List",
        "IList",
        "IReadOnlyList",
        "IEnumerable",
        "ICollection",
        "IReadOnlyCollection",
        "Collection",
        "ReadOnlyCollection",
        "ObservableCollection",
        "HashSet",
        "ISet",
        "IReadOnlySet",
        "SortedSet",
        "FrozenSet",
        "LinkedList",
        "Queue",
        "Stack",
        "ConcurrentBag",
        "ConcurrentQueue",
        "BlockingCollection",
        "IQueryable",
        "IOrderedQueryable",
        "IOrderedEnumerable",
        "IAsyncEnumerable",
        "DbSet",
        "IIncludableQueryable",
        "ImmutableList",
        "ImmutableArray",
        "ImmutableHashSet",
        "IImmutableList",
        "IImmutableSet",
        "ArraySegment",
    )
) | {"IIncludableQueryable`2"}
_MAPS = frozenset(
    f"{name}`2"
    for name in (
        "Dictionary",
        "IDictionary",
        "IReadOnlyDictionary",
        "SortedDictionary",
        "ConcurrentDictionary",
        "ImmutableDictionary",
        "IImmutableDictionary",
        "FrozenDictionary",
        "ReadOnlyDictionary",
        "SortedList",
        "OrderedDictionary",
    )
)
_WRAPPERS = frozenset(
    f"{name}`1"
    for name in (
        "Task",
        "ValueTask",
        "ActionResult",
        "Nullable",
        "ConfiguredTaskAwaitable",
        "ConfiguredValueTaskAwaitable",
    )
)
_ANYTHING = frozenset(
    {
        "object",
        "Object",
        "dynamic",
        "JsonElement",
        "JsonDocument",
        "JsonNode",
        "JsonValue",
        "JToken",
        "JValue",
    }
)
_FREE_OBJECTS = frozenset(
    {"JsonObject", "JObject", "ExpandoObject", "IDictionary", "Hashtable", "NameValueCollection"}
)
_FREE_LISTS = frozenset({"JsonArray", "JArray", "ArrayList", "IEnumerable", "IList", "ICollection"})
_FILES = frozenset({"IFormFile", "Stream", "FormFile"})

VALUE_TYPES = frozenset(
    {
        *_INTEGERS,
        *_NUMBERS,
        *(name for name in _STRINGS if name not in _REFERENCE_STRINGS),
        "bool",
        "Boolean",
        "JsonElement",
        "KeyValuePair`2",
        "ImmutableArray`1",
        "ArraySegment`1",
        *ENUMS,
    }
)
"""Library types whose values are never null unless they are written with `?`."""

TRANSPARENT = dict.fromkeys(sorted(_WRAPPERS), 0)
CONTAINERS = {
    **dict.fromkeys(sorted(_LISTS), 0),
    "IGrouping`2": 1,
    "ILookup`2": 1,
}
PAIRS = dict.fromkeys(sorted(_MAPS), "KeyValuePair`2")


def library_type(use: TypeUse) -> Schema | None:
    """The schema of a type that is not declared in the project; None where it is not known."""
    name = library_name(use.program, use.name, use.scope.file)
    origin = use.origin
    if name in _INTEGERS:
        return _number(use, Scalar(type="integer", format=_INTEGERS[name], origin=origin))
    if name in _NUMBERS:
        return _number(use, Scalar(type="number", format=_NUMBERS[name], origin=origin))
    if name in _STRINGS:
        taken = ("date",) if name in _DATES_AND_TIMES else ()
        return Scalar(type="string", format=_STRINGS[name], also_formats=taken, origin=origin)
    if name in ("bool", "Boolean"):
        return Scalar(type="boolean", origin=origin)
    if name in _LISTS:
        return Array(items=use.arg(0), origin=origin)
    if name in _MAPS:
        return Object(additional=use.arg(1), origin=origin)
    if name in _WRAPPERS:
        inner = use.arg(0)
        return with_nullable(inner, True) if name == "Nullable`1" else inner
    if name in _ANYTHING:
        reason = Reason("declared-as-type", name=name)
        return Unknown(reason=reason, accepts_any=True, nullable=None, origin=origin)
    if name in _FREE_OBJECTS:
        reason = Reason("collection-values-not-declared", name=name)
        shape = Unknown(reason=reason, accepts_any=name != "NameValueCollection", origin=origin)
        return Object(additional=shape, origin=origin)
    if name in _FREE_LISTS:
        reason = Reason("collection-items-not-declared", name=name)
        item = Unknown(reason=reason, accepts_any=True, origin=origin)
        return Array(items=item, origin=origin)
    if name in _FILES:
        return Scalar(type="string", format="binary", origin=origin)
    if name in ("Task", "ValueTask", "void"):
        return Nothing(nullable=True, origin=origin)
    if name in ("ProblemDetails", "ValidationProblemDetails", "HttpValidationProblemDetails"):
        return problem_details(name, origin)
    if name == "KeyValuePair`2":
        return _object_schema(use, (("Key", use.arg(0)), ("Value", use.arg(1))))
    settings = settings_for(use.program, use.variant, use.scope.file.path)
    fields = library_class(name, use.arg, settings, use.variant)
    if fields is not None:
        partial = settings.unknown_naming
        return Object(
            fields=fields, incomplete_reason=partial, name=name.partition("`")[0], origin=origin
        )
    if name.startswith("Tuple`"):
        items = tuple((f"Item{i + 1}", use.arg(i)) for i in range(len(use.type.args)))
        return _object_schema(use, items)
    return library_enum(name, settings, origin)


def _number(use: TypeUse, declared: Scalar) -> Schema:
    """A number as the settings of the application write and read it."""
    settings = settings_for(use.program, use.variant, use.scope.file.path)
    return with_number_handling(declared, settings.number_handling, use.variant)


def with_number_handling(declared: Schema, flags: Collection[str], variant: str) -> Schema:
    """A number, or a list or map of numbers, as `JsonNumberHandling` says: written as a text, and
    read from one.

    https://learn.microsoft.com/dotnet/api/system.text.json.serialization.jsonnumberhandling
    """
    match declared:
        case Scalar(type="integer" | "number" | "numeric") if variant.startswith(READING):
            taken = ("string",) if "AllowReadingFromString" in flags else ()
            return replace(declared, also_takes=taken) if taken else declared
        case Scalar(type="integer" | "number" | "numeric") if "WriteAsString" in flags:
            values = declared.values and tuple(
                None if v is None else str(v) for v in declared.values
            )
            return replace(declared, type="string", format="", values=values)
        case Array(items=Scalar() as items):
            return replace(declared, items=with_number_handling(items, flags, variant))
        case Object(fields=(), additional=Scalar() as values):
            return replace(declared, additional=with_number_handling(values, flags, variant))
        case _:
            return declared


def is_value(program: Program, name: str, file: FileFacts) -> bool:
    """Whether a type that no source declares is known to be one of values that are never null."""
    return library_name(program, name, file) in VALUE_TYPES


def _object_schema(use: TypeUse, members: tuple[tuple[str, Schema], ...]) -> Schema:
    """An object of a library type, its names written as the application's settings say."""
    settings = settings_for(use.program, use.variant, use.scope.file.path)
    fields = tuple(
        Field(name=settings.wire_name(name), schema=schema, declared_as=name, origin=use.origin)
        for name, schema in members
    )
    return Object(
        fields=fields,
        incomplete_reason=settings.unknown_naming,
        name=use.simple_name,
        origin=use.origin,
    )


def problem_details(name: str, origin: Origin) -> Object:
    """RFC 9457 problem details, as ASP.NET Core writes them. Members that are null are left out;
    which of them the library or the application fills in is undetermined."""
    texts = ("type", "title", "detail", "instance")
    fields = [
        Field(name=text, schema=Scalar(type="string", origin=origin), required=None, origin=origin)
        for text in texts
    ]
    status = Scalar(type="integer", format="int32", origin=origin)
    fields.append(Field(name="status", schema=status, required=None, origin=origin))
    if name != "ProblemDetails":
        messages = Array(items=Scalar(type="string"), origin=origin)
        errors = Object(additional=messages, origin=origin)
        fields.append(Field(name="errors", schema=errors, origin=origin))
    extensions = Unknown(reason=Reason("problem-details-extensions"), origin=origin)
    return Object(fields=tuple(fields), additional=extensions, name=name, origin=origin)


def is_container_type(type: TypeExpr) -> bool:
    """Whether a type is a list or map of .NET, of which a mapper makes an empty one of null."""
    name = type.name.rpartition(".")[2] if isinstance(type, NamedType) else ""
    return isinstance(type, ArrayType) or name in CONTAINERS or name in PAIRS
