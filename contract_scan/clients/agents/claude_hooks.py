"""What hooks of Claude Code are told -> events.

In a terminal Claude Code prints for people. What it does is told by hooks: `recording_settings`
makes settings whose hooks write down what they are told, a line each, and `ClaudeHookLines` reads
these lines. What hooks are told was found by watching sessions of version 2.1.329.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from contract_scan.clients.agents.claude_lines import edited_file, file_written
from contract_scan.clients.agents.events import (
    AgentReady,
    Event,
    PromptTaken,
    ToolAnswered,
    ToolCalled,
    TurnEnded,
    WorkerProgressed,
    WorkerRested,
    WorkerStarted,
)
from contract_scan.clients.agents.json_lines import mapping_of, read_object, text_of

AGENT_TOOLS: Final = ("Agent", "Task")
"""The tool that starts workers, by its new and its old name."""

_RECORDED: Final = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "TeammateIdle",
    "Stop",
    "StopFailure",
    "PermissionRequest",
)
_TIMEOUT: Final = 30
"""Seconds."""

_RECORD: Final = """\
import json, os, sys
told = sys.stdin.buffer.read()
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.write(file, b" ".join(told.splitlines()) + b"\\n")
"""

_NOBODY_TO_ASK: Final = {
    "hookEventName": "PermissionRequest",
    "decision": {"behavior": "deny", "message": "Nobody is there who could be asked."},
}
_REFUSE: Final = f"print(json.dumps({ {'hookSpecificOutput': _NOBODY_TO_ASK} }))\n"

_NOT_FOR_LEADS: Final = {
    "hookEventName": "PreToolUse",
    "permissionDecision": "deny",
    "permissionDecisionReason": "You lead: have a worker do that.",
}
_REFUSE_LEAD: Final = f"""\
told = json.loads(told)
if not told.get("agent_id") and told["tool_name"] not in sys.argv[2:]:
    print(json.dumps({ {"hookSpecificOutput": _NOT_FOR_LEADS} }))
"""


def recording_settings(file: Path, lead_tools: Sequence[str] = ()) -> dict[str, Any]:
    """Settings that have Claude Code write down what it does, at the end of a file. What it would
    ask its user for is refused, as in its print mode. Where `lead_tools` are named, the lead may
    use no others; its workers may."""
    handlers = {event: _handler(_RECORD, file) for event in _RECORDED}
    handlers["PermissionRequest"] = _handler(_RECORD + _REFUSE, file)
    if lead_tools:
        handlers["PreToolUse"] = _handler(_RECORD + _REFUSE_LEAD, file, lead_tools)
    return {"hooks": {event: [{"hooks": [handler]}] for event, handler in handlers.items()}}


def _handler(script: str, file: Path, arguments: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "type": "command",
        "command": sys.executable,
        "args": ["-I", "-S", "-c", script, str(file), *arguments],
        "timeout": _TIMEOUT,
    }


class ClaudeHookLines:
    """Reads what was written down of one session."""

    def __init__(self) -> None:
        self._edits: dict[str, str] = {}
        """Calls of tools that change a file -> the file."""
        self._calls: dict[str, str] = {}
        """Id or name of a worker -> the call that started it."""

    def read(self, line: bytes) -> Iterator[Event]:
        """The events that a line tells of."""
        record = read_object(line)
        if record is None:
            return
        worker = text_of(record, "agent_id")
        match text_of(record, "hook_event_name"):
            case "SessionStart":
                yield AgentReady(text_of(record, "session_id"))
            case "UserPromptSubmit":
                yield PromptTaken(text_of(record, "prompt"))
            case "PreToolUse":
                yield self._tool_called(record)
            case "PostToolUse":
                yield from self._tool_answered(record)
            case "PostToolUseFailure":
                error = text_of(record, "error")
                yield ToolAnswered(
                    text_of(record, "tool_use_id"),
                    error,
                    is_error=True,
                    parent=self._parent(record),
                )
            case "SubagentStart":
                yield WorkerStarted(worker, self._parent(record))
            case "SubagentStop":
                last = text_of(record, "last_assistant_message")
                yield WorkerRested(worker, self._parent(record), last)
            case "TeammateIdle":
                yield WorkerProgressed(worker)
            case "Stop":
                yield TurnEnded(text_of(record, "last_assistant_message"))
            case "StopFailure" if not worker:
                kind, last = text_of(record, "error"), text_of(record, "last_assistant_message")
                yield TurnEnded(last, ": ".join(filter(None, (kind, last))) or "failed")

    def _tool_called(self, record: Mapping[str, Any]) -> ToolCalled:
        called = ToolCalled(
            text_of(record, "tool_use_id"),
            text_of(record, "tool_name"),
            mapping_of(record, "tool_input"),
            self._parent(record),
        )
        if path := edited_file(called):
            self._edits[called.id] = path
        name = text_of(called.input, "name")
        if called.name in AGENT_TOOLS and name:
            self._calls[name] = called.id
        return called

    def _tool_answered(self, record: Mapping[str, Any]) -> Iterator[Event]:
        call, value = text_of(record, "tool_use_id"), mapping_of(record, "tool_response")
        if text_of(record, "tool_name") in AGENT_TOOLS and (worker := text_of(value, "agentId")):
            self._calls[worker] = call
        answered = ToolAnswered(
            call, text_of(value, "message"), value=value, parent=self._parent(record)
        )
        yield answered
        if path := self._edits.pop(call, ""):
            yield file_written(answered, path)

    def _parent(self, record: Mapping[str, Any]) -> str:
        """The call that started the worker that a hook tells of; empty for the lead. A teammate's
        type is its name."""
        worker = text_of(record, "agent_id")
        name = text_of(record, "agent_type")
        return self._calls.get(worker) or self._calls.get(name) or worker if worker else ""
