"""Brings the tables up to date with the files: what changed, and what rests on that."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from contract_scan.assignment import relative
from contract_scan.code_index.database import IndexDatabase
from contract_scan.code_index.identifiers import words_of
from contract_scan.code_index.records import IndexedFile
from contract_scan.code_index.sources import Sources, states
from contract_scan.config import Config
from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.store import FileState, content_key
from contract_scan.parsers.source.version import reader_version

Progress = Callable[[int, int], None]
"""Called with how many files are read, and how many are to be."""
_BATCH: Final = 100
"""Files that are written in one transaction."""
_INDEX_FILES: Final = frozenset({"index", "__init__", "main", "mod"})
"""Names of files that are imported by the name of their folder."""
_BUILD_FILES = frozenset(
    {"build.gradle", "build.gradle.kts", "package.json", "pom.xml", "pyproject.toml", "setup.py"}
)


class Updated(Struct, frozen=True, kw_only=True):
    """What an update did."""

    read: tuple[str, ...] = ()
    """Files that were read: those that changed, and those that rest on them."""
    removed: tuple[str, ...] = ()
    left: int = 0
    """Files that changed, or rest on what did, and that there was no time for: the next update
    reads them."""


class Updater:
    """Compares the tables with the files of a tree."""

    def __init__(
        self, root: Path, database: IndexDatabase, config: Config, tree: SourceTree
    ) -> None:
        self._root = root
        self._database = database
        self._tree = tree
        self._services = _Services(root, tree.paths(), config)
        self._sources: Sources | None = None

    def update(
        self,
        progress: Progress | None = None,
        *,
        seconds: float | None = None,
        first: Collection[str] = (),
    ) -> Updated:
        """Read what changed, and then what rests on that.

        `seconds`: how long that may take; `first`: changed files that are read in any case.
        """
        began = time.monotonic()
        self._forget_other_versions()
        now = states(self._tree)
        with self._database.transaction() as reading:
            known = {row["path"]: row for row in reading.execute("SELECT * FROM files")}
        removed = [path for path in known if path not in now]
        suspects = [
            path
            for path, state in now.items()
            if path not in known or not state[1] or known[path]["state"] != _text(state)
        ]
        stale = [path for path, row in known.items() if row["stale"] and path in now]
        if not removed and not suspects and not stale:
            self._update_services()
            return Updated()
        sources = self._open_sources()
        changed = [
            path
            for path in suspects
            if path not in known or known[path]["digest"] != sources.digest(path)
        ]
        same = [path for path in suspects if path not in set(changed)]
        self._note_states(same, now)
        names = self._names(changed + removed)
        self._remove(removed)
        wanted = [path for path in changed if path in first]
        others = [path for path in changed if path not in first]
        read = self._read_files(wanted, now, progress, began, None)
        read += self._read_files(others, now, progress, began, seconds)
        unread = {*changed} - {*read}  # the tables have them as they were, so they count as changed
        resting: set[str] = {*stale} - {*changed}
        visible = removed + [path for path in read if self._shows(path, known.get(path))]
        if visible and known:
            names |= self._names(visible)
            resting |= self._dependents(visible, names) - {*changed} - {*removed}
        done = self._read_files(sorted(resting), now, progress, began, seconds)
        left = [path for path in resting if path not in done]
        self._mark_stale(left)
        self._update_services()
        return Updated(read=(*read, *done), removed=tuple(removed), left=len(unread) + len(left))

    # Private helpers

    def _open_sources(self) -> Sources:
        if self._sources is None:
            self._sources = Sources(self._tree)
        return self._sources

    def _forget_other_versions(self) -> None:
        """What another version of the readers found counts for nothing."""
        version = reader_version()
        with self._database.transaction() as reading:
            row = reading.execute("SELECT value FROM meta WHERE key = 'reader'").fetchone()
        if row is not None and row["value"] == version:
            return
        with self._database.transaction(write=True) as writing:
            writing.execute("DELETE FROM files")
            writing.execute("DELETE FROM interface")
            writing.execute("DELETE FROM meta")
            writing.execute("INSERT INTO meta VALUES ('reader', ?)", (version,))

    def _read_files(
        self,
        paths: Sequence[str],
        now: dict[str, FileState],
        progress: Progress | None,
        began: float,
        seconds: float | None,
    ) -> list[str]:
        sources = self._open_sources()
        registered = self._registered_services()
        skipped = sources.skipped
        done: list[str] = []
        batch: list[_FileEntry] = []
        for path in paths:
            if seconds is not None and time.monotonic() - began > seconds:
                break
            readable = path not in skipped and bool(sources.digest(path))
            batch.append(
                _FileEntry(
                    path=path,
                    service=registered.get(path) or self._services.service_of(path),
                    digest=sources.digest(path),
                    state=_text(now[path]),
                    record=sources.read_indexed(path) if readable else None,
                    skipped="" if readable else skipped.get(path, "it cannot be read"),
                )
            )
            done.append(path)
            if len(batch) >= _BATCH:
                self._write(batch)
                batch = []
            if progress is not None:
                progress(len(done), len(paths))
        self._write(batch)
        return done

    def _write(self, batch: Sequence[_FileEntry]) -> None:
        if batch:
            with self._database.transaction(write=True) as writing:
                for entry in batch:
                    _write_file(writing, entry)

    def _remove(self, paths: Iterable[str]) -> None:
        if paths:
            with self._database.transaction(write=True) as writing:
                for path in paths:
                    _remove_file(writing, path)

    def _registered_services(self) -> dict[str, str]:
        with self._database.transaction() as reading:
            rows = reading.execute("SELECT path, service FROM registered").fetchall()
        return {row["path"]: row["service"] for row in rows}

    def _update_services(self) -> None:
        """Services change with build files and configuration, not with the sources."""
        registered = self._registered_services()
        with self._database.transaction() as reading:
            rows = reading.execute("SELECT path, service FROM files").fetchall()
        wrong = []
        for row in rows:
            service = registered.get(row["path"]) or self._services.service_of(row["path"])
            if service != row["service"]:
                wrong.append((service, row["path"]))
        if wrong:
            with self._database.transaction(write=True) as writing:
                writing.executemany("UPDATE files SET service = ? WHERE path = ?", wrong)

    def _note_states(self, paths: Iterable[str], now: dict[str, FileState]) -> None:
        changed = [(_text(now[path]), path) for path in paths if now[path][1]]
        if changed:
            with self._database.transaction(write=True) as writing:
                writing.executemany("UPDATE files SET state = ? WHERE path = ?", changed)

    def _mark_stale(self, paths: Iterable[str]) -> None:
        rows = [(path,) for path in paths]
        if rows:
            with self._database.transaction(write=True) as writing:
                writing.executemany("UPDATE files SET stale = 1 WHERE path = ?", rows)

    def _shows(self, path: str, before: sqlite3.Row | None) -> bool:
        """Whether what others can see of a file that was read is other than before."""
        if before is None:
            return True
        with self._database.transaction() as reading:
            row = reading.execute("SELECT surface FROM files WHERE path = ?", (path,)).fetchone()
        return row is None or bool(row["surface"] != before["surface"])

    def _names(self, paths: Sequence[str]) -> set[str]:
        """The names that files declare, as the tables have it now."""
        found: set[str] = set()
        with self._database.transaction() as reading:
            for path in paths:
                rows = reading.execute(
                    "SELECT DISTINCT symbols.name FROM symbols"
                    " JOIN files ON files.id = symbols.file WHERE files.path = ?",
                    (path,),
                )
                found.update(row["name"] for row in rows)
        return found

    def _dependents(self, paths: Sequence[str], names: Iterable[str]) -> set[str]:
        """The files whose calls or imports may mean something else now: those that call or import
        one of the files, those that call something unknown by a name that these declare, and those
        that name the files."""
        queries = (
            (
                "SELECT files.path FROM files JOIN dependencies ON dependencies.file = files.id"
                " WHERE dependencies.target = ?",
                paths,
            ),
            (
                "SELECT files.path FROM files JOIN calls ON calls.file = files.id"
                " JOIN targets ON targets.call = calls.id WHERE targets.path = ?",
                paths,
            ),
            (
                "SELECT files.path FROM files JOIN calls ON calls.file = files.id"
                " WHERE calls.name = ? AND calls.resolution != 'resolved'",
                [*names],
            ),
            (
                "SELECT files.path FROM files JOIN words ON words.file = files.id"
                " WHERE words.word = ?",
                sorted({_imported_as(path) for path in paths}),
            ),
        )
        found: set[str] = set()
        with self._database.transaction() as reading:
            for query, values in queries:
                for value in values:
                    found.update(row["path"] for row in reading.execute(query, (value,)))
        return found


def _text(state: FileState) -> str:
    return " ".join(map(str, state))


def _imported_as(path: str) -> str:
    """The word by which imports name a file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in _INDEX_FILES else stem


