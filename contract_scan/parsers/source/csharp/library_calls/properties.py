"""Well-known properties of library types: `DateTime.UtcNow`, `nullable.Value`, `error.Message`."""

from __future__ import annotations

from collections.abc import Mapping

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.csharp.library_calls.sequences import key_of, values_of
from contract_scan.parsers.source.csharp.library_calls.table import TYPE_OF, without_null
from contract_scan.parsers.source.csharp.serialization.library_classes import CLASSES, library_class
from contract_scan.parsers.source.csharp.serialization.library_types import PAIRS
from contract_scan.parsers.source.csharp.serialization.settings.record import JsonSettings
from contract_scan.parsers.source.facts.nodes import NamedType, New, NullableType
from contract_scan.parsers.source.language import Property

_INSTANT = Scalar(type="string", format="date-time")
_INTEGER = Scalar(type="integer", format="int32")
_TEXT = Scalar(type="string")
_DATES = frozenset({"DateTime", "DateTimeOffset"})
_VALUES = _DATES | {
    *("DateOnly", "TimeOnly", "TimeSpan", "Guid", "bool", "char", "decimal", "double", "float"),
    *("byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong"),
}
_HOLDERS = frozenset({"Result`1", "Result`2", "ErrorOr`1", "IResult`1", "Maybe`1", "Lazy`1"})
"""Types of libraries (ErrorOr, FluentResults, CSharpFunctionalExtensions …) whose `Value` is of
their first type argument."""
_PAIRS = frozenset({"KeyValuePair`2"})
_KEYED = _PAIRS | {"IGrouping`2"}
_OF_TYPES: Mapping[str, tuple[frozenset[str], Schema]] = {
    **dict.fromkeys(("Now", "UtcNow", "Today", "MinValue", "MaxValue"), (_DATES, _INSTANT)),
    **dict.fromkeys(
        ("Date", "UnixEpoch", "UtcDateTime", "LocalDateTime", "DateTime"), (_DATES, _INSTANT)
    ),
    **dict.fromkeys(
        ("Year", "Month", "Day", "Hour", "Minute", "Second", "DayOfYear"),
        (_DATES | {"DateOnly"}, _INTEGER),
    ),
    "Ticks": (_DATES | {"TimeSpan"}, Scalar(type="integer", format="int64")),
    "MachineName": (frozenset({"Environment"}), _TEXT),
    "TraceIdentifier": (frozenset({"HttpContext"}), _TEXT),
    "IsValid": (frozenset({"ModelState"}), Scalar(type="boolean")),
    # `User.Identity`, also where a class of the project is called `User`.
    "IsAuthenticated": (frozenset({"Identity"}), Scalar(type="boolean")),
    "AuthenticationType": (frozenset({"Identity"}), with_nullable(_TEXT)),
    **dict.fromkeys(("FileName", "ContentType"), (frozenset({"IFormFile"}), _TEXT)),
    **dict.fromkeys(
        ("Host", "AbsoluteUri", "AbsolutePath", "Scheme", "Authority"), (frozenset({"Uri"}), _TEXT)
    ),
    "ElapsedMilliseconds": (
        frozenset({"Stopwatch"}),
        Scalar(type="integer", format="int64"),
    ),
}
"""Property -> the library types that have it, and what it holds."""


def _of_type(name: str) -> Property:
    types, schema = _OF_TYPES[name]

    def property_value(program: Program, value: Value) -> Value | None:
        return BySchema(schema) if _library_type(program, value) in types else None

    return property_value


def _empty(program: Program, value: Value) -> Value | None:
    if _library_type(program, value) == "Guid":
        return BySchema(Scalar(type="string", format="uuid"))
    return Constant("") if _library_type(program, value) in ("string", "String") else None


def _key(program: Program, value: Value) -> Value | None:
    """`pair.Key`, `group.Key`."""
    grouped = key_of(program, value)
    return grouped if grouped is not None else _argument(program, value, _KEYED, 0)


def _count(program: Program, value: Value) -> Value | None:
    """`new List<T>().Count`."""
    if not isinstance(value, LibraryResult) or not isinstance(value.site, New):
        return None
    made = value.site.type
    name = made.name.rpartition(".")[2] if isinstance(made, NamedType) else ""
    return BySchema(_INTEGER) if name in program.language.containers or name in PAIRS else None


def _column(at: int) -> Property:
    """`map.Keys`, `map.Values`."""

    def property_value(program: Program, value: Value) -> Value | None:
        if isinstance(value, Record) and at == 1 and not value.partial:
            return Items((values_of(value),), repeated=True)
        if isinstance(value, LibraryResult) and isinstance(value.site, New):
            made = value.site.type
            value = value if made is None else ByType(made, value.scope)
        found = _argument(program, value, frozenset(PAIRS), at)
        return None if found is None else Items((found,), repeated=True)

    return property_value


def _argument(program: Program, value: Value, types: frozenset[str], at: int) -> Value | None:
    """A value of a type argument of one of the library types."""
    if isinstance(value, ByType) and isinstance(value.type, NamedType):
        args = value.type.args
        if _library_type(program, value) in types and at < len(args):
            return ByType(args[at], value.scope, value.span)
    return None


def _value(program: Program, value: Value) -> Value | None:
    """`nullable.Value`; `result.Value` of what a library wraps a value in; `pair.Value`."""
    paired = _argument(program, value, _PAIRS, 1)
    if paired is not None:
        return paired
    if isinstance(value, ByType) and isinstance(value.type, NamedType) and value.type.args:
        held = value.type.args[0]
        if _library_type(program, value) in _HOLDERS:
            return without_null(program, ByType(held, value.scope, value.span))
    return without_null(program, value) if _may_be_nullable(program, value) else None


