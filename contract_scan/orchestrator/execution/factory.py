"""Which backend executes the tasks of a run, and which one takes over when it breaks."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path

from contract_scan.orchestrator.config import AGENT_TEAMS_VARIABLE, AgentTeamConfig
from contract_scan.orchestrator.execution.agent_teams_backend import AgentTeamsBackend
from contract_scan.orchestrator.execution.cli_backend import CLIBackend
from contract_scan.orchestrator.execution.progress import ProgressWarning
from contract_scan.orchestrator.execution.protocol import ExecutionBackend
from contract_scan.orchestrator.execution.tasks import (
    ExecutionWave,
    TaskResult,
    TeamState,
    WaveFailedError,
    WaveResult,
)
from contract_scan.orchestrator.execution.workplace import Workplace

logger = logging.getLogger(__name__)

_ADVICE = f"set {AGENT_TEAMS_VARIABLE}=1"
_WINDOWS_TERMINAL = "WT_SESSION"
"""The variable that Windows Terminal sets."""


_NO_PANES = (
    "Windows Terminal has no panes for teammates: set `agent_teams.teammate_display_mode` to"
    " `in-process`"
)


def detect_agent_teams_available(
    config: AgentTeamConfig | None = None, workplace: Workplace | None = None
) -> bool:
    """Whether agent teams can be used here (REQ-005): they are switched on, Claude Code is there,
    and the terminal can show teammates as the configuration wants them."""
    config = config or AgentTeamConfig()
    if os.environ.get(AGENT_TEAMS_VARIABLE) != "1" or _lacks_panes(config):
        return False
    return AgentTeamsBackend(config, workplace or Workplace(Path.cwd()))._verify_claude_available()


def _lacks_panes(config: AgentTeamConfig) -> bool:
    wanted = config.agent_teams.teammate_display_mode != "in-process"
    return wanted and bool(os.environ.get(_WINDOWS_TERMINAL))


async def create_execution_backend(
    config: AgentTeamConfig, workplace: Workplace | None = None
) -> ExecutionBackend:
    """The backend that the configuration and the environment allow (REQ-004).

    One for teams is initialized already. Raises RuntimeError where teams are wanted, cannot be
    had, and may not be replaced.
    """
    workplace = workplace or Workplace(Path.cwd())
    teams = config.agent_teams
    if not teams.enabled:
        return CLIBackend(config, workplace)
    if os.environ.get(AGENT_TEAMS_VARIABLE) != "1":
        _warn(workplace, f"Agent teams enabled in config but env var not set: {_ADVICE}")
        return CLIBackend(config, workplace)
    if not detect_agent_teams_available(config, workplace):
        lacks_panes = _lacks_panes(config)
        if not teams.fallback_to_cli:
            missing = "Claude CLI required for agent teams but not found"
            raise RuntimeError(_NO_PANES if lacks_panes else missing)
        missing = "Claude CLI not available, falling back to CLI"
        _warn(workplace, _NO_PANES if lacks_panes else missing)
        return CLIBackend(config, workplace)
    backend = AgentTeamsBackend(config, workplace)
    try:
        await backend.initialize()
    except Exception as error:
        if not teams.fallback_to_cli:
            raise
        _warn(workplace, f"Agent teams cannot be used, falling back to CLI: {_error_text(error)}")
        return CLIBackend(config, workplace)
    return backend


class WaveExecutor:
    """Executes waves by one backend, and from the wave in which that breaks on by one process for
    each task, where the configuration allows that (REQ-009)."""

    def __init__(
        self, backend: ExecutionBackend, config: AgentTeamConfig, workplace: Workplace
    ) -> None:
        self.backend = backend
        self.state = TeamState(mode="cli", active=False)
        self._config = config
        self._workplace = workplace

    @classmethod
    async def create(cls, config: AgentTeamConfig, workplace: Workplace) -> WaveExecutor:
        """With the backend that can be had, initialized. Raises RuntimeError."""
        executor = cls(await create_execution_backend(config, workplace), config, workplace)
        if isinstance(executor.backend, AgentTeamsBackend):
            executor.state = executor.backend.state
        else:
            executor.state = await executor.backend.initialize()
        return executor

    async def execute_wave(self, wave: ExecutionWave) -> WaveResult:
        """Execute a wave. Raises what the backend raises where nothing may take over."""
        try:
            return await self.backend.execute_wave(wave)
        except Exception as error:
            replaceable = isinstance(self.backend, AgentTeamsBackend)
            if not (replaceable and self._config.agent_teams.fallback_to_cli):
                raise
            _warn(
                self._workplace,
                f"Wave {wave.index} and all that follow are executed without a team:"
                f" {_error_text(error)}",
            )
            done = error.results if isinstance(error, WaveFailedError) else ()
        await self.backend.shutdown()
        self.backend = CLIBackend(self._config, self._workplace)
        self.state = await self.backend.initialize()
        return await self._execute_rest(wave, {result.task_id: result for result in done})

    async def shutdown(self) -> None:
        """End all agents."""
        await self.backend.shutdown()

    async def _execute_rest(self, wave: ExecutionWave, done: dict[str, TaskResult]) -> WaveResult:
        """Execute what the team has not completed."""
        completed = {id for id, result in done.items() if result.status == "completed"}
        rest = tuple(task for task in wave.tasks if task.id not in completed)
        result = await self.backend.execute_wave(ExecutionWave(wave.index, rest))
        done |= {each.task_id: each for each in result.task_results}
        results = [done[task.id] for task in wave.tasks]
        succeeded = all(each.status == "completed" for each in results)
        return replace(result, task_results=results, all_succeeded=succeeded)


def _warn(workplace: Workplace, message: str) -> None:
    logger.warning(message)
    workplace.observe(ProgressWarning(message))


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__