class _Services:
    """Names of services by folders: those of the configuration, else the folders that have a build
    file of their own, else the root."""

    def __init__(self, root: Path, paths: Iterable[str], config: Config) -> None:
        """`paths` are all files of the tree."""
        self._names: dict[str, str] = {"": root.name}
        if config.services:
            for service in config.services:
                for source in service.sources:
                    self._names[relative(source, root)] = service.name
            return
        for path in paths:
            folder, _, name = path.rpartition("/")
            if folder and not path.startswith("../") and _is_build_file(name):
                self._names[folder] = folder.rpartition("/")[2]

    def service_of(self, path: str) -> str:
        """The service of a root-relative path: that of the innermost folder that has one."""
        folder = path.rpartition("/")[0]
        while folder and folder not in self._names:
            folder = folder.rpartition("/")[0]
        return self._names[folder]


def _is_build_file(name: str) -> bool:
    return name in _BUILD_FILES or name.endswith(".csproj")


class _FileEntry(Struct, frozen=True, kw_only=True):
    """A file to be written, with what it is known by."""

    path: str
    service: str
    digest: bytes
    state: str
    record: IndexedFile | None
    """None: it is not read."""
    skipped: str = ""
    """Why it is not read."""


def _surface(record: IndexedFile) -> bytes:
    """Digest of what other files can see of a file: calls in those are resolved anew when it
    changes."""
    seen = [(each.qualified_name, each.kind, each.signature) for each in record.symbols]
    needed = [each.path for each in record.dependencies]
    return content_key(msgspec.msgpack.encode([seen, needed]))


