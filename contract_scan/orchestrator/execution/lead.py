"""The lead process of one wave: what it is told, what it does, and how far each task is.

The lead creates a task of its own for each of ours, starts workers and hears of their ends. What it
does is read from the calls of its tools and their answers; nothing is asked of the model again to
find out how far it is.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from contract_scan.clients.agents import (
    AgentReady,
    Event,
    FileWritten,
    TextWritten,
    ToolAnswered,
    ToolCalled,
    Transcript,
    TurnEnded,
    WorkerEnded,
    WorkerProgressed,
    WorkerRested,
    WorkerStarted,
)
from contract_scan.clients.agents.claude_folders import Team, read_tasks
from contract_scan.clients.agents.claude_hooks import AGENT_TOOLS
from contract_scan.orchestrator.execution.cli_backend import target_of
from contract_scan.orchestrator.execution.lead_prompt import (
    METADATA_KEY,
    LeadTask,
    reminder_prompt,
    report_of,
)
from contract_scan.orchestrator.execution.lead_session import LeadSession
from contract_scan.orchestrator.execution.progress import TaskStarted, ToolUsed
from contract_scan.orchestrator.execution.tasks import TaskStatus
from contract_scan.orchestrator.execution.workplace import Workplace

_NEEDED_TOOLS: Final = frozenset({"TaskCreate", "TaskUpdate"})


@dataclass
class Work:
    """How far one task is."""

    task: LeadTask
    transcript: Transcript = field(default_factory=Transcript)
    call: str = ""
    """The call that started its worker; empty before it."""
    worker: str = ""
    number: str = ""
    """The id of its task in the lead's list."""
    began_at: float = 0.0
    seen_at: float = 0.0
    """When its worker was last heard of."""
    report: str = ""
    reported_at: int = 0
    """How many steps its lead had done by then."""
    refusal: str = ""
    """Why its completion was refused last time."""
    status: TaskStatus | None = None
    error: str = ""
    duration_seconds: float = 0.0
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    at_end: Callable[[Work], None] = lambda _: None
    """Called once, when it has its result."""
    dependents: list[Work] = field(default_factory=list)
    """What cannot begin before it is completed."""

    def begin(self, call: str) -> None:
        """A worker has been started for it, for the first time or again."""
        now = time.monotonic()
        self.call, self.worker, self.report = call, "", ""
        self.began_at, self.seen_at = self.began_at or now, now
        self.begun.set()

    def end(self, status: TaskStatus, error: str = "") -> None:
        """It has its result, which stays; what needs it and has not begun fails with it."""
        if self.status is None:
            self.status, self.error = status, error
            for dependent in self.dependents:
                if status != "completed" and not dependent.begun.is_set():
                    dependent.end("failed", f"needs {self.task.id}, which did not complete")
            if self.began_at and not self.duration_seconds:
                self.duration_seconds = time.monotonic() - self.began_at
            self.at_end(self)
        self.begun.set()
        self.ended.set()


