"""Which returns of a function are reached when some of what it asks is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.three_valued import any_of, negate
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    Instance,
    Items,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.refinement import conditions
from contract_scan.parsers.source.analysis.refinement.conditions import ConditionContext
from contract_scan.parsers.source.analysis.syntax.null_checks import evaluate_boolean
from contract_scan.parsers.source.facts.nodes import (
    Branch,
    Call,
    Choice,
    Expr,
    LiteralExpr,
    Loop,
    OperationExpr,
    Return,
    Statement,
    Throw,
)

Known: TypeAlias = Callable[[Expr], Value | None]
"""What is known of an expression from outside (`self.action`)."""


def nothing_known(expr: Expr) -> Value | None:
    """Nothing is known from outside."""
    del expr
    return None


def reachable_exits(
    program: Program,
    statements: tuple[Statement, ...],
    scope: Scope,
    known: Known = nothing_known,
) -> list[Return | Throw]:
    """The returns and throws that are not ruled out, in order."""
    found: list[Return | Throw] = []
    _walk(program, statements, scope, known, found)
    return found


def reachable(
    program: Program,
    statements: tuple[Statement, ...],
    scope: Scope,
    known: Known = nothing_known,
) -> list[Statement]:
    """All statements that are not ruled out, those in blocks after what holds them, in order."""
    seen: list[Statement] = []
    _walk(program, statements, scope, known, [], seen)
    return seen


def _walk(
    program: Program,
    statements: tuple[Statement, ...],
    scope: Scope,
    known: Known,
    found: list[Return | Throw],
    seen: list[Statement] | None = None,
) -> bool:
    """Gather returns; whether the end of the statements may be reached."""
    for statement in statements:
        if seen is not None:
            seen.append(statement)
        match statement:
            case Return() | Throw():
                found.append(statement)
                if isinstance(statement, Throw) or not statement.generator:
                    return False
            case Branch(kind="if", condition=condition, blocks=blocks) if condition is not None:
                verdict = evaluate_condition(program, condition, scope, known)
                if verdict is True:
                    entered = [blocks[0]]
                elif verdict is False:
                    entered = list(blocks[1:]) if statement.exhaustive else []
                    if not entered:
                        continue
                else:
                    entered = list(blocks)
                ends = [_walk(program, block, scope, known, found, seen) for block in entered]
                open_end = verdict is None and not statement.exhaustive
                if not any(ends) and not open_end:
                    return False
            case Branch(blocks=blocks):
                ends = [_walk(program, block, scope, known, found, seen) for block in blocks]
                if not any(ends) and statement.exhaustive:
                    return False
            case Loop(body=body):
                _walk(program, body, scope, known, found, seen)
            case _:
                continue
    return True


def evaluate_condition(
    program: Program, expr: Expr, scope: Scope, known: Known = nothing_known
) -> bool | None:
    """Whether a condition holds; None where that is undetermined."""
    match expr:
        case LiteralExpr(value=value):
            return bool(value)
        case OperationExpr(operator="not" | "and" as operator, operands=operands):
            verdicts = (evaluate_condition(program, item, scope, known) for item in operands)
            return evaluate_boolean(operator, verdicts)
        case Choice(options=options):
            return any_of(evaluate_condition(program, item, scope, known) for item in options)
        case OperationExpr(operator=operator, operands=[left, right]):
            return _compare(
                operator, _value(program, left, scope, known), _value(program, right, scope, known)
            )
        case Call() if known(expr) is None:
            return conditions.evaluate_condition(expr, ConditionContext(program, scope))
        case _:
            return _truthiness(_value(program, expr, scope, known))


def without_untaken_branches(
    program: Program,
    statements: tuple[Statement, ...],
    scope: Scope,
    known: Known = nothing_known,
) -> tuple[Statement, ...]:
    """Statements with the blocks that are entered in the place of each `if` whose test is known."""
    taken: list[Statement] = []
    for statement in statements:
        if not isinstance(statement, Branch) or statement.kind != "if":
            taken.append(statement)
            continue
        test, blocks = statement.condition, statement.blocks
        verdict = None if test is None else evaluate_condition(program, test, scope, known)
        inside = tuple(without_untaken_branches(program, b, scope, known) for b in blocks)
        if verdict is None:
            taken.append(replace(statement, blocks=inside))
        elif verdict or statement.exhaustive:
            taken.extend(inside[0] if verdict else inside[1])
    return tuple(taken)


def _value(program: Program, expr: Expr, scope: Scope, known: Known) -> Value:
    found = known(expr)
    return found if found is not None else program.evaluate(expr, scope)


def _compare(operator: str, left: Value, right: Value) -> bool | None:
    verdict: bool | None = None
    match operator:
        case "==" | "is" | "!=" | "is not":
            if isinstance(left, Constant) and isinstance(right, Constant):
                verdict = left.value == right.value
            elif isinstance(right, Constant) and right.value is None:
                verdict = _is_null(left)
            return negate(verdict) if operator in ("!=", "is not") else verdict
        case "in":
            return _is_in(left, right)
        case "not in":
            return negate(_is_in(left, right))
        case "<" | "<=" | ">" | ">=":
            return _in_order(operator, left, right)
        case _:
            return None


def _in_order(operator: str, left: Value, right: Value) -> bool | None:
    """How two numbers compare."""
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return None
    first, second = left.value, right.value
    if not (isinstance(first, int | float) and isinstance(second, int | float)):
        return None
    smaller = first < second if "<" in operator else first > second
    return smaller or (operator.endswith("=") and first == second)


def _is_null(value: Value) -> bool | None:
    match value:
        case Constant(value=constant):
            return constant is None
        case Record() | Items() | Instance():
            return False
        case BySchema(schema=schema) if schema.nullable is False:
            return False
        case OneOf(options=options):
            verdicts = {_is_null(option) for option in options}
            return verdicts.pop() if len(verdicts) == 1 else None
        case _:
            return None


def _is_in(left: Value, right: Value) -> bool | None:
    if not isinstance(left, Constant):
        return None
    match right:
        case Items(values=values, repeated=False):
            constants = [item.value for item in values if isinstance(item, Constant)]
            if left.value in constants:
                return True
            return False if len(constants) == len(values) else None
        case Record(entries=entries, partial=partial, values=values):
            present = [entry for entry in entries if entry.name == left.value]
            if not present:
                return None if partial or values is not None else False
            return None if present[0].optional or present[0].undefined is not False else True
        case _:
            return None


def _truthiness(value: Value) -> bool | None:
    match value:
        case Constant(value=constant):
            return bool(constant)
        case Record(entries=entries, partial="", values=None):
            return bool(entries) if not any(e.optional for e in entries) else None
        case Items(values=values, repeated=False):
            return bool(values)
        case _:
            return None
