"""What git knows of a folder. Nothing that a repository configures is run."""

from __future__ import annotations

from pathlib import Path

from contract_scan.clients.processes import ProcessError, run

TIMEOUT = 60.0
"""Seconds a git command may take."""

_SAFE = (
    "git",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
)


def inside_work_tree(folder: Path) -> bool:
    """Whether a `.git` lies in the folder or above it. Starts nothing."""
    resolved = folder.resolve()
    return any((parent / ".git").exists() for parent in (resolved, *resolved.parents))


def listed_files(folder: Path) -> list[str] | None:
    """Paths of the files below a folder that git tracks or does not ignore, relative to it, with
    `/`. None where git cannot tell (no git, no repository, ownership it refuses)."""
    if not inside_work_tree(folder):
        return None
    command = [*_SAFE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        output = run(command, cwd=folder, timeout=TIMEOUT).stdout
    except ProcessError:
        return None
    names = output.decode("utf-8", "surrogateescape").split("\0")
    return sorted({name for name in names if name})
