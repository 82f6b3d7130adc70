"""Conditional expressions in the neutral form, the same for every language."""

from __future__ import annotations

from collections.abc import Sequence

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import Choice, Expr, LiteralExpr, OperationExpr

CASE = "case"
"""Operator of the test of an arm of a switch expression: whether its first operand is the label,
or one of the labels, that is the second. Java's labels name the constants of an enum alone."""
_MOST_TESTS = 6
"""How many tests of a chain of conditionals are kept with each of its options."""


def conditional(tests: Sequence[Expr], options: Sequence[Expr | None], span: Span) -> Choice:
    """`a if t else b if u else c`: the option at each place is chosen where its test holds and the
    tests before it fail; the last, which has none, where all of them fail. An option that is None
    never gives a value (it throws). Without a test (`x switch { _ => a }`) it is always chosen."""
    chosen = [
        (option, _condition_of(tests, position, span))
        for position, option in enumerate(options)
        if option is not None
    ]
    return Choice(
        options=tuple(option for option, _ in chosen),
        given=tuple(given for _, given in chosen),
        span=span,
    )


def _condition_of(tests: Sequence[Expr], position: int, span: Span) -> Expr:
    failed = [
        OperationExpr(operator="!", operands=(test,), span=test.span)
        for test in tests[: min(position, _MOST_TESTS)]
    ]
    holding = [tests[position]] if position < len(tests) else []
    parts = (*failed, *holding)
    if not parts:
        return LiteralExpr(value=True, span=span)
    if len(parts) == 1:
        return parts[0]
    return OperationExpr(operator="&&", operands=parts, span=parts[0].span)
