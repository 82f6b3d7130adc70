"""Decompositions that were made, by project, in a SQLite file that several servers may share."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contract_scan.errors import ContractScanError
from contract_scan.servers.architect.names import key_of

BUSY_SECONDS = 5.0
"""How long a write waits for those of other processes."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS architect_projects (project TEXT PRIMARY KEY, "
    "sequence INTEGER NOT NULL, answer TEXT NOT NULL)"
)


class StoreError(ContractScanError):
    """The file of projects cannot be used."""


class ProjectStore:
    """The projects. Each call opens the file anew, so that threads share nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def check(self) -> None:
        """Make the file. Raises StoreError where it cannot be used."""
        with self._connected() as connection:
            connection.execute("SELECT count(*) FROM architect_projects")

    def put(self, project: str, answer: dict[str, Any]) -> None:
        """Remember what a project was decomposed into, in the place of what was known of it, as
        the latest. Raises StoreError."""
        with self._connected() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO architect_projects (project, sequence, answer) VALUES "
                "(?, (SELECT coalesce(max(sequence), 0) + 1 FROM architect_projects), ?)",
                (project, json.dumps(answer)),
            )

    def get(self, project: str | None) -> dict[str, Any]:
        """A project by its name in any spelling, or the latest. Raises StoreError where there is
        none."""
        with self._connected() as connection:
            rows = connection.execute(
                "SELECT project, answer FROM architect_projects ORDER BY sequence DESC"
            ).fetchall()
        if not rows:
            raise StoreError("no project is known yet; call decompose first")
        wanted = None if project is None or not project.strip() else key_of(project)
        for name, answer in rows:
            if wanted is None or key_of(name) == wanted:
                return _decoded(answer, self._path)
        known = ", ".join(name for name, _ in rows[:20])
        raise StoreError(f"there is no project {project!r:.80}; known are {known}")

    def all(self) -> list[dict[str, Any]]:
        """Every project, the latest first. Raises StoreError."""
        with self._connected() as connection:
            rows = connection.execute(
                "SELECT answer FROM architect_projects ORDER BY sequence DESC"
            ).fetchall()
        return [_decoded(answer, self._path) for (answer,) in rows]

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(
                sqlite3.connect(self._path, timeout=BUSY_SECONDS)
            ) as connection:
                connection.execute(_TABLE)
                with connection:
                    yield connection
        except OSError as error:
            raise StoreError(
                f"the folder of the projects cannot be made: {error.strerror}", str(self._path)
            ) from error
        except sqlite3.Error as error:
            raise StoreError(
                f"the file of projects cannot be used ({error}); remove it or name another one "
                "with DATABASE_PATH",
                str(self._path),
            ) from error


def _decoded(answer: str, path: Path) -> dict[str, Any]:
    try:
        decoded = json.loads(answer)
    except ValueError as error:
        raise StoreError("an entry is damaged; decompose the project again", str(path)) from error
    if not isinstance(decoded, dict):
        raise StoreError("an entry is damaged; decompose the project again", str(path))
    return decoded
