"""What agents do while they run, in one form for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct


class AgentReady(Struct, frozen=True):
    """The agent has begun a turn. A run may have several."""

    session_id: str
    tools: tuple[str, ...] = ()
    version: str = ""


class TextWritten(Struct, frozen=True):
    """The agent, or one of its workers, has said something."""

    text: str
    parent: str = ""
    """The call that started the worker; empty: the agent itself."""


class ToolCalled(Struct, frozen=True):
    """The agent, or one of its workers, uses a tool."""

    id: str
    name: str
    input: Mapping[str, Any]
    parent: str = ""


class ToolAnswered(Struct, frozen=True):
    """A tool has answered."""

    id: str
    """Of the call."""
    text: str
    is_error: bool = False
    value: Mapping[str, Any] = {}
    """What the tool gave, where the agent says more than text."""
    parent: str = ""


class FileWritten(Struct, frozen=True):
    """A file has been made or changed."""

    path: str
    """As the agent names it."""
    created: bool
    parent: str = ""


class WorkerStarted(Struct, frozen=True):
    """A worker runs."""

    id: str
    call: str
    """Of the tool that started it."""


class WorkerProgressed(Struct, frozen=True):
    """A worker has done something."""

    id: str


class WorkerEnded(Struct, frozen=True):
    """A worker has ended."""

    id: str
    call: str
    status: str
    """`completed`, `failed` or `stopped`."""
    report: str
    """Its last text."""
    duration_seconds: float = 0.0


class WorkerRested(Struct, frozen=True):
    """A worker has nothing to do for now. It may be given more."""

    id: str
    call: str
    report: str
    """Its last text."""


class PromptTaken(Struct, frozen=True):
    """The agent has taken what it was told, and begins to work on it."""

    prompt: str


class RequestAnswered(Struct, frozen=True):
    """The agent's program has answered a request about itself."""

    id: str
    answer: Mapping[str, Any]
    error: str = ""


class TurnEnded(Struct, frozen=True):
    """The agent has nothing more to do for now. A run may have several."""

    text: str
    error: str = ""
    """Why the turn failed; empty where it did not."""
    total_cost_usd: float = 0.0
    """Of the whole run so far."""


class Unreadable(Struct, frozen=True):
    """A line that means nothing here."""

    line: str


Event: TypeAlias = (
    AgentReady
    | TextWritten
    | ToolCalled
    | ToolAnswered
    | FileWritten
    | WorkerStarted
    | WorkerProgressed
    | WorkerEnded
    | WorkerRested
    | PromptTaken
    | RequestAnswered
    | TurnEnded
    | Unreadable
)
