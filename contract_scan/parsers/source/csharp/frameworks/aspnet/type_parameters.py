"""What calls through a type parameter hand a method of each class that it stands for.

public static void Add<TEndpoint>(this IEndpointRouteBuilder app) where TEndpoint : IEndpoint =>
    TEndpoint.Map(app);

orders.Add<PlaceOrder>();
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.values import ByType, ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.callers import (
    called_by_name,
    calls_of,
    passed_for,
)
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.web.prefixes import calls_on, group_prefix, join_template
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name, NamedType, New

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_MAX_DEPTH = 8
"""Generic functions that call each other, each with a type parameter of its own."""


class BoundArgument(Struct, frozen=True):
    """What a caller hands over, and what the functions in between put behind its prefix."""

    value: Expr
    scope: Scope
    suffix: str | None
    """None: that is undetermined."""


def type_parameter(call: Call, scope: Scope) -> str:
    """The type parameter of the function around a call of whose class a method is called:
    `T.Map(app)`, `new T().Map(app)`; empty where the call is no such one."""
    match call.callee:
        case Attribute(value=Name(id=name)):
            pass
        case Attribute(value=New(type=NamedType(name=name))):
            pass
        case _:
            return ""
    return name if _index(name, scope) is not None else ""


def arguments_for_class(
    program: Program,
    passed: Expr,
    scope: Scope,
    parameter: str,
    owner: ClassSymbol,
    depth: int = 0,
) -> Iterator[BoundArgument]:
    """The values for `passed` of those callers of the function around `scope` for which the type
    parameter is the class `owner`."""
    function, index = scope.function, _index(parameter, scope)
    if function is None or index is None or depth > _MAX_DEPTH:
        return
    literals = called_by_name(function)
    for path in program.files_containing(*literals):
        for call, place in calls_of(program, program.facts(path), *literals):
            if not isinstance(call, Call) or len(call.type_args) != len(function.type_params):
                continue
            type = call.type_args[index]
            values = {
                param.name: value
                for position, param in enumerate(function.params)
                if (value := passed_for(call, function, position)) is not None
            }
            given = {name: program.evaluate(value, place) for name, value in values.items()}
            inside = replace(scope, bindings={**scope.bindings, **given})
            for name, value in values.items():
                if calls_on(passed, name, scope) is None:
                    continue
                added = group_prefix(program, passed, name, inside)
                symbol = symbol_of(program, ByType(type, place))
                if symbol is not None and symbol.key == owner.key:
                    yield BoundArgument(value, place, added)
                elif isinstance(type, NamedType) and place.function is not function:
                    for outer in arguments_for_class(
                        program, value, place, type.name, owner, depth + 1
                    ):
                        yield BoundArgument(
                            outer.value, outer.scope, _joined_template(outer.suffix, added)
                        )


def _joined_template(outer: str | None, added: str | None) -> str | None:
    return None if outer is None or added is None else join_template(outer, added)


def _index(name: str, scope: Scope) -> int | None:
    parameters = () if scope.function is None else scope.function.type_params
    names = [parameter.name for parameter in parameters]
    return names.index(name) if name in names else None
