"""What hooks of Claude Code are told, as events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract_scan.clients.agents import (
    AgentReady,
    ClaudeHookLines,
    Event,
    FileWritten,
    PromptTaken,
    ToolAnswered,
    ToolCalled,
    TurnEnded,
    WorkerProgressed,
    WorkerRested,
    WorkerStarted,
)

RECORDED = Path(__file__).parents[2] / "data" / "claude" / "team_in_terminal.jsonl"


def events(*told: dict[str, Any]) -> list[Event]:
    reader = ClaudeHookLines()
    return [event for each in told for event in reader.read(json.dumps(each).encode())]


def test_a_session_with_a_team_that_was_recorded() -> None:
    reader = ClaudeHookLines()
    lines = RECORDED.read_bytes().splitlines()
    found = [event for line in lines for event in reader.read(line)]
    spawning, alice = "toolu_0002_0", "aalice-fa36ca67a6402e13"
    assert found[:2] == [
        AgentReady("565f733c-4725-4697-9325-be8d8c312fe0"),
        PromptTaken("PROMPT_TEAM"),
    ]
    calls = [(each.name, each.parent) for each in found if isinstance(each, ToolCalled)]
    assert calls == [
        *(("TaskCreate", ""), ("TaskCreate", ""), ("Agent", "")),
        *(("TaskUpdate", spawning), ("TaskUpdate", spawning), ("SendMessage", spawning)),
        ("SendMessage", ""),
    ]
    created = next(each for each in found if isinstance(each, ToolAnswered))
    assert created.value["task"]["id"] == "1"
    assert [each for each in found if isinstance(each, WorkerStarted)] == (
        [WorkerStarted(alice, spawning)] * 3
    )
    assert [each for each in found if isinstance(each, WorkerRested)] == (
        [WorkerRested(alice, spawning, "ok done")] * 3
    )
    assert found.count(WorkerProgressed(alice)) == 3
    assert found.count(TurnEnded("ok done")) == 3


def test_a_file_that_a_teammate_writes() -> None:
    call = {"tool_use_id": "t1", "tool_name": "Agent", "tool_input": {"name": "bob"}}
    write = {
        "tool_use_id": "t2",
        "tool_name": "Write",
        "tool_input": {"file_path": "/shop/a.py"},
        "agent_id": "abob-1",
        "agent_type": "bob",
    }
    answer = {"type": "create", "filePath": "/shop/a.py"}
    found = events(
        {"hook_event_name": "PreToolUse", **call},
        {"hook_event_name": "PreToolUse", **write},
        {"hook_event_name": "PostToolUse", **write, "tool_response": answer},
    )
    assert found[-1] == FileWritten("/shop/a.py", created=True, parent="t1")


def test_a_tool_that_fails() -> None:
    (failed,) = events(
        {"hook_event_name": "PostToolUseFailure", "tool_use_id": "t1", "error": "no such file"}
    )
    assert failed == ToolAnswered("t1", "no such file", is_error=True)


def test_a_turn_that_fails() -> None:
    told = {
        "hook_event_name": "StopFailure",
        "error": "billing_error",
        "last_assistant_message": "Credit balance is too low",
    }
    failed = TurnEnded("Credit balance is too low", "billing_error: Credit balance is too low")
    assert events(told, {**told, "agent_id": "abob-1"}) == [failed]
    assert events({"hook_event_name": "StopFailure"}) == [TurnEnded("", "failed")]


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b'{"hook_event_name": "Later"}', b"\xff"])
def test_what_is_not_understood_is_passed_over(line: bytes) -> None:
    assert [*ClaudeHookLines().read(line)] == []
