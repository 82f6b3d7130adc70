"""One lead process of Claude Code for each wave, with a worker for each task (REQ-002).

Where Claude Code forms a team, workers are its teammates; where it does not, as in its print mode
today, they are agents in the background. What is supported is found out rather than assumed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

from contract_scan.clients.agents import (
    CLAUDE_IN_TERMINAL,
    CLAUDE_WITH_LINES,
    AgentCommand,
    servers_document,
)
from contract_scan.clients.agents.claude_folders import Team, configuration_folder
from contract_scan.clients.agents.server_relay import watched_servers
from contract_scan.orchestrator.config import (
    AGENT_TEAMS_VARIABLE,
    AgentConfig,
    AgentTeamConfig,
)
from contract_scan.orchestrator.execution.agent_program import (
    Version,
    executable_of,
    shown_version,
    version_of,
    version_text,
)
from contract_scan.orchestrator.execution.files import (
    Snapshot,
    snapshot,
    with_unclaimed_files,
    written_in_project,
)
from contract_scan.orchestrator.execution.lead import Lead, Work
from contract_scan.orchestrator.execution.lead_prompt import (
    LeadTask,
    lead_prompt,
    lead_tasks,
    shutdown_prompt,
)
from contract_scan.orchestrator.execution.lead_session import (
    LeadSession,
    PrintedSession,
    TerminalSession,
    server_log_file,
)
from contract_scan.orchestrator.execution.progress import ProgressWarning, TaskEnded
from contract_scan.orchestrator.execution.tasks import (
    BackendError,
    ExecutionWave,
    ScheduledTask,
    TaskResult,
    TeamState,
    WaveFailedError,
    WaveResult,
    check_order,
)
from contract_scan.orchestrator.execution.workplace import Workplace

TEAMS_NEED: Final[Version] = (2, 1, 178)
"""The first version of Claude Code in which a session has a team without asking for one."""

POLL_SECONDS: Final = 30.0
"""Between two looks at the lead's list of tasks (REQ-007)."""

_PATIENCE: Final = 5.0
_SHUTDOWN_SECONDS: Final = 10.0
"""That a team gets to end its members."""

_LEAD_TOOLS: Final = (
    "Agent",
    "Read",
    "SendMessage",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskStop",
    "TaskUpdate",
)
"""What a lead that only coordinates may use. Its workers may use all."""

_SessionStart: TypeAlias = Callable[
    [list[str], dict[str, str], Workplace, str, Sequence[str]], LeadSession
]
_SESSIONS: Final[Mapping[bool, tuple[AgentCommand, _SessionStart]]] = {
    False: (CLAUDE_WITH_LINES, PrintedSession),
    True: (CLAUDE_IN_TERMINAL, TerminalSession),
}
"""By whether the lead works in a terminal."""

_DISPLAY_MODES: Final = {"in-process": "in-process", "tmux": "tmux", "split": "iterm2"}


