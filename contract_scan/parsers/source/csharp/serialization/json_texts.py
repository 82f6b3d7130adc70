"""JSON texts that code writes and reads: of which value, with which options."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Instance,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.inherited_members import object_class, on_object
from contract_scan.parsers.source.csharp.resolution.value_classes import called_scopes, symbol_of
from contract_scan.parsers.source.csharp.resolution.value_sources import sources, without_wrappers
from contract_scan.parsers.source.csharp.serialization.settings.application import kept_inline
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.csharp.serialization.settings.steps import start
from contract_scan.parsers.source.csharp.serialization.wire import expression_schema
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Name,
    NamedType,
    New,
    NullableType,
    Return,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_SERIALIZERS = frozenset(
    {"Serialize", "SerializeToUtf8Bytes", "SerializeObject", "SerializeAsync", "SerializeToNode"}
)
_READERS = frozenset(
    {
        "Deserialize",
        "DeserializeObject",
        "DeserializeAsync",
        "ToObjectFromJson",
        "ReadFromJsonAsync",
    }
)
_OF_NEWTONSOFT = frozenset({"SerializeObject", "DeserializeObject"})
READS = (b"Deserialize", b"ToObjectFromJson<")
"""What a function that reads a payload holds."""
_LIBRARIES = frozenset({"JsonSerializer", "JsonConvert"})
_PASSING = frozenset({"GetBytes", "ToArray", "FromString", "AsMemory", "FromBytes", "Create"})
_WRAPPERS = frozenset({"BinaryData", "ReadOnlyMemory", "MemoryStream"})
"""Classes around a text or bytes; `BinaryData` writes anything else as JSON."""
RAW = frozenset(
    {
        *("string", "String", "object", "dynamic", "BinaryData", "byte", "Stream", "JsonElement"),
        *("ServiceBusReceivedMessage", "ServiceBusMessage", "EventData", "QueueMessage"),
        *("JsonDocument", "JObject", "ReadOnlyMemory"),
    }
)
"""Types of payloads that say nothing."""
_MAX_DEPTH = 6


class Payload(Struct, frozen=True, kw_only=True):
    """What is sent or received."""

    schema: Schema
    message: str = ""
    """Name of its type, where it has one."""


def serialised_payload(
    program: Program, expr: Expr, scope: Scope, fallback: str, depth: int = 0
) -> Payload:
    """The payload that an expression (a text, bytes, an object) stands for. `fallback` is the
    variant for objects that a serializer of the producer writes."""
    if depth > _MAX_DEPTH:
        return undetermined_because(Reason("payload-construction-not-followed"))
    expr = without_wrappers(expr)
    match expr:
        case Call(callee=Attribute(value=holder, name=name), args=args):
            if name in _SERIALIZERS and _is_library(holder) and args:
                newtonsoft = name in _OF_NEWTONSOFT
                variant = options_variant(program, args[1:], scope, newtonsoft=newtonsoft)
                return object_payload(program, args[0].value, scope, variant)
            if name == "FromObjectAsJson" and args:
                variant = options_variant(program, args[1:], scope)
                return object_payload(program, args[0].value, scope, variant)
            if name in _PASSING and args:
                return serialised_payload(program, args[0].value, scope, fallback, depth + 1)
            if name in _PASSING:
                return serialised_payload(program, holder, scope, fallback, depth + 1)
        case New(type=NamedType(name=name), args=(first, *_)) if (
            unqualified_name(name) in _WRAPPERS
        ):
            inner = program.evaluator.unwrap(program.evaluate(first.value, scope))
            is_bytes = _is_text(inner) or isinstance(without_wrappers(first.value), Call)
            variant = fallback if is_bytes else "bare"
            return serialised_payload(program, first.value, scope, variant, depth + 1)
        case Name() | Attribute(value=Name(id="this")):
            given = list(sources(program, expr, scope))
            if len(given) == 1:
                return serialised_payload(program, *given[0], fallback, depth + 1)
        case _:
            pass
    value = program.evaluator.unwrap(program.evaluate(expr, scope))
    if _is_text(value):
        made = _made_by_project(program, expr, scope, fallback, depth)
        return made or undetermined_because(Reason("payload-serialization-not-followed"))
    return object_payload(program, expr, scope, fallback)


def written_schema(program: Program, text: Expr, scope: Scope) -> Schema | None:
    """The shape of the value that a serializer writes as a text; None where that is not seen."""
    schema = serialised_payload(program, text, scope, "bare").schema
    is_known = not isinstance(schema, Unknown)
    return schema if is_known and getattr(schema, "type", "") != "string" else None


def _made_by_project(
    program: Program, expr: Expr, scope: Scope, fallback: str, depth: int
) -> Payload | None:
    """What a function of the project that gives a text or bytes makes them of."""
    if not isinstance(expr, Call):
        return None
    function = called_function(program, expr, scope)
    if function is None:
        return None
    (inside, *_) = called_scopes(program, function, expr, scope)
    found = [
        serialised_payload(program, statement.value, inside, fallback, depth + 1)
        for statement in reaching_definitions.nested_statements(inside.statements or ())
        if isinstance(statement, Return) and statement.value is not None
    ]
    return found[0] if len(found) == 1 else None


def _is_text(value: Value) -> bool:
    if isinstance(value, ByType):
        type: TypeExpr = value.type
        if isinstance(type, NullableType):
            type = type.item
        name = type.name.rsplit(".", 1)[-1] if isinstance(type, NamedType) else ""
        return name in ("string", "String", "byte[]", "ReadOnlyMemory`1", "object")
    return False


def _is_library(holder: Expr) -> bool:
    name = getattr(holder, "id", getattr(holder, "name", ""))
    return name in _LIBRARIES


def undetermined_because(reason: Reason) -> Payload:
    """A payload of which nothing is known."""
    return Payload(schema=Unknown(reason=reason))


def object_payload(program: Program, expr: Expr, scope: Scope, variant: str) -> Payload:
    """An object with its shape and the name of its type."""
    expr = without_wrappers(expr)
    general = _general(program, expr, scope)
    if general:
        return undetermined_because(Reason("any-subclass-sent", general=general))
    value = program.evaluator.unwrap(program.evaluate(expr, scope))
    schema = expression_schema(program, expr, scope, variant)
    return Payload(schema=schema, message=type_name(program, value))


def _general(program: Program, expr: Expr, scope: Scope) -> str:
    """The class that a name is declared as, where other classes of the project derive from it:
    what is serialised is the object's own class."""
    if not isinstance(expr, Name):
        return ""
    value = program.evaluate(expr, scope)
    if isinstance(value, Instance) and value.site is not None:
        return ""
    symbol = symbol_of(program, value)
    if symbol is None or not program.names.classes.implementations(symbol):
        return ""
    return symbol.decl.name.partition("`")[0]


