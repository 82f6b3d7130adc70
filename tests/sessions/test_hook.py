"""What hooks of Claude Code change in a session, and that they never get in its way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract_scan.clients.process_tree import ProcessMark
from contract_scan.sessions.hook import EVENTS, handle
from contract_scan.sessions.session import Session
from tests.sessions.project import Project

CONVERSATION = "565f733c-4725-4697-9325-be8d8c312fe0"


@pytest.fixture
def told(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project in whose session 0 this program runs."""
    put(project)
    monkeypatch.setenv("SCOPE_SESSION_ID", "0")
    monkeypatch.setenv("SCOPE_DIR", str(project.store.folder))
    return project


def put(project: Project, **values: Any) -> None:
    defaults = {"agent": "claude-code", "mode": "interactive", "state": "running"}
    session = Session(
        id="0",
        cwd=project.folder,
        created_at="2026-01-01",
        process=project.bystander(),
        **{**defaults, **values},
    )
    project.store.create(lambda _: session, "", "0", lambda _: {})


def tell(event: str, **values: Any) -> None:
    handle(event, json.dumps({"session_id": CONVERSATION, **values}).encode())


@pytest.mark.parametrize(
    ("tool", "given_to_it", "activity"),
    [
        ("Read", {"file_path": "@/src/auth.ts"}, "reading src/auth.ts"),
        ("Edit", {"file_path": "@/src/auth.ts"}, "editing src/auth.ts"),
        ("Write", {"file_path": "/elsewhere/a.py"}, "editing /elsewhere/a.py"),
        ("NotebookEdit", {"notebook_path": "@/a.ipynb"}, "editing a.ipynb"),
        ("Bash", {"command": "npm  test\n" + "x" * 60}, f"running: npm test {'x' * 31}"),
        ("Grep", {"pattern": "JWT"}, "searching: JWT"),
        ("Agent", {"prompt": "look"}, "spawning subtask"),
        ("Task", {"prompt": "look"}, "spawning subtask"),
        ("TaskCreate", {"subject": "T1"}, "TaskCreate"),
        ("mcp__engine__get", {}, "mcp__engine__get"),
        ("Read", {"file_path": 7}, "reading"),
        ("Read", [], "reading"),
    ],
)
def test_a_tool_says_what_the_agent_does(
    told: Project, tool: str, given_to_it: Any, activity: str
) -> None:
    text = json.dumps(given_to_it).replace("@", str(told.folder))
    tell("activity", tool_name=tool, tool_input=json.loads(text), cwd=str(told.folder))
    assert told.store.load("0").activity == activity


def test_the_first_message_is_the_task(told: Project) -> None:
    tell("task", prompt="Fix the login\n\nIt fails " + "on and " * 20)
    tell("task", prompt="And now the logout")
    assert (
        told.store.load("0").task == "Fix the login It fails on and on and on and on and on and on"
    )


def test_the_end_of_a_turn_leaves_the_last_message_and_the_session_open(told: Project) -> None:
    tell("stop", last_assistant_message="It was the clock.", background_tasks=[])
    session = told.store.load("0")
    assert (session.state, session.result) == ("running", "It was the clock.")
    assert session.activity == "waiting for you"
    tell("stop", background_tasks=[{"status": "running"}])
    session = told.store.load("0")
    assert (session.activity, session.result) == (
        "waiting on background tasks",
        "It was the clock.",
    )


def test_a_notification_says_what_is_waited_for(told: Project) -> None:
    tell("notification", message="Claude needs your permission to use Bash")
    activity = "waiting for you: Claude needs your permission to use Bash"
    assert told.store.load("0").activity == activity


def test_the_end_of_the_conversation_ends_a_session_whose_program_is_gone(told: Project) -> None:
    tell("end", reason="clear")
    tell("end", reason="other")
    assert told.store.load("0").state == "running"  # its program says how it ended
    told.store.change("0", process=ProcessMark(2**22, "never"))
    tell("end", reason="clear")
    assert told.store.load("0").state == "running"
    tell("end", reason="prompt_input_exit")
    assert told.store.load("0").state == "done"


def test_agents_that_the_agent_starts_say_nothing_of_the_session(told: Project) -> None:
    tell("start", source="startup")
    for event, values in (
        ("start", {"source": "startup"}),
        ("activity", {"tool_name": "Bash", "tool_input": {"command": "rm"}}),
        ("stop", {"last_assistant_message": "inner"}),
    ):
        tell(event, session_id="another", **values)
    session = told.store.load("0")
    assert (session.agent_session, session.activity, session.result) == (CONVERSATION, "", "")
    tell("start", source="clear", session_id="next")
    tell("stop", session_id="next", last_assistant_message="outer")
    assert told.store.load("0").result == "outer"


def test_what_has_ended_stays_as_it_is(told: Project) -> None:
    told.store.change("0", state="aborted", reason="aborted on request")
    tell("stop", last_assistant_message="late")
    tell("activity", tool_name="Bash", tool_input={"command": "late"})
    session = told.store.load("0")
    assert (session.state, session.result, session.activity) == ("aborted", "", "")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = (
    *("session_id", "cwd", "tool_name", "tool_input", "prompt", "message", "reason"),
    *("source", "last_assistant_message", "background_tasks", "hook_event_name"),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(event=st.sampled_from(sorted(EVENTS)), values=st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_no_json_breaks_it(told: Project, event: str, values: dict[str, Any]) -> None:
    """In this process nothing swallows an error."""
    handle(event, json.dumps(values).encode())
    assert [one.id for one in told.store.load_all()] == ["0"]


@pytest.mark.parametrize(
    ("words", "raw"),
    [
        (["activity"], b""),
        (["activity"], b"{"),
        (["activity"], b"[" * 100_000),
        (["activity"], b'"text"'),
        (["activity"], b"\xff\xfe\x00"),
        (["no-such-event"], b"{}"),
        ([], b"{}"),
    ],
)
def test_the_command_says_nothing_and_ends_well(
    told: Project, words: list[str], raw: bytes
) -> None:
    assert run_command(words, raw) == (0, b"", b"")


@pytest.mark.parametrize("session_id", ["9", "../../etc", "", "0\n", "main"])
def test_the_command_knows_no_session(
    told: Project, monkeypatch: pytest.MonkeyPatch, session_id: str
) -> None:
    monkeypatch.setenv("SCOPE_SESSION_ID", session_id)
    raw = b'{"tool_name": "Bash", "tool_input": {"command": "x"}}'
    assert run_command(["activity"], raw) == (0, b"", b"")
    assert told.store.load("0").activity == ""


def test_the_command_cannot_write(told: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPE_DIR", "/proc/self")
    assert run_command(["activity"], b'{"tool_name": "Bash"}') == (0, b"", b"")


def run_command(words: list[str], raw: bytes) -> tuple[int, bytes, bytes]:
    program = "import contract_scan.sessions.hook as hook; hook.program()"
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        input=raw,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr
