"""Types that the project does not declare: scalars, containers, dates, decimals, wrappers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    ScalarType,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import BySchema, ByType, Value
from contract_scan.parsers.source.python.resolution.library_versions import pydantic_major

TRANSPARENT = {
    "Awaitable": 0,
    "Coroutine": 2,
    "Required": 0,
    "NotRequired": 0,
    "ReadOnly": 0,
    "Final": 0,
    "InitVar": 0,
    "Mapped": 0,
    "AsyncContextManager": 0,
    "ContextManager": 0,
    **{f"litestar.params.From{place}": 0 for place in ("Query", "Header", "Cookie", "Path")},
    **{f"litestar.params.{form}Body": 0 for form in ("JSON", "MsgPack", "Multipart", "URLEncoded")},
    "litestar.di.NamedDependency": 0,
}
"""Generic types that are looked through -> index of the argument that counts."""

_ARRAYS = frozenset(
    {"list", "List", "set", "Set", "frozenset", "FrozenSet", "deque", "Deque"}
    | {"Sequence", "MutableSequence", "Iterable", "Iterator", "Collection", "AbstractSet"}
    | {"MutableSet", "AsyncIterator", "AsyncIterable", "AsyncGenerator", "Generator"}
    | {"Reversible", "KeysView", "ValuesView", "QuerySet", "SortedSet", "SortedList"}
)
CONTAINERS = dict.fromkeys(sorted(_ARRAYS), 0)
"""Generic types that hold items -> index of the item's type."""
_MAPS = frozenset(
    {"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict"}
)
_SELF_WRAPPERS = frozenset({"Required", "NotRequired", "ReadOnly", "Final", "InitVar", "ClassVar"})


_SCALARS: dict[str, tuple[ScalarType, str]] = {
    "str": ("string", ""),
    "int": ("integer", ""),
    "float": ("number", ""),
    "bool": ("boolean", ""),
    "bytes": ("string", ""),
    "bytearray": ("string", ""),
    "typing.Text": ("string", ""),
    "typing.AnyStr": ("string", ""),
    "typing.LiteralString": ("string", ""),
    "typing_extensions.LiteralString": ("string", ""),
    "datetime.datetime": ("string", "date-time"),
    "datetime.date": ("string", "date"),
    "datetime.time": ("string", "time"),
    "uuid.UUID": ("string", "uuid"),
    "http.HTTPStatus": ("integer", ""),
    "pathlib.Path": ("string", ""),
    "pathlib.PurePath": ("string", ""),
    "ipaddress.IPv4Address": ("string", "ipv4"),
    "ipaddress.IPv6Address": ("string", "ipv6"),
    "ipaddress.IPv4Network": ("string", ""),
    "ipaddress.IPv6Network": ("string", ""),
    "re.Pattern": ("string", "regex"),
    "typing.Pattern": ("string", "regex"),
    "zoneinfo.ZoneInfo": ("string", ""),
    "fastapi.UploadFile": ("string", "binary"),
    "starlette.datastructures.UploadFile": ("string", "binary"),
    "litestar.datastructures.UploadFile": ("string", "binary"),
    "litestar.datastructures.upload_file.UploadFile": ("string", "binary"),
    "ninja.UploadedFile": ("string", "binary"),
    "ninja.files.UploadedFile": ("string", "binary"),
    "bson.ObjectId": ("string", ""),
    "bson.objectid.ObjectId": ("string", ""),
    "beanie.PydanticObjectId": ("string", ""),
    "ulid.ULID": ("string", ""),
    "phonenumbers.PhoneNumber": ("string", ""),
}
"""Types with one shape whoever writes them, by qualified name."""

