"""The plan of a build: milestones with their requirements, waves of them, and how healthy they
are."""

from contract_scan.orchestrator.plan.checkboxes import Checkboxes, count_checkboxes
from contract_scan.orchestrator.plan.health import (
    MilestoneHealth,
    check_milestone_health,
    contract_compliance_ratio,
)
from contract_scan.orchestrator.plan.master_plan import (
    MASTER_PLAN_FILE,
    MasterPlan,
    Milestone,
    PlanError,
    parse_master_plan,
    render_master_plan,
    update_master_plan_status,
)
from contract_scan.orchestrator.plan.waves import milestone_waves

__all__ = [
    "MASTER_PLAN_FILE",
    "Checkboxes",
    "MasterPlan",
    "Milestone",
    "MilestoneHealth",
    "PlanError",
    "check_milestone_health",
    "contract_compliance_ratio",
    "count_checkboxes",
    "milestone_waves",
    "parse_master_plan",
    "render_master_plan",
    "update_master_plan_status",
]
