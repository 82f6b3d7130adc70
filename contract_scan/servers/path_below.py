"""Paths that a client names: confined to the folder that the server was started in."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from contract_scan.errors import UsageError

_LONGEST = 4_096
"""Letters of a path."""


def path_below(root: Path, path: str) -> Path:
    """A path of a client, seen from a root without links, with all links followed. Raises
    UsageError for what leads out of the root, and for what no file system takes."""
    if not path or len(path) > _LONGEST or not path.isprintable():
        raise UsageError(f"a path must be printable text of 1 to {_LONGEST} letters")
    try:
        real = Path(os.path.realpath(root / path))
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            real.lstat()
    except (OSError, ValueError) as error:  # one of its names is too long
        raise UsageError("is no path", path) from error
    if not real.is_relative_to(root):
        raise UsageError("leads outside of the folder the server was started in", path)
    return real
