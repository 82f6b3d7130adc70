"""What conditional expressions give, and what their tests say of the names in their options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Record,
    Scope,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume_last
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
)
from contract_scan.parsers.source.analysis.refinement.kind_dispatch import kind_holds
from contract_scan.parsers.source.analysis.refinement.narrowing import narrow
from contract_scan.parsers.source.analysis.refinement.specialisation import is_specialised
from contract_scan.parsers.source.analysis.syntax import null_checks
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Lambda,
    Name,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.evaluation.context import Context
    from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
    from contract_scan.parsers.source.analysis.evaluation.results import Results
    from contract_scan.parsers.source.analysis.refinement.specialisation import Specialisations

_TEST_STEPS = 200
"""How many expressions may be looked at to decide one test."""


class Choices:
    """The part of the evaluator that chooses among the options of conditional expressions."""

    def __init__(
        self, context: Context, specialisations: Specialisations, nulls: Nulls, results: Results
    ) -> None:
        self._program = context.program
        self._budget = context.budget
        self._evaluate = context.evaluate
        self._specialisations = specialisations
        self._nulls = nulls
        self._results = results

    def choice_value(self, expr: Choice, scope: Scope) -> Value:
        options = self.options(expr, scope)
        reachable = [pair for pair in options if not self._throws(*pair)] or options
        values = [self._evaluate(option, inner) for option, inner in reachable]
        if expr.fallback:
            last = values[-1:] if reachable[-1] is options[-1] else []
            before = zip(values[: len(values) - len(last)], reachable, strict=False)
            values = [v for v, (option, inner) in before if not self._is_left_out(option, inner)]
            values = [self._nulls.without_null(v) for v in values if not is_null(v)] + last
            certain = (at for at, v in enumerate(values) if isinstance(v, Constant) and v.value)
            values = values[: next(certain, len(values)) + 1]  # what comes after it is never taken
            assume_last(self._program, values)
        return union_of(tuple(values))

    def _is_left_out(self, option: Expr, scope: Scope) -> bool:
        """Whether an option is a member that an object given to a function lacks, of which all
        that is in it is known: `options.status` of `{ name: "x" }`, also of `(options as T)`."""
        holder = option.value if isinstance(option, Attribute) else None
        while isinstance(holder, Cast):
            holder = holder.value
        if not isinstance(option, Attribute) or not isinstance(holder, Name):
            return False
        given = scope.bindings_around(holder.id)
        if not isinstance(given, Record) or given.partial or given.values is not None:
            return False
        return bool(given.entries) and all(entry.name != option.name for entry in given.entries)

    def _throws(self, expr: Expr, scope: Scope) -> bool:
        """Whether an expression gives nothing, since what it calls can only throw."""
        if not isinstance(expr, Call) or not isinstance(expr.callee, Lambda | Name):
            return False
        callee = self._evaluate(expr.callee, scope)
        return isinstance(callee, FunctionValue) and self._results.only_throws(callee)

    def options(self, expr: Choice, scope: Scope) -> list[tuple[Expr, Scope]]:
        """The options of a choice, each with the scope to evaluate it in: what the test of a
        conditional expression says of a name holds in its options."""
        tests = expr.given or (None,) * len(expr.options)
        pairs = list(zip(expr.options, tests, strict=False))
        chosen = [p for p in pairs if p[1] is None or self._may_hold(p[1], scope)]
        return [
            (option, scope if test is None else self._scope_where(test, scope))
            for option, test in chosen or pairs
        ]

    def _may_hold(self, test: Expr, scope: Scope) -> bool:
        held = self._specialisations.holds(test, scope)
        if held is False:
            return False
        if held is None and is_specialised(scope):
            with self._budget.within_further(_TEST_STEPS):
                if evaluate_condition(test, ConditionContext(self._program, scope)) is False:
                    return False
        return kind_holds(self._program, test, scope) is not False

    def _scope_where(self, test: Expr, scope: Scope) -> Scope:
        """The scope in which a test holds."""
        bindings: dict[str, Value] = {}
        for name in null_checks.names(test):
            present = null_checks.is_not_null(test, name, True)
            absent = not present and null_checks.is_null_or_falsy(test, name, True)
            is_refined = null_checks.is_kind_test(test, name)
            if not (present or absent or is_refined):
                continue
            value = self._evaluate(Name(id=name, span=test.span), scope)
            remaining = (
                narrow(self._program, value, name, test, scope, holds=True) if is_refined else value
            )
            if present or absent:
                bindings[name] = (
                    self._nulls.without_null(remaining)
                    if present
                    else self._nulls.null_of(remaining)
                )
            elif remaining is not value:
                bindings[name] = remaining
        if not bindings:
            return scope
        return Scope(
            file=scope.file,
            parent=scope,
            bindings=bindings,
            receiver=scope.receiver,
            depth=scope.depth,
        )
