"""What a function throws itself: the exceptions that leave it, not those that it catches."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import Branch, Evaluate, Expr, Loop, Statement, Throw


def thrown_errors(program: Program, function: FunctionValue) -> Iterator[tuple[Expr, Scope]]:
    """The exceptions that a function throws in its own statements, each with the scope to evaluate
    it in. What stands inside `try` may be caught; what a `catch` throws leaves the function."""
    scope = program.function_scope(function.function, function.scope)
    for statement in _statements_outside_try(scope.statements or ()):
        if isinstance(statement, Throw) and statement.value is not None:
            yield statement.value, scope


def sole_errors(program: Program, function: FunctionValue) -> tuple[tuple[Expr, Scope], ...]:
    """The exceptions with one of which each way through a function ends; none where some way ends
    otherwise, or where the function catches any."""
    body = program.body(function.function, function.scope.file)
    if not program.evaluator.only_throws(function):
        return ()
    within = tuple(nested_statements(body))
    if any(isinstance(one, Branch) and one.kind == "try" for one in within):
        return ()
    found = tuple(thrown_errors(program, function))
    # A bare `raise` throws what is not told.
    return found if len(found) == sum(isinstance(one, Throw) for one in within) else ()


def statements_outside_try(
    program: Program, function: FunctionValue
) -> tuple[tuple[Statement, ...], Scope]:
    """The statements of a function that stand outside `try`, without the tests around them."""
    scope = program.function_scope(function.function, function.scope)
    return tuple(_statements_outside_try(scope.statements or ())), scope


def effects_outside_try(program: Program, function: FunctionValue) -> Iterator[tuple[Expr, Scope]]:
    """The expressions that a function evaluates for their effect, outside `try`."""
    scope = program.function_scope(function.function, function.scope)
    for statement in _statements_outside_try(scope.statements or ()):
        if isinstance(statement, Evaluate):
            yield statement.value, scope


def _statements_outside_try(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    pending = list(reversed(statements))
    while pending:
        statement = pending.pop()
        match statement:
            case Branch(kind="try", blocks=(main, *catches)):
                for block in reversed(catches if catches else [main]):
                    pending.extend(reversed(block))
            case Branch(blocks=blocks):
                for block in reversed(blocks):
                    pending.extend(reversed(block))
            case Loop(body=body):
                pending.extend(reversed(body))
            case _:
                yield statement
