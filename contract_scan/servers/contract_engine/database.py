"""Where the registry keeps its rows: a SQLite file, or PostgreSQL for a team.

Both speak the same SQL with `:name` parameters, so that what is stored is written down once
(`store.py`). Every write is a transaction that no other write runs beside.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from contract_scan.errors import ContractScanError, UsageError
from contract_scan.sqlite_file import BUSY_SECONDS, SqliteFaults, SqliteFile

Value: TypeAlias = str | int | None
Row: TypeAlias = Mapping[str, Any]

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE contracts (
            id TEXT PRIMARY KEY,
            service_name TEXT NOT NULL,
            type TEXT NOT NULL,
            name TEXT NOT NULL,
            version TEXT NOT NULL,
            version_order TEXT NOT NULL,
            status TEXT NOT NULL,
            spec TEXT NOT NULL,
            spec_hash TEXT NOT NULL,
            build_cycle_id TEXT,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            UNIQUE (service_name, type, name, version)
        )""",
        "CREATE INDEX contracts_by_service ON contracts (service_name, type, status)",
        """CREATE TABLE implementations (
            contract_id TEXT NOT NULL REFERENCES contracts (id),
            service_name TEXT NOT NULL,
            evidence_path TEXT NOT NULL,
            marked_at TEXT NOT NULL,
            marked_by TEXT NOT NULL,
            PRIMARY KEY (contract_id, service_name)
        )""",
        """CREATE TABLE audit (
            id {serial},
            at TEXT NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            contract_id TEXT NOT NULL REFERENCES contracts (id),
            detail TEXT NOT NULL
        )""",
        "CREATE INDEX audit_by_contract ON audit (contract_id, id)",
    ),
)
"""The statements that lead from each version of the tables to the next."""

_WRITERS = 0x636F6E74
"""Key of the lock that writers of PostgreSQL take ("cont")."""


class DatabaseError(ContractScanError):
    """The database cannot be used: locked, damaged, of a later version, or not there."""


class DatabaseLockedError(DatabaseError):
    """Another process holds the database for longer than one waits."""


_FAULTS = SqliteFaults(
    locked=DatabaseLockedError,
    damaged=DatabaseError,
    unusable=DatabaseError,
    remedy="restore a copy of it",
)


class Transaction(Protocol):
    """Statements that hold together or not at all."""

    def execute(self, statement: str, values: Mapping[str, Value] = ...) -> Sequence[Row]:
        """The rows that a statement gives; none for one that only writes."""
        ...


class Database(Protocol):
    """A place for the rows. Every method raises `DatabaseError`."""

    def transaction(self, *, write: bool = False) -> AbstractContextManager[Transaction]:
        """One transaction; a writing one excludes other writers from its start."""
        ...

    def close(self) -> None: ...


def open_database(*, path: Path, url: str = "") -> Database:
    """The database behind a URL (`postgresql://user@host/name`), else the SQLite file at `path`.

    Tables are made or migrated. Raises UsageError for a URL that cannot be used, `DatabaseError`
    where the database cannot be.
    """
    return PostgresDatabase(url) if url else SqliteDatabase(path)


