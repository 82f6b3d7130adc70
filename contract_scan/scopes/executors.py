"""What fulfils scopes: how each executor is handed a scope, and how it hands back what it did.

The rows are those of the executor interface of scope contracts: the same inputs and outputs for
every executor, carried by different means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from contract_scan.scopes.contract import DEFAULT_EXECUTOR, ScopeContractError

Input: TypeAlias = Literal["scope_contract", "feature_context", "worktree_path", "nesting_depth"]
Output: TypeAlias = Literal["handoff", "commits", "status"]
Carrier: TypeAlias = Literal[
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

DEEPEST_NESTING: Final = 1
"""How deep scopes may lie within a feature."""


class Executor(Struct, frozen=True, kw_only=True):
    """One way to have a scope fulfilled."""

    name: str
    inputs: Mapping[Input, Carrier]
    outputs: Mapping[Output, Carrier]
    is_synchronous: bool
    """Whether whoever starts it waits for its answer."""


EXECUTORS: Final = (
    Executor(
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
    Executor(
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


def executor_named(name: str) -> Executor:
    """The executor of a name, in any case. Raises ScopeContractError where there is none."""
    for executor in EXECUTORS:
        if executor.name.lower() == name.lower():
            return executor
    known = ", ".join(executor.name for executor in EXECUTORS)
    raise ScopeContractError(f"there is no executor {name!r:.60}; there are {known}")
