"""The classes of the project that values are of."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.csharp.resolution.arguments import call_argument
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, NamedType, Param

_MAX_ALTERNATIVES = 20


def symbol_of(program: Program, value: Value) -> ClassSymbol | None:
    """The class of the project that a value is of."""
    if isinstance(value, Instance | ClassValue):
        return value.symbol
    for _ in range(4):
        if not isinstance(value, ByType):
            return None
        type = getattr(value.type, "item", value.type)
        if not isinstance(type, NamedType):
            return None
        found = program.names.lookup_type(type.name, value.scope)
        if isinstance(found, ClassValue):
            return found.symbol
        if not isinstance(found, BoundType):
            return None
        value = ByType(found.type, found.scope)
    return None


def arguments(
    program: Program, params: tuple[Param, ...], within: Scope, call: Call, place: Scope
) -> list[Mapping[str, Value]]:
    """What a call gives the parameters of a function. Where a parameter is declared as a class that
    others derive from, the argument says more than the declaration; one that is one of several
    objects gives several answers."""
    alternatives: list[dict[str, Value]] = [{}]
    for position, parameter in enumerate(params):
        expr = call_argument(call, parameter.name, position)
        if expr is None or parameter.type is None:
            continue
        symbol = symbol_of(program, ByType(parameter.type, within))
        if symbol is None or not program.names.classes.implementations(symbol):
            continue
        value = program.evaluator.unwrap(program.evaluate(expr, place))
        options = value.options if isinstance(value, OneOf) else (value,)
        alternatives = [
            {**known, parameter.name: option} for known in alternatives for option in options
        ][:_MAX_ALTERNATIVES]
    found: list[Mapping[str, Value]] = []
    for alternative in alternatives:
        bindings = program.evaluator.arguments(params, call, place)
        bindings.give(alternative)
        found.append(bindings)
    return found


def type_arguments(
    program: Program, function: FunctionValue, call: Call, place: Scope
) -> dict[str, BoundType]:
    """What a call makes the type parameters of a function stand for."""
    inferred = program.evaluator.inferred_types(function, call, place, {})
    named = {
        parameter.name: BoundType(argument, place)
        for parameter, argument in zip(function.function.type_params, call.type_args, strict=False)
    }
    return {**inferred, **named}


def called_scopes(
    program: Program, function: FunctionValue, call: Call, place: Scope
) -> list[Scope]:
    """Inside a function as a call makes it."""
    params = function.function.params
    types = type_arguments(program, function, call, place)
    scopes = []
    for bindings in arguments(program, params, function.scope, call, place):
        inside = program.function_scope(function.function, function.scope, bindings)
        scopes.append(replace(inside, types={**inside.types, **types}))
    return scopes


def is_cancellation_token(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether an argument is the token that cancels a request."""
    if isinstance(expr, Attribute) and is_name(expr.value, "CancellationToken"):
        return True
    value = program.evaluate(expr, scope)
    return (
        isinstance(value, ByType)
        and isinstance(value.type, NamedType)
        and value.type.name.rpartition(".")[2] == "CancellationToken"
    )
