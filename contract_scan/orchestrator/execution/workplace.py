"""Where agents work, what they are given besides a task, and what they may cost."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from contract_scan.atomic import replace_file
from contract_scan.clients.agents import servers_document
from contract_scan.config.confinement import is_confined
from contract_scan.orchestrator.execution.progress import CostAdded, Observer, ignore
from contract_scan.orchestrator.execution.tasks import BackendError

BUILDER_FOLDER: Final = ".agent-team"
"""The builder's folder in a project."""

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME: Final = 100


@dataclass
class CostBudget:
    """What the agents of a run have cost."""

    spent: float = 0.0
    """US dollars."""
    limit: float = 0.0
    """0: none."""

    @property
    def why_exhausted(self) -> str:
        """Why no further task may be started; empty where one may."""
        return (
            f"the run may cost no more than ${self.limit:g}" if 0 < self.limit <= self.spent else ""
        )


@dataclass
class Workplace:
    """What all tasks of a run have in common."""

    project_dir: Path
    run_id: str = "run"
    servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """MCP servers for agents, in the form of Claude Code's `mcpServers`."""
    server_start_seconds: float = 20.0
    """That these get to tell their tools before a lead in a terminal begins."""
    spending: CostBudget = field(default_factory=CostBudget)
    observe: Observer = ignore

    @property
    def run_dir(self) -> Path:
        """Where prompts and what agents printed are kept. Made when it is first asked for."""
        folder = self.project_dir / BUILDER_FOLDER / "runs" / self.run_id
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def file_of(self, task_id: str, suffix: str) -> Path:
        """A file of a task in the folder of the run. Raises OSError where a link leads out of the
        project."""
        name = _NOT_IN_NAMES.sub("-", task_id).strip(".-")[:_LONGEST_NAME] or "task"
        file = self.project_dir / BUILDER_FOLDER / "runs" / self.run_id / f"{name}{suffix}"
        if not is_confined(file, Path(os.path.realpath(self.project_dir))):
            raise OSError(errno.ELOOP, "it lies outside of the project", str(file))
        return self.run_dir / file.name

    def write_file(self, task_id: str, suffix: str, content: bytes) -> Path:
        """Write a file of a task, and say where it is. Raises BackendError: without what it is to
        read, no agent can go on."""
        file = self.project_dir / BUILDER_FOLDER
        try:
            file = self.file_of(task_id, suffix)
            replace_file(file, content)
        except OSError as error:
            raise BackendError(f"{file}: cannot be written: {error.strerror}") from None
        return file

    def servers_file(self) -> Path:
        """The file that names the MCP servers, for agents that read one. Written where there are
        servers. Raises BackendError."""
        if not self.servers:
            return self.file_of("mcp-servers", ".json")
        return self.write_file("mcp-servers", ".json", servers_document(self.servers))

    @contextmanager
    def line_log(self, task_id: str) -> Iterator[Callable[[bytes], None]]:
        """Keeps lines that an agent prints, as far as there is room for them."""
        with ExitStack() as opened:
            file: IO[bytes] | None = None
            with suppress(OSError):
                path = self.file_of(task_id, ".lines")
                file = opened.enter_context(open(path, "wb", buffering=0, opener=_without_waiting))

            def keep(line: bytes) -> None:
                if file is not None:
                    with suppress(OSError):
                        file.write(line + b"\n")

            yield keep

    def add_cost(self, usd: float) -> None:
        """Take into account what an agent has cost in addition."""
        if usd > 0:
            self.spending.spent += usd
            self.observe(CostAdded(usd))


def _without_waiting(path: str, flags: int) -> int:
    """Open a file that is none of a pipe's, for which one would wait."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
