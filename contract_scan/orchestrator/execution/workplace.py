"""Where agents work, what they are given besides a task, and what they may cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from contract_scan.orchestrator.execution.progress import CostAdded, Observer, ignore

BUILDER_FOLDER: Final = ".agent-team"
"""The builder's folder in a project."""

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME: Final = 100


@dataclass
class Spending:
    """What the agents of a run have cost."""

    spent: float = 0.0
    """US dollars."""
    limit: float = 0.0
    """0: none."""

    @property
    def exhausted(self) -> bool:
        """Whether no further task may be started."""
        return 0 < self.limit <= self.spent


@dataclass
class Workplace:
    """What all tasks of a run have in common."""

    project_dir: Path
    run_id: str = "run"
    servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """MCP servers for agents, in the form of Claude Code's `mcpServers`."""
    spending: Spending = field(default_factory=Spending)
    observe: Observer = ignore

    @property
    def run_dir(self) -> Path:
        """Where prompts and what agents printed are kept. Made when it is first asked for."""
        folder = self.project_dir / BUILDER_FOLDER / "runs" / self.run_id
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def file_of(self, task_id: str, suffix: str) -> Path:
        """A file of a task in the folder of the run."""
        name = _NOT_IN_NAMES.sub("-", task_id).strip(".-")[:_LONGEST_NAME] or "task"
        return self.run_dir / f"{name}{suffix}"

    def add_cost(self, usd: float) -> None:
        """Take into account what an agent has cost in addition."""
        if usd > 0:
            self.spending.spent += usd
            self.observe(CostAdded(usd))
