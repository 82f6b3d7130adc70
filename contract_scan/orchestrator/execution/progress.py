"""What happens while tasks are executed, for whoever shows or counts it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from contract_scan.orchestrator.execution.tasks import TaskResult


@dataclass(frozen=True)
class TaskStarted:
    """An agent has begun with a task."""

    task_id: str
    title: str


@dataclass(frozen=True)
class ToolUsed:
    """An agent uses a tool."""

    task_id: str
    """Empty for the lead of a team."""
    tool: str
    target: str
    """The file or the command that it is used on, where that is known."""


@dataclass(frozen=True)
class TaskEnded:
    """A task has its result."""

    result: TaskResult


@dataclass(frozen=True)
class CostAdded:
    """An agent has reported what it cost so far; this is what came in addition."""

    usd: float


@dataclass(frozen=True)
class ProgressWarning:
    """Something went otherwise than planned, and the run goes on."""

    message: str


Progress: TypeAlias = TaskStarted | ToolUsed | TaskEnded | CostAdded | ProgressWarning
Observer: TypeAlias = Callable[[Progress], None]


def ignore(_: Progress) -> None:
    """The observer that nobody is."""