def _write_file(connection: sqlite3.Connection, entry: _FileEntry) -> None:
    """Put a file in the place of what is known of it."""
    _remove_file(connection, entry.path)
    record = entry.record
    cursor = connection.execute(
        "INSERT INTO files (path, language, service, digest, state, surface, stale, skipped, lines,"
        " is_test, is_generated) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)",
        (
            entry.path,
            "" if record is None else record.language,
            entry.service,
            entry.digest,
            entry.state,
            b"" if record is None else _surface(record),
            entry.skipped,
            0 if record is None else record.lines,
            record is not None and record.is_test,
            record is not None and record.is_generated,
        ),
    )
    if record is not None:
        file = cursor.lastrowid
        assert file is not None
        _write_symbols(connection, file, record)
        _write_calls(connection, file, record)
        _write_rest(connection, file, record)


def _remove_file(connection: sqlite3.Connection, path: str) -> None:
    """Forget a file."""
    connection.execute("DELETE FROM files WHERE path = ?", (path,))


def _write_symbols(connection: sqlite3.Connection, file: int, record: IndexedFile) -> None:
    path_words = words_of(record.path)
    for symbol in record.symbols:
        cursor = connection.execute(
            "INSERT INTO symbols (file, name, qualified_name, kind, line, column, end_line,"
            " signature, library_use, exported) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                file,
                symbol.name,
                symbol.qualified_name,
                symbol.kind,
                symbol.line,
                symbol.column,
                symbol.end_line,
                symbol.signature,
                symbol.library_use,
                symbol.exported,
            ),
        )
        around = words_of(f"{symbol.qualified_name.rpartition('.')[0]} {symbol.signature}")
        connection.execute(
            "INSERT INTO symbol_words (rowid, name, around, path, doc) VALUES (?, ?, ?, ?, ?)",
            (cursor.lastrowid, words_of(symbol.name), around, path_words, words_of(symbol.doc)),
        )


def _write_calls(connection: sqlite3.Connection, file: int, record: IndexedFile) -> None:
    for call in record.calls:
        resolution = "resolved" if call.targets else "library" if call.external else "name_only"
        cursor = connection.execute(
            "INSERT INTO calls (file, name, line, column, caller, resolution)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (file, call.name, call.line, call.column, call.caller, resolution),
        )
        connection.executemany(
            "INSERT OR IGNORE INTO targets VALUES (?, ?, ?)",
            [(*target, cursor.lastrowid) for target in call.targets],
        )


def _write_rest(connection: sqlite3.Connection, file: int, record: IndexedFile) -> None:
    def many(table: str, rows: Iterable[tuple[object, ...]]) -> None:
        listed = list(rows)
        if listed:
            places = ", ".join("?" * len(listed[0]))
            connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({places})", listed)

    many("dependencies", ((each.path, file, each.line) for each in record.dependencies))
    many("libraries", ((file, name) for name in record.libraries))
    many(
        "overrides",
        ((file, o.qualified_name, o.base_path, o.base_name) for o in record.overrides),
    )
    many("words", ((word, file, count) for word, count in record.words.items()))
