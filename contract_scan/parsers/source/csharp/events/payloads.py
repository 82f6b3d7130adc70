"""The shape of a payload: what is serialised, with which options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.csharp.aspnet.wire import expression_schema
from contract_scan.parsers.source.csharp.settings import READING
from contract_scan.parsers.source.facts import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)
from contract_scan.parsers.source.link import flow
from contract_scan.parsers.source.link.values import (
    ClassValue,
    Instance,
    Scope,
    Typed,
    Value,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_SERIALIZERS = frozenset(
    {"Serialize", "SerializeToUtf8Bytes", "SerializeObject", "SerializeAsync", "SerializeToNode"}
)
_READERS = frozenset({"Deserialize", "DeserializeObject", "DeserializeAsync"})
_LIBRARIES = frozenset({"JsonSerializer", "JsonConvert"})
_PASSING = frozenset({"GetBytes", "ToArray", "FromString", "AsMemory", "FromBytes", "Create"})
_MAX_DEPTH = 6


class Payload(Struct, frozen=True, kw_only=True):
    """What is sent or received."""

    schema: Schema
    message: str = ""
    """Name of its type, where it has one."""


def serialised(
    program: Program, expr: Expr, scope: Scope, fallback: str, depth: int = 0
) -> Payload:
    """The payload that an expression (a text, bytes, an object) stands for. `fallback` is the
    variant for objects that a serializer of the producer writes."""
    if depth > _MAX_DEPTH:
        return _not_told("how the payload is made cannot be followed")
    match expr:
        case Call(callee=Attribute(value=holder, name=name), args=args):
            if name in _SERIALIZERS and _is_library(holder) and args:
                return _written(program, args, scope)
            if name in _PASSING and args:
                return serialised(program, args[0].value, scope, fallback, depth + 1)
            if name in _PASSING:
                return serialised(program, holder, scope, fallback, depth + 1)
        case Name(id=id):
            definitions = flow.reaching(scope.statements or (), id, expr.span)
            values = [d.statement.value for d in definitions if isinstance(d.statement, Assign)]
            if len(values) == 1 and values[0] is not None:
                return serialised(program, values[0], scope, fallback, depth + 1)
        case _:
            pass
    value = program.evaluator.unwrapped(program.evaluate(expr, scope))
    if _is_text(value):
        return _not_told("how the payload is serialised cannot be followed")
    return described(program, expr, scope, fallback)


def _is_text(value: Value) -> bool:
    if isinstance(value, Typed):
        type: TypeExpr = value.type
        if isinstance(type, NullableType):
            type = type.item
        name = type.name.rsplit(".", 1)[-1] if isinstance(type, NamedType) else ""
        return name in ("string", "String", "byte[]", "ReadOnlyMemory`1", "object")
    return False


def _is_library(holder: Expr) -> bool:
    name = getattr(holder, "id", getattr(holder, "name", ""))
    return name in _LIBRARIES


def _not_told(reason: str) -> Payload:
    return Payload(schema=Unknown(reason=reason))


def _written(program: Program, args: tuple[Argument, ...], scope: Scope) -> Payload:
    return described(program, args[0].value, scope, options_variant(program, args[1:], scope))


def described(program: Program, expr: Expr, scope: Scope, variant: str) -> Payload:
    """An object with its shape and the name of its type."""
    value = program.evaluator.unwrapped(program.evaluate(expr, scope))
    schema = expression_schema(program, expr, scope, variant)
    return Payload(schema=schema, message=type_name(program, value))


def type_name(program: Program, value: Value) -> str:
    """The name of a value's type, without namespace and number of type parameters."""
    if isinstance(value, Instance):
        return value.symbol.decl.name.partition("`")[0]
    if isinstance(value, Typed):
        type = value.type.item if isinstance(value.type, NullableType) else value.type
        if isinstance(type, NamedType):
            found = program.names.lookup_type(type.name, value.scope)
            if isinstance(found, ClassValue):
                return found.symbol.decl.name.partition("`")[0]
    return ""


def options_variant(program: Program, args: tuple[Argument, ...], scope: Scope) -> str:
    """The variant that the options of a call to a serializer ask for."""
    for argument in args:
        place = _options_place(program, argument.value, scope)
        if place:
            return f"bare@{place}"
    if args and not isinstance(args[0].value, Attribute | Name | Call | New):
        return "bare"
    return "bare@?" if args and _may_be_options(args) else "bare"


def _may_be_options(args: tuple[Argument, ...]) -> bool:
    """Cancellation tokens and types are passed behind the value as well."""
    texts = [getattr(a.value, "id", getattr(a.value, "name", "")).lower() for a in args]
    return any("option" in text or "setting" in text or "json" in text for text in texts)


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
            found = program.evaluate(holder, scope)
            if isinstance(found, ClassValue | Instance):
                return f"{found.symbol.file.path}#{found.symbol.qualified_name}.{name}"
            return ""
        case Name(id=id):
            return _named_options(program, id, expr, scope)
        case _:
            return ""


def _named_options(program: Program, id: str, expr: Name, scope: Scope) -> str:
    definitions = flow.reaching(scope.statements or (), id, expr.span)
    for definition in definitions:
        made = definition.statement
        if isinstance(made, Assign) and isinstance(made.value, New):
            owner, function = scope.owner, _named_function(scope)
            if owner is not None and function:
                return f"{scope.file.path}#{owner.qualified_name}.{function}"
        elif isinstance(made, Assign) and made.value is not None:
            return _options_place(program, made.value, scope)
    owner = scope.owner
    current: Scope | None = scope
    while owner is None and current is not None:
        owner, current = current.owner, current.parent
    if owner is not None and any(m.name == id for m in owner.decl.members):
        return f"{owner.file.path}#{owner.qualified_name}.{id}"
    return ""


def _named_function(scope: Scope) -> str:
    current: Scope | None = scope
    while current is not None:
        if current.function is not None and current.function.name:
            return current.function.name
        current = current.parent
    return ""


def read_payloads(
    program: Program, calls: list[tuple[Call | New, Scope]]
) -> list[tuple[Payload, Call]]:
    """What calls of a serializer's reading side among `calls` make of the text they are given."""
    found: list[tuple[Payload, Call]] = []
    for call, scope in calls:
        if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            continue
        if call.callee.name not in _READERS or not call.type_args:
            continue
        type = call.type_args[0]
        variant = READING + options_variant(program, call.args[1:], scope)
        schema = program.schema(type, scope, variant)
        name = type_name(program, Typed(type, scope))
        found.append((Payload(schema=schema, message=name), call))
    return found
