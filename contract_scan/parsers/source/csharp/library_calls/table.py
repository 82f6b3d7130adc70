"""Well-known calls: tasks, LINQ, Entity Framework, mappers, mediators, serializers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Scalar, Schema, with_nullable
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.hooks import CallSite, always
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.csharp.library_calls.loaded_navigations import (
    table_rows,
    without_views,
)
from contract_scan.parsers.source.csharp.library_calls.mapped_objects import mapped_object
from contract_scan.parsers.source.csharp.library_calls.regular_expressions import (
    replace_by_pattern,
)
from contract_scan.parsers.source.csharp.library_calls.sequences import SEQUENCES
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT, NOT_NULL
from contract_scan.parsers.source.csharp.resolution.extensions import extension_for
from contract_scan.parsers.source.csharp.resolution.mediators import message_handlers
from contract_scan.parsers.source.csharp.serialization.wire import MAP
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    NamedType,
    New,
    NullableType,
    Return,
    TypeExpr,
)
from contract_scan.parsers.source.language import CallModel

TYPE_OF = "GetType"
"""What `value.GetType()` gives; the value is its receiver."""

# --------------------------------------------------------------------------- the language itself
_REQUESTS = frozenset({"IRequest`1", "IStreamRequest`1", "IQuery`1", "ICommand`1"})


def _await(site: CallSite) -> Value | None:
    value = site.value(0)
    if isinstance(value, OneOf):
        return union_of(tuple(site.unwrap(option) for option in value.options))
    return site.unwrap(value)


def _not_null(site: CallSite) -> Value | None:
    value = site.value(0)
    return None if value is None else without_null(site.program, value)


def without_null(program: Program, value: Value) -> Value:
    """The value where it is known not to be null."""
    match value:
        case ByType(type=NullableType(item=item)):
            return replace(value, type=item)
        case ByType(type=NamedType(name=name, args=(item,))) if name.endswith("Nullable`1"):
            return replace(value, type=item)
        case BySchema(schema=schema):
            return BySchema(with_nullable(schema, False))
        case OneOf(options=options):
            remaining = [
                without_null(program, option)
                for option in options
                if not (isinstance(option, Constant) and option.value is None)
            ]
            return union_of(tuple(remaining)) if remaining else value
        case _:
            return value


# --------------------------------------------------------------------------- values


def _of_receivers_type(site: CallSite) -> Value | None:
    """`date.AddDays(1)`, `nullable.GetValueOrDefault()`: of the receiver's type, not null."""
    receiver = site.receiver
    if isinstance(receiver, ByType | BySchema):
        return without_null(site.program, receiver)
    return None


def _constant_text(change: Callable[..., str]) -> CallModel:
    """`text.ToLowerInvariant()`, `text.Trim('/')`: what becomes of a constant."""

    def changed_text(site: CallSite) -> Value | None:
        given = (site.receiver, *(site.value(n) for n in range(len(site.call.args))))
        texts = [v.value for v in given if isinstance(v, Constant) and isinstance(v.value, str)]
        if len(texts) == len(given) <= 2:
            return Constant(change(*texts))
        return BySchema(Scalar(type="string"))

    return changed_text


def _type_of(site: CallSite) -> Value | None:
    """`value.GetType()` of an object of which the class is known."""
    value = site.unwrap(site.receiver)
    if isinstance(value, Instance) and not site.program.names.classes.implementations(value.symbol):
        return LibraryResult(TYPE_OF, site.call, site.scope, value)
    return None


def _returns_schema(schema: Schema) -> CallModel:
    return lambda site: BySchema(schema)


_INTEGER = _returns_schema(Scalar(type="integer", format="int32"))
_LONG = _returns_schema(Scalar(type="integer", format="int64"))
_NUMBER = _returns_schema(Scalar(type="numeric"))
_TEXT = _returns_schema(Scalar(type="string"))
_TEXT_OR_NULL = _returns_schema(Scalar(type="string", nullable=True))
_BOOLEAN = _returns_schema(Scalar(type="boolean"))

# --------------------------------------------------------------------------- libraries


