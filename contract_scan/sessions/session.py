"""One session: what it is to do, who does it, and how far it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from contract_scan.clients.process_tree import ProcessMark
from contract_scan.errors import ContractScanError

State: TypeAlias = Literal["pending", "running", "done", "aborted"]
"""`pending` is being started or waits for sessions that it comes after; `done` and `aborted` have
ended."""
TaskType: TypeAlias = Literal["explore", "implement", "test", "review", "refactor"]
Mode: TypeAlias = Literal["task", "interactive"]
"""Whether the agent does one task and ends, or talks to somebody until that one leaves."""

STATES: Final[tuple[State, ...]] = get_args(State)
TASK_TYPES: Final[tuple[TaskType, ...]] = get_args(TaskType)
DEFAULT_TASK_TYPE: Final[TaskType] = "implement"
OPEN_STATES: Final[tuple[State, ...]] = ("pending", "running")

SESSION_VARIABLE: Final = "SCOPE_SESSION_ID"
"""Environment variable: the session that a program runs in."""
FOLDER_VARIABLE: Final = "SCOPE_DIR"
"""Environment variable: the folder that keeps it. The agent may work elsewhere."""

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)*")
_LONGEST_ID: Final = 64
"""Characters; ids become names of folders and of tmux sessions."""
_MAIN: Final = "main"
"""Its tmux session would have the name of that of the interface."""

INTERFACE_NAME: Final = f"scope-{_MAIN}"
"""The tmux session of the interface."""


class SessionError(ContractScanError):
    """A session is not there, cannot be started, or not in the state that was expected."""


class Session(Struct, frozen=True, kw_only=True):
    """What is known of a session. Every field is a file of its folder."""

    id: str
    task: str = ""
    """One line; empty until the first message says what it is."""
    task_type: TaskType = DEFAULT_TASK_TYPE
    agent: str
    mode: Mode = "task"
    parent: str = ""
    """The session that it was started from; empty: a person started it."""
    after: tuple[str, ...] = ()
    """Sessions that have to be done before it starts."""
    state: State = "pending"
    activity: str = ""
    result: str = ""
    reason: str = ""
    """Why it was aborted."""
    model: str = ""
    """Empty: the agent's own choice."""
    inputs: tuple[str, ...] = ()
    """Paths that it is told to look at."""
    cwd: Path
    """Where the agent works."""
    created_at: str
    """In UTC, by ISO 8601."""
    tmux_session: str = ""
    """Empty: it runs without a terminal."""
    agent_session: str = ""
    """What the agent itself calls the conversation, by which it can be taken up again."""
    process: ProcessMark | None = None
    """What keeps the state true while the session runs; before that, who starts it."""
    since: str = ""
    """The commit at which its scope began; empty where it has no scope contract."""
    branch: str = ""
    """The branch of the working tree that was made for it; empty: none was."""
    contract_state: str = ""
    """What the engine says of its scope contract, as `contract_state.py` writes it."""

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.state in OPEN_STATES


def checked_id(text: str) -> str:
    """An id as it is. Raises SessionError where it could not name a folder."""
    if len(text) > _LONGEST_ID or _ID.fullmatch(text) is None or text.lower() == _MAIN:
        raise SessionError(
            f"{text!r:.90} cannot be the id of a session: letters, digits, `-` and `_`, parts"
            f" joined by dots, at most {_LONGEST_ID} characters, and not `{_MAIN}`"
        )
    return text


def is_id(text: str) -> bool:
    """Whether a text could be the id of a session."""
    try:
        checked_id(text)
    except SessionError:
        return False
    return True


def tmux_name(session_id: str) -> str:
    """The name of a session's terminal. tmux puts `_` for a dot in names, so that `0.1` and `0_1`
    would be one; no id has a slash."""
    return f"scope-{session_id.replace('.', '/')}"
