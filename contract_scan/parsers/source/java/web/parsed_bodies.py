"""Bodies that a method takes as text and reads as a class itself, `gson.fromJson(body, T.class)`.

The text has to be read as one class wherever it is used: it may be asked whether it is empty, and
written to a log, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.schema import Schema, with_nullable
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    New,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import constant_name
from contract_scan.parsers.source.java.serialization.gson.writers import text_variant
from contract_scan.parsers.source.java.serialization.jackson.settings import READING
from contract_scan.parsers.source.java.web.chains import class_given, function_called, method

_READERS = frozenset({"readValue", "fromJson"})
_LOGGING = frozenset({"trace", "debug", "info", "warn", "error", "tracef", "debugf", "infof"})
_TESTS = frozenset({"isEmpty", "isBlank", "length", "isNull", "nonNull"})
_TESTERS = frozenset({"isNull", "nonNull", "isEmpty", "isBlank", "isNotBlank", "isNotEmpty"})
_MAX_DEPTH = 3
"""How many functions of the project a text is handed on through."""


class _Parse(Struct, frozen=True, eq=False):
    """One call that reads a text as a class."""

    type: TypeExpr
    call: Call
    scope: Scope


class _OtherUseError(Exception):
    """The text is used in a way that says nothing of what it holds."""


def parsed_body(program: Program, function: FunctionValue, parameter: str) -> Schema | None:
    """The shape of the class that a method reads a parameter as; None where it does not, or reads
    it as several classes, or does more with the text."""
    try:
        found = list(_parses(program, function, parameter, 0))
    except _OtherUseError:
        return None
    if not found:
        return None
    shapes = [_shape(program, each) for each in found]
    return shapes[0] if all(shape == shapes[0] for shape in shapes) else None


def _shape(program: Program, parse: _Parse) -> Schema:
    variant = text_variant(program, parse.call, parse.scope)
    schema = program.schema(parse.type, parse.scope, f"{variant};{READING}")
    return with_nullable(schema, False)


def _parses(program: Program, function: FunctionValue, name: str, depth: int) -> Iterator[_Parse]:
    scope = program.function_scope(function.function, function.scope)
    statements = scope.statements or ()
    calls = list(calls_in(program, statements, scope))
    given = sum(is_name(argument.value, name) for call, _ in calls for argument in call.args)
    on = sum(isinstance(call, Call) and _is_asked(call, name) for call, _ in calls)
    if given + on < sum(isinstance(n, Name) and n.id == name for n in nodes_of(statements)):
        raise _OtherUseError  # it is assigned, returned, compared, or part of another text
    for call, place in calls:
        positions = [i for i, a in enumerate(call.args) if is_name(a.value, name)]
        if positions:
            yield from _parse(program, call, positions, place, depth)


def _parse(
    program: Program, call: Call | New, positions: list[int], scope: Scope, depth: int
) -> Iterator[_Parse]:
    if not isinstance(call, Call):
        raise _OtherUseError
    function = function_called(program, call, scope)
    if function is not None:
        params = function.function.params
        if depth >= _MAX_DEPTH or "abstract" in function.function.modifiers:
            raise _OtherUseError
        for position in positions:
            if position >= len(params):
                raise _OtherUseError
            yield from _parses(program, function, params[position].name, depth + 1)
    elif method(call) in _READERS and positions == [0] and len(call.args) == 2:
        type = _class(call.args[1].value, scope)
        if type is None:
            raise _OtherUseError
        yield _Parse(type, call, scope)
    elif method(call) not in _LOGGING | _TESTERS:
        raise _OtherUseError


def _class(expr: Expr, scope: Scope) -> TypeExpr | None:
    """The class that a parser is given: `Order.class`, `new TypeReference<…>() {}`, or the type
    that such a token gives, also in a variable."""
    for _ in range(_MAX_DEPTH):
        match expr:
            case Call(callee=Attribute(value=inner, name="getType"), args=()):
                expr = inner
            case Name():
                made = [d.statement for d in definitions_of(expr, scope)]
                if len(made) != 1 or not isinstance(made[0], Assign) or made[0].value is None:
                    return None
                expr = made[0].value
            case _:
                return class_given(expr)
    return None


def _is_asked(call: Call, name: str) -> bool:
    """Whether a text is asked how long it is: `body.isBlank()`."""
    callee = call.callee
    return (
        isinstance(callee, Attribute)
        and callee.name in _TESTS
        and constant_name(callee.value) == name
    )
