"""One lead for each wave, with a worker for each task."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contract_scan.orchestrator.config import AgentTeamConfig, with_values
from contract_scan.orchestrator.execution import (
    AgentTeamsBackend,
    BackendError,
    CostAdded,
    ExecutionBackend,
    ExecutionWave,
    Progress,
    ScheduledTask,
    TaskEnded,
    TaskResult,
    TaskStarted,
    TeamState,
    ToolUsed,
    WaveFailedError,
    WaveResult,
)
from tests.orchestrator.execution.bench import Bench as Base
from tests.orchestrator.execution.bench import untimed, untimed_wave

API = ScheduledTask("m1/api", "Write the API", "Write `api.py`.")
TESTS = ScheduledTask("m1/tests", "Test it", "Write tests.", "test-engineer", ("m1/api",))
DOCS = ScheduledTask("m1/docs", "Describe it", "Write documents.")


class Bench(Base):
    """With a backend that has a lead for each wave."""

    def backend(self, *, poll_seconds: float = 30.0, **settings: object) -> AgentTeamsBackend:
        values = {
            name.replace("__", ".") if "__" in name else f"agent_teams.{name}": value
            for name, value in settings.items()
        }
        config = with_values(AgentTeamConfig(), {"agent_teams.enabled": True, **values})
        return AgentTeamsBackend(config, self.workplace, poll_seconds=poll_seconds)

    def execute(self, *tasks: ScheduledTask, **settings: Any) -> WaveResult:
        backend = self.backend(**settings)

        async def execute() -> WaveResult:
            await backend.initialize()
            return await backend.execute_wave(ExecutionWave(2, tasks))

        return asyncio.run(execute())

    def ends(self, *tasks: ScheduledTask, **settings: Any) -> list[tuple[str, str, str]]:
        return [
            (result.task_id, result.status, result.error)
            for result in self.execute(*tasks, **settings).task_results
        ]

    def failure(self, *tasks: ScheduledTask, **settings: Any) -> WaveFailedError:
        with pytest.raises(WaveFailedError) as caught:
            self.execute(*tasks, **settings)
        return caught.value


@pytest.fixture(autouse=True)
def no_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EXPERIMENTAL_AGENT_TEAMS", "ENABLE_TODO_TOOLS", "SUBAGENT_MODEL"):
        monkeypatch.delenv(f"CLAUDE_CODE_{name}", raising=False)


@pytest.mark.requirement("REQ-001", "REQ-002", "TECH-009")
def test_it_is_a_backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(Bench(tmp_path, monkeypatch).backend(), ExecutionBackend)


@pytest.mark.requirement("REQ-006", "TECH-003")
def test_initializing_finds_out_whether_claude_code_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    state = asyncio.run(bench.backend(teammate_model="small").initialize())
    assert state == TeamState(mode="agent_teams")
    (call,) = bench.claude.calls
    assert call["message"]["request"] == {"subtype": "initialize", "hooks": None}
    assert call["environment"] == {
        "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1",
        "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",
        "CLAUDE_CODE_SUBAGENT_MODEL": "small",
    }


@pytest.mark.requirement("REQ-006")
@pytest.mark.parametrize(
    ("scenario", "error"),
    [
        (
            {"version_status": 1},
            "`claude --version` does not work: install claude, or set `agent.command` to where it"
            " is",
        ),
        (
            {"version": "one of a kind"},
            "`claude --version` tells no version, so that it is not claude: set `agent.command` to"
            " where that is",
        ),
        ({"version": "2.1.150"}, "agent teams need Claude Code 2.1.178; this is 2.1.150"),
        (
            {"lead_fault": "dies before init"},
            "the lead refuses `initialize`: the lead ended before its tasks:"
            " API Error: Connection refused",
        ),
    ],
    ids=["does not run", "tells no version", "too old", "dies"],
)
def test_claude_code_that_cannot_be_used(
    scenario: dict[str, Any], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = Bench(tmp_path, monkeypatch, **scenario).backend()
    with pytest.raises(BackendError) as caught:
        asyncio.run(backend.initialize())
    assert str(caught.value) == error
    assert backend.state.active is False


@pytest.mark.requirement("TECH-010")
@pytest.mark.parametrize(("status", "available"), [(0, True), (3, False)])
def test_whether_claude_code_is_available(
    status: int, available: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, version_status=status)
    assert bench.backend()._verify_claude_available() is available


@pytest.mark.requirement("TECH-010")
def test_claude_code_that_is_not_there_is_not_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    assert bench.backend(agent__command="no-such-claude")._verify_claude_available() is False


@pytest.mark.requirement("TEST-015", "REQ-001")
def test_where_a_team_is_formed_its_members_talk_and_take_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = Bench(tmp_path, monkeypatch, team=True).backend()
    asyncio.run(backend.initialize())
    assert backend.supports_peer_messaging() is True
    assert backend.supports_self_claiming() is True


@pytest.mark.requirement("REQ-001")
def test_where_no_team_is_formed_workers_are_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = Bench(tmp_path, monkeypatch).backend()
    asyncio.run(backend.initialize())
    assert backend.supports_peer_messaging() is False
    assert backend.supports_self_claiming() is False


@pytest.mark.requirement("REQ-002", "REQ-007", "TECH-011", "TECH-012A")
def test_a_wave_with_a_task_that_depends_on_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(
        tmp_path,
        monkeypatch,
        {"when": "api.py", "writes": {"api.py": "new", "old.py": "changed"}, "text": "API done."},
        {"when": "tests", "writes": {"test_api.py": "new"}, "text": "Tests done."},
    )
    (bench.project / "old.py").write_text("old")
    backend = bench.backend()

    async def execute() -> WaveResult:
        await backend.initialize()
        return await backend.execute_wave(ExecutionWave(2, (API, TESTS)))

    result = untimed_wave(asyncio.run(execute()))
    assert [replace(done, output="") for done in result.task_results] == [
        TaskResult("m1/api", "completed", "", "", ["api.py"], ["old.py"]),
        TaskResult("m1/tests", "completed", "", "", ["test_api.py"], []),
    ]
    assert [done.output.splitlines()[0] for done in result.task_results] == [
        "API done.",
        "Tests done.",
    ]
    assert (result.wave_index, result.all_succeeded) == (2, True)
    assert backend.state == TeamState(
        mode="agent_teams", completed_tasks=["m1/api", "m1/tests"], total_messages=1
    )


@pytest.mark.requirement("TECH-012A", "TECH-001")
def test_how_long_a_worker_took_is_told_by_the_lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""})
    (result,) = bench.execute(API).task_results
    assert result.duration_seconds == 1.5


@pytest.mark.requirement("REQ-002", "REQ-007", "TECH-005")
def test_what_the_lead_is_started_with_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""})
    bench.workplace.servers = {"docs": {"command": "docs-server"}}
    bench.execute(API, TESTS, teammate_permission_mode="plan", max_teammates=2)
    call = bench.claude.calls[-1]
    servers = bench.project / ".agent-team/runs/run/mcp-servers.json"
    arguments = call["argv"]
    agents = json.loads(arguments.pop(arguments.index("--agents") + 1))
    assert arguments == [
        *("--print", "--output-format", "stream-json", "--verbose"),
        *("--input-format", "stream-json", "--permission-mode", "plan"),
        *("--mcp-config", str(servers)),
        *("--teammate-mode", "in-process", "--agents", "--agent", "build-lead"),
    ]
    assert agents["build-lead"]["tools"] == [
        *("Agent", "Read", "SendMessage"),
        *("TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate"),
    ]
    text = call["message"]["message"]["content"]
    assert "At most 2 workers run at the same time." in text
    assert "You coordinate only" in text
    assert json.loads(text.split("```json\n")[1].split("\n```")[0]) == [
        {
            "id": "m1/api",
            "subject": "Write the API",
            "instructions": ".agent-team/runs/run/m1-api.prompt.md",
            "worker": "code-writer-2-1",
            "blocked_by": [],
        },
        {
            "id": "m1/tests",
            "subject": "Test it",
            "instructions": ".agent-team/runs/run/m1-tests.prompt.md",
            "worker": "test-engineer-2-2",
            "blocked_by": ["m1/api"],
        },
    ]
    instructions = bench.project / ".agent-team/runs/run/m1-api.prompt.md"
    assert instructions.read_text() == "Write `api.py`."


@pytest.mark.requirement("TECH-005")
def test_a_lead_that_may_work_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""})
    bench.execute(API, delegate_mode=False, teammate_display_mode="split")
    call = bench.claude.calls[-1]
    assert "--agents" not in call["argv"]
    assert call["argv"][-2:] == ["--teammate-mode", "iterm2"]
    assert "You coordinate; carry out a task yourself" in call["message"]["message"]["content"]


@pytest.mark.requirement("REQ-007")
def test_the_leads_list_holds_a_task_for_each_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""})
    bench.execute(API, TESTS)
    used = [
        (seen.task_id, seen.tool)
        for seen in bench.seen
        if isinstance(seen, ToolUsed) and seen.tool != "Write"
    ]
    assert used == [
        ("", "TaskCreate"),
        ("", "TaskCreate"),
        ("", "TaskUpdate"),
        *(("", "Agent"), ("", "TaskUpdate"), ("", "TaskUpdate")),
        *(("", "Agent"), ("", "TaskUpdate"), ("", "TaskUpdate")),
    ]
    assert [seen for seen in bench.seen if isinstance(seen, TaskStarted)] == [
        TaskStarted("m1/api", "Write the API"),
        TaskStarted("m1/tests", "Test it"),
    ]
    lists = [*(tmp_path / "claude" / "home" / "tasks").iterdir()]
    (folder,) = lists
    kept = [json.loads(path.read_text()) for path in sorted(folder.iterdir())]
    assert [(task["metadata"], task["blockedBy"], task["status"]) for task in kept] == [
        ({"builder_task_id": "m1/api"}, [], "completed"),
        ({"builder_task_id": "m1/tests"}, ["1"], "completed"),
    ]


def test_what_a_lead_costs_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""}, lead_fault="two results")
    bench.execute(API)
    assert [seen for seen in bench.seen if isinstance(seen, CostAdded)] == [CostAdded(0.02)]


def test_no_task_is_begun_once_the_run_has_cost_what_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(
        tmp_path,
        monkeypatch,
        {"when": "", "fault": "hangs"},
        lead_fault="starts a task after its turn",
    )
    bench.workplace.spending.limit = 0.02
    refused = "the run may cost no more than $0.02"
    assert bench.ends(API, DOCS, teammate_idle_timeout=1) == [
        ("m1/api", "timeout", "nothing was heard of its worker for 1 seconds"),
        ("m1/docs", "failed", refused),
    ]
    stopped = [request["task_id"] for request in bench.claude.requests]
    assert sorted(stopped) == ["agent1", "agent2"]
    assert bench.ends(TESTS) == [("m1/tests", "failed", refused)]
    assert [told["type"] for told in bench.claude.messages].count("user") == 1  # of one wave


def test_a_task_that_the_lead_forgot_is_started_when_it_is_reminded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""}, lead_fault="forgets a task once")
    assert bench.ends(API, DOCS) == [("m1/api", "completed", ""), ("m1/docs", "completed", "")]


@pytest.mark.requirement("REQ-009")
def test_a_lead_that_does_not_start_a_task_fails_the_wave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""}, lead_fault="forgets a task")
    failure = bench.failure(API, DOCS, TESTS)
    assert str(failure) == "the lead does not start m1/tests"
    assert [result.task_id for result in failure.results] == ["m1/api", "m1/docs"]


@pytest.mark.requirement("REQ-009")
@pytest.mark.parametrize(
    ("scenario", "why"),
    [
        ({"lead_fault": "dies amid the wave"}, "the lead ended before its tasks: status 1"),
        ({"no_tools": ["TaskCreate", "TaskUpdate"]}, "the lead has no TaskCreate, TaskUpdate"),
    ],
    ids=["dies", "has no tools for tasks"],
)
def test_a_lead_that_cannot_go_on_fails_the_wave(
    scenario: dict[str, Any], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "hangs"}, **scenario)
    failure = bench.failure(API)
    assert (str(failure), failure.results) == (why, ())


@pytest.mark.requirement("TECH-011")
def test_a_worker_that_fails_fails_no_other_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(
        tmp_path,
        monkeypatch,
        {"when": "api.py", "report": "failed", "error": "there is no database"},
        {"when": ""},
    )
    assert bench.ends(API, TESTS, DOCS) == [
        ("m1/api", "failed", "there is no database"),
        ("m1/tests", "failed", "needs m1/api, which did not complete"),
        ("m1/docs", "completed", ""),
    ]


@pytest.mark.requirement("REQ-009")
def test_what_a_lead_does_and_cannot_be_taken_in_fails_the_wave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "writes": {"api.py": ""}})

    def observe(progress: Progress) -> None:
        if isinstance(progress, ToolUsed) and progress.task_id == DOCS.id:
            raise ValueError("torn")

    bench.workplace.observe = observe
    failure = bench.failure(API, DOCS)
    assert str(failure) == "what the lead did is not understood: ValueError: torn"
    assert [result.task_id for result in failure.results] == [API.id]


@pytest.mark.requirement("TECH-011")
def test_an_end_that_cannot_be_told_fails_no_other_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "api.py", "fault": "hangs"}, {"when": ""})

    def observe(progress: Progress) -> None:
        if isinstance(progress, TaskEnded) and progress.result.task_id == API.id:
            raise ValueError("torn")

    bench.workplace.observe = observe
    assert bench.ends(API, DOCS, teammate_idle_timeout=4) == [
        ("m1/api", "timeout", "nothing was heard of its worker for 4 seconds"),
        ("m1/docs", "completed", ""),
    ]


def test_a_worker_without_a_report_completed_what_the_lead_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "no report", "text": "Fine."})
    (result,) = bench.execute(API).task_results
    assert (result.status, result.output) == ("completed", "Fine.")


def test_a_completion_that_a_hook_refuses_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "refused": "REQ-002 is not satisfied"})
    assert bench.ends(API) == [
        ("m1/api", "failed", "its completion was refused: REQ-002 is not satisfied")
    ]


@pytest.mark.requirement("REQ-007")
def test_a_worker_that_takes_too_long_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "api.py", "fault": "hangs"}, {"when": ""})
    assert bench.ends(API, DOCS, task_timeout_seconds=6) == [
        ("m1/api", "timeout", "took longer than 6 seconds"),
        ("m1/docs", "completed", ""),
    ]
    assert bench.claude.requests == [{"subtype": "stop_task", "task_id": "agent1"}]


@pytest.mark.requirement("TECH-005")
def test_a_worker_that_is_silent_for_too_long_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "hangs"})
    assert bench.ends(API, TESTS, teammate_idle_timeout=1) == [
        ("m1/api", "timeout", "nothing was heard of its worker for 1 seconds"),
        ("m1/tests", "failed", "needs m1/api, which did not complete"),
    ]
    assert bench.claude.requests == [{"subtype": "stop_task", "task_id": "agent1"}]


@pytest.mark.requirement("REQ-007", "TECH-002")
def test_a_wave_that_takes_too_long_keeps_what_was_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "api.py"}, {"when": "", "fault": "hangs"})
    assert bench.ends(API, DOCS, wave_timeout_seconds=10) == [
        ("m1/api", "completed", ""),
        ("m1/docs", "timeout", "the wave took longer than 10 seconds"),
    ]
    assert bench.claude.requests == [
        {"subtype": "interrupt"},
        {"subtype": "stop_task", "task_id": "agent2"},
    ]


@pytest.mark.requirement("REQ-007")
@pytest.mark.parametrize("lead_fault", ["", "forms its team late"])
def test_a_task_that_a_teammate_marks_itself_is_seen_in_the_list(
    lead_fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = {"when": "", "fault": "marks its task itself"}
    bench = Bench(tmp_path, monkeypatch, rule, team=True, lead_fault=lead_fault)
    assert bench.ends(API, poll_seconds=0.05) == [("m1/api", "completed", "")]


def running(bench: Bench, backend: AgentTeamsBackend) -> asyncio.Task[WaveResult]:
    return asyncio.create_task(backend.execute_wave(ExecutionWave(0, (API,))))


async def has_begun(backend: AgentTeamsBackend) -> None:
    while not backend.state.teammates:
        await asyncio.sleep(0.01)


@pytest.mark.requirement("REQ-008")
def test_shutting_down_asks_every_teammate_and_stops_every_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = {"when": "", "fault": "hangs"}
    bench = Bench(tmp_path, monkeypatch, rule, team=True, teammates=["alice", "bob"])
    backend = bench.backend()

    async def shut_down() -> None:
        state = await backend.initialize()
        executing = running(bench, backend)
        await has_begun(backend)
        await backend.shutdown()
        assert state.active is False
        (result,) = (await executing).task_results
        assert (result.status, result.error) == ("failed", "its worker stopped")

    asyncio.run(shut_down())
    sent = [
        seen.tool
        for seen in bench.seen
        if isinstance(seen, ToolUsed) and seen.tool == "SendMessage"
    ]
    assert sent == ["SendMessage", "SendMessage"]
    told = bench.claude.messages[-2]["message"]["content"]
    assert json.loads(told.split("```json\n")[1].split("\n```")[0]) == ["alice", "bob"]
    assert bench.claude.requests == [{"subtype": "stop_task", "task_id": "agent1"}]


@pytest.mark.requirement("REQ-008")
def test_shutting_down_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = Bench(tmp_path, monkeypatch).backend()

    async def shut_down() -> TeamState:
        await backend.initialize()
        await backend.shutdown()
        await backend.shutdown()
        return backend.state

    assert asyncio.run(shut_down()) == TeamState(mode="agent_teams", active=False)


def test_interrupting_a_wave_ends_the_lead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "hangs"})
    backend = bench.backend()

    async def interrupt() -> bool:
        await backend.initialize()
        executing = running(bench, backend)
        await has_begun(backend)
        executing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await executing
        return await backend.send_context("Is anybody there?")

    assert asyncio.run(interrupt()) is False
    assert backend.state.teammates == []


@pytest.mark.requirement("REQ-001")
def test_the_lead_that_runs_can_be_told_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "hangs", "messages": True})
    backend = bench.backend(task_timeout_seconds=2)

    async def tell() -> bool:
        await backend.initialize()
        executing = running(bench, backend)
        await has_begun(backend)
        told = await backend.send_context("The contract has changed.")
        await executing
        return told

    assert asyncio.run(tell()) is True
    heard = [told["message"]["content"] for told in bench.claude.messages if told["type"] == "user"]
    assert heard[-1] == "The contract has changed."
    # The task to the lead, the worker's message to the lead, and what the lead was told.
    assert backend.state.total_messages == 3


def test_one_task_is_a_wave_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "writes_by_command": {"made.py": ""}})

    async def execute() -> TaskResult:
        backend = bench.backend()
        await backend.initialize()
        return await backend.execute_task(API)

    result = untimed(asyncio.run(execute()))
    assert (result.status, result.files_created) == ("completed", ["made.py"])
