"""Last returns that may never be reached: a check before has thrown where none of the tests hold
whose branches return.

    Check(request);   // throws where there is neither a name nor a number
    if (request.Name != null) return Ok(ByName(request.Name));
    if (request.Number != null) return Ok(ByNumber(request.Number));
    return NoContent();
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import contains
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.syntax.defining import nested_statements
from contract_scan.parsers.source.analysis.syntax.null_checks import OTHER, SAME
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Expr,
    LiteralExpr,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_COMPARING = SAME | OTHER | {"<", ">", "<=", ">="}
_Members: TypeAlias = "frozenset[tuple[str, str]]"
"""Members that a test asks about, each with the name of what has it."""


def may_be_unreached(program: Program, function: FunctionValue, returned: Span) -> bool:
    """Whether a place is in the last return of a function that a check may rule out: it refuses by
    nothing but members that the branches ask about which return before."""
    *before, last = program.body(function.function, function.scope.file) or (None,)
    if not isinstance(last, Return) or not contains(last, returned):
        return False
    tests = [test for statement in before for test in _tests(statement, Return)]
    asked = frozenset[tuple[str, str]]().union(*map(_members, tests))
    if not asked:
        return False
    own = (_members(test) for statement in before for test in _tests(statement, Throw))
    plain = tuple(statement for statement in before if not isinstance(statement, Branch))
    scope = program.function_scope(function.function, function.scope)
    called = (
        members
        for call, place in calls_in(program, plain, scope)
        if isinstance(call, Call)
        and any(isinstance(argument.value, Name) for argument in call.args)
        and (callee := called_function(program, call, place)) is not None
        for members in _refused_members(program, callee, call)
    )
    return any(members and members <= asked for group in (own, called) for members in group)


def _refused_members(program: Program, callee: FunctionValue, call: Call) -> Iterator[_Members]:
    """The members of a call's arguments by which a function refuses to go on."""
    params = callee.function.params
    given: Mapping[str, str] = {
        argument.name or parameter.name: argument.value.id
        for parameter, argument in zip(params, call.args, strict=False)
        if isinstance(argument.value, Name)
    }
    for statement in nested_statements(program.body(callee.function, callee.scope.file)):
        for test in _tests(statement, Throw):
            members = _members(test)
            yield frozenset((given[name], member) for name, member in members if name in given)


def _tests(statement: Statement, end: type[Return | Throw]) -> Iterator[Expr]:
    """The test of an `if` whose branch ends so, with nothing else to run."""
    match statement:
        case Branch(kind="if", condition=condition, blocks=((*_, last), *_)) if (
            condition is not None and isinstance(last, end)
        ):
            yield condition
        case _:
            pass


def _members(test: Expr) -> _Members:
    """The members that a test asks for, none where it compares one with more than nothing."""
    compared = (
        node.operands
        for node in nodes_of(test)
        if isinstance(node, OperationExpr) and node.operator in _COMPARING
    )
    if not all(any(map(_is_nothing, operands)) for operands in compared):
        return frozenset()
    return frozenset(
        (node.value.id, node.name)
        for node in nodes_of(test)
        if isinstance(node, Attribute) and isinstance(node.value, Name)
    )


def _is_nothing(expr: Expr) -> bool:
    return isinstance(expr, LiteralExpr) and (expr.value is True or not expr.value)
