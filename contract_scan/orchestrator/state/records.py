"""What is known of a run, as STATE.json holds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Health = Literal["passed", "partial", "failed", "unknown"]
MilestoneStatus = Literal["PENDING", "IN_PROGRESS", "COMPLETE", "FAILED"]


@dataclass
class ContractReport:
    """How the code stands to its contracts (TECH-029)."""

    total_contracts: int = 0
    verified_contracts: int = 0
    violated_contracts: int = 0
    missing_implementations: int = 0
    violations: list[dict[str, Any]] = field(default_factory=list)
    health: Health = "unknown"
    verified_contract_ids: list[str] = field(default_factory=list)
    violated_contract_ids: list[str] = field(default_factory=list)


@dataclass
class EndpointTestReport:
    """What requests to the running endpoints showed (TECH-030)."""

    total_endpoints: int = 0
    tested_endpoints: int = 0
    passed_endpoints: int = 0
    failed_endpoints: int = 0
    untested_contracts: list[str] = field(default_factory=list)
    health: Health = "unknown"


@dataclass
class EndToEndReport:
    """What the end-to-end tests showed."""

    passed: int = 0
    total: int = 0
    health: Health = "unknown"


@dataclass
class RunState:
    """A run, from its requirements to its result (TECH-007, TECH-031)."""

    run_id: str = ""
    requirements_path: str = ""
    """Of the PRD, as it was given."""
    requirements_hash: str = ""
    """SHA-256 of its bytes: a run is resumed for the same requirements only."""
    changed_since: str = ""
    """The commit that the run began at: what agents commit counts as changed. Empty where the
    project had none."""
    depth: str = ""
    started_at: str = ""
    updated_at: str = ""
    completed_stages: list[str] = field(default_factory=list)
    current_stage: str = ""
    """Empty before the first and after the last one."""
    interrupted: bool = False
    milestones: dict[str, MilestoneStatus] = field(default_factory=dict)
    completed_tasks: list[str] = field(default_factory=list)
    failed_tasks: list[str] = field(default_factory=list)
    written_files: list[str] = field(default_factory=list)
    """Files that tasks have written, relative to the project, sorted."""
    total_cost: float = 0.0
    """US dollars, as the agents report."""
    requirements_checked: int = 0
    """Check boxes of requirements that are set."""
    requirements_total: int = 0
    agent_teams_active: bool = False
    contract_report: ContractReport | None = None
    endpoint_test_report: EndpointTestReport | None = None
    e2e_report: EndToEndReport | None = None
    registered_artifacts: list[str] = field(default_factory=list)
    fix_rounds: dict[str, int] = field(default_factory=dict)
    """Name of a loop of fixes -> how often it went round."""
    open_findings: dict[str, int] = field(default_factory=dict)
    """Name of a loop of fixes -> findings that are left."""
    failed_scans: list[str] = field(default_factory=list)
    """Scans that ended in an error, so that nobody knows what they would have found."""
    notes: list[str] = field(default_factory=list)
    """What went otherwise than planned: fallbacks, promises that could not be kept."""
    health: Health = "unknown"