class Lead:
    """A lead process, from its start to its end."""

    def __init__(
        self, session: LeadSession, workplace: Workplace, tasks: Iterable[LeadTask]
    ) -> None:
        self._session = session
        self._workplace = workplace
        self.works = {task.id: Work(task) for task in tasks}
        for work in self.works.values():
            for other in work.task.blocked_by:
                self.works[other].dependents.append(work)
        self.session_id = ""
        self.failure = ""
        """Why it cannot go on."""
        self.messages = 0
        """Messages between agents, and to the lead."""
        self._own = Transcript()
        self._calls: dict[str, ToolCalled] = {}
        """Calls of tools that are not answered yet, where the answer matters."""
        self._workers: dict[str, Work] = {}
        """By the call that started the worker."""
        self._steps = 0
        """What the lead itself has begun and done: a turn that ends without any is one in which it
        has not heard yet of what its workers did."""
        self._reminded = False
        self._asked_to_end: set[str] = set()
        """Teammates that the lead has sent a request to shut down."""
        self._asked = asyncio.Event()

    # What it is told

    async def open(self) -> None:
        """Wait until it can be told something. Raises BackendError."""
        await self._session.open()

    def tell(self, text: str) -> None:
        """Tell the lead something."""
        self._session.tell(text)
        self.messages += 1

    def stop(self, work: Work) -> None:
        """End the worker of a task."""
        if work.call:
            self._session.stop_worker(work.worker, work.task.worker)

    def interrupt(self) -> None:
        """Have it leave what it is at."""
        self._session.interrupt()

    def team(self) -> Team | None:
        """The team that it has formed."""
        return self._session.team()

    async def has_asked_to_end(self, teammates: set[str], seconds: float) -> bool:
        """Whether the lead sends all of them a request to shut down within so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not teammates <= self._asked_to_end and not self.failure:
                    self._asked.clear()
                    await self._asked.wait()
        return teammates <= self._asked_to_end

    async def end(self, patience: float) -> None:
        """End the process with all its workers."""
        await self._session.end(patience)

    # What it does

    async def follow(self) -> None:
        """Take in all that it does until its process has ended."""
        try:
            async for event in self._session.events():
                self._handle_event(event)
        except Exception as error:  # nobody must wait for what will never be taken in
            self._fail(f"what the lead did is not understood: {type(error).__name__}: {error}")
            raise
        self._fail(f"the lead ended before its tasks: {await self._session.why_ended()}")

    def poll(self, folder: Path, team: str) -> None:
        """Take in what its list of tasks says, which teammates change as well."""
        numbered = {work.number: work for work in self.works.values() if work.number}
        for listed in read_tasks(folder, team or self.session_id):
            work = self.works.get(str(listed.metadata.get(METADATA_KEY))) or numbered.get(listed.id)
            if work is None:
                continue
            work.number = listed.id
            if listed.status == "in_progress" and not work.begun.is_set():
                self._begin(work, "")
            elif listed.status == "completed":
                work.end("completed")

    def _handle_event(self, event: Event) -> None:
        match event:
            case AgentReady():
                self.session_id = event.session_id
                self._steps += 1
                lacking = _NEEDED_TOOLS - {*event.tools}
                if event.tools and lacking:  # not every session tells its tools
                    self._fail(f"the lead has no {', '.join(sorted(lacking))}")
            case ToolCalled():
                self._on_tool_called(event)
            case ToolAnswered():
                self._on_tool_answered(event)
            case FileWritten() | TextWritten():
                self._steps += not event.parent
                if event.parent in self._workers:
                    work = self._workers[event.parent]
                    work.seen_at = time.monotonic()
                    work.transcript.add(event)
            case WorkerStarted():
                if event.call in self._workers:
                    self._worker_started(self._workers[event.call], event)
            case WorkerProgressed():
                for work in self.works.values():
                    if work.worker == event.id:
                        work.seen_at = time.monotonic()
            case WorkerEnded():
                if event.call in self._workers:
                    self._worker_ended(self._workers[event.call], event)
            case WorkerRested():
                if event.call in self._workers:
                    self._worker_rested(self._workers[event.call], event)
            case TurnEnded():
                self._turn_ended(event)

    def _on_tool_called(self, event: ToolCalled) -> None:
        parent = self._workers.get(event.parent)
        if parent is not None:
            parent.seen_at = time.monotonic()
        name = parent.task.id if parent is not None else ""
        self._workplace.observe(ToolUsed(name, event.name, target_of(event.input)))
        if event.name == "SendMessage":
            self.messages += 1
            message = event.input.get("message")
            if isinstance(message, Mapping) and message.get("type") == "shutdown_request":
                self._asked_to_end.add(str(event.input.get("to")))
                self._asked.set()
        if event.name == "TaskUpdate" or (event.name == "TaskCreate" and not event.parent):
            self._calls[event.id] = event
        if event.parent:
            return
        self._steps += 1
        if event.name in AGENT_TOOLS and (work := self._work_of(event.input)) is not None:
            self._begin(work, event.id)
            self._workers[event.id] = work

    def _begin(self, work: Work, call: str) -> None:
        """Its worker has started, as the call or the list of tasks says, whichever is first."""
        if not work.begun.is_set():
            self._workplace.observe(TaskStarted(work.task.id, work.task.subject))
        work.begin(call)

    def _work_of(self, arguments: Mapping[str, Any]) -> Work | None:
        """The task that a worker is started for, by what the lead was told to name."""
        described = str(arguments.get("description", "")).strip()
        if described in self.works:
            return self.works[described]
        prompt, name = str(arguments.get("prompt", "")), arguments.get("name")
        for work in self.works.values():
            if name == work.task.worker or work.task.instructions in prompt:
                return work
        return None

    def _on_tool_answered(self, event: ToolAnswered) -> None:
        call = self._calls.pop(event.id, None)
        if call is None:
            return
        if call.name == "TaskCreate":
            metadata = call.input.get("metadata")
            ours = metadata.get(METADATA_KEY) if isinstance(metadata, Mapping) else None
            created = event.value.get("task")
            if ours in self.works and isinstance(created, Mapping):
                self.works[ours].number = str(created.get("id", ""))
            return
        number = str(call.input.get("taskId", ""))
        for work in self.works.values():
            if work.number == number and call.input.get("status") == "completed":
                if event.value.get("success") is False or event.is_error:
                    work.refusal = event.text
                else:
                    work.end("completed")

    def _worker_started(self, work: Work, event: WorkerStarted) -> None:
        work.worker = event.id
        if work.status is not None:
            self.stop(work)  # the lead has not heard that nobody may begin with it any more

    def _worker_ended(self, work: Work, event: WorkerEnded) -> None:
        work.seen_at = time.monotonic()
        work.report, work.reported_at = event.report, self._steps
        work.duration_seconds += event.duration_seconds
        report = report_of(event.report, work.task.id)
        if event.status != "completed":
            work.end("failed", f"its worker {event.status or 'ended'}")
        elif report is not None and not report.completed:
            work.end("failed", report.error or "its worker reported a failure")

    def _worker_rested(self, work: Work, event: WorkerRested) -> None:
        """A teammate may rest amid its task; it is done once it reports that."""
        work.seen_at = time.monotonic()
        if report_of(event.report, work.task.id) is not None:
            self._worker_ended(work, WorkerEnded(event.id, event.call, "completed", event.report))

    def _turn_ended(self, event: TurnEnded) -> None:
        before = self._own.total_cost_usd
        self._own.add(event)
        self._workplace.add_cost(self._own.total_cost_usd - before)
        if why_not := self._workplace.spending.why_exhausted:
            for work in self.works.values():
                if not work.begun.is_set():
                    work.end("failed", why_not)
        if event.error:
            self._fail(f"the lead failed: {event.error}")
            return
        for work in self.works.values():
            if work.status is not None:
                continue
            if not work.report or work.reported_at == self._steps:
                continue
            if work.refusal:
                work.end("failed", f"its completion was refused: {work.refusal}")
            else:
                work.end("completed")  # the lead forgot to mark it
        self._steps += 1
        self._remind()

    def _remind(self) -> None:
        """Ask for tasks that could be worked on, when no worker runs that the lead may wait for."""
        forgotten = []
        for work in self.works.values():
            blockers = [self.works[other] for other in work.task.blocked_by]
            if work.status is None and work.begun.is_set():
                return
            if work.status is None and all(each.status for each in blockers):
                forgotten.append(work.task)
        if forgotten and self._reminded:
            names = ", ".join(task.id for task in forgotten)
            self._fail(f"the lead does not start {names}")
        elif forgotten:
            self._reminded = True
            self.tell(reminder_prompt(forgotten))

    def _fail(self, why: str) -> None:
        """It cannot go on: nobody has to wait any longer."""
        self.failure = self.failure or why
        self._asked.set()
        self._session.give_up(self.failure)
        for work in self.works.values():
            work.begun.set()
            work.ended.set()
