"""What the callers of a function give its parameters, where nothing else is told of them.

const createServer = (routes) => { server.route(routes) };    createServer(Routes.all(api));
"""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Scope,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Function, Name
from contract_scan.parsers.source.typescript.resolution import walker

MAX_CALLERS = 50
"""How many calls of a function are looked at."""


def caller_values(program: Program, value: Value, scope: Scope) -> Value:
    """What callers give the parameter that a value comes from; the value itself where it is none of
    an enclosing function, or they do not tell."""
    if not isinstance(value, Unresolved) or not value.parameter:
        return value
    found = _parameter(value, scope)
    if found is None:
        return value
    function, position = found
    key = ("told by callers", value.path, value.span)
    if key not in program.memory:
        program.memory[key] = value  # a ring of callers ends here
        program.memory[key] = _argument_of_callers(program, function, value.path, position) or value
    given = program.memory[key]
    assert not isinstance(given, str)
    return given  # type: ignore[return-value]


def _parameter(value: Unresolved, scope: Scope) -> tuple[Function, int] | None:
    """The function around a place whose parameter a value is, and which one."""
    current: Scope | None = scope
    while current is not None:
        function = current.function
        if function is not None and function.name and current.file.path == value.path:
            for position, parameter in enumerate(function.params):
                if parameter.span == value.span and parameter.pattern is None:
                    return function, position
        current = current.parent
    return None


def _argument_of_callers(
    program: Program, function: Function, path: str, position: int
) -> Value | None:
    given: list[Value] = []
    for caller in program.files_containing(f"{function.name}(".encode()):
        for call, place in walker.calls(program, program.facts(caller), deep=True):
            if not _is_named(call, function.name) or len(given) >= MAX_CALLERS:
                continue
            callee = program.evaluate(call.callee, place)
            is_same = isinstance(callee, FunctionValue) and (
                callee.function.span == function.span and callee.scope.file.path == path
            )
            spread = any(argument.spread for argument in call.args[: position + 1])
            if is_same and not spread and position < len(call.args):
                given.append(program.evaluate(call.args[position].value, place))
    return union_of(tuple(given)) if given else None


def _is_named(call: Call, name: str) -> bool:
    callee = call.callee
    return (isinstance(callee, Name) and callee.id == name) or (
        isinstance(callee, Attribute) and callee.name == name
    )