def type_name(program: Program, value: Value) -> str:
    """The name of a value's type, without namespace and number of type parameters."""
    if isinstance(value, Instance):
        return value.symbol.decl.name.partition("`")[0]
    if isinstance(value, ByType):
        type = value.type.item if isinstance(value.type, NullableType) else value.type
        if isinstance(type, NamedType):
            found = program.names.declared_class(type, value.scope)
            if found is not None:
                return found.decl.name.partition("`")[0]
    return ""


def read_payloads(program: Program, calls: Iterable[tuple[Call | New, Scope]]) -> list[Payload]:
    """What calls of a serializer's reading side among `calls` make of the text they are given, each
    type once."""
    found: dict[str, Payload] = {}
    for call, scope in calls:
        if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            continue
        if call.callee.name not in _READERS or not call.type_args:
            continue
        newtonsoft = call.callee.name in _OF_NEWTONSOFT
        variant = options_variant(program, call.args[1:], scope, newtonsoft=newtonsoft)
        payload = _type_payload(program, call.type_args[0], scope, variant)
        found.setdefault(payload.message, payload)
    return list(found.values())


def _type_payload(program: Program, type: TypeExpr, scope: Scope, variant: str) -> Payload:
    schema = program.schema(type, scope, READING + variant)
    return Payload(schema=schema, message=type_name(program, ByType(type, scope)))


def read_in(program: Program, function: Scope) -> Payload | None:
    """What a function makes of a payload, itself or through the functions of the project that it
    calls; None where that is nothing, or several things."""
    calls = list(calls_in(program, function.statements or (), function))
    found = read_payloads(program, calls)
    if not found:
        for call, scope in calls:
            if not isinstance(call, Call):
                continue
            target = called_function(program, call, scope)
            if target is not None:
                (inside, *_) = called_scopes(program, target, call, scope)
                found.extend(
                    read_payloads(program, calls_in(program, inside.statements or (), inside))
                )
    return found[0] if len(found) == 1 else None


