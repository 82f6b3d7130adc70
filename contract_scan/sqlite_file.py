"""A SQLite file that several processes share: its transactions, how long they wait, and what its
faults mean."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from contract_scan.errors import ContractScanError

_OTHER_JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""The end of a journal that names the journal of a transaction over several files, which SQLite
removes when it has rolled back, wherever it lies (`readSuperJournal` in its `pager.c`). No
transaction of ours is one."""
BUSY_SECONDS = 5.0
"""How long a transaction waits for those of other processes."""


@dataclass(frozen=True)
class SqliteFaults:
    """The errors that stand for what SQLite reports."""

    locked: type[ContractScanError]
    damaged: type[ContractScanError]
    """The file is no database, or one that cannot be read."""
    unusable: type[ContractScanError]
    """Anything else: not to be written, a full disk."""
    remedy: str
    """What to do about a damaged file: `restore a copy of it`."""


class SqliteFile:
    """A file. One connection for each transaction, so that threads share nothing. Every method
    raises one of the errors of `faults`."""

    def __init__(
        self,
        path: Path,
        faults: SqliteFaults,
        *,
        content: str,
        busy_seconds: float = BUSY_SECONDS,
        folder_mode: int = 0o777,
        triggers: frozenset[str] = frozenset(),
    ) -> None:
        """Makes the folder of the file. `content` names what the file holds ("database"), and
        `triggers` are those of its schema, which has no views."""
        self.path = path
        self._faults = faults
        self._busy_seconds = busy_seconds
        self._triggers = triggers
        try:
            path.parent.mkdir(mode=folder_mode, parents=True, exist_ok=True)
        except OSError as error:
            raise faults.unusable(
                f"the folder of the {content} cannot be made: {error.strerror}", str(path)
            ) from error

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction; a writing one excludes other writers from its start."""
        try:
            with closing(self._connect()) as connection:
                connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                self._refuse_programs(connection)
                yield connection
                connection.execute("COMMIT")  # closing rolls back what was not committed
        except sqlite3.Error as error:
            raise self._error(error) from error

    def use_write_ahead_log(self) -> None:
        """Readers then do not wait for writers. The file remembers it; changing it is the one thing
        for which SQLite does not wait by itself."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                with closing(self._connect()) as connection:
                    connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.Error as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise self._error(error) from error
                time.sleep(0.02)
            else:
                return

    def damaged(self, how: object) -> ContractScanError:
        """The error that says that the file is damaged, to be raised."""
        return self._faults.damaged(f"is damaged ({how}); {self._faults.remedy}", str(self.path))

    def _connect(self) -> sqlite3.Connection:
        self._refuse_planted()
        connection = sqlite3.connect(
            self.path, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    def _refuse_planted(self) -> None:
        """Raise an error for a link or a pipe in the place of the file or of one that SQLite keeps
        beside it, and for a journal by which it would remove another file: whoever made the folder
        may have put them there."""
        for suffix in ("", "-journal", "-wal", "-shm"):
            beside = f"{self.path}{suffix}"
            try:
                state = os.lstat(beside)
            except OSError:
                continue
            if stat.S_ISLNK(state.st_mode):
                raise self._faults.unusable("is a link; name the file itself", beside)
            if not stat.S_ISREG(state.st_mode):
                raise self._faults.unusable("is no regular file", beside)
            if suffix == "-journal" and _end_of(beside) == _OTHER_JOURNAL:
                raise self._faults.unusable("names a file elsewhere; remove it", beside)

    def _refuse_programs(self, connection: sqlite3.Connection) -> None:
        """Raise an error for a trigger or view that is none of the schema: it would be run by the
        next statement, and may never end."""
        asked = "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
        for kind, name in connection.execute(asked):
            if kind != "trigger" or name not in self._triggers:
                raise self._faults.unusable(
                    f"holds the {kind} `{name}`, which is none of ours", str(self.path)
                )

    def _error(self, error: sqlite3.Error) -> ContractScanError:
        code = _code(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return self._faults.locked(
                f"is locked by another process for more than {self._busy_seconds:g} seconds;"
                " try again",
                str(self.path),
            )
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return self.damaged(error)
        return self._faults.unusable(f"cannot be used: {error}", str(self.path))


def _end_of(file: str) -> bytes:
    """The last bytes of a file; empty where it is gone meanwhile."""
    try:
        with Path(file).open("rb") as opened:
            opened.seek(0, os.SEEK_END)
            opened.seek(max(0, opened.tell() - len(_OTHER_JOURNAL)))
            return opened.read()
    except OSError:
        return b""


def _code(error: sqlite3.Error) -> int:
    """The primary result code."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
