"""What was read before, kept by content: facts of files and the byte-level pass over them.

One SQLite file in the scanned root's cache folder. Keys hold the content's hash and the version of
everything that reads it, so an entry can be stale but never wrong. Values are msgpack: loading them
runs nothing. A cache that cannot be opened, read or written is no cache, never an error.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from contract_scan import unsaved
from contract_scan.parsers.source.packed import blake2b
from contract_scan.parsers.source.standing import SETTLED

FOLDER = ".contract_scan_cache"
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of contract-scan.\n"
_SCHEMA_VERSION = 1


def content_key(content: bytes, *parts: str) -> bytes:
    """Key of something derived from `content`; `parts` name what derived it."""
    digest = blake2b(content, digest_size=16)
    for part in parts:
        digest.update(b"\0" + part.encode())
    return digest.digest()


def file_state(path: str, now: int) -> tuple[int, int]:
    """Size and time (ns since the epoch) by which a file is known again; the time is 0 where it was
    changed so shortly before `now` that they would not tell. Raises OSError."""
    held = unsaved.text_of(path)
    if held is not None:
        return len(held), 0
    state = os.lstat(path)
    settled = now - state.st_mtime_ns > SETTLED
    return state.st_size, state.st_mtime_ns if settled else 0


class Store:
    """Key-value store with an index of files by path, size and time."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` is where the cache file lies (made when missing); None keeps nothing."""
        self._pending: dict[bytes, bytes] = {}
        self._seen: dict[str, tuple[int, int, bytes]] = {}
        self._database = None if folder is None else _open(folder)

    @property
    def keeps(self) -> bool:
        """Whether anything is kept at all."""
        return self._database is not None

    def get(self, key: bytes) -> bytes | None:
        """The value kept under a key."""
        if key in self._pending:
            return self._pending[key]
        if self._database is None:
            return None
        try:
            row = self._database.execute("SELECT value FROM entry WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return None if row is None else bytes(row[0])

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value; written by `commit`."""
        if self._database is not None:
            self._pending[key] = value

    def files(self, version: str) -> Iterator[tuple[str, int, int, bytes]]:
        """(path, size, time in ns, value) of every file seen before by this version."""
        if self._database is None:
            return
        try:
            yield from self._database.execute(
                "SELECT path, size, time, value FROM file WHERE version = ?", (version,)
            )
        except sqlite3.Error:
            return

    def commit(self, version: str = "", files: Iterable[tuple[str, int, int, bytes]] = ()) -> None:
        """Write what was put, and remember files as they are now, in one transaction."""
        rows = [(path, version, size, time, value) for path, size, time, value in files]
        if self._database is None or not (rows or self._pending):
            return
        try:
            with self._database:
                self._database.executemany(
                    "INSERT OR REPLACE INTO entry VALUES (?, ?)", self._pending.items()
                )
                self._database.executemany(
                    "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?)", rows
                )
        except sqlite3.Error:
            return
        finally:
            self._pending.clear()

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            self._database.close()
            self._database = None


def _open(folder: Path) -> sqlite3.Connection | None:
    try:
        folder.mkdir(exist_ok=True)
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
            if not (folder / name).exists():
                (folder / name).write_text(text, encoding="utf-8")
    except OSError:
        return None
    path = folder / f"cache-v{_SCHEMA_VERSION}.sqlite"
    try:
        return _connect(path)
    except sqlite3.OperationalError:
        return None  # locked for too long, or a read-only folder
    except sqlite3.DatabaseError:
        pass  # not a database: truncated or overwritten; start a new one
    try:
        path.unlink(missing_ok=True)
        return _connect(path)
    except (OSError, sqlite3.Error):
        return None


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=5.0, isolation_level="IMMEDIATE")
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("CREATE TABLE IF NOT EXISTS entry (key BLOB PRIMARY KEY, value BLOB)")
        database.execute(
            "CREATE TABLE IF NOT EXISTS file"
            " (path TEXT PRIMARY KEY, version TEXT, size INTEGER, time INTEGER, value BLOB)"
        )
        database.execute("SELECT COUNT(*) FROM (SELECT 1 FROM file LIMIT 1)").fetchone()
    except BaseException:
        database.close()
        raise
    return database
