"""How far evaluations go, and which of their cuts count."""

from __future__ import annotations

from pathlib import Path

from contract_scan.parsers.source.analysis.domain.budget import MAX_STEPS, Budget
from contract_scan.parsers.source.analysis.domain.values import Unresolved
from tests.parsers.source.analysis.support import function, program


def test_cuts_of_what_is_thrown_away_are_taken_back() -> None:
    budget = Budget(ring_cuts=[])
    budget.cut_ring("before")
    cuts = budget.cuts_so_far
    budget.cut_deep()
    budget.cut_ring("meanwhile")
    assert budget.take_back(cuts)
    assert (budget.cuts, budget.deep_cuts, budget.ring_cuts) == (1, 0, ["before"])


def test_nothing_is_taken_back_where_nothing_was_cut() -> None:
    budget = Budget(ring_cuts=[])
    budget.cut_deep()
    assert not budget.take_back(budget.cuts_so_far)
    assert budget.cuts == 1


def test_what_is_remembered_is_followed_as_far_whoever_asks_first() -> None:
    budget = Budget(steps=24, limit=25)
    with budget.count_anew():
        assert (budget.steps, budget.limit) == (0, MAX_STEPS)
        budget.steps += 100
    assert (budget.steps, budget.limit) == (24, 25)


def test_what_is_evaluated_for_a_shape_is_no_part_of_it() -> None:
    budget = Budget(parts=MAX_STEPS, types=7)
    with budget.count_parts_anew():
        assert (budget.parts, budget.types) == (0, 0)
        budget.parts += 5
    assert (budget.parts, budget.types) == (MAX_STEPS, 7)


TWO_STATUSES = """
import os

def first() -> dict:
    return {"status": "made"}

def second() -> dict:
    return {"status": len([1, 2, 3])}

def f():
    if os.name:
        return first()["status"]
    return second()["status"]
"""


def test_a_route_that_takes_too_many_steps_is_undetermined_from_there_on(tmp_path: Path) -> None:
    linked = program(tmp_path, {"app.py": TWO_STATUSES})
    evaluator = linked.evaluator
    first, second = linked.function_exits(function(linked, "app.py", "f"))
    assert first.value is not None and second.value is not None
    with evaluator.budget.for_operation(steps=3):
        evaluator.evaluate(first.value, first.scope)
        cut = evaluator.evaluate(second.value, second.scope)
        assert evaluator.budget.is_spent
    assert isinstance(cut, Unresolved)
    assert str(cut.reason) == "what its route answers takes too many steps to follow"


def test_the_next_route_has_all_its_steps_and_nothing_of_what_was_cut_short(tmp_path: Path) -> None:
    linked = program(tmp_path, {"app.py": TWO_STATUSES})
    evaluator = linked.evaluator
    [first, _] = linked.function_exits(function(linked, "app.py", "f"))
    assert first.value is not None
    with evaluator.budget.for_operation(steps=1):
        evaluator.evaluate(first.value, first.scope)
        assert evaluator.budget.is_spent
    with evaluator.budget.for_operation():
        assert evaluator.text(evaluator.evaluate(first.value, first.scope)) == "made"
        assert not evaluator.budget.is_spent


def test_steps_of_a_route_inside_another_do_not_count_for_that() -> None:
    budget = Budget()
    with budget.for_operation(steps=10):
        budget.spent += 9
        with budget.for_operation(steps=1):
            budget.spent += 2
            assert budget.is_spent
        assert not budget.is_spent
        assert budget.spent == 9
    assert budget.spent == 0
