"""Lines of `codex exec --json` -> events.

Items are named by `type`, in older versions by `item_type`; the last message of the agent is an
`agent_message`, formerly an `assistant_message`. Codex reports tokens and no cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from contract_scan.clients.agents.events import (
    AgentReady,
    Event,
    FileWritten,
    TextWritten,
    TurnEnded,
    Unreadable,
)

_SHOWN: Final = 200


class CodexLines:
    """Reads the lines of one run."""

    def __init__(self) -> None:
        self._last = ""

    def read(self, line: bytes) -> Iterator[Event]:
        """The events that a line tells of."""
        if not line.strip():
            return
        try:
            told = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            yield Unreadable(line[:_SHOWN].decode("utf-8", "replace"))
            return
        match told.get("type"):
            case "thread.started":
                yield AgentReady(str(told.get("thread_id", "")))
            case "item.completed":
                item = told.get("item")
                if isinstance(item, dict):
                    yield from self._item(item)
            case "turn.completed":
                yield TurnEnded(self._last)
            case "turn.failed":
                yield TurnEnded(self._last, _message(told.get("error")))
            case "error":
                yield TurnEnded(self._last, _message(told))

    def _item(self, item: Mapping[str, Any]) -> Iterator[Event]:
        kind = item.get("type") or item.get("item_type")
        if kind in ("agent_message", "assistant_message"):
            self._last = str(item.get("text", ""))
            yield TextWritten(self._last)
        elif kind == "file_change" and item.get("status", "completed") == "completed":
            changes = item.get("changes")
            for change in changes if isinstance(changes, list) else []:
                if isinstance(change, dict) and change.get("kind") in ("add", "update"):
                    yield FileWritten(str(change.get("path", "")), change["kind"] == "add")


def _message(told: object) -> str:
    message = told.get("message") if isinstance(told, dict) else None
    return message if isinstance(message, str) and message else "failed"
