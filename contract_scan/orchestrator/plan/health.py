"""How far a milestone is: its check boxes, and the contracts that the code keeps."""

from __future__ import annotations

from dataclasses import dataclass

from contract_scan.orchestrator.plan.checkboxes import Checkboxes
from contract_scan.orchestrator.state import ContractReport, Health

_HALF = 0.5


@dataclass(frozen=True)
class MilestoneHealth:
    """What is known of a milestone, or of a whole build."""

    checkbox_ratio: float
    contract_compliance_ratio: float | None
    """None where there are no contracts to comply with."""
    health_ratio: float
    """The smaller of the two."""
    health: Health


def check_milestone_health(
    checkboxes: Checkboxes,
    min_convergence_ratio: float,
    contract_report: ContractReport | None = None,
) -> MilestoneHealth:
    """How healthy a milestone is (REQ-061, REQ-078).

    It has passed where the ratio is reached, and failed where not half of that is. Without
    requirements and without contracts nothing is known.
    """
    compliance = contract_compliance_ratio(contract_report)
    if not checkboxes.total and compliance is None:
        return MilestoneHealth(0.0, None, 0.0, "unknown")
    ratio = checkboxes.ratio if checkboxes.total else 1.0
    if compliance is not None:
        ratio = min(ratio, compliance)
    health: Health = "partial"
    if ratio >= min_convergence_ratio:
        health = "passed"
    elif ratio < min_convergence_ratio * _HALF:
        health = "failed"
    return MilestoneHealth(checkboxes.ratio, compliance, ratio, health)


def contract_compliance_ratio(report: ContractReport | None) -> float | None:
    """The part of the contracts that is verified; None where there is none."""
    if report is None or report.total_contracts == 0:
        return None
    return report.verified_contracts / report.total_contracts
