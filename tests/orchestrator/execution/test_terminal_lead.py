"""A lead in a terminal, where Claude Code forms a team."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from contract_scan.clients.agents import recording_settings
from contract_scan.orchestrator.config import AgentTeamConfig, with_values
from contract_scan.orchestrator.execution import (
    AgentTeamsBackend,
    BackendError,
    ExecutionWave,
    ScheduledTask,
    TaskResult,
    TaskStarted,
    ToolUsed,
    WaveFailedError,
    WaveResult,
)
from tests.clients.mcp.support import Script
from tests.orchestrator.execution.bench import Bench as Base
from tests.orchestrator.execution.bench import untimed_wave
from tests.processes import is_running

SCHEMA = Path(__file__).parents[2] / "data" / "claude-code-settings.schema.json"
API = ScheduledTask("m1/api", "Write the API", "Write `api.py`.")
TESTS = ScheduledTask("m1/tests", "Test it", "Write tests.", "test-engineer", ("m1/api",))


class Bench(Base):
    """With a backend whose leads work in terminals."""

    def backend(self, **settings: object) -> AgentTeamsBackend:
        values = {f"agent_teams.{name}": value for name, value in settings.items()}
        switches = {"agent_teams.enabled": True, "agent_teams.interactive": True}
        config = with_values(AgentTeamConfig(), {**switches, **values})
        return AgentTeamsBackend(config, self.workplace, poll_seconds=0.2)

    def execute(self, *tasks: ScheduledTask, **settings: object) -> WaveResult:
        backend = self.backend(**settings)
        return asyncio.run(backend.execute_wave(ExecutionWave(2, tasks)))

    def told(self, name: str) -> list[dict[str, Any]]:
        """What hooks have written down of a lead so far."""
        file = self.workplace.run_dir / f"{name}.hooks.jsonl"
        lines = file.read_text().splitlines(True) if file.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def events(self, name: str) -> list[str]:
        """Which hooks these were."""
        return [told["hook_event_name"] for told in self.told(name)]


@pytest.mark.requirement("REQ-002", "TEST-015")
def test_a_team_works_on_a_wave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(
        tmp_path,
        monkeypatch,
        {"when": "api", "writes": {"api.py": "x = 1\n"}, "messages": True},
        {"when": "tests", "writes": {"test_api.py": "", "api.py": "x = 2\n"}},
    )
    backend = bench.backend()

    async def execute() -> tuple[WaveResult, tuple[bool, bool]]:
        await backend.initialize()
        supports = backend.supports_peer_messaging(), backend.supports_self_claiming()
        return await backend.execute_wave(ExecutionWave(2, (API, TESTS))), supports

    done, supports = asyncio.run(execute())
    assert supports == (True, True)
    report = '```json\n{{"task": "{}", "status": "completed"}}\n```'
    assert untimed_wave(done) == WaveResult(
        2,
        [
            TaskResult(
                "m1/api", "completed", f"Done.\n{report.format('m1/api')}", "", ["api.py"], []
            ),
            TaskResult(
                "m1/tests",
                "completed",
                f"Done.\n{report.format('m1/tests')}",
                "",
                ["api.py", "test_api.py"],
                [],
            ),
        ],
        all_succeeded=True,
    )
    assert backend.state.completed_tasks == ["m1/api", "m1/tests"]
    assert backend.state.total_messages == 2  # to the lead, and to the lead by a teammate
    seen = [each for each in bench.seen if isinstance(each, (TaskStarted, ToolUsed))]
    assert TaskStarted("m1/api", "Write the API") in seen
    assert ToolUsed("m1/api", "Write", str(bench.project / "api.py")) in seen
    assert not any(is_running(process) for process in bench.claude.processes)
    events = bench.events("wave-2")
    assert events[:2] == ["SessionStart", "UserPromptSubmit"]
    assert events.count("TeammateIdle") == 2


def test_what_a_lead_in_a_terminal_is_started_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""})
    bench.execute(API, teammate_permission_mode="dontAsk", delegate_mode=False)
    arguments = bench.claude.calls[-1]["argv"]
    assert arguments[:4] == ["--permission-mode", "dontAsk", "--teammate-mode", "in-process"]
    assert [word for word in arguments[4:] if word.startswith("--")] == [
        "--session-id",
        "--settings",
    ]
    instructions = bench.workplace.run_dir / "wave-2-1.lead.md"
    assert instructions.read_text() == bench.claude.messages[0]["message"]["content"]


@pytest.mark.requirement("TECH-005")
@pytest.mark.parametrize("delegate_mode", [True, False])
def test_a_lead_that_delegates_uses_no_tool_of_its_workers(
    delegate_mode: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "told.jsonl"
    settings = recording_settings(file, ["Agent", "Read"] if delegate_mode else [])
    (entry,) = settings["hooks"]["PreToolUse"]
    (hook,) = entry["hooks"]

    def refusal(**told: str) -> str:
        done = subprocess.run(
            [hook["command"], *hook["args"]],
            input=json.dumps(told).encode(),
            capture_output=True,
            check=True,
        )
        if not done.stdout:
            return ""
        answer = json.loads(done.stdout)["hookSpecificOutput"]
        assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", "deny")
        return str(answer["permissionDecisionReason"])

    refused = "You lead: have a worker do that." if delegate_mode else ""
    assert refusal(tool_name="Write") == refused
    assert refusal(tool_name="Read") == ""
    assert refusal(tool_name="Write", agent_id="aalice-1") == ""
    assert len(file.read_text().splitlines()) == 3


@pytest.mark.requirement("REQ-010")
def test_the_settings_of_a_lead_are_of_the_published_form(tmp_path: Path) -> None:
    schema = json.loads(SCHEMA.read_bytes())
    settings = recording_settings(tmp_path / "told.jsonl", ["Agent"])
    Draft7Validator(schema).validate(settings)
    assert "PermissionRequest" in settings["hooks"]


def test_what_claude_code_would_ask_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = {"when": "", "asks": "rm -rf /"}
    bench = Bench(tmp_path, monkeypatch, asks)
    bench.execute(API)
    (asked,) = [
        told for told in bench.told("wave-2") if told["hook_event_name"] == "PermissionRequest"
    ]
    assert asked["tool_input"] == {"command": "rm -rf /"}
    (answered,) = [call["answered"] for call in bench.claude.calls if "answered" in call]
    assert json.loads(answered)["hookSpecificOutput"] == {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "Nobody is there who could be asked."},
    }


def test_a_lead_begins_as_soon_as_it_knows_the_tools_of_its_servers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""})
    bench.workplace.server_start_seconds = 600.0  # no test waits so long
    script = Script(tmp_path)
    bench.workplace.servers = {
        "docs": {"command": sys.executable, "args": script.arguments},
        "gone": {"command": sys.executable, "args": ["-c", ""]},
    }
    assert bench.execute(API).all_succeeded
    told = (bench.workplace.run_dir / "wave-2.servers.jsonl").read_text().splitlines()
    assert sorted(told) == ['"docs"', '"gone"']
    assert script.starts == 1
    assert not any(is_running(process) for process in bench.claude.processes)


def test_a_lead_does_not_wait_for_ever_for_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""})
    bench.workplace.server_start_seconds = 0.5
    bench.workplace.servers = {"docs": {"type": "http", "url": "https://example.org/mcp"}}
    assert bench.execute(API).all_succeeded
    assert (bench.workplace.run_dir / "wave-2.servers.jsonl").read_text() == ""


def test_costs_that_are_not_told_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch)
    bench.workplace.spending.limit = 5.0
    asyncio.run(bench.backend().initialize())
    assert bench.seen_warnings == [
        "Claude Code tells no costs in a terminal: `agent.max_cost_usd` does not count those of"
        " teams"
    ]


def test_a_key_that_was_not_noticed_is_pressed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""}, lead_fault="misses the first key")
    assert bench.execute(API).all_succeeded


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (
            "dies before init",
            "the lead opens no session (the lead ended before its tasks: API Error: Connection"
            " refused); start it once in the folder of the project yourself, and answer what it"
            " asks",
        )
    ],
)
def test_a_lead_that_opens_no_session(
    fault: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = Bench(tmp_path, monkeypatch, lead_fault=fault).backend()
    with pytest.raises(BackendError) as caught:
        asyncio.run(backend.initialize())
    assert str(caught.value) == error


def test_a_lead_that_dies_amid_a_wave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""}, lead_fault="dies amid the wave")
    with pytest.raises(WaveFailedError) as caught:
        bench.execute(API)
    assert str(caught.value) == "the lead ended before its tasks: status 1"


@pytest.mark.requirement("REQ-007")
def test_a_teammate_that_takes_too_long_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "hangs"})
    done = bench.execute(API, task_timeout_seconds=1)
    (result,) = done.task_results
    assert (result.status, result.error) == ("timeout", "took longer than 1 seconds")
    assert not any(is_running(process) for process in bench.claude.processes)


@pytest.mark.requirement("REQ-008")
def test_a_team_that_is_shut_down_ends_its_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": "", "fault": "hangs"})
    backend = bench.backend()

    async def shut_down() -> None:
        wave = asyncio.create_task(backend.execute_wave(ExecutionWave(2, (API,))))
        while "SubagentStart" not in bench.events("wave-2"):
            await asyncio.sleep(0.05)
        await backend.shutdown()
        with pytest.raises(WaveFailedError):
            await wave

    asyncio.run(shut_down())
    assert backend.state.active is False
    asked = [told for told in bench.told("wave-2") if told.get("tool_name") == "SendMessage"]
    assert [told["tool_input"]["to"] for told in asked] == ["code-writer-2-1"] * len(asked) != []
    assert not any(is_running(process) for process in bench.claude.processes)
