"""Which milestones can be worked on at the same time."""

from __future__ import annotations

from collections.abc import Collection
from graphlib import CycleError, TopologicalSorter

from contract_scan.orchestrator.plan.master_plan import MasterPlan, Milestone, PlanError


def milestone_waves(
    plan: MasterPlan, complete: Collection[str] = ()
) -> list[tuple[Milestone, ...]]:
    """The milestones that are not complete yet, in waves: those of a wave depend on earlier waves
    only. Raises PlanError where milestones depend on each other in a circle."""
    order = TopologicalSorter(
        {milestone.id: milestone.dependencies for milestone in plan.milestones}
    )
    try:
        order.prepare()
    except CycleError as error:
        circle = " → ".join(error.args[1])
        raise PlanError(f"milestones depend on each other in a circle: {circle}") from None
    waves: list[tuple[Milestone, ...]] = []
    while order.is_active():
        ready = set(order.get_ready())
        order.done(*ready)
        wave = tuple(
            milestone
            for milestone in plan.milestones
            if milestone.id in ready and milestone.id not in complete
        )
        if wave:
            waves.append(wave)
    return waves
