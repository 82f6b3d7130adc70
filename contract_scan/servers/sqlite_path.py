"""The SQLite file of a server: as a setting names it, or below the root."""

from __future__ import annotations

from pathlib import Path

from contract_scan.config.confinement import is_confined
from contract_scan.errors import UsageError


def sqlite_path(root: Path, given: str, content: str) -> Path:
    """The file that `given` names, as seen from the root.

    Clients have one setting for files and for URLs of PostgreSQL. Raises UsageError for a URL,
    without what follows its scheme, which may hold a password.
    """
    if "://" in given:
        raise UsageError(
            f"the {content} a SQLite file; DATABASE_PATH must be a path",
            f"{given.partition('://')[0]}://…",
        )
    return root / given


def own_sqlite_path(root: Path, name: str) -> Path:
    """The file of this name below the root, where no setting names another one. Raises UsageError
    where a link leads it elsewhere: whoever made the folder may have put it there."""
    path = root / name
    if not is_confined(path, root.resolve()):
        raise UsageError("leads outside of the folder the server was started in", name)
    return path
