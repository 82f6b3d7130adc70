"""Which files tasks have made and changed: what agents tell, checked against the files there are.

Agents tell of files that they write with their tools, not of those that a command of theirs
writes; the file system tells of all, but not who wrote them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from contract_scan.orchestrator.execution.progress import ProgressWarning
from contract_scan.orchestrator.execution.tasks import TaskResult
from contract_scan.orchestrator.execution.workplace import Workplace

_NEVER_ENTERED: Final = frozenset(
    {
        ".agent-team",
        ".git",
        ".hg",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".scope",
        ".svn",
        ".venv",
        "__pycache__",
        "node_modules",
        "venv",
    }
)
_MOST_FILES: Final = 200_000

Snapshot = Mapping[str, tuple[int, int]]
"""Path, relative to the project and with `/` -> time of the last change and size."""


def snapshot(project_dir: Path) -> Snapshot:
    """The files of a project as they are now. Links are not followed."""
    found: dict[str, tuple[int, int]] = {}
    for folder, folders, names in os.walk(project_dir):
        folders[:] = sorted(name for name in folders if name not in _NEVER_ENTERED)
        for name in names:
            path = Path(folder, name)
            try:
                state = path.lstat()
            except OSError:
                continue  # gone since its folder was read
            found[path.relative_to(project_dir).as_posix()] = (state.st_mtime_ns, state.st_size)
        if len(found) > _MOST_FILES:
            break
    return found


@dataclass(frozen=True)
class WrittenFiles:
    """Files of the project that a task has written: relative to it, with `/`, sorted."""

    created: list[str]
    modified: list[str]


def written_in_project(
    task_id: str, reported: Iterable[str], before: Snapshot, workplace: Workplace
) -> WrittenFiles:
    """The files that a task's agent reports to have written: those that are there and in the
    project. Whoever observes is warned of paths outside of it.

    Whether a file is new is told by what was there before rather than by the agent.
    """
    root = Path(os.path.realpath(workplace.project_dir))
    created: set[str] = set()
    modified: set[str] = set()
    for name in sorted(reported):
        path = Path(os.path.realpath(root / name))
        if not path.is_relative_to(root):
            workplace.observe(ProgressWarning(f"{task_id} wrote outside of the project: {name}"))
        elif path.is_file():
            relative = path.relative_to(root).as_posix()
            (modified if relative in before else created).add(relative)
    return WrittenFiles(sorted(created), sorted(modified))


def with_unclaimed_files(
    results: Sequence[TaskResult], before: Snapshot, after: Snapshot
) -> list[TaskResult]:
    """The results with the files that changed meanwhile and that no agent tells of, where it is
    clear whose they are: where one task alone was executed."""
    if len(results) != 1:
        return [*results]
    (result,) = results
    changed = {name for name, state in after.items() if before.get(name) != state}
    created = {name for name in changed if name not in before}
    return [
        replace(
            result,
            files_created=sorted({*result.files_created, *created}),
            files_modified=sorted({*result.files_modified, *(changed - created)}),
        )
    ]
