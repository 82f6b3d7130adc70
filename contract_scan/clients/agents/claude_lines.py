"""Lines of Claude Code's `stream-json` format -> events.

The format grows: keys and types that are not known here are passed over. What a line may hold was
found by recording runs of version 2.1.329.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

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
from contract_scan.clients.agents.json_lines import mapping_of, read_object, text_of

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
        record = read_object(line)
        if record is None:
            yield Unreadable(line[:_SHOWN].decode("utf-8", "replace"))
            return
        match record.get("type"):
            case "system":
                yield from _system(record)
            case "assistant":
                yield from self._assistant(record)
            case "user":
                yield from self._user(record)
            case "control_response":
                yield from _control_response(mapping_of(record, "response"))
            case "result":
                yield _turn_ended(record)

    def _assistant(self, record: Mapping[str, Any]) -> Iterator[Event]:
        parent = text_of(record, "parent_tool_use_id")
        for block in _blocks(record):
            if block.get("type") == "text":
                yield TextWritten(text_of(block, "text"), parent)
            elif block.get("type") == "tool_use":
                called = ToolCalled(
                    text_of(block, "id"), text_of(block, "name"), mapping_of(block, "input"), parent
                )
                if path := edited_file(called):
                    self._edits[called.id] = path
                yield called

    def _user(self, record: Mapping[str, Any]) -> Iterator[Event]:
        parent = text_of(record, "parent_tool_use_id")
        value = mapping_of(record, "tool_use_result")
        for block in _blocks(record):
            if block.get("type") != "tool_result":
                continue
            answered = ToolAnswered(
                text_of(block, "tool_use_id"),
                _plain_text(block.get("content")),
                block.get("is_error") is True,
                value,
                parent,
            )
            yield answered
            path = self._edits.pop(answered.id, "")
            if path and not answered.is_error:
                yield file_written(answered, path)


def edited_file(called: ToolCalled) -> str:
    """The file that a call changes; empty where the tool changes none."""
    if called.name not in ("Edit", "MultiEdit", "NotebookEdit", "Write"):
        return ""
    return text_of(called.input, "file_path") or text_of(called.input, "notebook_path")


def file_written(answered: ToolAnswered, path: str) -> FileWritten:
    """What the answer of a tool says of the file that it was to change."""
    is_new = _WRITTEN.get(text_of(answered.value, "type"), False)
    return FileWritten(text_of(answered.value, "filePath") or path, is_new, answered.parent)


def _system(record: Mapping[str, Any]) -> Iterator[Event]:
    worker = text_of(record, "task_id")
    match record.get("subtype"):
        case "init":
            tools = record.get("tools")
            names = tools if isinstance(tools, list) else []
            yield AgentReady(
                text_of(record, "session_id"),
                tuple(name for name in names if isinstance(name, str)),
                text_of(record, "claude_code_version"),
            )
        case "task_started":
            yield WorkerStarted(worker, text_of(record, "tool_use_id"))
        case "task_progress":
            yield WorkerProgressed(worker)
        case "task_notification":
            milliseconds = mapping_of(record, "usage").get("duration_ms")
            yield WorkerEnded(
                worker,
                text_of(record, "tool_use_id"),
                text_of(record, "status"),
                text_of(record, "summary"),
                _number(milliseconds) / 1000,
            )


def _control_response(response: Mapping[str, Any]) -> Iterator[Event]:
    failed = response.get("subtype") != "success"
    yield RequestAnswered(
        text_of(response, "request_id"),
        mapping_of(response, "response"),
        (text_of(response, "error") or "refused") if failed else "",
    )


def _turn_ended(record: Mapping[str, Any]) -> TurnEnded:
    text, subtype = text_of(record, "result"), text_of(record, "subtype")
    error = ""
    if record.get("is_error") is True or subtype != "success":
        errors = record.get("errors")
        lines = (
            [each for each in errors if isinstance(each, str)] if isinstance(errors, list) else []
        )
        error = "; ".join(lines) or (text if subtype == "success" else "") or subtype or "failed"
    return TurnEnded(text, error, _number(record.get("total_cost_usd")))


def _blocks(record: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    content = mapping_of(record, "message").get("content")
    return (
        [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    )


def _plain_text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(text_of(part, "text") for part in parts if isinstance(part, dict))


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
