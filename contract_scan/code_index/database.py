"""The SQLite file that the index lies in.

An index can always be made again, so a damaged one in the user's own cache is made anew. A file
that was named, by `DATABASE_PATH` say, is never removed: it may be of something else.
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

from contract_scan.errors import ContractScanError
from contract_scan.sqlite_file import BUSY_SECONDS, SqliteFaults, SqliteFile

APPLICATION_ID: Final = 0x63736978
"""`application_id` of the file ("csix")."""
VERSION: Final = 1
"""`user_version`: of the tables below."""
# In tables without rowids the key comes first: some versions of SQLite call others damaged.
_TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE registered (path TEXT PRIMARY KEY, service TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    language TEXT NOT NULL,
    service TEXT NOT NULL,
    digest BLOB NOT NULL,
    state TEXT NOT NULL,
    surface BLOB NOT NULL,
    stale INTEGER NOT NULL,
    skipped TEXT NOT NULL,
    lines INTEGER NOT NULL,
    is_test INTEGER NOT NULL,
    is_generated INTEGER NOT NULL
);
CREATE TABLE symbols (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    signature TEXT NOT NULL,
    library_use INTEGER NOT NULL,
    exported INTEGER NOT NULL
);
CREATE INDEX symbols_by_name ON symbols (name);
CREATE INDEX symbols_by_file ON symbols (file);
CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    caller TEXT NOT NULL,
    resolution TEXT NOT NULL
);
CREATE INDEX calls_by_name ON calls (name);
CREATE INDEX calls_by_file ON calls (file);
CREATE TABLE targets (
    path TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    call INTEGER NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    PRIMARY KEY (path, qualified_name, call)
) WITHOUT ROWID;
CREATE INDEX targets_by_call ON targets (call);
CREATE TABLE dependencies (
    target TEXT NOT NULL,
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    PRIMARY KEY (target, file)
) WITHOUT ROWID;
CREATE INDEX dependencies_by_file ON dependencies (file);
CREATE TABLE libraries (
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (file, name)
) WITHOUT ROWID;
CREATE TABLE overrides (
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    qualified_name TEXT NOT NULL,
    base_path TEXT NOT NULL,
    base_name TEXT NOT NULL,
    PRIMARY KEY (file, qualified_name, base_path, base_name)
) WITHOUT ROWID;
CREATE TABLE words (
    word TEXT NOT NULL,
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    count INTEGER NOT NULL,
    PRIMARY KEY (word, file)
) WITHOUT ROWID;
CREATE INDEX words_by_file ON words (file);
CREATE TABLE interface (
    position INTEGER PRIMARY KEY, part TEXT NOT NULL, path TEXT NOT NULL, record TEXT NOT NULL
);
CREATE VIRTUAL TABLE symbol_words USING fts5 (
    name, around, path, doc, tokenize = "porter unicode61"
);
CREATE TRIGGER symbol_words_go AFTER DELETE ON symbols BEGIN
    DELETE FROM symbol_words WHERE rowid = old.id;
END;
"""


class IndexDatabaseError(ContractScanError):
    """The index cannot be used: locked, damaged, of something else, or not to be written."""


class _DamagedError(IndexDatabaseError):
    """The file is no index, or one that cannot be read."""


_FAULTS: Final = SqliteFaults(
    locked=IndexDatabaseError,
    damaged=_DamagedError,
    unusable=IndexDatabaseError,
    remedy="remove it, and the index is made anew",
)


class IndexDatabase:
    """The file. Every method raises `IndexDatabaseError`."""

    def __init__(
        self, path: Path, *, replaceable: bool = False, busy_seconds: float = BUSY_SECONDS
    ) -> None:
        """Opens the file, or makes it. `replaceable`: it is a cache of this program, and is made
        anew where it is damaged or of another version."""
        self.path = path
        self._replaceable = replaceable
        self._writing = threading.Lock()
        self._file = SqliteFile(
            path,
            _FAULTS,
            content="index",
            busy_seconds=busy_seconds,
            folder_mode=0o700,
            triggers=frozenset({"symbol_words_go"}),
        )
        try:
            self._prepare()
        except _DamagedError:
            if not replaceable:
                raise
            remove_database(path)
            self._prepare()

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction; a writing one excludes other writers from its start."""
        with (
            self._writing if write else nullcontext(),
            self._file.transaction(write=write) as connection,
        ):
            yield connection

    # Private helpers

    def _prepare(self) -> None:
        self._file.use_write_ahead_log()
        with self.transaction() as reading:
            application = _pragma(reading, "application_id")
            version = _pragma(reading, "user_version")
            tables = reading.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            check = reading.execute("PRAGMA quick_check(1)").fetchone()[0]
        if check != "ok":
            raise self._file.damaged(check)
        if application == APPLICATION_ID and version == VERSION:
            return
        if tables and application != APPLICATION_ID:
            raise IndexDatabaseError(
                "is the database of something else; name another file for the index",
                str(self.path),
            )
        if tables and not self._replaceable:
            raise IndexDatabaseError(
                "is an index of another version of contract-scan; remove it, and it is made anew",
                str(self.path),
            )
        if tables:
            raise _DamagedError("is an index of another version", str(self.path))
        with self.transaction(write=True) as writing:
            if _pragma(writing, "user_version") == VERSION:
                return  # another process was faster
            for statement in _statements(_TABLES):
                writing.execute(statement)
            writing.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            writing.execute(f"PRAGMA user_version = {VERSION}")


def remove_database(path: Path) -> None:
    """Remove an index with the files that SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def temporary_database() -> Iterator[Path]:
    """A place for an index that is gone afterwards, where there is no cache."""
    with tempfile.TemporaryDirectory(prefix="contract-scan-") as folder:
        yield Path(folder) / "code-index.db"


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.strip().splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
