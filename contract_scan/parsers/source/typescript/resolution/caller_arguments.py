"""What the callers of a function give its parameters, where nothing else is told of them.

const createServer = (routes) => { server.route(routes) };    createServer(Routes.all(api));
"""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    OneOf,
    Scope,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Name
from contract_scan.parsers.source.typescript.resolution import walker

MAX_CALLERS = 50
"""How many calls of a function are looked at."""


def caller_values(program: Program, value: Value, scope: Scope) -> Value:
    """What callers give the parameter that a value comes from, callers of callers too; the value
    itself where it is none of an enclosing function, or they do not tell."""
    if isinstance(value, OneOf):  # a parameter with a default
        return union_of(tuple(caller_values(program, option, scope) for option in value.options))
    if not isinstance(value, Unresolved) or not value.parameter:
        return value
    found = _parameter(value, scope)
    if found is None:
        return value
    key = ("told by callers", value.path, value.span, value.parameter)
    if key not in program.memory:
        program.memory[key] = value  # a ring of callers ends here
        program.memory[key] = _argument_of_callers(program, value, *found) or value
    given = program.memory[key]
    assert not isinstance(given, str)
    return given  # type: ignore[return-value]


def _parameter(value: Unresolved, scope: Scope) -> tuple[Scope, int] | None:
    """The scope of the function around a place whose parameter a value is, or a part of it, and
    which one."""
    current: Scope | None = scope
    while current is not None:
        function = current.function
        if function is not None and function.name and current.file.path == value.path:
            for position, parameter in enumerate(function.params):
                if parameter.span == value.span:
                    return current, position
        current = current.parent
    return None


def _argument_of_callers(
    program: Program, value: Unresolved, inside: Scope, position: int
) -> Value | None:
    function = inside.function
    assert function is not None
    pattern, given = function.params[position].pattern, list[Value]()

    def is_named(call: Call, _: Scope) -> bool:
        return _is_named(call, function.name)

    for caller in program.files_containing(f"{function.name}(".encode()):
        facts = program.facts(caller)
        for call, place in walker.calls(program, facts, deep=True, wanted=is_named):
            if not _is_named(call, function.name) or len(given) >= MAX_CALLERS:
                continue
            callee = program.evaluate(call.callee, place)
            is_same = isinstance(callee, FunctionValue) and (
                callee.function.span == function.span and callee.scope.file.path == value.path
            )
            spread = any(argument.spread for argument in call.args[: position + 1])
            if is_same and not spread and position < len(call.args):
                argument = program.evaluate(call.args[position].value, place)
                if pattern is not None:
                    bound = program.evaluator.pattern_bindings(pattern, argument, inside)
                    argument = bound.get(value.parameter, value)
                given.append(caller_values(program, argument, place))
    return union_of(tuple(given)) if given else None


def _is_named(call: Call, name: str) -> bool:
    callee = call.callee
    return (isinstance(callee, Name) and callee.id == name) or (
        isinstance(callee, Attribute) and callee.name == name
    )
