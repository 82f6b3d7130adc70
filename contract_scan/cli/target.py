"""What the paths on the command line mean: the folder to scan and the part to report on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan.errors import UsageError


class Target(Struct, frozen=True):
    """The folder to scan, and the files and folders to report on (empty: all of it)."""

    root: Path
    only: tuple[Path, ...] = ()


def target(paths: Sequence[str], here: Path, *, new: bool = False) -> Target:
    """One folder is scanned whole. Several paths, or a file, limit the report within the folder
    that holds them: the working directory where they all lie below it.

    Raises UsageError for a path that does not exist, unless it may be `new`.
    """
    for path in paths:
        if not new and not (here / path).exists():
            raise UsageError("no such file or folder", path)
    wanted = tuple(dict.fromkeys((here / path).resolve() for path in paths))
    if not wanted:
        return Target(here.resolve())
    if len(wanted) == 1 and wanted[0].is_dir():
        return Target(wanted[0])
    root = here.resolve()
    if not all(path.is_relative_to(root) for path in wanted):
        root = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in wanted]))
    return Target(root) if root in wanted else Target(root, wanted)


def prefix(root: Path, here: Path) -> str:
    """What to put before a path below the root so that it leads there from the folder `here`."""
    here = here.resolve()
    if root == here:
        return ""
    if root.is_relative_to(here):
        return root.relative_to(here).as_posix() + "/"
    return root.as_posix().rstrip("/") + "/"


def repository(root: Path) -> Path | None:
    """The repository a folder belongs to."""
    return next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
