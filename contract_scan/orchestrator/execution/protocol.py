"""What every backend can do."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from contract_scan.orchestrator.execution.tasks import (
    ExecutionWave,
    ScheduledTask,
    TaskResult,
    TeamState,
    WaveResult,
)


@runtime_checkable
class ExecutionBackend(Protocol):
    """Executes tasks with agents (REQ-001).

    A task that fails is a result; BackendError means that the backend cannot go on. The two
    answers about what is supported may change in the course of a run.
    """

    async def initialize(self) -> TeamState:
        """Find out whether the agent is there and usable. Raises BackendError."""
        ...

    async def execute_wave(self, wave: ExecutionWave) -> WaveResult:
        """Execute all tasks of a wave. Raises BackendError."""
        ...

    async def execute_task(self, task: ScheduledTask) -> TaskResult:
        """Execute one task. Raises BackendError."""
        ...

    async def send_context(self, context: str) -> bool:
        """Tell running agents something; whether it reached any."""
        ...

    async def shutdown(self) -> None:
        """End all agents. Never raises; may be called at any time, and twice."""
        ...

    def supports_peer_messaging(self) -> bool:
        """Whether agents can send messages to each other."""
        ...

    def supports_self_claiming(self) -> bool:
        """Whether agents take the next task by themselves."""
        ...
