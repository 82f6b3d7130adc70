"""Well-known calls: tasks, LINQ, Entity Framework, mappers, mediators, serializers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Scalar, Schema, with_nullable
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Instance,
    Items,
    Made,
    OneOf,
    Record,
    Shaped,
    Typed,
    Unresolved,
    Value,
    one_of,
)
from contract_scan.parsers.source.csharp.library_calls.mediators import answered
from contract_scan.parsers.source.csharp.library_calls.sequences import SEQUENCES
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT, NOT_NULL
from contract_scan.parsers.source.csharp.resolution.extensions import extension_for
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    NamedType,
    New,
    NullableType,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.hooks import CallSite
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.language import Intrinsic


TYPE_OF = "GetType"
"""What `value.GetType()` gives; the value is its receiver."""

# --------------------------------------------------------------------------- the language itself


def _await(site: CallSite) -> Value | None:
    value = site.value(0)
    if isinstance(value, OneOf):
        return one_of(tuple(site.unwrapped(option) for option in value.options))
    return site.unwrapped(value)


def _not_null(site: CallSite) -> Value | None:
    value = site.value(0)
    return None if value is None else without_null(site.program, value)


def without_null(program: Program, value: Value) -> Value:
    """The value where it is known not to be null."""
    match value:
        case Typed(type=NullableType(item=item)):
            return replace(value, type=item)
        case Typed(type=NamedType(name=name, args=(item,))) if name.endswith("Nullable`1"):
            return replace(value, type=item)
        case Shaped(schema=schema):
            return Shaped(with_nullable(schema, False))
        case OneOf(options=options):
            kept = [
                without_null(program, option)
                for option in options
                if not (isinstance(option, Constant) and option.value is None)
            ]
            return one_of(tuple(kept)) if kept else value
        case _:
            return value


# --------------------------------------------------------------------------- values


def _texts(site: CallSite) -> Value | None:
    del site
    return Items((Shaped(Scalar(type="string")),), repeated=True)


def _of_receivers_type(site: CallSite) -> Value | None:
    """`date.AddDays(1)`, `nullable.GetValueOrDefault()`: of the receiver's type, not null."""
    receiver = site.receiver
    if isinstance(receiver, Typed | Shaped):
        return without_null(site.program, receiver)
    return None


def _cased(change: Callable[..., str]) -> Intrinsic:
    """`text.ToLowerInvariant()`, `text.Trim('/')`: what becomes of a constant."""

    def changed(site: CallSite) -> Value | None:
        given = (site.receiver, *(site.value(n) for n in range(len(site.call.args))))
        texts = [v.value for v in given if isinstance(v, Constant) and isinstance(v.value, str)]
        if len(texts) == len(given) <= 2:
            return Constant(change(*texts))
        return Shaped(Scalar(type="string"))

    return changed


def _type_of(site: CallSite) -> Value | None:
    """`value.GetType()` of an object of which the class is known."""
    value = site.unwrapped(site.receiver)
    if isinstance(value, Instance) and not site.program.implementations(value.symbol):
        return Made(TYPE_OF, site.call, site.scope, value)
    return None


def _shaped(schema: Schema) -> Intrinsic:
    return lambda site: Shaped(schema)


_INTEGER = _shaped(Scalar(type="integer", format="int32"))
_LONG = _shaped(Scalar(type="integer", format="int64"))
_NUMBER = _shaped(Scalar(type="numeric"))
_TEXT = _shaped(Scalar(type="string"))
_BOOLEAN = _shaped(Scalar(type="boolean"))

# --------------------------------------------------------------------------- libraries


def _typed_argument(site: CallSite) -> Value | None:
    """`mapper.Map<T>(x)`, `x.Adapt<T>()`: the type that is asked for (the last of several)."""
    types = site.call.type_args if isinstance(site.call, Call) else ()
    return Typed(types[-1], site.scope, site.call.span) if types else None


def _mapped_onto(position: int) -> Intrinsic:
    """`mapper.Map(x, dto)`, `x.Adapt(dto)`: without a type, what is given to be filled."""

    def mapped(site: CallSite) -> Value | None:
        given = site.value(position) if len(site.call.args) == position + 1 else None
        return _typed_argument(site) or (None if isinstance(given, FunctionValue) else given)

    return mapped


def _set(site: CallSite) -> Value | None:
    """`db.Set<T>()`: the rows of a table."""
    return None if site.call.args else _projected(site)


def _projected(site: CallSite) -> Value | None:
    """`query.ProjectTo<T>(…)`: a query of the type that is asked for."""
    bound = site.type_argument()
    return None if bound is None else Items((Typed(bound.type, bound.scope),), repeated=True)


MAP = "map"
"""Mark (as the pointer of its origin) of a record that is a dictionary: its keys are not named like
members."""


def _dictionary(site: CallSite) -> Value | None:
    """`new Dictionary<K, V> { ["a"] = 1 }`."""
    call = site.call
    if not isinstance(call, New) or not isinstance(call.type, NamedType) or call.args:
        return None
    record = site.program.evaluator.record(call.entries, site.scope, call.span)
    if not isinstance(record, Record) or len(call.type.args) != 2:
        return None
    values = record.values
    if not call.entries:
        values = Typed(call.type.args[1], site.scope, call.span)
    origin = record.origin
    marked = None if origin is None else Origin(origin.path, origin.span, MAP, origin.symbol)
    return Record(record.entries, record.partial, values, marked)


def _sent(site: CallSite) -> Value | None:
    """`mediator.Send(request)`: what `IRequest<T>` on the request's type says is answered."""
    request = site.value(0)
    return None if request is None else answered(site.program, request)


# --------------------------------------------------------------------------- the table

