"""The setting that names the SQLite file of a server."""

from __future__ import annotations

from pathlib import Path

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
