"""MASTER_PLAN.md, waves of milestones, and how healthy they are."""

from __future__ import annotations

from textwrap import dedent

import pytest

from contract_scan.orchestrator.plan import (
    Checkboxes,
    MasterPlan,
    Milestone,
    MilestoneHealth,
    PlanError,
    check_milestone_health,
    count_checkboxes,
    milestone_waves,
    parse_master_plan,
    render_master_plan,
    update_master_plan_status,
)
from contract_scan.orchestrator.state import ContractReport

TEXT = dedent("""\
    # Shop

    Some words about the shop.

    ## Milestone 1: Orders

    - ID: milestone-1
    - Status: PENDING
    - Dependencies: none
    - Description: The orders service with its API.

    ### Functional requirements

    - [ ] REQ-001: An order can be placed (review_cycles: 0)
    - [x] REQ-002: An order can be read (review_cycles: 2)

    ## Milestone 2: Billing

    - ID: milestone-2
    - Status: COMPLETE
    - Dependencies: milestone-1
    - Description: Bills for orders.

    ```
    ## Milestone 3: An example
    - [ ] not a requirement
    ```

    ## Appendix

    - ID: not a milestone
    """)

PLAN = MasterPlan(
    "Shop",
    (
        Milestone(
            id="milestone-1",
            title="Orders",
            description="The orders service with its API.",
            requirements=(
                "REQ-001: An order can be placed (review_cycles: 0)",
                "REQ-002: An order can be read (review_cycles: 2)",
            ),
        ),
        Milestone(
            id="milestone-2",
            title="Billing",
            status="COMPLETE",
            dependencies=("milestone-1",),
            description="Bills for orders.",
        ),
    ),
)


@pytest.mark.requirement("INT-014")
def test_a_plan_is_read() -> None:
    assert parse_master_plan(TEXT) == PLAN


@pytest.mark.requirement("INT-014")
def test_a_plan_survives_being_written() -> None:
    assert parse_master_plan(render_master_plan(PLAN)) == PLAN


def test_a_text_without_milestones_is_no_plan() -> None:
    assert parse_master_plan("# Shop\n\nAn order can be placed.\n") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "## Milestone 1: Orders\n",
            "PLAN.md:1: the milestone needs an id (`- ID: milestone-1`) of letters, digits, `.`,"
            " `_` and `-`",
        ),
        (
            "## Milestone 1: Orders\n- ID: ../up\n",
            "PLAN.md:2: the milestone needs an id (`- ID: milestone-1`) of letters, digits, `.`,"
            " `_` and `-`",
        ),
        (
            "## Milestone 1: A\n- ID: a\n## Milestone 2: B\n- ID: a\n",
            "PLAN.md:1: the id `a` is given twice",
        ),
        (
            "## Milestone 1: A\n- ID: a\n- Status: SOON\n",
            "PLAN.md:3: the status must be one of PENDING, IN_PROGRESS, COMPLETE, FAILED",
        ),
        (
            "## Milestone 1: A\n- ID: a\n- Dependencies: b, a\n",
            "PLAN.md:3: there is no milestone `b` to depend on",
        ),
    ],
)
def test_a_plan_that_cannot_be_used(text: str, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_master_plan(text, "PLAN.md")
    assert str(caught.value) == message


@pytest.mark.requirement("INT-014")
def test_the_status_of_a_milestone_is_changed_and_nothing_else() -> None:
    changed = update_master_plan_status(TEXT, "milestone-1", "FAILED")
    before, after = TEXT.splitlines(), changed.splitlines()
    assert [(old, new) for old, new in zip(before, after, strict=True) if old != new] == [
        ("- Status: PENDING", "- Status: FAILED")
    ]


def test_a_status_is_added_where_there_was_none() -> None:
    text = "## Milestone 1: A\n- ID: a\n- Description: x\n\n## Milestone 2: B\n- ID: b\n"
    assert update_master_plan_status(text, "a", "COMPLETE") == text.replace(
        "- ID: a\n", "- ID: a\n- Status: COMPLETE\n"
    )
    assert update_master_plan_status(text, "b", "COMPLETE") == text + "- Status: COMPLETE\n"


def test_a_milestone_that_is_not_there_gets_no_status() -> None:
    with pytest.raises(PlanError) as caught:
        update_master_plan_status(TEXT, "milestone-3", "COMPLETE")
    assert str(caught.value) == "there is no milestone `milestone-3`"


def plan_of(**dependencies: str) -> MasterPlan:
    milestones = (
        Milestone(name, name, dependencies=tuple(needed.split()))
        for name, needed in dependencies.items()
    )
    return MasterPlan("", tuple(milestones))


@pytest.mark.requirement("INT-014")
def test_milestones_wait_for_what_they_depend_on() -> None:
    waves = milestone_waves(plan_of(api="", web="api", docs="", tests="api web"))
    assert [[milestone.id for milestone in wave] for wave in waves] == [
        ["api", "docs"],
        ["web"],
        ["tests"],
    ]


def test_complete_milestones_are_left_out() -> None:
    waves = milestone_waves(plan_of(api="", web="api", docs=""), {"api", "docs"})
    assert [[milestone.id for milestone in wave] for wave in waves] == [["web"]]


def test_milestones_that_depend_on_each_other() -> None:
    with pytest.raises(PlanError) as caught:
        milestone_waves(plan_of(api="api"))
    assert str(caught.value) == "milestones depend on each other in a circle: api → api"


def test_check_boxes_are_counted_outside_of_code() -> None:
    assert count_checkboxes(TEXT) == Checkboxes(1, 2)
    assert count_checkboxes("* [X] a\n  + [ ] b\n- [] no\n~~~\n- [x] c\n```\n~~~\n- [x] d\n") == (
        Checkboxes(2, 3)
    )
    assert Checkboxes().ratio == 0.0


def report(verified: int, total: int) -> ContractReport:
    return ContractReport(total_contracts=total, verified_contracts=verified)


@pytest.mark.requirement("REQ-061", "REQ-078", "TEST-066")
@pytest.mark.parametrize(
    ("checked", "contracts", "health"),
    [
        (9, None, MilestoneHealth(0.9, None, 0.9, "passed")),
        (10, report(0, 0), MilestoneHealth(1.0, None, 1.0, "passed")),
        (10, report(3, 4), MilestoneHealth(1.0, 0.75, 0.75, "partial")),
        (5, report(4, 4), MilestoneHealth(0.5, 1.0, 0.5, "partial")),
        (4, report(4, 4), MilestoneHealth(0.4, 1.0, 0.4, "failed")),
        (10, report(0, 4), MilestoneHealth(1.0, 0.0, 0.0, "failed")),
    ],
)
def test_the_smaller_ratio_decides(
    checked: int, contracts: ContractReport | None, health: MilestoneHealth
) -> None:
    assert check_milestone_health(Checkboxes(checked, 10), 0.9, contracts) == health


def test_without_requirements_contracts_alone_decide() -> None:
    assert check_milestone_health(Checkboxes(), 0.9) == MilestoneHealth(0.0, None, 0.0, "unknown")
    assert check_milestone_health(Checkboxes(), 0.9, report(2, 2)) == (
        MilestoneHealth(0.0, 1.0, 1.0, "passed")
    )
