"""What Claude Code keeps of lists of tasks and of teams in the user's folder.

The form of these files is not documented; it was found by watching version 2.1.329. They are read,
never written, and whatever is not understood there counts as not there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

Record = TypeVar("Record")


class ListedTask(Struct, frozen=True):
    """A task of a list."""

    id: str
    status: str
    """`pending`, `in_progress` or `completed`."""
    metadata: Mapping[str, Any] = {}


class Team(Struct, frozen=True):
    """A team that a lead has formed."""

    name: str
    """The name of its list of tasks, too."""
    members: tuple[str, ...]
    """Names of teammates, the lead left out."""


def configuration_folder() -> Path:
    """Where Claude Code keeps what it knows of the user."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")


def read_tasks(folder: Path, name: str) -> list[ListedTask]:
    """The tasks of a list, by its name: that of the team, else the id of the session."""
    return [*_records(folder / "tasks" / name, "*.json", ListedTask)]


def team_of_process(folder: Path, pid: int) -> Team | None:
    """The team whose lead runs as a process; None where it has none."""
    return _team(folder, lambda record: record.leadProcess.pid == pid)


def team_of_session(folder: Path, session: str) -> Team | None:
    """The team whose lead has a session, by its id; None where it has none."""
    return _team(folder, lambda record: record.leadSessionId == session)


def _team(folder: Path, is_wanted: Callable[[_TeamFile], bool]) -> Team | None:
    for record in _records(folder / "teams", "*/config.json", _TeamFile):
        if is_wanted(record):
            members = (member.name for member in record.members)
            return Team(record.name, tuple(name for name in members if name != "team-lead"))
    return None


class _Process(Struct, frozen=True):
    pid: int = 0


class _Member(Struct, frozen=True):
    name: str = ""


class _TeamFile(Struct, frozen=True):
    name: str
    leadProcess: _Process = _Process()  # noqa: N815 - a key of the file
    leadSessionId: str = ""  # noqa: N815 - a key of the file
    members: tuple[_Member, ...] = ()


def _records(folder: Path, pattern: str, kind: type[Record]) -> Iterator[Record]:
    for path in sorted(folder.glob(pattern)):
        try:
            yield msgspec.json.decode(path.read_bytes(), type=kind)
        except (OSError, msgspec.DecodeError):
            continue  # just being written, or of another version