class AgentTeamsBackend:
    """Executes each wave by a lead and its workers."""

    def __init__(
        self, config: AgentTeamConfig, workplace: Workplace, *, poll_seconds: float = POLL_SECONDS
    ) -> None:
        self._agent = config.agent if config.agent.name == "claude" else AgentConfig()
        self._teams = config.agent_teams
        self._workplace = workplace
        self._poll_seconds = poll_seconds
        self._environment: dict[str, str] = {}
        self._lead: Lead | None = None
        self._team: Team | None = None
        self.state = TeamState(mode="agent_teams", active=False)

    def _verify_claude_available(self) -> bool:
        """Whether `claude --version` works (TECH-010)."""
        executable = executable_of(self._agent)
        return version_text(executable, self._workplace.project_dir) is not None

    async def initialize(self) -> TeamState:
        """Find out whether Claude Code is there, new enough, and answers. Raises BackendError."""
        version = await asyncio.to_thread(version_of, self._agent, self._workplace.project_dir)
        if version < TEAMS_NEED:
            raise BackendError(
                f"agent teams need Claude Code {shown_version(TEAMS_NEED)}; this is"
                f" {shown_version(version)}"
            )
        if self._teams.interactive and self._workplace.spending.limit:
            self._workplace.observe(
                ProgressWarning(
                    "Claude Code tells no costs in a terminal: `agent.max_cost_usd` does not count"
                    " those of teams"
                )
            )
        self._environment = {AGENT_TEAMS_VARIABLE: "1", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}
        if self._teams.teammate_model:
            self._environment["CLAUDE_CODE_SUBAGENT_MODEL"] = self._teams.teammate_model
        lead = self._start("probe", [])
        following = asyncio.create_task(lead.follow())
        try:
            await self._greet(lead)
        finally:
            await lead.end(_PATIENCE)
            await asyncio.gather(following, return_exceptions=True)
        self.state.active = True
        return self.state

    async def execute_wave(self, wave: ExecutionWave) -> WaveResult:
        """Execute the tasks by one lead (REQ-007). Raises WaveFailedError."""
        check_order(wave)
        if why_not := self._workplace.spending.why_exhausted:
            return WaveResult(wave.index, [task.failed(why_not) for task in wave.tasks], False)
        began, before = time.monotonic(), snapshot(self._workplace.project_dir)
        tasks = lead_tasks(wave.tasks, [*self._instructions(wave.tasks)], wave.index)
        lead = self._lead = self._start(f"wave-{wave.index}", tasks)
        for work in lead.works.values():
            work.at_end = lambda ended: self._tell_end(ended, before)
        following = asyncio.create_task(lead.follow())
        polling = asyncio.create_task(self._poll(lead))
        try:
            await self._greet(lead)
            lead.tell(
                lead_prompt(
                    tasks,
                    delegate=self._teams.delegate_mode,
                    most_workers=self._teams.max_teammates,
                )
            )
            await self._finish(lead)
        except asyncio.CancelledError:
            await self._end_team(lead)
            raise
        finally:
            polling.cancel()
            await lead.end(_PATIENCE)
            await asyncio.gather(following, return_exceptions=True)  # its failure is the lead's
            self._lead = None
            self.state.teammates.clear()
            self.state.total_messages += lead.messages
        results = [self._result(lead.works[task.id], before) for task in wave.tasks]
        results = with_unclaimed_files(results, before, snapshot(self._workplace.project_dir))
        if any(work.status is None for work in lead.works.values()):
            done = [result for result in results if lead.works[result.task_id].status is not None]
            raise WaveFailedError(lead.failure, done)
        return WaveResult(
            wave_index=wave.index,
            task_results=results,
            all_succeeded=all(result.status == "completed" for result in results),
            duration_seconds=time.monotonic() - began,
        )

    async def execute_task(self, task: ScheduledTask) -> TaskResult:
        """Execute one task, as a wave of its own. Raises WaveFailedError."""
        done = await self.execute_wave(ExecutionWave(0, (task,)))
        return done.task_results[0]

    async def send_context(self, context: str) -> bool:
        """Tell the lead that runs; False where none does."""
        if self._lead is None:
            return False
        self._lead.tell(context)
        return True

    async def shutdown(self) -> None:
        """Have the team end its members, stop all workers, and end the lead (REQ-008)."""
        lead, self.state.active = self._lead, False
        if lead is not None:
            await self._end_team(lead)
            await lead.end(_PATIENCE)

    async def _end_team(self, lead: Lead) -> None:
        self._team = lead.team() or self._team
        if self._team is not None and self._team.members:
            lead.tell(shutdown_prompt(self._team.members))
            await lead.has_asked_to_end({*self._team.members}, _SHUTDOWN_SECONDS)
        for work in lead.works.values():
            if work.status is None:
                lead.stop(work)

    def supports_peer_messaging(self) -> bool:
        """Whether a team has been seen: only its members can send messages to each other."""
        return self._team is not None

    def supports_self_claiming(self) -> bool:
        """Whether a team has been seen: only its members see the list of tasks."""
        return self._team is not None

    # How a wave goes

    async def _greet(self, lead: Lead) -> None:
        """Make sure that the program speaks as expected, and see whether it has a team."""
        await lead.open()
        self._team = lead.team()

    async def _finish(self, lead: Lead) -> None:
        """Wait for all tasks, each no longer than it may take, all no longer than a wave may."""
        seconds = self._teams.wave_timeout_seconds
        waiting = (self._wait_for(lead, work) for work in lead.works.values())
        try:
            async with asyncio.timeout(seconds):
                outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        except TimeoutError:
            lead.interrupt()
            for work in lead.works.values():
                if work.status is None:
                    lead.stop(work)
                    work.end("timeout", f"the wave took longer than {seconds} seconds")
            return
        for work, outcome in zip(lead.works.values(), outcomes, strict=True):
            if isinstance(outcome, Exception):
                work.end("failed", f"{type(outcome).__name__}: {outcome}")

    async def _wait_for(self, lead: Lead, work: Work) -> None:
        await work.begun.wait()
        if work.task.worker not in self.state.teammates and not work.ended.is_set():
            self.state.teammates.append(work.task.worker)
        seconds, idle = self._teams.task_timeout_seconds, self._teams.teammate_idle_timeout
        try:
            async with asyncio.timeout(seconds):
                if not await self._ends_or_idles(work, idle):
                    lead.stop(work)
                    work.end("timeout", f"nothing was heard of its worker for {idle} seconds")
        except TimeoutError:
            lead.stop(work)
            work.end("timeout", f"took longer than {seconds} seconds")
        finally:
            with suppress(ValueError):
                self.state.teammates.remove(work.task.worker)

    async def _ends_or_idles(self, work: Work, idle: float) -> bool:
        """Whether it ended before its worker had been silent for so many seconds."""
        while not work.ended.is_set():
            left = work.seen_at + idle - time.monotonic()
            if left <= 0:
                return False
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await work.ended.wait()
        return True

    async def _poll(self, lead: Lead) -> None:
        while True:
            await asyncio.sleep(self._poll_seconds)
            self._team = lead.team() or self._team
            lead.poll(configuration_folder(), self._team.name if self._team else "")

    # What a wave is given, and what it gives back

    def _instructions(self, tasks: tuple[ScheduledTask, ...]) -> Iterator[str]:
        for task in tasks:
            prompt = task.prompt.encode("utf-8", "surrogatepass")
            path = self._workplace.write_file(task.id, ".prompt.md", prompt)
            yield path.relative_to(self._workplace.project_dir).as_posix()

    def _start(self, name: str, tasks: list[LeadTask]) -> Lead:
        command, start = _SESSIONS[self._teams.interactive]
        servers_file = self._servers_file(name)
        words = command.line(
            executable=self._agent.command,
            model=self._agent.model,
            permission_mode=self._teams.teammate_permission_mode,
            servers=self._workplace.servers,
            servers_file=servers_file,
            prompt_file=servers_file,
        )
        words += ("--teammate-mode", _DISPLAY_MODES[self._teams.teammate_display_mode])
        tools = _LEAD_TOOLS if self._teams.delegate_mode else ()
        session = start(words, self._environment, self._workplace, name, tools)
        return Lead(session, self._workplace, tasks)

    def _servers_file(self, name: str) -> Path:
        """The file of MCP servers for a lead; in a terminal, they are watched until it knows their
        tools."""
        servers = self._workplace.servers
        if not (self._teams.interactive and servers):
            return self._workplace.servers_file()
        watched = watched_servers(servers, server_log_file(self._workplace, name).absolute())
        return self._workplace.write_file(name, ".servers.json", servers_document(watched))

    def _result(self, work: Work, before: Snapshot) -> TaskResult:
        written = written_in_project(work.task.id, work.transcript.files, before, self._workplace)
        return TaskResult(
            task_id=work.task.id,
            status=work.status or "failed",
            output=work.report or work.transcript.text,
            error=work.error,
            files_created=written.created,
            files_modified=written.modified,
            duration_seconds=work.duration_seconds,
        )

    def _tell_end(self, work: Work, before: Snapshot) -> None:
        """Tell of a task as soon as it has ended: an interrupt must not lose what was completed."""
        result = self._result(work, before)
        completed = result.status == "completed"
        ends = self.state.completed_tasks if completed else self.state.failed_tasks
        ends.append(result.task_id)
        self._workplace.observe(TaskEnded(result))
