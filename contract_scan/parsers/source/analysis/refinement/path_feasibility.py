"""Whether a place in a function runs for the values that a call gives its parameters.

`def publish(kind, order): if kind == "paid": send("orders.paid", order)`: a call with `"made"` does
not come to the place. Told of tests that compare what a parameter is bound to with constants; a
test of anything else may hold.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, Scope
from contract_scan.parsers.source.analysis.syntax.null_checks import ALL, ANY, NOT, OTHER, SAME
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
    UnsupportedSyntax,
)

Reach: TypeAlias = Literal["yes", "no", "open"]
"""`open`: a parameter is compared with a constant, and what it is was undetermined."""

OPEN_CASE = Reason("enclosing-case-undetermined")
"""Why what is sent at a place that is `open` is not known."""

_Held: TypeAlias = bool | Literal["open"] | None
"""Whether a test holds; None: it may, and asks nothing of a parameter."""

_DEEPEST = 60


def reachability(program: Program, scope: Scope, place: Span) -> Reach:
    """Whether a place in the function of a scope runs for what its parameters are bound to."""
    return _Path(program, scope, place).block(scope.statements or (), _DEEPEST)


class _Path(Struct, frozen=True):
    program: Program
    scope: Scope
    place: Span

    def block(self, statements: tuple[Statement, ...], left: int) -> Reach:
        """Whether the place in a block is come to."""
        for statement in statements:
            if self._holds_place(statement):
                return self._reach_inside(statement, left - 1) if left else "yes"
            if isinstance(statement, Branch) and self._ends_before_place(statement):
                return "no"
        return "yes"

    def _reach_inside(self, statement: Statement, left: int) -> Reach:
        if isinstance(statement, Loop):
            return self.block(statement.body, left)
        if not isinstance(statement, Branch):
            return "yes"
        for index, block in enumerate(statement.blocks):
            if any(map(self._holds_place, block)):
                block_runs = self._block_runs(statement, index)
                inner = self.block(block, left) if block_runs is not False else "no"
                return "open" if block_runs == "open" and inner != "no" else inner
        return "yes"

    def _ends_before_place(self, branch: Branch) -> bool:
        """Whether a branch before the place is sure to leave the function."""
        return branch.kind == "if" and any(
            self._block_runs(branch, index) is True and bool(block) and _ends_function(block[-1])
            for index, block in enumerate(branch.blocks)
        )

    def _holds_place(self, statement: Statement) -> bool:
        span = statement.span
        start, end = (span.line, span.column), (span.end_line, span.end_column)
        return (
            start <= (self.place.line, self.place.column)
            and (self.place.end_line, self.place.end_column) <= end
        )

    def _block_runs(self, branch: Branch, index: int) -> _Held:
        """Whether a block of a branch is the one that runs."""
        if branch.condition is None or branch.kind == "try":
            return None
        if branch.kind == "switch":
            return self._is_case(branch, branch.condition, index)
        if len(branch.blocks) > 2:
            return None
        outcome = self._test(branch.condition, _DEEPEST)
        return (not outcome) if index and isinstance(outcome, bool) else outcome

    def _is_case(self, branch: Branch, subject: Expr, index: int) -> _Held:
        if len(branch.cases) != len(branch.blocks):
            return None
        own = [index]
        while own[-1] and not branch.blocks[own[-1] - 1]:
            own.append(own[-1] - 1)  # falls through
        cases = [self._case(subject, case) for case in branch.cases]
        mine = [cases[i] for i in own]
        others = [held for i, held in enumerate(cases) if i not in own]
        if any(_is_default(branch.cases[i]) for i in own):
            held = _disjunction(others)
            return not held if isinstance(held, bool) else held
        return _disjunction(mine)

    def _case(self, subject: Expr, case: Expr) -> _Held:
        if isinstance(case, ArrayLiteral):
            return _disjunction([self._equal(subject, each) for each in case.items])
        if isinstance(case, Choice):
            return _disjunction([self._equal(subject, each) for each in case.options])
        return False if _is_default(case) else self._equal(subject, case)

    # ------------------------------------------------------------------ tests

    def _test(self, test: Expr, left: int) -> _Held:
        if not left:
            return None
        match test:
            case OperationExpr(operator=operator, operands=(inner,)) if operator in NOT:
                held = self._test(inner, left - 1)
                return not held if isinstance(held, bool) else held
            case OperationExpr(operator=operator, operands=operands) if operator in ALL:
                return _conjunction(self._test_each(operands, left))
            case OperationExpr(operator=operator, operands=operands) if operator in ANY:
                return _disjunction(self._test_each(operands, left))
            case Choice(options=options, fallback=True, given=()):
                return _disjunction(self._test_each(options, left))
            case OperationExpr(operator=operator, operands=(one, other)) if operator in SAME:
                return self._equal(one, other)
            case OperationExpr(operator=operator, operands=(one, other)) if operator in OTHER:
                held = self._equal(one, other)
                return not held if isinstance(held, bool) else held
            case OperationExpr(operator="in", operands=(one, ArrayLiteral(items=items))):
                return _disjunction([self._equal(one, item) for item in items])
            case Call(callee=Attribute(value=one, name="equals"), args=[Argument(value=other)]):
                return self._equal(one, other)
            case _:
                return None

    def _test_each(self, tests: tuple[Expr, ...], left: int) -> list[_Held]:
        return [self._test(test, left - 1) for test in tests]

    def _equal(self, one: Expr, other: Expr) -> _Held:
        asked = [expr for expr in (one, other) if self._is_parameter(expr)]
        if len(asked) != 1:
            return None
        written = other if asked[0] is one else one
        known = self.program.evaluate(written, self.scope)
        if not isinstance(known, Constant) or known.value is None:
            return None
        given = self.program.evaluate(asked[0], self.scope)
        if not isinstance(given, Constant):
            return "open"
        same = type(given.value) is type(known.value) or given.value is None
        return given.value == known.value if same else None

    def _is_parameter(self, expr: Expr) -> bool:
        return isinstance(expr, Name) and expr.id in self.scope.bindings


def _is_default(case: Expr) -> bool:
    """Whether a case of a switch is the one that is left."""
    return isinstance(case, UnsupportedSyntax) and case.description in ("any", "default")


def _ends_function(statement: Statement) -> bool:
    return isinstance(statement, Return | Throw)


def _conjunction(held: list[_Held]) -> _Held:
    if False in held:
        return False
    return "open" if "open" in held else None if None in held else True


def _disjunction(held: list[_Held]) -> _Held:
    if True in held:
        return True
    return "open" if "open" in held else None if None in held else False
