"""Writes records of files into the tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from contract_scan.code_index.identifiers import words_of
from contract_scan.code_index.records import IndexedFile
from contract_scan.parsers.source.store import content_key


class FileEntry(Struct, frozen=True, kw_only=True):
    """A file to be written, with what it is known by."""

    path: str
    service: str
    digest: bytes
    state: str
    record: IndexedFile | None
    """None: it is not read."""
    skipped: str = ""
    """Why it is not read."""


def surface(record: IndexedFile) -> bytes:
    """Digest of what other files can see of a file: calls in those are resolved anew when it
    changes."""
    seen = [(each.qualified_name, each.kind, each.signature) for each in record.symbols]
    needed = [each.path for each in record.dependencies]
    return content_key(msgspec.msgpack.encode([seen, needed]))


def write_file(connection: sqlite3.Connection, entry: FileEntry) -> None:
    """Put a file in the place of what is known of it."""
    remove_file(connection, entry.path)
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
            b"" if record is None else surface(record),
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


def remove_file(connection: sqlite3.Connection, path: str) -> None:
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
