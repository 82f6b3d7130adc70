"""What functions that say whether something holds answer, where facts are known of their arguments.

Validators are such functions: `isValid(null)`, `IsValid(null)`.
"""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ReturnedValue
from contract_scan.parsers.source.facts.nodes import LiteralExpr


def exit_answer(program: Program, exit: ReturnedValue) -> bool | None:
    """The truth value that a function ends with; None where it throws, or that is undetermined."""
    if exit.thrown or exit.value is None:
        return None
    if isinstance(exit.value, LiteralExpr) and isinstance(exit.value.value, bool):
        return exit.value.value
    return program.evaluator.specialisations.holds(exit.value, exit.scope)


def agreed_answer(answers: Iterable[bool | None]) -> bool | None:
    """The answer that every way through a function gives; None where they differ, or one is
    undetermined."""
    distinct = set(answers)
    return distinct.pop() if len(distinct) == 1 else None