def _success_flag(program: Program, value: Value) -> Value | None:
    """`result.IsSuccess`."""
    return BySchema(Scalar(type="boolean")) if _library_type(program, value) in _HOLDERS else None


def _has_value(program: Program, value: Value) -> Value | None:
    return BySchema(Scalar(type="boolean")) if _may_be_nullable(program, value) else None


def _may_be_nullable(program: Program, value: Value) -> bool:
    """Whether a value may be a `Nullable<T>`, its `?` possibly looked through already."""
    match value:
        case ByType(type=NullableType()) | BySchema(schema=Scalar()):
            return True
        case ByType(type=NamedType(name=name), scope=scope):
            found = program.names.lookup_type(name, scope)
            if isinstance(found, ClassValue):
                return found.symbol.decl.kind in ("enum", "struct")
            return _library_type(program, value) in _VALUES
        case _:
            return False


def _message(program: Program, value: Value) -> Value | None:
    """`error.Message`, which a class of the project may inherit."""
    name = value.symbol.decl.name if isinstance(value, Instance) else _library_type(program, value)
    return BySchema(_TEXT) if name.endswith("Exception") else None


def _library_type(program: Program, value: Value) -> str:
    """The simple name of the type that a value is or has."""
    match value:
        case LibrarySymbol(name=name) | LibraryResult(name=name, site=New()):
            return name.rpartition(".")[2]
        case ByType():
            return program.evaluator.qualified_name(value).replace("#", ".").rpartition(".")[2]
        case BySchema(schema=Scalar(format="date-time")):
            return "DateTime"
        case _:
            return ""


def _name(program: Program, value: Value) -> Value | None:
    """`value.GetType().Name`, `User.Identity.Name`."""
    if _library_type(program, value) == "Identity":
        return BySchema(with_nullable(_TEXT))
    if (
        isinstance(value, LibraryResult)
        and value.name == TYPE_OF
        and isinstance(value.receiver, Instance)
    ):
        return Constant(value.receiver.symbol.decl.name.partition("`")[0])
    return None


_SPECIAL: Mapping[str, Property] = {
    "Empty": _empty,
    "Value": _value,
    "Key": _key,
    "Count": _count,
    "Keys": _column(0),
    "Values": _column(1),
    "HasValue": _has_value,
    **dict.fromkeys(("IsSuccess", "IsFailure", "IsFailed", "IsError"), _success_flag),
    "Message": _message,
    "Name": _name,
}
PROPERTIES: Mapping[str, Property] = {**{name: _of_type(name) for name in _OF_TYPES}, **_SPECIAL}


def status_in_name(name: str) -> str | None:
    """The status of a constant of `StatusCodes`: `Status201Created`."""
    status = name.removeprefix("Status")[:3]
    return status if name.startswith("Status") and status.isdigit() else None


_METHODS = frozenset(
    {"Connect", "Delete", "Get", "Head", "Options", "Patch", "Post", "Put", "Trace"}
)
"""The texts of `Microsoft.AspNetCore.Http.HttpMethods`."""


def library_property(program: Program, value: Value, name: str) -> Value | None:
    """`user.Email`: a property that a known class of a library declares (see `library_classes`),
    of a value of it or of a class of the project that inherits from it. Of `StatusCodes` and
    `HttpMethods` a constant."""
    match value:
        case LibrarySymbol(name=holder) if holder.rpartition(".")[2] == "StatusCodes":
            status = status_in_name(name)
            return None if status is None else Constant(int(status))
        case LibrarySymbol(name=holder) if holder.rpartition(".")[2] == "HttpMethods":
            return Constant(name.upper()) if name in _METHODS else None
        case Instance(symbol=symbol, types=types):
            bases = _bases(program, symbol, program.names.classes.class_scope(symbol, types))
        case ByType(type=NullableType(item=item), scope=scope):
            return library_property(program, ByType(item, scope), name)
        case ByType(type=NamedType() as type, scope=scope):
            found = program.names.declared_class(type, scope)
            if found is not None:
                bound = program.names.classes.bind(found.decl.type_params, type, scope)
                inside = program.names.classes.class_scope(found, bound)
                bases = _bases(program, found, inside)
            else:
                bases = [(type, scope)]
        case _:
            return None
    for base, scope in bases:
        member = _member_of(program, base, scope, name)
        if member is not None:
            return member
    return None


def _bases(program: Program, symbol: ClassSymbol, scope: Scope) -> list[tuple[NamedType, Scope]]:
    return [
        (base, place)
        for owner, place in program.types.chain(symbol, scope)
        for base in owner.decl.bases
        if isinstance(base, NamedType)
    ]


def _member_of(program: Program, base: NamedType, scope: Scope, name: str) -> Value | None:
    simple = base.name.rsplit(".", 1)[-1]
    if simple not in CLASSES:
        return None
    if not isinstance(program.names.lookup_type(base.name, scope), LibrarySymbol):
        return None

    def argument(position: int) -> Schema:
        if position < len(base.args):
            return program.schema(base.args[position], scope)
        return Unknown(reason=Reason("used-without-type", type=base.name))

    for field in library_class(simple, argument, JsonSettings(), "") or ():
        if field.declared_as == name:
            return BySchema(field.schema)
    return None