class SqliteDatabase:
    """A file, with the tables of the registry."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._file = SqliteFile(path, _FAULTS, content="database", busy_seconds=busy_seconds)
        self._prepare()

    def _prepare(self) -> None:
        self._file.use_write_ahead_log()
        with self.transaction() as reading:
            version = int(reading.execute("PRAGMA user_version")[0]["user_version"])
            found = [row["quick_check"] for row in reading.execute("PRAGMA quick_check(1)")]
        if found != ["ok"]:
            raise self._file.damaged(found[0])
        if version == len(MIGRATIONS):
            return
        with self.transaction(write=True) as writing:
            # Another process may have been faster.
            version = int(writing.execute("PRAGMA user_version")[0]["user_version"])
            _refuse_later(version, str(self._file.path))
            for statements in MIGRATIONS[version:]:
                for statement in statements:
                    writing.execute(
                        statement.format(serial="INTEGER PRIMARY KEY AUTOINCREMENT"), {}
                    )
            writing.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[Transaction]:
        """As in `Database`."""
        with self._file.transaction(write=write) as connection:
            yield _SqliteTransaction(connection)

    def close(self) -> None:
        """Nothing is open between transactions."""


class _SqliteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Mapping[str, Value] | None = None) -> Sequence[Row]:
        """As in `Transaction`."""
        rows = self._connection.execute(statement, dict(values or {})).fetchall()
        return [{name: row[name] for name in row.keys()} for row in rows]  # noqa: SIM118


class PostgresDatabase:
    """A database of PostgreSQL, through SQLAlchemy Core. The password comes from libpq's pass file
    (`PGPASSFILE`, `~/.pgpass`, or `?passfile=` in the URL), never from the URL or environment."""

    def __init__(self, url: str, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._busy_seconds = busy_seconds
        self._engine, self._shown = _engine(url)
        self._prepare()

    def _prepare(self) -> None:
        with self.transaction(write=True) as writing:
            writing.execute("CREATE TABLE IF NOT EXISTS contract_scan_version (number INTEGER)")
            rows = writing.execute("SELECT number FROM contract_scan_version")
            version = int(rows[0]["number"]) if rows else 0
            _refuse_later(version, self._shown)
            for statements in MIGRATIONS[version:]:
                for statement in statements:
                    serial = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
                    writing.execute(statement.format(serial=serial))
            if version != len(MIGRATIONS):
                writing.execute("DELETE FROM contract_scan_version")
                number = {"number": len(MIGRATIONS)}
                writing.execute("INSERT INTO contract_scan_version VALUES (:number)", number)

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[Transaction]:
        """As in `Database`."""
        from sqlalchemy import text
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError

        try:
            with self._engine.begin() as connection:
                limit = int(self._busy_seconds * 1000)
                connection.execute(text(f"SET LOCAL lock_timeout = {limit}"))
                if write:
                    lock = text(f"SELECT pg_advisory_xact_lock({_WRITERS})")
                    connection.execute(lock)
                yield _PostgresTransaction(connection)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", "") == "55P03":
                seconds = f"{self._busy_seconds:g}"
                raise DatabaseLockedError(
                    f"is locked by another process for more than {seconds} seconds; try again",
                    self._shown,
                ) from error
            raise DatabaseError(f"cannot be used: {_line(error.orig)}", self._shown) from error
        except SQLAlchemyError as error:
            raise DatabaseError(f"cannot be used: {_line(error)}", self._shown) from error

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()


class _PostgresTransaction:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Mapping[str, Value] | None = None) -> Sequence[Row]:
        """As in `Transaction`."""
        from sqlalchemy import text

        result = self._connection.execute(text(statement), dict(values or {}))
        return [dict(row) for row in result.mappings()] if result.returns_rows else []


def _engine(url: str) -> tuple[Any, str]:
    try:
        from sqlalchemy import create_engine
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError as error:
        raise UsageError(
            "PostgreSQL needs an extra: pip install 'contract-scan[postgres]'"
        ) from error
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise UsageError("the URL of the database cannot be read") from error
    if parsed.get_backend_name() not in ("postgresql", "postgres"):
        raise UsageError("the URL of the database must begin with postgresql://")
    if parsed.password is not None or "password" in parsed.query:
        raise UsageError(
            "the URL of the database holds a password; put it into a pass file (PGPASSFILE)"
        )
    if os.environ.get("PGPASSWORD"):
        raise UsageError("PGPASSWORD is set; put the password into a pass file (PGPASSFILE)")
    driver = parsed.set(drivername="postgresql+psycopg")
    shown = f"postgresql://{parsed.host or ''}/{parsed.database or ''}"
    try:
        return create_engine(driver, pool_pre_ping=True), shown
    except ImportError as error:
        raise UsageError(
            "PostgreSQL needs an extra: pip install 'contract-scan[postgres]'"
        ) from error


def _refuse_later(version: int, shown: str) -> None:
    if version > len(MIGRATIONS):
        raise DatabaseError(
            f"was written by a later version of contract-scan (tables of version {version}, "
            f"known is {len(MIGRATIONS)}); update contract-scan",
            shown,
        )


def _line(error: object) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
