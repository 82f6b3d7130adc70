"""Whether a place in a function runs for the values that a call gives its parameters.

`def publish(kind, order): if kind == "paid": send("orders.paid", order)`: a call with `"made"` does
not come to the place. Told of tests that compare what a parameter is bound to with constants; a
test of anything else may hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import contains
from contract_scan.parsers.source.analysis.domain.values import Constant, Scope, Value
from contract_scan.parsers.source.analysis.refinement.conditions import ConditionContext
from contract_scan.parsers.source.analysis.refinement.pruning import Body, running_statements
from contract_scan.parsers.source.analysis.syntax.null_checks import OTHER, SAME
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Branch,
    Call,
    Expr,
    Loop,
    Name,
    OperationExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

Reach: TypeAlias = Literal["yes", "no", "open"]
"""`open`: a parameter is compared with a constant, and what it is was undetermined."""

OPEN_CASE = Reason("enclosing-case-undetermined")
"""Why what is sent at a place that is `open` is not known."""


def reachability(program: Program, scope: Scope, place: Span) -> Reach:
    """Whether a place in the function of a scope runs for what its parameters are bound to."""

    def bound_value(expr: Expr) -> Value | None:
        is_bound = isinstance(expr, Name) and expr.id in scope.bindings
        return program.evaluate(expr, scope) if is_bound else None

    statements = scope.statements or ()
    known = ConditionContext(program, scope, bound_value)
    around = branches_around(running_statements(statements, known), place)
    if around is None:
        return "yes" if branches_around(statements, place) is None else "no"
    return "open" if any(_asks_unknown_parameter(known, each) for each in around) else "yes"


def branches_around(statements: Body, place: Span) -> tuple[Branch, ...] | None:
    """The branches around a place, from the outermost; None where no statement holds it."""
    for statement in statements:
        parts: tuple[Expr | None, ...] = ()
        match statement:
            case Branch(blocks=blocks, condition=condition, cases=cases):
                parts = (condition, *cases)
                around: tuple[Branch, ...] = (statement,)
            case Loop(body=body, variable=variable, iterable=iterable):
                parts, blocks, around = (variable, iterable), (body,), ()
            case _:
                if contains(statement, place):
                    return ()
                continue
        for block in blocks:
            inner = branches_around(block, place)
            if inner is not None:
                return (*around, *inner)
        if any(part is not None and contains(part, place) for part in parts):
            return ()
    return None


def _asks_unknown_parameter(known: ConditionContext, branch: Branch) -> bool:
    """Whether a branch compares a parameter that is bound to something undetermined with a
    constant."""
    if branch.condition is None:
        return False
    pairs = [(branch.condition, label) for label in _single_labels(branch.cases)]
    for node in nodes_of(branch.condition):
        match node:
            case OperationExpr(operator="in", operands=(one, ArrayLiteral(items=items))):
                pairs += [(one, item) for item in items]
            case OperationExpr(operator=operator, operands=(one, other)) if (
                operator in SAME | OTHER
            ):
                pairs += [(one, other), (other, one)]
            case Call(callee=Attribute(value=one, name="equals"), args=[Argument(value=other)]):
                pairs += [(one, other), (other, one)]
            case _:
                pass
    return any(_is_open(known, one, other) for one, other in pairs)


def _single_labels(labels: tuple[Expr, ...]) -> Iterator[Expr]:
    for label in labels:
        yield from label.items if isinstance(label, ArrayLiteral) else (label,)


def _is_open(known: ConditionContext, asked: Expr, constant: Expr) -> bool:
    if not isinstance(asked, Name) or asked.id not in known.scope.bindings:
        return False
    value = known.value(constant)
    is_constant = isinstance(value, Constant) and value.value is not None
    return is_constant and not isinstance(known.value(asked), Constant)