def _typed_argument(site: CallSite) -> Value | None:
    """`mapper.Map<T>(x)`, `x.Adapt<T>()`: the type that is asked for (the last of several)."""
    types = site.call.type_args if isinstance(site.call, Call) else ()
    return ByType(types[-1], site.scope, site.call.span) if types else None


def _mapped_onto(position: int) -> CallModel:
    """`mapper.Map<T>(x)`, `x.Adapt<T>()`; `mapper.Map(x, dto)`, `x.Adapt(dto)`: without a type,
    what is given to be filled."""

    def mapped_value(site: CallSite) -> Value | None:
        given = site.value(position) if len(site.call.args) == position + 1 else None
        made = _typed_argument(site)
        if isinstance(made, ByType) and given is None:
            source = site.receiver if position == 0 else site.value(0)
            of = None if source is None else site.unwrap(source)
            return mapped_object(site.program, made, of, lists=position == 1)
        return made or (None if isinstance(given, FunctionValue) else given)

    return mapped_value


def _projected_query(site: CallSite) -> Value | None:
    """`query.ProjectTo<T>(…)`: a query of objects that are mapped."""
    bound = site.type_argument()
    if bound is None:
        return None
    row = None if site.receiver is None else without_views(site.item(site.receiver))
    made = ByType(bound.type, bound.scope)
    lists = site.name == ".ProjectTo"
    return Items((mapped_object(site.program, made, row, lists=lists),), repeated=True)


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
        values = ByType(call.type.args[1], site.scope, call.span)
    origin = record.origin
    marked = None if origin is None else Origin(origin.path, origin.span, MAP, origin.symbol)
    return Record(record.entries, record.partial, values, marked)


def _mediator_response(site: CallSite) -> Value | None:
    """`mediator.Send(request)`: what the one handler of the request gives, or else the response
    that `IRequest<T>` declares on the request's type."""
    request = site.value(0)
    declared = None if request is None else _declared_response(site.program, request)
    if declared is None or request is None or not isinstance(site.call, Call):
        return declared
    handlers = message_handlers(site.program, site.call, site.scope)
    given = site.apply(handlers[0], request) if len(handlers) == 1 else declared
    types = site.program.types
    return declared if types.is_unknown(types.schema_of(site.unwrap(given))) else given


# --------------------------------------------------------------------------- the table

