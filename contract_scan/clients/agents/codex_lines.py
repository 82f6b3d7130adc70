"""Lines of `codex exec --json` -> events.

Items are named by `type`, in older versions by `item_type`; the last message of the agent is an
`agent_message`, formerly an `assistant_message`. Codex reports tokens and no cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from contract_scan.clients.agents.events import (
    AgentReady,
    Event,
    FileWritten,
    TextWritten,
    ToolCalled,
    TurnEnded,
    Unreadable,
)
from contract_scan.clients.agents.json_lines import mapping_of, read_object, text_of

_SHOWN: Final = 200


class CodexLines:
    """Reads the lines of one run."""

    def __init__(self) -> None:
        self._last = ""

    def read(self, line: bytes) -> Iterator[Event]:
        """The events that a line tells of."""
        if not line.strip():
            return
        record = read_object(line)
        if record is None:
            yield Unreadable(line[:_SHOWN].decode("utf-8", "replace"))
            return
        match record.get("type"):
            case "thread.started":
                yield AgentReady(str(record.get("thread_id", "")))
            case "item.started":
                yield from _tool_calls(mapping_of(record, "item"))
            case "item.completed":
                yield from self._item(mapping_of(record, "item"))
            case "turn.completed":
                yield TurnEnded(self._last)
            case "turn.failed":
                yield TurnEnded(self._last, _message(record.get("error")))
            case "error":
                yield TurnEnded(self._last, _message(record))

    def _item(self, item: Mapping[str, Any]) -> Iterator[Event]:
        kind = _kind(item)
        if kind in ("agent_message", "assistant_message"):
            self._last = str(item.get("text", ""))
            yield TextWritten(self._last)
        elif kind == "file_change" and item.get("status", "completed") == "completed":
            changes = item.get("changes")
            for change in changes if isinstance(changes, list) else []:
                if isinstance(change, dict) and change.get("kind") in ("add", "update"):
                    yield FileWritten(str(change.get("path", "")), change["kind"] == "add")


def _tool_calls(item: Mapping[str, Any]) -> Iterator[Event]:
    """What the agent begins to do, as the use of a tool."""
    call = text_of(item, "id")
    match _kind(item):
        case "command_execution":
            yield ToolCalled(call, "command", {"command": text_of(item, "command")})
        case "file_change":
            for path in _paths(item):
                yield ToolCalled(call, "file_change", {"path": path})
        case "mcp_tool_call":
            name = f"{text_of(item, 'server')}.{text_of(item, 'tool')}"
            yield ToolCalled(call, name, mapping_of(item, "arguments"))


def _paths(item: Mapping[str, Any]) -> Iterator[str]:
    changes = item.get("changes")
    for change in changes if isinstance(changes, list) else []:
        if isinstance(change, dict):
            yield text_of(change, "path")


def _kind(item: Mapping[str, Any]) -> str:
    return text_of(item, "type") or text_of(item, "item_type")


def _message(record: object) -> str:
    message = record.get("message") if isinstance(record, dict) else None
    return message if isinstance(message, str) and message else "failed"
