"""Which results are seen to have succeeded or failed at a place: behind `if (result.IsFailure)` a
helper that is given the result answers with errors alone, whatever else it may do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.span_order import encloses
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Choice,
    Expr,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Param,
    Return,
    Statement,
    Throw,
)

Known: TypeAlias = Mapping[str, bool]
"""Names of results -> whether they succeeded."""

_SUCCEEDED = frozenset({"IsSuccess", "IsSuccessful", "IsSucceeded", "Succeeded", "Success", "IsOk"})
_FAILED = frozenset({"IsFailure", "IsFailed", "IsError", "IsErr", "Failed", "HasFailed"})
_MAX_DEPTH = 40
_Visit: TypeAlias = Callable[[Statement, Known], None]


def known_at(scope: Scope, span: Span, start: Known) -> Known:
    """What is known at a place of a function that is entered with what is known at its start."""
    found: list[Known] = []

    def visit(statement: Statement, known: Known) -> None:
        if not isinstance(statement, Branch | Loop) and encloses(statement.span, span):
            found.append(known)

    _walk(scope.statements or (), start, visit, 0)
    return found[-1] if found else {}


def known_of_parameters(
    known: Known, params: tuple[Param, ...], args: tuple[Argument, ...]
) -> Known:
    """What is known of the parameters of a function whose arguments are results."""
    if not known:
        return {}
    by_name = {argument.name: argument.value for argument in args if argument.name}
    found: dict[str, bool] = {}
    for position, param in enumerate(params):
        value = by_name.get(param.name)
        if value is None and position < len(args) and not args[position].name:
            value = args[position].value
        if isinstance(value, Name) and value.id in known:
            found[param.name] = known[value.id]
    return found


def reachable_returns(statements: tuple[Statement, ...], known: Known) -> list[Return]:
    """The returns that a function may reach given what is known of its parameters."""
    found: list[Return] = []

    def visit(statement: Statement, _: Known) -> None:
        if isinstance(statement, Return):
            found.append(statement)

    _walk(statements, known, visit, 0)
    return found


def options(choice: Choice, known: Known) -> Iterator[tuple[Choice, Known]]:
    """The options of `result.IsSuccess ? a : b` that may be chosen, one by one, each with what its
    test says. All of them together where nothing is tested."""
    if len(choice.given) != len(choice.options):
        yield choice, {}
        return
    for option, test in zip(choice.options, choice.given, strict=True):
        facts = _facts_of_test(test, True, 0)
        if _agrees(facts, known):
            yield replace(choice, options=(option,), given=(test,)), facts


def _agrees(facts: Known, known: Known) -> bool:
    return all(known.get(name, value) == value for name, value in facts.items())


def _walk(
    statements: tuple[Statement, ...], known: Known, visit: _Visit, depth: int
) -> Known | None:
    """What is known behind statements; None where nothing gets there."""
    for statement in statements if depth < _MAX_DEPTH else ():
        visit(statement, known)
        match statement:
            case Return() | Throw():
                return None
            case Assign(target=Name(id=id)):
                known = {name: value for name, value in known.items() if name != id}
            case Branch():
                behind = _branch(statement, known, visit, depth)
                if behind is None:
                    return None
                known = behind
            case Loop(body=body):
                _walk(body, {}, visit, depth + 1)
            case _:
                pass
    return known


def _branch(branch: Branch, known: Known, visit: _Visit, depth: int) -> Known | None:
    if branch.kind != "if" or branch.condition is None or len(branch.blocks) > 2:
        ways = [_walk(block, known, visit, depth + 1) for block in branch.blocks]
        return _known_on_every_path([*ways, None if branch.exhaustive else known])
    ways = []
    for holds, block in zip((True, False), (*branch.blocks, ())[:2], strict=True):
        facts = _facts_of_test(branch.condition, holds, 0)
        if _agrees(facts, known):
            ways.append(_walk(block, {**known, **facts}, visit, depth + 1))
    return _known_on_every_path(ways)


def _known_on_every_path(ways: list[Known | None]) -> Known | None:
    """What is known on every way."""
    reached = [way for way in ways if way is not None]
    if not reached:
        return None
    first, *others = reached
    return {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }


def _facts_of_test(test: Expr, holds: bool, depth: int) -> dict[str, bool]:
    """The facts that follow where a test holds or fails."""
    match test:
        case _ if depth > _MAX_DEPTH:
            return {}
        case Attribute(value=Name(id=id), name=name) if name in _SUCCEEDED:
            return {id: holds}
        case Attribute(value=Name(id=id), name=name) if name in _FAILED:
            return {id: not holds}
        case OperationExpr(operator="!", operands=(inner,)):
            return _facts_of_test(inner, not holds, depth + 1)
        case OperationExpr(operator="&&" | "||" as operator, operands=operands):
            if (operator == "&&") is not holds:
                return {}
            sides = [_facts_of_test(operand, holds, depth + 1) for operand in operands]
            return {name: value for side in sides for name, value in side.items()}
        case OperationExpr(
            operator="==" | "!=" as operator, operands=(inner, LiteralExpr(value=bool(value)))
        ):
            return _facts_of_test(inner, holds == ((operator == "==") == value), depth + 1)
        case _:
            return {}
