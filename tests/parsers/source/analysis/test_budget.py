"""How far evaluations go, and which of their cuts count."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.budget import MAX_STEPS, Budget


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
