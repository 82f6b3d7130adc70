"""What a lead does, taken in event by event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

from contract_scan.clients.agents import ToolCalled, WorkerProgressed, WorkerStarted
from contract_scan.clients.agents.events import Event
from contract_scan.orchestrator.execution import Progress, TaskStarted, ToolUsed, Workplace
from contract_scan.orchestrator.execution.lead import Lead
from contract_scan.orchestrator.execution.lead_prompt import LeadTask

TASK = LeadTask("m1/api", "Write the API", "api.prompt.md", "code-writer-1-1", ())


class Recording:
    """A session that tells what it is given to tell, and hears nothing."""

    def __init__(self, told: AsyncIterator[Event]) -> None:
        self._told = told

    def events(self) -> AsyncIterator[Event]:
        return self._told

    def tell(self, text: str) -> None: ...

    def stop_worker(self, worker: str, name: str) -> None: ...

    def interrupt(self) -> None: ...

    def team(self) -> None: ...

    def give_up(self, why: str) -> None: ...

    async def open(self) -> None: ...

    async def end(self, patience: float) -> None: ...

    async def why_ended(self) -> str:
        return "it is over"


def test_a_worker_that_makes_progress_is_not_silent(tmp_path: Path) -> None:
    async def told() -> AsyncIterator[Event]:
        yield ToolCalled("call-1", "Agent", {"description": "m1/api"})
        yield WorkerStarted("worker-1", "call-1")
        work.seen_at = 0.0
        yield WorkerProgressed("worker-2")
        assert work.seen_at == 0.0
        yield WorkerProgressed("worker-1")

    lead = Lead(Recording(told()), Workplace(tmp_path), [TASK])
    work = lead.works["m1/api"]
    asyncio.run(lead.follow())
    assert work.seen_at > 0.0
    assert lead.failure == "the lead ended before its tasks: it is over"


def test_a_start_that_the_list_of_tasks_shows_first_is_told_once(tmp_path: Path) -> None:
    listed = {
        "id": "1",
        "status": "in_progress",
        "metadata": {"builder_task_id": "m1/api"},
    }
    (tmp_path / "tasks" / "team").mkdir(parents=True)
    (tmp_path / "tasks" / "team" / "1.json").write_text(json.dumps(listed))

    async def told() -> AsyncIterator[Event]:
        lead.poll(tmp_path, "team")
        yield ToolCalled("call-1", "Agent", {"description": "m1/api"})
        lead.poll(tmp_path, "team")

    seen: list[Progress] = []
    lead = Lead(Recording(told()), Workplace(tmp_path, observe=seen.append), [TASK])
    asyncio.run(lead.follow())
    assert seen == [TaskStarted("m1/api", "Write the API"), ToolUsed("", "Agent", "m1/api")]