_KNOWN: dict[str, CallModel] = {
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
    **{f".{name}": _constant_text(str.lower) for name in ("ToLower", "ToLowerInvariant")},
    **{f".{name}": _constant_text(str.upper) for name in ("ToUpper", "ToUpperInvariant")},
    ".Trim": _constant_text(str.strip),
    ".TrimEnd": _constant_text(str.rstrip),
    ".TrimStart": _constant_text(str.lstrip),
    ".GetType": _type_of,
    ".Split": always(Items((BySchema(Scalar(type="string")),), repeated=True)),
    **{
        f".{name}": _of_receivers_type
        for name in (
            *(f"Add{unit}" for unit in ("Days", "Hours", "Minutes", "Seconds", "Milliseconds")),
            *("AddMonths", "AddYears", "AddTicks", "ToUniversalTime", "ToLocalTime"),
        )
    },
    ".GetValueOrDefault": _of_receivers_type,
    **{
        f"{type}.Parse": _returns_schema(Scalar(type="string", format=format))
        for type, format in (
            ("DateTime", "date-time"),
            ("DateTimeOffset", "date-time"),
            ("DateOnly", "date"),
            ("Guid", "uuid"),
        )
    },
    "DateOnly.FromDateTime": _returns_schema(Scalar(type="string", format="date")),
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
    **dict.fromkeys(("Environment.GetEnvironmentVariable", "Console.ReadLine"), _TEXT_OR_NULL),
    "Interlocked.Read": _LONG,
    "JsonSerializer.Deserialize": _typed_argument,
    "JsonSerializer.DeserializeAsync": _typed_argument,
    ".ReadFromJsonAsync": _typed_argument,
    "JsonConvert.DeserializeObject": _typed_argument,
    "Regex.Replace": replace_by_pattern,
    "string.Join": _TEXT,
    "string.Format": _TEXT,
    "String.Join": _TEXT,
    "String.Format": _TEXT,
    "string.Concat": _TEXT,
    "Guid.NewGuid": _returns_schema(Scalar(type="string", format="uuid")),
    ".Map": _mapped_onto(1),
    ".Adapt": _mapped_onto(0),
    ".Set": table_rows,
    ".ProjectTo": _projected_query,
    ".ProjectToType": _projected_query,
    ".Invoke": _typed_argument,
    ".InvokeAsync": _typed_argument,
    ".Send": _mediator_response,
    ".SendAsync": _mediator_response,
    "Task.FromResult": lambda site: site.value(0),
    "ValueTask.FromResult": lambda site: site.value(0),
    "Task.Run": lambda site: site.apply(site.value(0)),
    ".GetResult": lambda site: site.unwrap(site.receiver),
    ".GetAwaiter": lambda site: site.unwrap(site.receiver),
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
    text = None if call.args else _constant_of_text(program, found, receiver)
    if text is not None:
        return text
    whole = replace(call, args=(Argument(value=call.callee.value), *call.args))
    return program.evaluator.call_function(found, whole, site.scope)


def _constant_of_text(
    program: Program, function: FunctionValue, receiver: Value
) -> Constant | None:
    """The text that an extension method makes of a constant one: `name.ToKebabCase()`."""
    if not isinstance(receiver, Constant) or not isinstance(receiver.value, str):
        return None
    if receiver.declared_type is not None or not _gives_text(function):
        return None
    name = function.function.params[0].name
    running = program.evaluator.specialisations.with_facts(function, {name: receiver.value})
    inside = program.function_scope(running.function, running.scope, {name: receiver})
    returned = [
        program.evaluate(one.value, inside)
        for one in reaching_definitions.returns(inside.statements or ())
        if isinstance(one, Return) and one.value is not None
    ]
    texts = {one.value if isinstance(one, Constant) else None for one in returned}
    only = texts.pop() if len(texts) == 1 else None
    return Constant(only) if isinstance(only, str) else None


def _gives_text(function: FunctionValue) -> bool:
    type = function.function.returns
    return isinstance(type, NamedType) and type.name in ("string", "String")


_NAMESPACES = ("System.", "Newtonsoft.Json.")


class _CallModels(Mapping[str, "CallModel"]):
    """The table; a method that is not in it may be an extension method of the project."""

    def __getitem__(self, name: str) -> CallModel:
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


def _declared_response(program: Program, request: Value) -> Value | None:
    """The response that the type of a request declares."""
    match request:
        case Instance(symbol=symbol, types=types):
            scope = program.names.classes.class_scope(symbol, types)
            own: Value | None = None
            for owner, inside in program.types.chain(symbol, scope):
                for base in owner.decl.bases:
                    if not isinstance(base, NamedType) or not _is_request(base):
                        continue
                    declared = program.names.lookup_type(base.name, inside)
                    if isinstance(declared, LibrarySymbol):
                        return ByType(base.args[0], inside, base.span)
                    # `IQuery<T>` of the project may be an `IRequest<Result<T>>`.
                    own = own or ByType(base.args[0], inside, base.span)
            return own
        case ByType(type=type):
            instance = _instance(program, type, request)
            return _declared_response(program, instance) if instance is not None else None
        case OneOf(options=options):
            found = [_declared_response(program, option) for option in options]
            known = tuple(value for value in found if value is not None)
            return union_of(known) if len(known) == len(found) else None
        case _:
            return None


def _is_request(base: NamedType) -> bool:
    return bool(base.args) and base.name.rsplit(".", 1)[-1] in _REQUESTS


def _instance(program: Program, type: TypeExpr, value: ByType) -> Instance | None:
    if isinstance(type, NullableType):
        type = type.item
    found = program.names.declared_class(type, value.scope)
    if not isinstance(type, NamedType) or found is None:
        return None
    bound = program.names.classes.bind(found.decl.type_params, type, value.scope)
    return Instance(found, bound)


CALL_MODELS: Mapping[str, CallModel] = _CallModels()