_STRINGS = (
    {"constr", "StrictStr", "SecretStr", "Base64Str", "Base64UrlStr", "NameEmail", "Color"}
    | {"SecretBytes", "StrictBytes", "conbytes", "Base64Bytes", "ImportString", "PyObject"}
    | {"FilePath", "DirectoryPath", "NewPath", "PaymentCardNumber", "CountryAlpha2"}
    | {"IPvAnyAddress", "IPvAnyInterface", "IPvAnyNetwork", "PhoneNumber"}
    | {"PostgresDsn", "RedisDsn", "AmqpDsn", "KafkaDsn", "MongoDsn", "MySQLDsn"}
)
_FORMATS = {
    "email": {"EmailStr"},
    "uri": {"AnyUrl", "AnyHttpUrl", "HttpUrl", "FileUrl", "AnyWebsocketUrl", "WebsocketUrl"},
    "uuid": {"UUID1", "UUID3", "UUID4", "UUID5", "UUID6", "UUID7"},
    "date-time": {"AwareDatetime", "NaiveDatetime", "PastDatetime", "FutureDatetime"},
    "date": {"PastDate", "FutureDate", "condate"},
}
_INTEGERS = {"conint", "StrictInt", "PositiveInt", "NegativeInt"} | {
    "NonNegativeInt",
    "NonPositiveInt",
    "ByteSize",
}
_NUMBERS = {"confloat", "StrictFloat", "PositiveFloat", "NegativeFloat"} | {
    "NonNegativeFloat",
    "NonPositiveFloat",
    "FiniteFloat",
}
_PYDANTIC: dict[str, tuple[ScalarType, str]] = {
    **dict.fromkeys(sorted(_STRINGS), ("string", "")),
    **{name: ("string", form) for form, names in _FORMATS.items() for name in sorted(names)},
    **dict.fromkeys(sorted(_INTEGERS), ("integer", "")),
    **dict.fromkeys(sorted(_NUMBERS), ("number", "")),
    "StrictBool": ("boolean", ""),
}
"""Types of pydantic (and its v1 and types modules), by simple name."""

_Reader: TypeAlias = Callable[[TypeUse], Schema | None]


_PARTS_OF_TIMES = frozenset({"year", "month", "day", "hour", "minute", "second", "microsecond"})
_TIMES = frozenset({"datetime.date", "datetime.datetime", "datetime.time"})


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """`day.year` of a date: a number.
    https://docs.python.org/3/library/datetime.html#date-objects"""
    if name not in _PARTS_OF_TIMES or not isinstance(value, ByType):
        return None
    is_time = program.evaluator.qualified_name(value) in _TIMES
    return BySchema(Scalar(type="integer")) if is_time else None


def library_type(use: TypeUse) -> Schema | None:
    """The schema of a library type; None where nothing is known of it."""
    known = _SCALARS.get(use.name)
    if known is not None:
        return _scalar(use, *known)
    simple = use.simple_name
    package = use.name.partition(".")[0]
    if package == "pydantic" or package == "pydantic_extra_types":
        return _pydantic(use, simple)
    if simple in _ARRAYS:
        return Array(items=use.arg(0), origin=use.origin)
    if simple in _MAPS:
        return Object(additional=use.arg(1), origin=use.origin)
    if simple in _SELF_WRAPPERS or use.name in TRANSPARENT or use.name == "sqlalchemy.orm.Mapped":
        return use.arg(0)
    read = _READERS.get(use.name)
    return read(use) if read is not None else None


def _scalar(use: TypeUse, type: ScalarType, format: str) -> Scalar:
    """Of a date alone, pydantic 2 makes a time at midnight, and so does `fromisoformat`, by which
    Django REST framework reads (https://docs.pydantic.dev/latest/api/standard_library_types/)."""
    taken = ("date",) if format == "date-time" else ()
    read: tuple[ScalarType, ...] = ("number",) if format == "decimal" else ()
    return Scalar(type=type, format=format, also_formats=taken, also_takes=read, origin=use.origin)


def _pydantic(use: TypeUse, simple: str) -> Schema | None:
    known = _PYDANTIC.get(simple)
    if known is not None:
        return _scalar(use, *known)
    match simple:
        case "condecimal":
            return _decimal(use)
        case "conlist" | "conset" | "confrozenset":
            return Array(items=use.arg(0), origin=use.origin)
        case "JsonValue":
            return Anything(nullable=True, origin=use.origin)
        case "Json":
            return use.arg(0) if use.type.args else _any_schema(use)
        case "SerializeAsAny" | "SkipValidation" | "Secret" | "Strict" | "RootModel":
            return use.arg(0)
        case "SkipJsonSchema":
            # `int | SkipJsonSchema[None]`: what is kept out of contracts is not held against them.
            return with_nullable(use.arg(0), None)
        case _:
            return None


