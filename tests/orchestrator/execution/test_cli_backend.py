"""One process of an agent for each task."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contract_scan.orchestrator.config import AgentTeamConfig, with_values
from contract_scan.orchestrator.execution import (
    BackendError,
    CLIBackend,
    CostAdded,
    CostBudget,
    ExecutionBackend,
    ExecutionWave,
    ProgressWarning,
    ScheduledTask,
    TaskEnded,
    TaskResult,
    TaskStarted,
    TeamState,
    ToolUsed,
    WaveResult,
)
from tests.orchestrator.execution.bench import Bench as Base
from tests.orchestrator.execution.bench import untimed, untimed_wave

Rule = dict[str, Any]


class Bench(Base):
    """With a backend that runs one process for each task."""

    def backend(self, **settings: object) -> CLIBackend:
        values = {f"agent.{name}": value for name, value in settings.items()}
        return CLIBackend(with_values(AgentTeamConfig(), values), self.workplace)

    def execute(self, *tasks: ScheduledTask, **settings: object) -> WaveResult:
        async def execute() -> WaveResult:
            return await self.backend(**settings).execute_wave(ExecutionWave(3, tasks))

        return asyncio.run(execute())

    def result(self, **settings: object) -> TaskResult:
        """Of a single task, with no time."""
        (result,) = self.execute(TASK, **settings).task_results
        return untimed(result)


TASK = ScheduledTask("m1/api", "Write the API", "Write `api.py`.")


@pytest.mark.requirement("REQ-001", "REQ-003", "TECH-009")
def test_it_is_a_backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = Bench(tmp_path, monkeypatch).backend()
    assert isinstance(backend, ExecutionBackend)
    assert not isinstance(object(), ExecutionBackend)


@pytest.mark.requirement("REQ-003", "TEST-014")
def test_processes_know_nothing_of_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = Bench(tmp_path, monkeypatch).backend()
    assert backend.supports_peer_messaging() is False
    assert backend.supports_self_claiming() is False
    assert asyncio.run(backend.send_context("The contract has changed.")) is False


@pytest.mark.requirement("REQ-003", "TECH-001", "TECH-002", "TECH-003")
def test_a_task_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(
        tmp_path,
        monkeypatch,
        {
            "when": "api.py",
            "writes": {"api.py": "new = 1\n", "old.py": "changed = 1\n"},
            "text": "Both files are written.",
            "cost": 0.25,
        },
    )
    (bench.project / "old.py").write_text("old = 1\n")
    backend = bench.backend()

    async def execute() -> tuple[TeamState, WaveResult]:
        state = await backend.initialize()
        assert state == TeamState(mode="cli")
        return state, await backend.execute_wave(ExecutionWave(3, (TASK,)))

    state, result = asyncio.run(execute())
    done = TaskResult(
        task_id="m1/api",
        status="completed",
        output="Both files are written.",
        error="",
        files_created=["api.py"],
        files_modified=["old.py"],
    )
    assert untimed_wave(result) == WaveResult(wave_index=3, task_results=[done], all_succeeded=True)
    assert state == TeamState(mode="cli", completed_tasks=["m1/api"])
    assert [
        TaskEnded(untimed(seen.result)) if isinstance(seen, TaskEnded) else seen
        for seen in bench.seen
    ] == [
        TaskStarted("m1/api", "Write the API"),
        ToolUsed("m1/api", "Write", str(bench.project / "api.py")),
        ToolUsed("m1/api", "Write", str(bench.project / "old.py")),
        CostAdded(0.25),
        TaskEnded(done),
    ]
    assert bench.workplace.spending.spent == 0.25


@pytest.mark.requirement("REQ-003")
def test_how_the_agent_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    bench = Bench(tmp_path, monkeypatch, {"when": ""})
    bench.workplace.servers = {"docs": {"type": "stdio", "command": "docs-server"}}
    task = replace(TASK, prompt="Say “ja” & 'nein'; $(rm -rf /)\n" + "x" * 300_000)
    bench.execute(task, model="large", permission_mode="plan")
    (call,) = bench.claude.calls
    servers = bench.project / ".agent-team/runs/run/mcp-servers.json"
    assert call == {
        "argv": [
            *("--print", "--output-format", "stream-json", "--verbose", "--model", "large"),
            *("--permission-mode", "plan", "--mcp-config", str(servers)),
        ],
        "prompt": task.prompt,
        "cwd": str(bench.project),
        "environment": {},
    }
    assert servers.read_text().startswith('{\n  "mcpServers": {\n    "docs"')


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ({"fault": "dies before init"}, "failed with status 1: API Error: Connection refused"),
        ({"fault": "half a line"}, "failed with status 1"),
        ({"fault": "no result"}, "ended without a result"),
        ({"fault": "error"}, "API Error: 529 overloaded"),
        ({"status": 3}, "failed with status 3"),
    ],
    ids=lambda value: value.get("fault", "") if isinstance(value, dict) else "",
)
def test_an_agent_that_fails(
    rule: Rule, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", **rule})
    result = bench.result()
    assert (result.status, result.error) == ("failed", error)


@pytest.mark.parametrize("fault", ["garbage", "two results"])
def test_an_agent_that_says_strange_things_and_completes(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": fault, "text": "All done."})
    assert bench.result() == TaskResult("m1/api", "completed", "All done.", "", [], [])


def test_a_recorded_run_with_a_worker_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = {"when": "", "fault": "recording", "recording": "background_worker"}
    bench = Bench(tmp_path, monkeypatch, rule)
    assert bench.result() == TaskResult("m1/api", "completed", "ok done", "", [], [])
    assert bench.workplace.spending.spent == pytest.approx(0.00098)


@pytest.mark.requirement("TECH-001")
def test_a_task_that_takes_too_long_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "hangs"})
    result = bench.result(task_timeout_seconds=1)
    assert result == TaskResult("m1/api", "timeout", "", "took longer than 1 seconds", [], [])


def test_files_that_only_a_command_wrote_belong_to_the_only_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = {"when": "", "writes_by_command": {"made.py": "", "old.py": "changed"}}
    bench = Bench(tmp_path, monkeypatch, rule)
    (bench.project / "old.py").write_text("old")
    result = bench.result()
    assert (result.files_created, result.files_modified) == (["made.py"], ["old.py"])


def test_files_that_an_agent_only_tells_of_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "told_only": "imagined.py"})
    assert bench.result().files_created == []


def test_a_file_outside_of_the_project_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "writes": {"../elsewhere.py": ""}})
    assert bench.result().files_created == []
    outside = bench.project / ".." / "elsewhere.py"
    assert ProgressWarning(f"m1/api wrote outside of the project: {outside}") in bench.seen


def test_tasks_run_after_those_that_they_depend_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    first = ScheduledTask("first", "First", "first")
    second = ScheduledTask("second", "Second", "second", depends_on=("first", "of another wave"))
    result = bench.execute(second, first, parallel_tasks=2)
    assert bench.claude.prompts == ["first", "second"]
    assert [done.task_id for done in result.task_results] == ["second", "first"]


def test_a_task_does_not_run_where_what_it_depends_on_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "first", "fault": "dies before init"})
    first = ScheduledTask("first", "First", "first")
    second = ScheduledTask("second", "Second", "second", depends_on=("first",))
    other = ScheduledTask("other", "Other", "other")
    result = bench.execute(first, second, other)
    assert [(done.task_id, done.status, done.error) for done in result.task_results] == [
        ("first", "failed", "failed with status 1: API Error: Connection refused"),
        ("second", "failed", "needs first, which did not complete"),
        ("other", "completed", ""),
    ]
    assert result.all_succeeded is False
    assert "second" not in bench.claude.prompts


def test_tasks_that_depend_on_each_other_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    one = ScheduledTask("one", "One", "one", depends_on=("two",))
    two = ScheduledTask("two", "Two", "two", depends_on=("one",))
    with pytest.raises(BackendError) as caught:
        bench.execute(one, two)
    assert str(caught.value) in (
        "tasks depend on each other in a circle: one → two → one",
        "tasks depend on each other in a circle: two → one → two",
    )


def test_no_task_starts_once_the_run_has_cost_what_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "cost": 0.6})
    bench.workplace.spending = CostBudget(spent=0.5, limit=1.0)
    result = bench.execute(TASK, replace(TASK, id="m1/more"))
    assert [(done.task_id, done.status, done.error) for done in result.task_results] == [
        ("m1/api", "completed", ""),
        ("m1/more", "failed", "the run may cost no more than $1"),
    ]


def test_interrupting_a_wave_ends_its_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "hangs"})
    backend = bench.backend()

    async def interrupt() -> None:
        executing = asyncio.create_task(backend.execute_wave(ExecutionWave(0, (TASK,))))
        while not bench.claude.calls:
            await asyncio.sleep(0.01)
        assert backend.state.teammates == ["m1/api"]
        executing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await executing

    asyncio.run(interrupt())
    assert backend.state.teammates == []


def test_shutting_down_ends_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "hangs"})
    backend = bench.backend()

    async def shut_down() -> WaveResult:
        executing = asyncio.create_task(backend.execute_wave(ExecutionWave(0, (TASK,))))
        while not bench.claude.calls:
            await asyncio.sleep(0.01)
        await backend.shutdown()
        await backend.shutdown()
        return await executing

    (result,) = asyncio.run(shut_down()).task_results
    assert (result.status, result.error) == ("failed", "was ended by signal 15")
    assert backend.state.active is False


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (
            "no-such-claude",
            "`no-such-claude --version` does not work: install claude, or set `agent.command` to"
            " where it is",
        ),
        (
            "echo",
            "`echo --version` tells no version, so that it is not claude: set `agent.command` to"
            " where that is",
        ),
    ],
)
def test_an_agent_that_is_not_there(
    command: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = Bench(tmp_path, monkeypatch).backend(command=command)
    with pytest.raises(BackendError) as caught:
        asyncio.run(backend.initialize())
    assert str(caught.value) == error


def test_an_agent_that_is_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch, version="2.0.14")
    assert asyncio.run(bench.backend().initialize()).active
    assert bench.seen == [
        ProgressWarning(
            "Claude Code 2.0.14 is older than 2.1.145: its hooks may keep agents from ending"
            " that only wait"
        )
    ]


AIDER = """\
#!/bin/sh
printf '%s\\n' "$@" > ../arguments
while [ "$1" != --message-file ]; do shift; done
cp "$2" copied.md
echo "Applied edit to copied.md"
"""


@pytest.mark.requirement("REQ-003", "INT-009")
def test_another_agent_executes_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch)
    aider = tmp_path / "aider"
    aider.write_text(AIDER)
    aider.chmod(0o755)
    assert bench.result(name="aider", command=str(aider)) == TaskResult(
        "m1/api", "completed", "Applied edit to copied.md", "", ["copied.md"], []
    )
    assert (bench.project / "copied.md").read_text() == TASK.prompt
    arguments = tmp_path / "arguments"
    assert "--no-git" in arguments.read_text().splitlines()
    (bench.project / ".git").mkdir()
    assert bench.result(name="aider", command=str(aider)).status == "completed"
    assert "--no-git" not in arguments.read_text().splitlines()
