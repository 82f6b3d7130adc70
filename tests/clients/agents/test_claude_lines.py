"""Lines of Claude Code, as recorded from version 2.1.329."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.clients.agents import (
    AgentReady,
    ClaudeLines,
    Event,
    FileWritten,
    RequestAnswered,
    TextWritten,
    ToolAnswered,
    ToolCalled,
    Transcript,
    TurnEnded,
    Unreadable,
    WorkerEnded,
    WorkerProgressed,
    WorkerStarted,
)

RECORDINGS = Path(__file__).parents[2] / "data" / "claude"


def events_of(name: str) -> list[Event]:
    reader = ClaudeLines()
    lines = (RECORDINGS / f"{name}.jsonl").read_bytes().splitlines()
    return [event for line in lines for event in reader.read(line)]


def without_tools(events: list[Event]) -> list[Event]:
    """The list of tools is long, and the same everywhere."""
    return [
        AgentReady(event.session_id, (), event.version) if isinstance(event, AgentReady) else event
        for event in events
    ]


def test_a_file_is_written() -> None:
    assert without_tools(events_of("write_with_hook_events")) == [
        AgentReady("@SESSION@", (), "2.1.329"),
        TextWritten("writing"),
        ToolCalled("toolu_0001_1", "Write", {"file_path": "@CWD@/a.txt", "content": "hi"}),
        ToolAnswered(
            "toolu_0001_1",
            "File created successfully at: @CWD@/a.txt",
            value={
                "type": "create",
                "filePath": "@CWD@/a.txt",
                "content": "hi",
                "structuredPatch": [],
                "originalFile": None,
                "userModified": False,
            },
        ),
        FileWritten("@CWD@/a.txt", created=True),
        TextWritten("ok done"),
        TurnEnded("ok done", total_cost_usd=0.00028000000000000003),
    ]


def test_a_worker_in_the_background_outlives_the_turn() -> None:
    events = events_of("background_worker")
    told = [
        event
        for event in events
        if isinstance(event, (WorkerStarted, WorkerProgressed, WorkerEnded, TurnEnded, AgentReady))
    ]
    worker, call = "acff9210af94a4a4d", "toolu_0003_0"
    assert without_tools(told) == [
        AgentReady("@SESSION@", (), "2.1.329"),
        WorkerStarted(worker, call),
        WorkerProgressed(worker),
        WorkerEnded(worker, call, "completed", "ok done", 1.355),
        AgentReady("@SESSION@", (), "2.1.329"),
        TurnEnded("ok done", total_cost_usd=0.0009800000000000002),
        TurnEnded("ok done", total_cost_usd=0.0009800000000000002),
    ]
    assert [event for event in events if isinstance(event, TextWritten)] == [
        TextWritten("ok done"),
        TextWritten("ok done", parent=call),
        TextWritten("ok done"),
    ]


def test_tasks_are_created_with_what_the_tool_answers() -> None:
    called = {
        event.id: event for event in events_of("background_worker") if isinstance(event, ToolCalled)
    }
    answered = {
        event.id: event.value
        for event in events_of("background_worker")
        if isinstance(event, ToolAnswered)
    }
    assert {
        call.input["subject"]: answered[id]["task"]["id"]
        for id, call in called.items()
        if call.name == "TaskCreate"
    } == {"T1 subject": "1", "T2 subject": "2"}


def test_requests_about_the_agent_itself_are_answered() -> None:
    assert [
        event for event in events_of("control_requests") if isinstance(event, RequestAnswered)
    ] == [
        RequestAnswered(
            "req_1",
            {
                "pid": 3707,
                "claude_code_version": "2.1.329",
                "current_permission_mode": "acceptEdits",
                "session_state": "idle",
            },
        ),
        RequestAnswered("req_2", {"still_queued": []}),
    ]


def test_a_turn_that_a_hook_kept_from_ending_keeps_its_last_text() -> None:
    transcript = Transcript()
    events = events_of("stop_blocked_too_often")
    for event in events:
        transcript.add(event)
    assert events[-1] == TurnEnded("", total_cost_usd=0.0016799999999999999)
    assert (transcript.text, transcript.error, transcript.files) == (
        "ok done",
        "",
        {"@CWD@/b.txt": True},
    )


def test_a_task_that_a_hook_refuses_is_told_by_the_tools_answer() -> None:
    (refused,) = (
        event
        for event in events_of("task_refused_by_hook")
        if isinstance(event, ToolAnswered) and event.value.get("success") is False
    )
    assert refused.is_error is False
    assert refused.text.startswith("TaskCompleted hook feedback:")


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (b"Credit balance is too low", Unreadable("Credit balance is too low")),
        (b'{"type": "assistant", "mess', Unreadable('{"type": "assistant", "mess')),
        (b"[1, 2]", Unreadable("[1, 2]")),
        (b"\xff\xfe", Unreadable("\ufffd\ufffd")),
        (b"[" * 100_000, Unreadable("[" * 200)),
    ],
)
def test_what_is_no_message(line: bytes, event: Event) -> None:
    assert [*ClaudeLines().read(line)] == [event]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  ",
        b"{}",
        b'{"type": "of tomorrow"}',
        b'{"type": "system", "subtype": "of tomorrow"}',
        b'{"type": "assistant"}',
        b'{"type": "assistant", "message": {"content": "text"}}',
        b'{"type": "assistant", "message": {"content": [7, {"type": "thinking"}]}}',
        b'{"type": "user", "message": {"content": [{"type": "text", "text": "x"}]}}',
        b'{"type": 7}',
    ],
)
def test_what_is_not_known_is_passed_over(line: bytes) -> None:
    assert [*ClaudeLines().read(line)] == []


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b'{"type": "result", "subtype": "error_max_turns", "is_error": true}', "error_max_turns"),
        (
            b'{"type": "result", "subtype": "error_during_execution", "errors": ["no", "way"]}',
            "no; way",
        ),
        (
            b'{"type": "result", "subtype": "success", "is_error": true, "result": "API Error"}',
            "API Error",
        ),
        (b'{"type": "result", "is_error": true}', "failed"),
    ],
)
def test_why_a_turn_failed(line: bytes, error: str) -> None:
    (event,) = ClaudeLines().read(line)
    assert isinstance(event, TurnEnded)
    assert event.error == error


def test_an_edit_that_failed_changes_no_file() -> None:
    reader = ClaudeLines()
    called = b"""{"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t1",
        "name": "Edit", "input": {"file_path": "a.py"}}]}}"""
    failed = b"""{"type": "user", "message": {"content": [{"type": "tool_result",
        "tool_use_id": "t1", "is_error": true, "content": "no such text"}]}}"""
    assert [*reader.read(called.replace(b"\n", b"")), *reader.read(failed.replace(b"\n", b""))] == [
        ToolCalled("t1", "Edit", {"file_path": "a.py"}),
        ToolAnswered("t1", "no such text", is_error=True),
    ]


def test_an_edit_changes_a_file_that_was_there() -> None:
    reader = ClaudeLines()
    called = b"""{"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t1",
        "name": "NotebookEdit", "input": {"notebook_path": "a.ipynb"}}]}}"""
    done = b"""{"type": "user", "message": {"content": [{"type": "tool_result",
        "tool_use_id": "t1", "content": "updated"}]}, "parent_tool_use_id": "w1"}"""
    [*reader.read(called.replace(b"\n", b""))]
    assert [*reader.read(done.replace(b"\n", b""))][-1] == FileWritten(
        "a.ipynb", created=False, parent="w1"
    )
