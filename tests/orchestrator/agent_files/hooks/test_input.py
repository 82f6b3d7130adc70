"""What Claude Code tells a hook."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.orchestrator.agent_files.hooks import (
    HookInput,
    HookInputError,
    tracked_changes,
    unresolved_promises,
)

TEAMMATE_IDLE = """{
  "session_id": "5bbd1626-0000", "transcript_path": "/home/me/t.jsonl", "cwd": "/srv/my shop",
  "permission_mode": "acceptEdits", "hook_event_name": "TeammateIdle",
  "agent_id": "aalice-19b089", "agent_type": "alice", "teammate_name": "alice",
  "team_name": "session-5bbd1626"
}"""


@pytest.mark.requirement("TECH-004A")
def test_each_event_has_some_of_the_fields() -> None:
    assert HookInput.from_json(TEAMMATE_IDLE) == HookInput(
        session_id="5bbd1626-0000",
        transcript_path="/home/me/t.jsonl",
        cwd="/srv/my shop",
        permission_mode="acceptEdits",
        hook_event_name="TeammateIdle",
        agent_id="aalice-19b089",
        teammate_name="alice",
        team_name="session-5bbd1626",
    )
    completed = '{"task_id": "1", "task_subject": "Orders", "task_description": "Write them"}'
    assert HookInput.from_json(completed) == HookInput(
        task_id="1", task_subject="Orders", task_description="Write them"
    )
    assert HookInput.from_json("{}") == HookInput()
    assert (HookInput().tool_name, HookInput().tool_input) == ("", {})


@pytest.mark.parametrize("text", ["", "[]", '{"cwd": 1}', b"\xff", "[" * 100_000])
def test_what_is_no_input_is_refused(text: str | bytes) -> None:
    with pytest.raises(HookInputError, match=r"^no input of a hook: "):
        HookInput.from_json(text)


def test_a_project_without_hooks_has_nothing_written_down(tmp_path: Path) -> None:
    assert tracked_changes(tmp_path) == []
    assert unresolved_promises(tmp_path) == {}
