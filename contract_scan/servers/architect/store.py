"""Decompositions that were made, by project, in a SQLite file that several servers may share."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contract_scan.errors import ContractScanError
from contract_scan.servers.architect.names import key_of
from contract_scan.sqlite_file import BUSY_SECONDS, SqliteFaults, SqliteFile

_TABLE = (
    "CREATE TABLE IF NOT EXISTS architect_projects (project TEXT PRIMARY KEY, "
    "sequence INTEGER NOT NULL, answer TEXT NOT NULL)"
)


class StoreError(ContractScanError):
    """The file of projects cannot be used, or does not hold what was asked for."""


class StoreLockedError(StoreError):
    """Another process holds the file for longer than one waits."""


_FAULTS = SqliteFaults(
    locked=StoreLockedError,
    damaged=StoreError,
    unusable=StoreError,
    remedy="remove it, and decompose the projects again, or name another file with DATABASE_PATH",
)


class ProjectStore:
    """The projects. Each call opens the file anew, so that threads share nothing."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        """Makes the folder of the file. Raises StoreError."""
        self._file = SqliteFile(path, _FAULTS, content="projects", busy_seconds=busy_seconds)

    def check(self) -> None:
        """Make the file. Raises StoreError where it cannot be used, StoreLockedError where another
        process holds it."""
        self._file.use_write_ahead_log()
        with self._file.transaction() as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise self._file.damaged(found)
        with self._transaction(write=True):
            pass

    def put(self, project: str, answer: dict[str, Any]) -> None:
        """Remember what a project was decomposed into, in the place of what was known of it, as
        the latest. Raises StoreError."""
        with self._transaction(write=True) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO architect_projects (project, sequence, answer) VALUES "
                "(?, (SELECT coalesce(max(sequence), 0) + 1 FROM architect_projects), ?)",
                (project, json.dumps(answer)),
            )

    def get(self, project: str | None) -> dict[str, Any]:
        """A project by its name in any spelling, or the latest. Raises StoreError where there is
        none."""
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT project, answer FROM architect_projects ORDER BY sequence DESC"
            ).fetchall()
        if not rows:
            raise StoreError("no project is known yet; call decompose first")
        wanted = None if project is None or not project.strip() else key_of(project)
        for name, answer in rows:
            if wanted is None or key_of(name) == wanted:
                return _decode_answer(answer, self._file.path)
        known = ", ".join(name for name, _ in rows[:20])
        raise StoreError(f"there is no project {project!r:.80}; known are {known}")

    def all(self) -> list[dict[str, Any]]:
        """Every project, the latest first. Raises StoreError."""
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT answer FROM architect_projects ORDER BY sequence DESC"
            ).fetchall()
        return [_decode_answer(answer, self._file.path) for (answer,) in rows]

    @contextmanager
    def _transaction(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        with self._file.transaction(write=write) as connection:
            connection.execute(_TABLE)
            yield connection


def _decode_answer(answer: str, path: Path) -> dict[str, Any]:
    try:
        decoded = json.loads(answer)
    except ValueError as error:
        raise StoreError("an entry is damaged; decompose the project again", str(path)) from error
    if not isinstance(decoded, dict):
        raise StoreError("an entry is damaged; decompose the project again", str(path))
    return decoded