def _any_schema(use: TypeUse) -> Schema:
    reason = Reason("declared-type-accepts-anything", type=use.type.name)
    return Unknown(reason=reason, accepts_any=True, nullable=None, origin=use.origin)


def _decimal(use: TypeUse) -> Schema:
    """Pydantic 2 and most others write decimals as strings, pydantic 1 as numbers; what is read may
    be either."""
    if pydantic_major(use.program, use.scope.file.path) == 1:
        return Scalar(type="number", origin=use.origin)
    return Scalar(type="string", format="decimal", also_takes=("number",), origin=use.origin)


def _duration(use: TypeUse) -> Schema:
    if pydantic_major(use.program, use.scope.file.path) == 1:
        return Scalar(type="number", origin=use.origin)
    return Scalar(type="string", format="duration", origin=use.origin)


def _counter(use: TypeUse) -> Schema:
    return Object(additional=Scalar(type="integer"), origin=use.origin)


def _null_schema(use: TypeUse) -> Schema:
    return Nothing(origin=use.origin)


def _bare_tuple(use: TypeUse) -> Schema:
    return Array(items=_any_schema(use), origin=use.origin)


def _page(use: TypeUse) -> Schema:
    """A page of items as Litestar, Advanced Alchemy and Ninja Extra count them."""
    integer = Scalar(type="integer", origin=use.origin)
    if use.simple_name == "CursorPagination":
        cursor = with_nullable(use.arg(0), True)
        fields = {"items": use.arg(1), "results_per_page": integer, "cursor": cursor}
    elif use.simple_name == "PaginatedResponseSchema":
        link = Scalar(type="string", format="uri", nullable=True, origin=use.origin)
        fields = {"count": integer, "next": link, "previous": link, "items": use.arg(0)}
    elif use.simple_name == "NinjaPaginationResponseSchema":
        fields = {"items": use.arg(0), "count": integer}
    elif use.simple_name == "ClassicPagination":
        fields = {"items": use.arg(0), "page_size": integer, "current_page": integer}
        fields["total_pages"] = integer
    else:
        fields = {"items": use.arg(0), "limit": integer, "offset": integer, "total": integer}
    fields["items"] = Array(items=fields["items"], origin=use.origin)
    if use.simple_name == "PaginatedResponseSchema":
        fields["results"] = fields.pop("items")
    return Object(
        fields=tuple(
            Field(name=name, schema=schema, origin=use.origin) for name, schema in fields.items()
        ),
        name=use.simple_name,
        origin=use.origin,
    )


def scalar_named(name: str) -> tuple[ScalarType, str] | None:
    """The scalar that values of a class of Python or of a library are written as."""
    return _SCALARS.get(name)


_READERS: dict[str, _Reader] = {
    "typing.Any": _any_schema,
    "Any": _any_schema,
    "object": _any_schema,
    "typing.Hashable": _any_schema,
    "decimal.Decimal": _decimal,
    "datetime.timedelta": _duration,
    "collections.Counter": _counter,
    "typing.Counter": _counter,
    "typing.NoReturn": _null_schema,
    "typing.Never": _null_schema,
    **dict.fromkeys(
        (
            "litestar.pagination.OffsetPagination",
            "litestar.pagination.ClassicPagination",
            "litestar.pagination.CursorPagination",
            "ninja_extra.schemas.NinjaPaginationResponseSchema",
            "ninja_extra.schemas.PaginatedResponseSchema",
            "ninja_extra.pagination.NinjaPaginationResponseSchema",
            "ninja_extra.pagination.PaginatedResponseSchema",
            "advanced_alchemy.service.OffsetPagination",
            "advanced_alchemy.service.pagination.OffsetPagination",
        ),
        _page,
    ),
    "tuple": _bare_tuple,
    "typing.Tuple": _bare_tuple,
}
