"""The state of a run: its record, its file, and what agents are told of it when it is resumed."""

from contract_scan.orchestrator.state.records import (
    ContractReport,
    EndpointTestReport,
    EndToEndReport,
    Health,
    MilestoneStatus,
    RunState,
)
from contract_scan.orchestrator.state.resume import build_resume_context
from contract_scan.orchestrator.state.storage import (
    STATE_FILE,
    StateError,
    as_plain_values,
    convergence_ratio,
    load_state,
    save_state,
    summary_of,
)

__all__ = [
    "STATE_FILE",
    "ContractReport",
    "EndToEndReport",
    "EndpointTestReport",
    "Health",
    "MilestoneStatus",
    "RunState",
    "StateError",
    "as_plain_values",
    "build_resume_context",
    "convergence_ratio",
    "load_state",
    "save_state",
    "summary_of",
]