def read_near(program: Program, file: FileFacts, scope: Scope) -> Payload | None:
    """What the method around a place makes of messages, else what its class does; None where that
    is undetermined."""
    near, all_in_class = [], []
    owner = scope.owner_around
    below = object_class(scope, owner) if owner is not None else None
    for call, written in calls_of(program, file, *READS):
        place = written if below is None else on_object(program, written, below)
        if _outermost(place) is _outermost(scope):
            near.append((call, place))
        other = place.owner_around
        if owner is not None and other is not None and other.key == owner.key:
            all_in_class.append((call, place))
    for group in (near, all_in_class):
        found = read_payloads(program, group)
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _outermost(scope: Scope) -> object:
    """The outermost function around a place that has a name; None in statements of a file."""
    current: Scope | None = scope
    found: object = None
    while current is not None:
        if current.function is not None and current.function.name:
            found = current.function
        current = current.parent
    return found


# --------------------------------------------------------------------------- options of a call


_OPTIONS = NamedType(name="JsonSerializerOptions")
UNKNOWN_OPTIONS = "bare@?"
"""The variant of options that are not found."""


def options_variant(
    program: Program, args: tuple[Argument, ...], scope: Scope, *, newtonsoft: bool = False
) -> str:
    """The variant that the options of a call to a serializer ask for: of System.Text.Json, or of
    Newtonsoft.Json."""
    for argument in args:
        place = _options_place(program, argument.value, scope) or _made_inline(
            program, argument.value, scope
        )
        if place:
            return f"bare@{place}"
    bare = "newtonsoft" if newtonsoft else "bare"
    if args and not isinstance(args[0].value, Attribute | Name | Call | New):
        return bare
    return UNKNOWN_OPTIONS if args and _may_be_options(program, args, scope) else bare


def _may_be_options(program: Program, args: tuple[Argument, ...], scope: Scope) -> bool:
    """Cancellation tokens and types are passed behind the value as well."""
    texts = [getattr(a.value, "id", getattr(a.value, "name", "")).lower() for a in args]
    if any("option" in text or "setting" in text or "json" in text for text in texts):
        return True
    names = (program.qualified_name(argument.value, scope) for argument in args)
    return any(name.endswith(("JsonSerializerOptions", "SerializerSettings")) for name in names)


def _options_place(program: Program, expr: Expr, scope: Scope) -> str:
    """Where the options are made: `path#Class.member`."""
    match expr:
        case Attribute(value=holder, name="Web") if getattr(holder, "id", "") == (
            "JsonSerializerOptions"
        ):
            return "web"
        case Call(callee=callee):
            function = program.function_value(callee, scope)
            if function is None or function.owner is None:
                return ""
            owner = function.owner
            return f"{owner.file.path}#{owner.qualified_name}.{function.function.name}"
        case Attribute(value=holder, name=name):
            found = symbol_of(program, program.evaluate(holder, scope))
            return f"{found.file.path}#{found.qualified_name}.{name}" if found else ""
        case Name(id=id):
            return _named_options(program, id, expr, scope)
        case _:
            return ""


def _made_inline(program: Program, expr: Expr, scope: Scope) -> str:
    """Options that are made where they are passed: `new JsonSerializerOptions { … }`."""
    if not isinstance(expr, New):
        return ""
    made = start(program, expr, _OPTIONS, scope, 0)
    return "" if made is None else kept_inline(program, scope.file.path, expr.span, made.settings)


def _named_options(program: Program, id: str, expr: Name, scope: Scope) -> str:
    definitions = definitions_of(expr, scope)
    while not definitions and scope.function is not None and scope.parent is not None:
        if any(param.name == id for param in scope.function.params):
            break
        scope = scope.parent
        definitions = definitions_of(expr, scope)
    for definition in definitions:
        made = definition.statement
        if isinstance(made, Assign) and isinstance(made.value, New):
            owner, function = scope.owner, _named_function(scope)
            if owner is not None and function:
                return f"{scope.file.path}#{owner.qualified_name}.{function}"
            if owner is None and not _is_changed(scope, id):
                return _made_inline(program, made.value, scope)
        elif isinstance(made, Assign) and made.value is not None:
            return _options_place(program, made.value, scope)
    owner = scope.owner_around
    if owner is not None and any(m.name == id for m in owner.decl.members):
        return f"{owner.file.path}#{owner.qualified_name}.{id}"
    return ""


def _is_changed(scope: Scope, name: str) -> bool:
    """Whether a variable at the top level of a file holds what is changed after it is made."""
    return any(
        isinstance(node, Attribute) and is_name(node.value, name)
        for node in nodes_of(scope.file.statements)
    )


def _named_function(scope: Scope) -> str:
    current: Scope | None = scope
    while current is not None:
        if current.function is not None and current.function.name:
            return current.function.name
        current = current.parent
    return ""
