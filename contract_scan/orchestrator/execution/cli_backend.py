"""One process of an agent for each task (REQ-003)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Final

from contract_scan.clients import git
from contract_scan.clients.agents import (
    AGENT_COMMANDS,
    Event,
    ToolCalled,
    Transcript,
)
from contract_scan.clients.process_group import ProcessGroup
from contract_scan.clients.processes import ProcessError
from contract_scan.orchestrator.config import AgentTeamConfig
from contract_scan.orchestrator.execution.agent_program import (
    Version,
    shown_version,
    version_of,
)
from contract_scan.orchestrator.execution.files import (
    Snapshot,
    snapshot,
    with_unclaimed_files,
    written_in_project,
)
from contract_scan.orchestrator.execution.progress import (
    ProgressWarning,
    TaskEnded,
    TaskStarted,
    ToolUsed,
)
from contract_scan.orchestrator.execution.tasks import (
    ExecutionWave,
    ScheduledTask,
    TaskResult,
    TaskStatus,
    TeamState,
    WaveResult,
    check_order,
)
from contract_scan.orchestrator.execution.workplace import Workplace

GATES_NEED: Final[Version] = (2, 1, 145)
"""The first version of Claude Code whose Stop hooks hear of tasks in the background."""

_PATIENCE: Final = 5.0
"""Seconds between the steps of ending a process."""

_TARGETS: Final = ("file_path", "notebook_path", "path", "command", "pattern", "description")


class CLIBackend:
    """Runs the configured agent once for each task, several at a time where that is allowed."""

    def __init__(self, config: AgentTeamConfig, workplace: Workplace) -> None:
        self._agent = config.agent
        self._command = AGENT_COMMANDS[config.agent.name]
        self._workplace = workplace
        self._slots = asyncio.Semaphore(config.agent.parallel_tasks)
        self._running: dict[str, ProcessGroup] = {}
        self.state = TeamState(mode="cli")

    async def initialize(self) -> TeamState:
        """Find out whether the agent is there. Raises BackendError."""
        version = await asyncio.to_thread(version_of, self._agent, self._workplace.project_dir)
        if self._agent.name == "claude" and version < GATES_NEED:
            self._workplace.observe(
                ProgressWarning(
                    f"Claude Code {shown_version(version)} is older than"
                    f" {shown_version(GATES_NEED)}: its hooks may keep agents from ending that"
                    " only wait"
                )
            )
        self.state.active = True
        return self.state

    async def execute_wave(self, wave: ExecutionWave) -> WaveResult:
        """Execute the tasks, those first that others depend on. Raises BackendError."""
        check_order(wave)
        began, before = time.monotonic(), snapshot(self._workplace.project_dir)
        ended: dict[str, asyncio.Future[TaskResult]] = {
            task.id: asyncio.get_running_loop().create_future() for task in wave.tasks
        }

        async def execute(task: ScheduledTask) -> None:
            needed = [ended[other] for other in task.depends_on if other in ended]
            failed = [done.task_id for done in await _all_of(needed) if done.status != "completed"]
            result = (
                task.failed(f"needs {', '.join(failed)}, which did not complete")
                if failed
                else await self._execute(task, before)
            )
            ended[task.id].set_result(result)

        try:
            async with asyncio.TaskGroup() as group:
                for task in wave.tasks:
                    group.create_task(execute(task))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        results = [ended[task.id].result() for task in wave.tasks]
        after = snapshot(self._workplace.project_dir)
        results = with_unclaimed_files(results, before, after)
        return WaveResult(
            wave_index=wave.index,
            task_results=results,
            all_succeeded=all(result.status == "completed" for result in results),
            duration_seconds=time.monotonic() - began,
        )

    async def execute_task(self, task: ScheduledTask) -> TaskResult:
        """Execute one task."""
        done = await self.execute_wave(ExecutionWave(0, (task,)))
        return done.task_results[0]

    async def send_context(self, context: str) -> bool:
        """Agents that run for one task hear nothing but that task."""
        return False

    async def shutdown(self) -> None:
        """End all agents."""
        ending = (process.end(_PATIENCE) for process in [*self._running.values()])
        await asyncio.gather(*ending, return_exceptions=True)
        self.state.active = False

    def supports_peer_messaging(self) -> bool:
        """Processes do not know each other."""
        return False

    def supports_self_claiming(self) -> bool:
        """A process ends with its task."""
        return False

    async def _execute(self, task: ScheduledTask, before: Snapshot) -> TaskResult:
        async with self._slots:
            if why_not := self._workplace.spending.why_exhausted:
                return task.failed(why_not)
            self._workplace.observe(TaskStarted(task.id, task.title))
            self.state.teammates.append(task.id)
            try:
                result = await self._run(task, before)
            finally:
                self.state.teammates.remove(task.id)
        ends = (
            self.state.completed_tasks if result.status == "completed" else self.state.failed_tasks
        )
        ends.append(task.id)
        self._workplace.observe(TaskEnded(result))
        return result

    async def _run(self, task: ScheduledTask, before: Snapshot) -> TaskResult:
        began, transcript = time.monotonic(), Transcript()
        try:
            process = self._start(task)
        except ProcessError as error:
            return task.failed(str(error))
        status: TaskStatus
        self._running[task.id] = process
        seconds = self._agent.task_timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._follow(task, process, transcript)
                await process.wait_exit()
                why = self._why_failed(transcript, process)
                status = "failed" if why else "completed"
        except TimeoutError:
            status, why = "timeout", f"took longer than {seconds} seconds"
        finally:
            await process.end(_PATIENCE)
            del self._running[task.id]
            self._workplace.add_cost(transcript.total_cost_usd)
        written = written_in_project(task.id, transcript.files, before, self._workplace)
        return TaskResult(
            task_id=task.id,
            status=status,
            output=transcript.text,
            error=why,
            files_created=written.created,
            files_modified=written.modified,
            duration_seconds=time.monotonic() - began,
        )

    def _start(self, task: ScheduledTask) -> ProcessGroup:
        command, workplace = self._command, self._workplace
        prompt = task.prompt.encode("utf-8", "surrogatepass")
        prompt_file = workplace.write_file(task.id, ".prompt.md", prompt)
        words = command.line(
            executable=self._agent.command,
            model=self._agent.model,
            permission_mode=self._agent.permission_mode,
            servers=workplace.servers,
            servers_file=workplace.servers_file(),
            prompt_file=prompt_file,
            in_repository=git.inside_work_tree(workplace.project_dir),
        )
        process = ProcessGroup.start(words, cwd=workplace.project_dir, without=command.without)
        if not command.prompt_file:
            process.write(prompt)
        process.close_input()
        return process

    async def _follow(
        self, task: ScheduledTask, process: ProcessGroup, transcript: Transcript
    ) -> None:
        reader = self._command.reader()
        with self._workplace.line_log(task.id) as keep:
            async for line in process.lines():
                keep(line)
                for event in reader.read(line):
                    transcript.add(event)
                    self._show(task, event)

    def _why_failed(self, transcript: Transcript, process: ProcessGroup) -> str:
        """Empty where it did not fail."""
        status = process.status or 0
        if transcript.error:
            return transcript.error
        if status != 0:
            how = f"was ended by signal {-status}" if status < 0 else f"failed with status {status}"
            return f"{how}: {process.complaint}" if process.complaint else how
        if self._command.tells_turns and not transcript.turns:
            return "ended without a result"
        return ""

    def _show(self, task: ScheduledTask, event: Event) -> None:
        if isinstance(event, ToolCalled):
            self._workplace.observe(ToolUsed(task.id, event.name, target_of(event.input)))


def target_of(arguments: Mapping[str, object]) -> str:
    """What a tool is used on, by its arguments; empty where that is not clear."""
    found = (arguments.get(name) for name in _TARGETS)
    return next((value for value in found if isinstance(value, str)), "")


async def _all_of(futures: list[asyncio.Future[TaskResult]]) -> list[TaskResult]:
    return [await future for future in futures]
