"""Lists of hundreds of objects, each of them made by calls: more than one evaluation may follow."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Items,
    Record,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Expr

_MOST_PASSES = 10


def evaluate_list(program: Program, expr: Expr, scope: Scope) -> Value:
    """What an expression means that may list many objects. What an evaluation that was cut short
    told of some is remembered, so that one more tells others: they go on as long as it does."""
    told = -1
    budget = program.evaluator.budget
    for _ in range(_MOST_PASSES):
        value = program.evaluate(expr, scope)
        before, told = told, _count_told(value)
        if told <= before or budget.depth or budget.steps <= budget.limit:
            break
    return value


def _count_told(value: Value) -> int:
    """How many items of a list are told, and properties of them; less than none of what has just a
    declared type, which says all that there is."""
    if not isinstance(value, Items):
        return -isinstance(value, ByType)
    told = [item for item in value.values if not isinstance(item, Unresolved)]
    entries = (e for item in told if isinstance(item, Record) for e in item.entries)
    return len(told) + sum(not isinstance(entry.value, Unresolved) for entry in entries)
