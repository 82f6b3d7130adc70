"""Executing tasks with agents: what a backend is given, gives back, and can do."""

from contract_scan.orchestrator.execution.agent_teams_backend import AgentTeamsBackend
from contract_scan.orchestrator.execution.cli_backend import CLIBackend
from contract_scan.orchestrator.execution.factory import (
    WaveExecutor,
    create_execution_backend,
    detect_agent_teams_available,
)
from contract_scan.orchestrator.execution.progress import (
    CostAdded,
    Observer,
    Progress,
    ProgressWarning,
    TaskEnded,
    TaskStarted,
    ToolUsed,
)
from contract_scan.orchestrator.execution.protocol import ExecutionBackend
from contract_scan.orchestrator.execution.tasks import (
    BackendError,
    ExecutionWave,
    Mode,
    ScheduledTask,
    TaskResult,
    TaskStatus,
    TeamState,
    WaveFailedError,
    WaveResult,
)
from contract_scan.orchestrator.execution.workplace import (
    BUILDER_FOLDER,
    CostBudget,
    Workplace,
)

__all__ = [
    "BUILDER_FOLDER",
    "AgentTeamsBackend",
    "BackendError",
    "CLIBackend",
    "CostAdded",
    "CostBudget",
    "ExecutionBackend",
    "ExecutionWave",
    "Mode",
    "Observer",
    "Progress",
    "ProgressWarning",
    "ScheduledTask",
    "TaskEnded",
    "TaskResult",
    "TaskStarted",
    "TaskStatus",
    "TeamState",
    "ToolUsed",
    "WaveExecutor",
    "WaveFailedError",
    "WaveResult",
    "Workplace",
    "create_execution_backend",
    "detect_agent_teams_available",
]
