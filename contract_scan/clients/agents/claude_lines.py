"""Lines of Claude Code's `stream-json` format -> events.

The format grows: keys and types that are not known here are passed over. What a line may hold was
found by recording runs of version 2.1.329.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from contract_scan.clients.agents.events import (
    AgentReady,
    Event,
    FileWritten,
    RequestAnswered,
    TextWritten,
    ToolAnswered,
    ToolCalled,
    TurnEnded,
    Unreadable,
    WorkerEnded,
    WorkerProgressed,
    WorkerStarted,
)

_SHOWN: Final = 200
"""Characters of a line that cannot be read."""

_WRITTEN: Final = {"create": True, "update": False}
"""What the answer of a tool that writes files calls it -> whether the file is new."""


class ClaudeLines:
    """Reads the lines of one run."""

    def __init__(self) -> None:
        self._edits: dict[str, str] = {}
        """Calls of tools that change a file -> the file."""

    def read(self, line: bytes) -> Iterator[Event]:
        """The events that a line tells of."""
        if not line.strip():
            return
        try:
            told = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            told = None
        if not isinstance(told, dict):
            yield Unreadable(line[:_SHOWN].decode("utf-8", "replace"))
            return
        match told.get("type"):
            case "system":
                yield from _system(told)
            case "assistant":
                yield from self._assistant(told)
            case "user":
                yield from self._user(told)
            case "control_response":
                yield from _control_response(_mapping(told, "response"))
            case "result":
                yield _turn_ended(told)

    def _assistant(self, told: Mapping[str, Any]) -> Iterator[Event]:
        parent = _text(told, "parent_tool_use_id")
        for block in _blocks(told):
            if block.get("type") == "text":
                yield TextWritten(_text(block, "text"), parent)
            elif block.get("type") == "tool_use":
                called = ToolCalled(
                    _text(block, "id"), _text(block, "name"), _mapping(block, "input"), parent
                )
                path = _text(called.input, "file_path") or _text(called.input, "notebook_path")
                if called.name in ("Edit", "MultiEdit", "NotebookEdit", "Write") and path:
                    self._edits[called.id] = path
                yield called

    def _user(self, told: Mapping[str, Any]) -> Iterator[Event]:
        parent = _text(told, "parent_tool_use_id")
        value = _mapping(told, "tool_use_result")
        for block in _blocks(told):
            if block.get("type") != "tool_result":
                continue
            answered = ToolAnswered(
                _text(block, "tool_use_id"),
                _plain(block.get("content")),
                block.get("is_error") is True,
                value,
                parent,
            )
            yield answered
            path = self._edits.pop(answered.id, "")
            if path and not answered.is_error:
                kind = _text(value, "type")
                yield FileWritten(
                    _text(value, "filePath") or path, _WRITTEN.get(kind, False), parent
                )


def _system(told: Mapping[str, Any]) -> Iterator[Event]:
    worker = _text(told, "task_id")
    match told.get("subtype"):
        case "init":
            tools = told.get("tools")
            names = tools if isinstance(tools, list) else []
            yield AgentReady(
                _text(told, "session_id"),
                tuple(name for name in names if isinstance(name, str)),
                _text(told, "claude_code_version"),
            )
        case "task_started":
            yield WorkerStarted(worker, _text(told, "tool_use_id"))
        case "task_progress":
            yield WorkerProgressed(worker)
        case "task_notification":
            milliseconds = _mapping(told, "usage").get("duration_ms")
            yield WorkerEnded(
                worker,
                _text(told, "tool_use_id"),
                _text(told, "status"),
                _text(told, "summary"),
                _number(milliseconds) / 1000,
            )


def _control_response(response: Mapping[str, Any]) -> Iterator[Event]:
    failed = response.get("subtype") != "success"
    yield RequestAnswered(
        _text(response, "request_id"),
        _mapping(response, "response"),
        (_text(response, "error") or "refused") if failed else "",
    )


def _turn_ended(told: Mapping[str, Any]) -> TurnEnded:
    text, subtype = _text(told, "result"), _text(told, "subtype")
    error = ""
    if told.get("is_error") is True or subtype != "success":
        errors = told.get("errors")
        lines = (
            [each for each in errors if isinstance(each, str)] if isinstance(errors, list) else []
        )
        error = "; ".join(lines) or (text if subtype == "success" else "") or subtype or "failed"
    return TurnEnded(text, error, _number(told.get("total_cost_usd")))


def _blocks(told: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    content = _mapping(told, "message").get("content")
    return (
        [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    )


def _plain(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(_text(part, "text") for part in parts if isinstance(part, dict))


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _mapping(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = values.get(key)
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
