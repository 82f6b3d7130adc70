"""What Claude Code tells a hook on standard input, and what hooks have written down of it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from contract_scan.errors import ContractScanError
from contract_scan.regular_file import read_regular

STATE_FOLDER: Final = Path(".agent-team", "hooks")
"""Of the project: where hooks keep what they remember between two calls."""

_CHANGES: Final = "changes.jsonl"
_UNRESOLVED: Final = "contract-gate-*.unresolved"
_LARGEST: Final = 10_000_000


class HookInputError(ContractScanError):
    """What a hook was given is not what Claude Code gives."""


@dataclass(frozen=True)
class HookInput:
    """The input of a hook (TECH-004A).

    Each event has some of the fields. Those that it does not have are empty, and fields that
    later versions add are ignored.
    """

    session_id: str = ""
    transcript_path: str = ""
    cwd: str = ""
    permission_mode: str = ""
    hook_event_name: str = ""
    tool_name: str = ""
    tool_input: dict[str, Any] = field(default_factory=dict)
    task_id: str = ""
    task_subject: str = ""
    task_description: str = ""
    teammate_name: str = ""
    team_name: str = ""
    agent_id: str = ""
    stop_hook_active: bool = False
    """Whether the turn goes on because a hook refused its end."""
    background_tasks: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def from_json(cls, text: str | bytes) -> HookInput:
        """The input as Claude Code writes it. Raises HookInputError."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise HookInputError(f"no input of a hook: {error}") from None

    @property
    def file_path(self) -> str:
        """The file that a tool wrote; empty where it wrote none."""
        path = self.tool_input.get("file_path")
        return path if isinstance(path, str) else ""


def tracked_changes(project_dir: Path) -> list[HookInput]:
    """The writes of agents that the hook has logged, in their order.

    Lines that are cut off, because an agent was killed, are left out. The log of agents that were
    ended may lack their last writes: it is a hint, never the only evidence.
    """
    text = _text(project_dir / STATE_FOLDER / _CHANGES)
    return [change for line in text.splitlines() if (change := _change(line)) is not None]


def unresolved_promises(project_dir: Path) -> dict[str, str]:
    """Ids of sessions that stopped with broken promises after the gate had refused as often as it
    may -> what contract-scan said last. A run with such sessions is not clean."""
    folder = project_dir / STATE_FOLDER
    if folder.is_symlink() or folder.parent.is_symlink() or not folder.is_dir():
        return {}
    head, _, tail = _UNRESOLVED.partition("*")
    return {
        file.name.removeprefix(head).removesuffix(tail): _text(file)
        for file in sorted(folder.glob(_UNRESOLVED))
    }


def forget_sessions(project_dir: Path) -> None:
    """Remove what hooks have remembered of earlier builds. What cannot be removed stays."""
    folder = project_dir / STATE_FOLDER
    if folder.is_symlink() or folder.parent.is_symlink() or not folder.is_dir():
        return
    for file in folder.iterdir():
        with contextlib.suppress(OSError):
            file.unlink()


def _change(line: str) -> HookInput | None:
    try:
        return HookInput.from_json(line)
    except HookInputError:
        return None


def _text(file: Path) -> str:
    """At most as much as is read of such a file; empty where it is not there."""
    if file.is_symlink():
        return ""
    try:
        return read_regular(file, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
