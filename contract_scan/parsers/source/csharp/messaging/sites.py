"""Where a function of the project that wraps a library call is called, and with what."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Scope,
    Value,
    named_function_scope,
)
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.resolution.arguments import call_argument
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.inherited_members import object_class, on_object
from contract_scan.parsers.source.csharp.resolution.overloads import can_take
from contract_scan.parsers.source.csharp.resolution.value_classes import (
    arguments,
    symbol_of,
    type_arguments,
)
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Function,
    Index,
    Name,
    NamedType,
    NullableType,
    Param,
    TypeExpr,
)


def wrapper_scopes(program: Program, scope: Scope) -> Iterator[tuple[Scope, Call, Scope]]:
    """For a place inside a method: (the place as a caller makes it, the call, the caller's scope)
    for every call of the method that is seen."""
    for call, place in callers(program, scope):
        for inside in bound_scopes(program, scope, call, place):
            yield inside, call, place


def callers(program: Program, scope: Scope) -> Iterator[tuple[Call, Scope]]:
    """Every call of the method around a place that is seen, with its scope."""
    inside = named_function_scope(scope)
    if inside is None or inside.function is None:
        return
    function, owner = inside.function, inside.owner
    if not function.params:
        return
    literal = function.name.encode()
    for path in program.files_containing(literal + b"(", literal + b"<"):
        for call, place in calls_of(program, program.facts(path), literal):
            if not isinstance(call, Call) or not can_take(function.params, len(call.args)):
                continue
            if _callee_name(call) != function.name or place.function is function:
                continue
            target = program.function_value(call.callee, place)
            if target is not None and _is_method(program, target, function, owner):
                yield call, place


def bound_scopes(program: Program, scope: Scope, call: Call, place: Scope) -> list[Scope]:
    """The method around a place as a call makes it; several where an argument is one of several
    objects."""
    inside = named_function_scope(scope)
    if inside is None or inside.function is None:
        return []
    function = inside.function
    value = FunctionValue(function, inside.parent or inside, inside.owner, inside.receiver)
    types = {**inside.types, **type_arguments(program, value, call, place)}
    seen = inside
    symbol = _called_on(program, call, place)
    if symbol is not None and inside.owner is not None and symbol.key != inside.owner.key:
        seen = on_object(program, inside, symbol)
    settings = _settings(program, function.params, call, place)
    scopes = []
    for bindings in arguments(program, function.params, inside, call, place):
        known = {**bindings, **settings} if settings else bindings
        scopes.append(replace(seen, bindings=known, types={**seen.types, **types}))
    return scopes


def _settings(
    program: Program, params: tuple[Param, ...], call: Call, place: Scope
) -> dict[str, Value]:
    """The texts that settings give the parameters of a method: `publish(options.Topic, order)`."""
    found: dict[str, Value] = {}
    for position, parameter in enumerate(params):
        expr = call_argument(call, parameter.name, position)
        if expr is None or not isinstance(expr, Attribute | Index | Name):
            continue
        is_known = not isinstance(expr, Attribute) and program.text(expr, place) is not None
        if is_known or not _is_text(parameter.type):
            continue
        given = address(program, expr, place)
        if given.text and "{" not in given.text:
            found[parameter.name] = Constant(given.text)
    return found


def _is_text(type: TypeExpr | None) -> bool:
    """Whether a parameter is declared as a text."""
    type = type.item if isinstance(type, NullableType) else type
    return isinstance(type, NamedType) and type.name in ("string", "String")


def _called_on(program: Program, call: Call, place: Scope) -> ClassSymbol | None:
    """The class of the object that a method is called on."""
    if isinstance(call.callee, Attribute):
        return symbol_of(program, program.evaluate(without_wrappers(call.callee.value), place))
    owner = place.owner_around
    return None if owner is None else object_class(place, owner) or owner


def _callee_name(call: Call) -> str:
    match call.callee:
        case Attribute(name=name):
            return name
        case Name(id=id):
            return id
        case _:
            return ""


def _is_method(
    program: Program, target: FunctionValue, function: Function, owner: ClassSymbol | None
) -> bool:
    """Whether what a call names is the method: of its class, or of an interface that the class
    has. Without a class it is a function of a file's own statements."""
    if owner is None or target.owner is None:
        return owner is None and target.function is function
    known = {owner.key, *(base.key for base in program.bases(owner))}
    return target.owner.key in known
