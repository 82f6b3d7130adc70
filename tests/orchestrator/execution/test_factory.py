"""Which backend executes tasks, and which takes over."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from contract_scan.orchestrator.config import (
    AGENT_TEAMS_VARIABLE,
    AgentTeamConfig,
    with_values,
)
from contract_scan.orchestrator.execution import (
    AgentTeamsBackend,
    BackendError,
    CLIBackend,
    ExecutionBackend,
    ExecutionWave,
    ProgressWarning,
    ScheduledTask,
    WaveExecutor,
    WaveFailedError,
    WaveResult,
    create_execution_backend,
    detect_agent_teams_available,
)
from tests.orchestrator.execution.bench import Bench

WITH_TEAMS = {"agent_teams.enabled": True}
NO_CLAUDE = {"agent.command": "no-such-claude"}
NO_FALLBACK = {"agent_teams.fallback_to_cli": False}
TOO_OLD: dict[str, Any] = {"version": "2.1.100"}

API = ScheduledTask("m1/api", "Write the API", "Write the API.")
DOCS = ScheduledTask("m1/docs", "Describe it", "Write documents.")


@pytest.fixture(autouse=True)
def switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AGENT_TEAMS_VARIABLE, "1")
    monkeypatch.delenv("WT_SESSION", raising=False)


def created(bench: Bench, **settings: object) -> ExecutionBackend:
    config = with_values(AgentTeamConfig(), settings)
    return asyncio.run(create_execution_backend(config, bench.workplace))


@pytest.mark.requirement("REQ-004", "TEST-001", "INT-009")
def test_teams_that_are_not_enabled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch)
    assert type(created(bench)) is CLIBackend
    assert (bench.seen, bench.claude.calls) == ([], [])


@pytest.mark.requirement("REQ-004", "TEST-002")
@pytest.mark.parametrize("value", [None, "0", "true"])
def test_teams_that_are_not_switched_on(
    value: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.delenv(AGENT_TEAMS_VARIABLE)
    if value is not None:
        monkeypatch.setenv(AGENT_TEAMS_VARIABLE, value)
    bench = Bench(tmp_path, monkeypatch)
    said = (
        "Agent teams enabled in config but env var not set:"
        " set CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1"
    )
    with caplog.at_level(logging.WARNING):
        assert type(created(bench, **WITH_TEAMS)) is CLIBackend
    assert caplog.messages == [said]
    assert bench.seen == [ProgressWarning(said)]


@pytest.mark.requirement("REQ-004")
def test_without_claude_code_tasks_are_executed_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    with caplog.at_level(logging.WARNING):
        assert type(created(bench, **WITH_TEAMS, **NO_CLAUDE)) is CLIBackend
    assert caplog.messages == ["Claude CLI not available, falling back to CLI"]


@pytest.mark.requirement("REQ-004")
def test_without_claude_code_and_without_a_replacement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    with pytest.raises(RuntimeError) as caught:
        created(bench, **WITH_TEAMS, **NO_CLAUDE, **NO_FALLBACK)
    assert str(caught.value) == "Claude CLI required for agent teams but not found"


@pytest.mark.requirement("REQ-004", "REQ-005")
def test_panes_that_windows_terminal_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    monkeypatch.setenv("WT_SESSION", "1")
    panes = {**WITH_TEAMS, "agent_teams.teammate_display_mode": "tmux"}
    said = (
        "Windows Terminal has no panes for teammates: set `agent_teams.teammate_display_mode` to"
        " `in-process`"
    )
    assert type(created(bench, **panes)) is CLIBackend
    assert bench.seen == [ProgressWarning(said)]
    with pytest.raises(RuntimeError) as caught:
        created(bench, **panes, **NO_FALLBACK)
    assert str(caught.value) == said
    assert type(created(bench, **WITH_TEAMS)) is AgentTeamsBackend


@pytest.mark.requirement("REQ-004", "TEST-003")
def test_teams_that_can_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch)
    backend = created(bench, **WITH_TEAMS)
    assert type(backend) is AgentTeamsBackend
    assert backend.state.active
    assert bench.seen == []


@pytest.mark.requirement("REQ-009", "TEST-004")
def test_where_initializing_fails_tasks_are_executed_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, **TOO_OLD)
    assert type(created(bench, **WITH_TEAMS)) is CLIBackend
    assert bench.seen == [
        ProgressWarning(
            "Agent teams cannot be used, falling back to CLI:"
            " agent teams need Claude Code 2.1.178; this is 2.1.100"
        )
    ]


@pytest.mark.requirement("REQ-009", "TEST-005")
def test_where_initializing_fails_and_nothing_may_take_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, **TOO_OLD)
    with pytest.raises(BackendError) as caught:
        created(bench, **WITH_TEAMS, **NO_FALLBACK)
    assert str(caught.value) == "agent teams need Claude Code 2.1.178; this is 2.1.100"


@pytest.mark.requirement("REQ-005", "TEST-016")
def test_teams_are_available_where_they_are_switched_on_and_claude_code_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Bench(tmp_path, monkeypatch)
    assert detect_agent_teams_available() is True
    monkeypatch.setenv("PATH", str(tmp_path))
    assert detect_agent_teams_available() is False
    monkeypatch.undo()
    monkeypatch.delenv(AGENT_TEAMS_VARIABLE, raising=False)
    assert detect_agent_teams_available() is False


@pytest.mark.requirement("REQ-005", "INT-009")
@pytest.mark.parametrize(
    ("mode", "available"), [("in-process", True), ("tmux", False), ("split", False)]
)
def test_windows_terminal_has_no_split_panes(
    mode: str, available: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Bench(tmp_path, monkeypatch)
    monkeypatch.setenv("WT_SESSION", "12345")
    config = with_values(AgentTeamConfig(), {"agent_teams.teammate_display_mode": mode})
    assert detect_agent_teams_available(config) is available


def executed(bench: Bench, *waves: ExecutionWave, **settings: object) -> list[WaveResult]:
    config = with_values(AgentTeamConfig(), {**WITH_TEAMS, **settings})

    async def execute() -> list[WaveResult]:
        executor = await WaveExecutor.create(config, bench.workplace)
        results = [await executor.execute_wave(wave) for wave in waves]
        assert executor.state.mode == ("cli" if bench.seen_warnings else "agent_teams")
        await executor.shutdown()
        assert executor.state.active is False
        return results

    return asyncio.run(execute())


@pytest.mark.requirement("REQ-009", "INT-009")
def test_a_wave_in_which_the_team_breaks_and_all_that_follow_are_executed_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(
        tmp_path,
        monkeypatch,
        {"when": "API", "text": "API done.", "writes": {"api.py": ""}},
        {"when": "documents", "text": "Documents done."},
        lead_fault="forgets a task",
    )
    first, second = executed(bench, ExecutionWave(0, (API, DOCS)), ExecutionWave(1, (API,)))
    assert bench.seen_warnings == [
        "Wave 0 and all that follow are executed without a team: the lead does not start m1/docs"
    ]
    assert [(done.task_id, done.status) for done in first.task_results] == [
        ("m1/api", "completed"),
        ("m1/docs", "completed"),
    ]
    assert (first.wave_index, first.all_succeeded, second.all_succeeded) == (0, True, True)
    # What the team had completed is not done again; the next wave has no lead any more.
    assert bench.claude.prompts == ["Write documents.", "Write the API."]


@pytest.mark.requirement("REQ-009")
def test_a_wave_in_which_the_team_breaks_and_nothing_may_take_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""}, lead_fault="dies amid the wave")
    with pytest.raises(WaveFailedError) as caught:
        executed(bench, ExecutionWave(0, (API,)), **NO_FALLBACK)
    assert str(caught.value) == "the lead ended before its tasks: status 1"
    assert bench.claude.prompts == []


def test_waves_with_a_team_that_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch, {"when": ""})
    (result,) = executed(bench, ExecutionWave(0, (API, DOCS)))
    assert result.all_succeeded
    assert bench.claude.prompts == []


def test_waves_without_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch)
    with pytest.raises(BackendError) as caught:
        executed(bench, **NO_CLAUDE)
    assert str(caught.value).startswith("`no-such-claude --version` does not work")
