"""Executing tasks with agents: what a backend is given, gives back, and can do."""

from contract_scan.orchestrator.execution.protocol import ExecutionBackend
from contract_scan.orchestrator.execution.tasks import (
    BackendError,
    ExecutionWave,
    Mode,
    ScheduledTask,
    TaskResult,
    TaskStatus,
    TeamState,
    WaveResult,
)

__all__ = [
    "BackendError",
    "ExecutionBackend",
    "ExecutionWave",
    "Mode",
    "ScheduledTask",
    "TaskResult",
    "TaskStatus",
    "TeamState",
    "WaveResult",
]
