"""What a backend is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Literal

TaskStatus = Literal["completed", "failed", "timeout"]
Mode = Literal["agent_teams", "cli"]


@dataclass(frozen=True)
class ScheduledTask:
    """One piece of work for one agent."""

    id: str
    """Unique within a run."""
    title: str
    prompt: str
    """The whole text that the agent is given."""
    role: str = "code-writer"
    depends_on: tuple[str, ...] = ()
    """Ids of tasks that have to be completed first. Those of other waves count as completed."""

    def failed(self, error: str) -> TaskResult:
        """The result where it could not even begin."""
        return TaskResult(self.id, "failed", "", error, [], [])


@dataclass(frozen=True)
class ExecutionWave:
    """Tasks that are executed together, in the order of what they depend on."""

    index: int
    tasks: tuple[ScheduledTask, ...]


@dataclass(frozen=True)
class TaskResult:
    """How a task ended (TECH-001). What it cost is counted for the run as a whole."""

    task_id: str
    status: TaskStatus
    output: str
    """The last text of the agent."""
    error: str
    """Why it did not complete, in one line; empty where it did."""
    files_created: list[str]
    """Relative to the project, with `/`, sorted; so are the modified ones."""
    files_modified: list[str]
    duration_seconds: float = 0.0


@dataclass(frozen=True)
class WaveResult:
    """How a wave ended (TECH-002): one result for each of its tasks, in their order."""

    wave_index: int
    task_results: list[TaskResult]
    all_succeeded: bool
    duration_seconds: float = 0.0


@dataclass
class TeamState:
    """What a backend has running (TECH-003). The backend keeps it up to date."""

    mode: Mode
    active: bool = True
    teammates: list[str] = field(default_factory=list)
    """Names of agents that run now."""
    completed_tasks: list[str] = field(default_factory=list)
    failed_tasks: list[str] = field(default_factory=list)
    total_messages: int = 0
    """Messages that agents sent to each other or were sent by the backend."""


class BackendError(RuntimeError):
    """A backend as a whole cannot go on, as opposed to one of its tasks."""


class WaveFailedError(BackendError):
    """A backend could not go on in the middle of a wave."""

    def __init__(self, message: str, results: Sequence[TaskResult] = ()) -> None:
        super().__init__(message)
        self.results = tuple(results)
        """Of the tasks that had ended by then."""


def check_order(wave: ExecutionWave) -> None:
    """Raise BackendError where tasks depend on each other in a circle."""
    try:
        TopologicalSorter({task.id: task.depends_on for task in wave.tasks}).prepare()
    except CycleError as error:
        circle = " → ".join(error.args[1])
        raise BackendError(f"tasks depend on each other in a circle: {circle}") from None