_KNOWN: dict[str, Intrinsic] = {
    AWAIT: _await,
    NOT_NULL: _not_null,
    **SEQUENCES,
    **{
        f"{name}Dictionary`2": _dictionary
        for name in ("", "Sorted", "Concurrent", "System.Collections.Generic.")
    },
    **{f".{name}": _INTEGER for name in ("Count", "CountAsync", "IndexOf", "CompareTo")},
    **{f".{name}": _LONG for name in ("LongCount", "LongCountAsync")},
    **{f".{name}": _NUMBER for name in ("Sum", "SumAsync", "Average", "AverageAsync")},
    **{
        f".{name}": _BOOLEAN
        for name in (
            "Any",
            "AnyAsync",
            "All",
            "AllAsync",
            "Contains",
            "ContainsAsync",
            "StartsWith",
            "EndsWith",
            "Equals",
            "ContainsKey",
            "HasFlag",
        )
    },
    **{
        f".{name}": _TEXT
        for name in (
            "ToString",
            "Substring",
            "Replace",
            "PadLeft",
        )
    },
    **{f".{name}": _cased(str.lower) for name in ("ToLower", "ToLowerInvariant")},
    **{f".{name}": _cased(str.upper) for name in ("ToUpper", "ToUpperInvariant")},
    ".Trim": _cased(str.strip),
    ".TrimEnd": _cased(str.rstrip),
    ".TrimStart": _cased(str.lstrip),
    ".GetType": _type_of,
    ".Split": _texts,
    **{
        f".{name}": _of_receivers_type
        for name in (
            *(f"Add{unit}" for unit in ("Days", "Hours", "Minutes", "Seconds", "Milliseconds")),
            *("AddMonths", "AddYears", "AddTicks", "ToUniversalTime", "ToLocalTime"),
        )
    },
    ".GetValueOrDefault": _of_receivers_type,
    **{
        f"{type}.Parse": _shaped(Scalar(type="string", format=format))
        for type, format in (
            ("DateTime", "date-time"),
            ("DateTimeOffset", "date-time"),
            ("DateOnly", "date"),
            ("Guid", "uuid"),
        )
    },
    "DateOnly.FromDateTime": _shaped(Scalar(type="string", format="date")),
    "int.Parse": _INTEGER,
    "long.Parse": _LONG,
    "Convert.ToInt32": _INTEGER,
    "Convert.ToInt64": _LONG,
    "Convert.ToString": _TEXT,
    "Convert.ToBase64String": _TEXT,
    "bool.Parse": _BOOLEAN,
    **{f"{type}.Parse": _NUMBER for type in ("decimal", "double", "float")},
    **{f"Math.{name}": _NUMBER for name in ("Round", "Floor", "Ceiling", "Sqrt", "Pow")},
    **{f"Math.{name}": lambda site: site.value(0) for name in ("Max", "Min", "Abs", "Clamp")},
    **{f"Convert.{name}": _NUMBER for name in ("ToDecimal", "ToDouble", "ToSingle")},
    "Convert.ToBoolean": _BOOLEAN,
    "Convert.ToHexString": _TEXT,
    **{f"File.{name}": _TEXT for name in ("ReadAllText", "ReadAllTextAsync")},
    **{f"Path.{name}": _TEXT for name in ("Combine", "GetFileName", "GetExtension", "Join")},
    "Interlocked.Read": _LONG,
    "JsonSerializer.Deserialize": _typed_argument,
    "JsonSerializer.DeserializeAsync": _typed_argument,
    ".ReadFromJsonAsync": _typed_argument,
    "JsonConvert.DeserializeObject": _typed_argument,
    "string.Join": _TEXT,
    "string.Format": _TEXT,
    "String.Join": _TEXT,
    "String.Format": _TEXT,
    "string.Concat": _TEXT,
    "Guid.NewGuid": _shaped(Scalar(type="string", format="uuid")),
    ".Map": _mapped_onto(1),
    ".Adapt": _mapped_onto(0),
    ".Set": _set,
    ".ProjectTo": _projected,
    ".ProjectToType": _projected,
    ".Send": _sent,
    ".SendAsync": _sent,
    "Task.FromResult": lambda site: site.value(0),
    "ValueTask.FromResult": lambda site: site.value(0),
    "Task.Run": lambda site: site.apply(site.value(0)),
    ".GetResult": lambda site: site.unwrapped(site.receiver),
    ".GetAwaiter": lambda site: site.unwrapped(site.receiver),
}


def _extension(site: CallSite) -> Value | None:
    """`value.ToDto(…)`: an extension method of the project, called with the receiver in front."""
    call = site.call
    if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
        return None
    receiver = site.receiver
    if receiver is None or isinstance(receiver, Unresolved):
        return None
    program = site.program
    found = extension_for(program, call.callee.name, receiver, len(call.args), site.scope.file)
    if found is None:
        return None
    whole = replace(call, args=(Argument(value=call.callee.value), *call.args))
    return program.evaluator.call_function(found, whole, site.scope)


_NAMESPACES = ("System.", "Newtonsoft.Json.")


class _Intrinsics(Mapping[str, "Intrinsic"]):
    """The table; a method that is not in it may be an extension method of the project."""

    def __getitem__(self, name: str) -> Intrinsic:
        if name in _KNOWN:
            return _KNOWN[name]
        if name.startswith(_NAMESPACES):
            # Written out with its namespace: `System.Math.Round`.
            short = ".".join(name.rsplit(".", 2)[-2:])
            if short in _KNOWN:
                return _KNOWN[short]
        if name.startswith("."):
            return _extension
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_KNOWN)

    def __len__(self) -> int:
        return len(_KNOWN)


INTRINSICS: Mapping[str, Intrinsic] = _Intrinsics()
