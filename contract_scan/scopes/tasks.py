"""Tasks of scopes: what an executor is handed for each, and what became of it.

A table says how each executor is handed a scope, and how it hands back what it did. Its rows are
those of the executor interface of scope contracts: the same inputs and outputs for every executor,
carried by different means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.scopes.contract import DEFAULT_EXECUTOR, ROOT, ScopeContract, ScopeContractError
from contract_scan.scopes.handoff import FULFILLMENT, HANDOFF
from contract_scan.scopes.markdown_form import write_markdown
from contract_scan.scopes.yaml_form import contract_values

State: TypeAlias = Literal["done", "stalled", "blocked"]

HAND_BACK: Final = (
    f"When you are done, commit your work to the branch of this folder and hand back a `{HANDOFF}:`"
    f" with its six fields, and a `{FULFILLMENT}:` that says of every deliverable whether it is"
    " delivered (✅) or not (❌)."
)
"""What an agent is asked for at the end."""
_Input: TypeAlias = Literal["scope_contract", "feature_context", "worktree_path", "nesting_depth"]
_Output: TypeAlias = Literal["handoff", "commits", "status"]
_Carrier: TypeAlias = Literal[
    "task-metadata",
    "parent-context",
    "project-instructions",
    "spawn-prompt",
    "working-directory",
    "answer",
    "message",
    "branch",
    "task-status",
]
"""What hands something over: keys of a task, what an agent inherits of its parent, the instructions
of the project, the prompt that an agent starts with, the folder that it starts in, its last words,
a message to its lead, commits, the status of a task."""

_DEEPEST_NESTING: Final = 1
"""How deep scopes may lie within a feature."""


class Task(Struct, frozen=True, kw_only=True):
    """A scope as an executor is handed it."""

    id: str
    """The scope id."""
    subject: str
    executor: str
    branch: str
    metadata: dict[str, Any]
    """What the executor reads of the task."""
    prompt: str
    """What the agent starts with."""
    cwd: str = ""
    """The folder to start the agent in; empty where it learns of its folder otherwise."""


class TaskOutcome(Struct, frozen=True, kw_only=True):
    """What became of the task of a scope. A task that could not be done is completed as well: its
    metadata say why."""

    scope_id: str
    state: State
    reason: str = ""
    """Why it is stalled, or the task that blocks it."""


def task_of(contract: ScopeContract, *, feature: str, worktree: Path, branch: str) -> Task:
    """The task of a scope, handed over as its executor takes it.

    Raises ScopeContractError for an executor that is not known, or a scope that lies in another.
    """
    if contract.parent_scope != ROOT:
        raise ScopeContractError(
            f"`{contract.scope_id}` lies in the scope `{contract.parent_scope}`; scopes are not "
            "divided again",
            line=contract.line,
        )
    executor = _executor_named(contract.executor)
    values: dict[str, Any] = {
        "scope_contract": contract_values(contract),
        "feature_context": feature,
        "worktree_path": str(worktree),
        "nesting_depth": _DEEPEST_NESTING,
    }

    def carried_by(carrier: _Carrier) -> list[str]:
        return [name for name, by in executor.inputs.items() if by == carrier]

    lines = [f"Work on the scope `{contract.scope_id}` of: {feature}", ""]
    if "scope_contract" in carried_by("spawn-prompt"):
        lines += [write_markdown([contract])]
    if "nesting_depth" in carried_by("spawn-prompt"):
        lines += [f"This scope lies {_DEEPEST_NESTING} level deep: do not divide it again.", ""]
    return Task(
        id=contract.scope_id,
        subject=f"{feature}: {contract.name}",
        executor=executor.name,
        branch=branch,
        metadata={name: values[name] for name in carried_by("task-metadata")},
        prompt="\n".join([*lines, HAND_BACK]) + "\n",
        cwd=str(worktree) if carried_by("working-directory") else "",
    )


def write_tasks(tasks: Sequence[Task]) -> str:
    """Tasks as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(tasks), indent=2).decode() + "\n"


def read_outcomes(text: str, path: str = "") -> tuple[TaskOutcome, ...]:
    """What a task store says of tasks: a JSON list of `{"id", "status", "metadata"}`, the id that
    of the scope. Tasks that are not completed are left out.

    Raises ScopeContractError where it is no such list.
    """
    try:
        stored = msgspec.json.decode(text, type=list[_StoredTask])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ScopeContractError(f"is no list of tasks: {error}", path) from error
    return tuple(_outcome(task) for task in stored if task.status == "completed")


# Private helpers


class _StoredTask(Struct, frozen=True):
    id: str
    status: str
    metadata: Mapping[str, Any] = {}


def _outcome(task: _StoredTask) -> TaskOutcome:
    if task.metadata.get("stalled") is True:
        reason = str(task.metadata.get("reason") or "no reason is given")
        return TaskOutcome(scope_id=task.id, state="stalled", reason=reason)
    if task.metadata.get("blocked") is True:
        blocker = str(task.metadata.get("blocker_task") or "no task is named")
        return TaskOutcome(scope_id=task.id, state="blocked", reason=blocker)
    return TaskOutcome(scope_id=task.id, state="done")


class _Executor(Struct, frozen=True, kw_only=True):
    """One way to have a scope fulfilled."""

    name: str
    inputs: Mapping[_Input, _Carrier]
    outputs: Mapping[_Output, _Carrier]
    is_synchronous: bool
    """Whether whoever starts it waits for its answer."""


_EXECUTORS: Final = (
    _Executor(
        name=DEFAULT_EXECUTOR,
        inputs={
            "scope_contract": "task-metadata",
            "feature_context": "parent-context",
            "worktree_path": "task-metadata",
            "nesting_depth": "task-metadata",
        },
        outputs={"handoff": "answer", "commits": "branch", "status": "task-metadata"},
        is_synchronous=True,
    ),
    _Executor(
        name="Agent Teams",
        inputs={
            "scope_contract": "spawn-prompt",
            "feature_context": "project-instructions",
            "worktree_path": "working-directory",
            "nesting_depth": "spawn-prompt",
        },
        outputs={"handoff": "message", "commits": "branch", "status": "task-status"},
        is_synchronous=False,
    ),
)
"""Every executor. A further one is a further record."""


def _executor_named(name: str) -> _Executor:
    """The executor of a name, in any case. Raises ScopeContractError where there is none."""
    for executor in _EXECUTORS:
        if executor.name.lower() == name.lower():
            return executor
    known = ", ".join(executor.name for executor in _EXECUTORS)
    raise ScopeContractError(f"there is no executor {name!r:.60}; there are {known}")
