"""The index of a root: brought up to date, and asked."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath
from threading import RLock
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.code_index import dead_code, graph
from contract_scan.code_index.answers import (
    Caller,
    Callers,
    DeadSymbol,
    Definition,
    Definitions,
    Dependencies,
    GraphSummary,
    Hit,
    IndexingResult,
    Interface,
    InterfacePart,
)
from contract_scan.code_index.database import IndexDatabase
from contract_scan.code_index.identifiers import match_expression, split_identifier
from contract_scan.code_index.update import Progress, Updated, Updater
from contract_scan.config import Config
from contract_scan.errors import UsageError
from contract_scan.parsers.source.discovery.discover import SourceTree

InterfaceReader: TypeAlias = Callable[[], list[InterfacePart]]
"""Extracts the endpoints and events of the code."""

MOST_CYCLES: Final = 20
"""Circles that an answer lists."""
MOST_LISTED: Final = 20
"""Entries of each list of `GraphSummary`, and further definitions of `Definitions`."""
_REGISTERING_SECONDS: Final = 2.0
"""How long `register` reads other files than the one that is registered."""
_OVERVIEW: Final = frozenset(
    {"a", "architecture", "code", "codebase", "map", "of", "overview", "project", "structure"}
    | {"summary", "system", "the"}
)
"""A query of these words alone asks for what is central, not for what is called so."""
_SYMBOL = (
    "SELECT symbols.*, files.path, files.language, files.service, files.is_test,"
    " files.is_generated FROM symbols JOIN files ON files.id = symbols.file"
)
_KIND_ORDER: Final = (
    *("class", "interface", "record", "struct", "enum", "annotation", "type"),
    *("function", "method", "constructor", "property", "constant", "field", "variable"),
)


class CodeIndex:
    """The index. Methods may be called from several threads; each raises `IndexDatabaseError` where
    the database cannot be used."""

    def __init__(
        self,
        root: Path,
        database: IndexDatabase,
        config: Config,
        list_files: Callable[[], SourceTree],
        read_interface: InterfaceReader,
    ) -> None:
        self.root = root
        self._database = database
        self._config = config
        self._list_files = list_files
        self._read_interface = read_interface
        self._updating = RLock()

    # Up to date

    def update(
        self,
        progress: Progress | None = None,
        *,
        seconds: float | None = None,
        first: Collection[str] = (),
    ) -> Updated:
        """Read what changed since last time. `seconds`: how long files may be read, but for changed
        ones among `first`, which are read in any case; the next update reads what is left."""
        with self._updating:
            tree = self._list_files()
            updater = Updater(self.root, self._database, self._config, tree)
            return updater.update(progress, seconds=seconds, first=first)

    def register(
        self, path: str, service: str, *, seconds: float = _REGISTERING_SECONDS
    ) -> IndexingResult:
        """Say which service a file belongs to, and read it. `path` is root-relative.

        `seconds`: how long it may wait for another update, and how long other files may be read.
        """
        if not self._updating.acquire(timeout=max(seconds, 0)):
            return IndexingResult(path=path, reason="the index is being updated; call again")
        try:
            if service:
                with self._database.transaction(write=True) as writing:
                    writing.execute(
                        "INSERT INTO registered VALUES (?, ?)"
                        " ON CONFLICT (path) DO UPDATE SET service = excluded.service",
                        (path, service),
                    )
            updated = self.update(seconds=seconds, first={path})
        finally:
            self._updating.release()
        with self._database.transaction() as reading:
            row = reading.execute(
                "SELECT id, skipped, language FROM files WHERE path = ?", (path,)
            ).fetchone()
            if row is None or row["skipped"]:
                return IndexingResult(
                    path=path, reason=row["skipped"] if row else self._absence_reason(path)
                )
            symbols = _count(reading, "symbols", row["id"])
            needed = _count(reading, "dependencies", row["id"])
            libraries = _count(reading, "libraries", row["id"])
        return IndexingResult(
            path=path,
            indexed=True,
            symbols_found=symbols,
            dependencies_found=needed + libraries,
            files_read=len(updated.read),
            files_left=updated.left,
        )

    # Questions

    def find_definitions(self, symbol: str, language: str = "") -> Definitions:
        """The declarations that a name means, the most likely first."""
        with self._database.transaction() as reading:
            rows = _matching_symbols(reading, symbol, language)
        found = [Definition.of_row(row) for row in rows]
        return Definitions(found=tuple(found[:MOST_LISTED]), count=len(found))

    def find_callers(self, symbol: str, most: int = 50) -> Callers:
        """The places that call a symbol: first those of which it is known, then those that call
        something by its name of which nothing more is known."""
        with self._database.transaction() as reading:
            rows = _matching_symbols(reading, symbol, "")
            found: dict[tuple[str, int, int], Caller] = {}
            for path, name, through in _call_targets(reading, rows):
                for row in reading.execute(
                    "SELECT calls.*, files.path, files.language, files.service, files.is_test,"
                    " files.is_generated FROM targets JOIN calls ON calls.id = targets.call"
                    " JOIN files ON files.id = calls.file"
                    " WHERE targets.path = ? AND targets.qualified_name = ?",
                    (path, name),
                ):
                    place = (row["path"], row["line"], row["column"])
                    caller = _caller(row, f"{path}#{name}", through=through)
                    found.setdefault(place, caller)
            resolved = len(found)
            for name in sorted({row["name"] for row in rows}):
                for row in reading.execute(
                    "SELECT calls.*, files.path, files.language, files.service, files.is_test,"
                    " files.is_generated FROM calls JOIN files ON files.id = calls.file"
                    " WHERE calls.name = ? AND calls.resolution = 'name_only'",
                    (name,),
                ):
                    place = (row["path"], row["line"], row["column"])
                    found.setdefault(place, _caller(row, ""))
        ordered = sorted(
            found.values(),
            key=lambda each: (not each.is_resolved, each.path, each.line, each.column),
        )
        return Callers(
            known=bool(rows),
            found=tuple(ordered[:most]),
            resolved=resolved,
            by_name=len(found) - resolved,
        )

    def dependencies(self, path: str) -> Dependencies | None:
        """What a file needs, and what needs it; None where it is not in the index."""
        with self._database.transaction() as reading:
            known = reading.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
            if known is None:
                return None
            needed = _graph(reading)
            libraries = reading.execute(
                "SELECT name FROM libraries WHERE file = ? ORDER BY name", (known["id"],)
            ).fetchall()
        return Dependencies(
            path=path,
            imports=tuple(needed.get(path, ())),
            imported_by=tuple(sorted(file for file, to in needed.items() if path in to)),
            transitive=tuple(graph.reachable(needed, path)),
            cycles=tuple(map(tuple, graph.cycles_through(needed, path, MOST_CYCLES))),
            libraries=tuple(row["name"] for row in libraries),
        )

    def search(
        self, query: str, *, language: str = "", service: str = "", most: int = 10
    ) -> tuple[Hit, ...]:
        """Declarations whose names, surroundings, paths and documentation have words of a query,
        the best first. A query for an overview gives what is used most."""
        words = {word for part in query.split() for word in split_identifier(part)}
        conditions, values = [], []
        for column, value in (("language", _language(language)), ("service", service)):
            if value:
                conditions.append(f" AND files.{column} = ?")
                values.append(value)
        where = "".join(conditions)
        with self._database.transaction() as reading:
            if words and words <= _OVERVIEW:
                rows = _central(reading, where, values, most)
            else:
                expression = match_expression(query)
                rows = (
                    _matching_rows(reading, expression, where, values, most) if expression else []
                )
        return tuple(_hit(row) for row in rows)

    def files(self) -> tuple[str, ...]:
        """The files that were read, sorted."""
        with self._database.transaction() as reading:
            rows = reading.execute("SELECT path FROM files WHERE skipped = '' ORDER BY path")
            return tuple(row["path"] for row in rows)

    def declared_in(self, path: str) -> tuple[Definition, ...]:
        """What a file declares, in its order."""
        with self._database.transaction() as reading:
            rows = reading.execute(
                _SYMBOL + " WHERE files.path = ? ORDER BY symbols.line, symbols.column", (path,)
            )
            return tuple(map(Definition.of_row, rows))

    def services(self) -> dict[str, int]:
        """The services with how many files each has."""
        with self._database.transaction() as reading:
            rows = reading.execute(
                "SELECT service, count(*) AS files FROM files WHERE skipped = ''"
                " GROUP BY service ORDER BY service"
            ).fetchall()
        return {row["service"]: row["files"] for row in rows}

    def interface(self, service: str = "") -> Interface:
        """The endpoints and events of a service, or of all."""
        self._update_interface()
        with self._database.transaction() as reading:
            rows = reading.execute(
                "SELECT interface.part, interface.record, files.service FROM interface"
                " JOIN files ON files.path = interface.path ORDER BY interface.position"
            ).fetchall()
        found: dict[str, list[dict[str, object]]] = {}
        for row in rows:
            if not service or row["service"] == service:
                record = msgspec.json.decode(row["record"], type=dict[str, object])
                found.setdefault(row["part"], []).append({**record, "service_name": row["service"]})
        return Interface(
            endpoints=tuple(found.get("endpoint", ())),
            events_published=tuple(found.get("send", ())),
            events_consumed=tuple(found.get("receive", ())),
        )

    def dead_code(self, service: str = "") -> tuple[DeadSymbol, ...]:
        """Declarations that nothing mentions, or nothing but tests."""
        handlers = {
            (str(each.get("file_path")), str(each.get("handler")).rpartition(".")[2])
            for part in (self.interface(),)
            for group in (part.endpoints, part.events_published, part.events_consumed)
            for each in group
        }
        with self._database.transaction() as reading:
            candidates = dead_code.candidates(reading, service)
        if not candidates:
            return ()
        tree = self._list_files()
        return tuple(dead_code.unused_symbols(candidates, handlers, tree))

    def summary(self) -> GraphSummary:
        """What the index holds, and what stands out in it."""
        with self._database.transaction() as reading:
            needed = _graph(reading)
            languages = _pairs(
                reading,
                "SELECT language, count(*) FROM files WHERE skipped = '' GROUP BY language",
            )
            kinds = _pairs(reading, "SELECT kind, count(*) FROM symbols GROUP BY kind")
            resolutions = _pairs(
                reading, "SELECT resolution, count(*) FROM calls GROUP BY resolution"
            )
            libraries = _pairs(
                reading, "SELECT name, count(*) FROM libraries GROUP BY name ORDER BY 2 DESC, 1"
            )
            most_called = _pairs(
                reading,
                "SELECT path || '#' || qualified_name, count(*) FROM targets"
                " GROUP BY path, qualified_name ORDER BY 2 DESC, 1 LIMIT ?",
                MOST_LISTED,
            )
            skipped = _pairs(
                reading, "SELECT skipped, count(*) FROM files WHERE skipped != '' GROUP BY skipped"
            )
            tests = reading.execute("SELECT count(*) FROM files WHERE is_test").fetchone()[0]
        imported = graph.count_names(target for targets in needed.values() for target in targets)
        cycles = list(graph.components(needed))
        return GraphSummary(
            files=sum(languages.values()),
            test_files=tests,
            languages=languages,
            symbols=kinds,
            calls=resolutions,
            skipped=skipped,
            services=self.services(),
            dependencies=sum(map(len, needed.values())),
            cycles=tuple(map(tuple, cycles[:MOST_CYCLES])),
            cycle_count=len(cycles),
            most_imported=dict(imported[:MOST_LISTED]),
            most_called=most_called,
            libraries=dict([*libraries.items()][:MOST_LISTED]),
        )

    def modules(self) -> list[tuple[str, str, str, int, int]]:
        """Service, folder, language, files and symbols of every folder with product code."""
        with self._database.transaction() as reading:
            rows = reading.execute(
                "SELECT path, service, language, (SELECT count(*) FROM symbols"
                " WHERE symbols.file = files.id) AS symbols FROM files"
                " WHERE skipped = '' AND NOT is_test ORDER BY path"
            ).fetchall()
        found: dict[tuple[str, str, str], tuple[int, int]] = {}
        for row in rows:
            folder = row["path"].rpartition("/")[0]
            key = (row["service"], folder, row["language"])
            files, symbols = found.get(key, (0, 0))
            found[key] = (files + 1, symbols + row["symbols"])
        return [(*key, *counts) for key, counts in found.items()]

    def entry_points(self) -> list[Definition]:
        """Functions that a program begins with: `main`, `Main`, and what has such a file."""
        with self._database.transaction() as reading:
            rows = reading.execute(
                _SYMBOL + " WHERE symbols.name IN ('main', 'Main') AND NOT files.is_test"
                " AND symbols.kind IN ('function', 'method') ORDER BY files.path, symbols.line"
            ).fetchall()
        return [Definition.of_row(row) for row in rows]

    # Private helpers

    def _absence_reason(self, path: str) -> str:
        if not (self.root / path).is_file():
            return "there is no such file"
        return "it is no source file, or git or the configuration leaves it out"

    def _update_interface(self) -> None:
        """Extract endpoints and events anew where any file of the tree has changed since."""
        with self._updating:
            tree = self._list_files()
            key = _fingerprint(tree)
            with self._database.transaction() as reading:
                row = reading.execute("SELECT value FROM meta WHERE key = 'interface'").fetchone()
            if row is not None and row["value"] == key:
                return
            found = self._read_interface()
            with self._database.transaction(write=True) as writing:
                writing.execute("DELETE FROM interface")
                writing.executemany(
                    "INSERT INTO interface (part, path, record) VALUES (?, ?, ?)",
                    [(each.part, each.path, msgspec.json.encode(each.record)) for each in found],
                )
                writing.execute("DELETE FROM meta WHERE key = 'interface'")
                writing.execute("INSERT INTO meta VALUES ('interface', ?)", (key,))


class _NameQuery(Struct, frozen=True):
    """A name that was asked for, taken apart."""

    name: str
    outer_name: tuple[str, ...]
    path: str


def _parse_symbol(symbol: str) -> _NameQuery:
    """`name`, `Class.name`, `Class#name`, `a::b::name`, `package.module.name` or
    `path/of/file.ts#Class.name`. Raises UsageError for an empty one."""
    path, mark, rest = symbol.strip().partition("#")
    if not mark or not ("/" in path or PurePosixPath(path).suffix in _suffixes()):
        path, rest = "", symbol.strip().replace("#", ".")
    parts = [part for part in rest.replace("::", ".").split(".") if part]
    if not parts:
        raise UsageError("a symbol is a name, such as find or Orders.find")
    return _NameQuery(parts[-1].removesuffix("()"), tuple(parts[:-1]), path)


def _suffixes() -> frozenset[str]:
    from contract_scan.parsers.source.languages import SUFFIXES

    return frozenset(SUFFIXES)


def _language(name: str) -> str:
    """The language as the index calls it. Raises UsageError for one that is not read."""
    from contract_scan.parsers.source.languages import LANGUAGES

    spoken = {"": "", "javascript": "typescript", "js": "typescript", "ts": "typescript"}
    spoken |= {"py": "python", "c#": "csharp", "cs": "csharp"}
    lower = name.strip().lower()
    found = spoken.get(lower, lower)
    if found and found not in LANGUAGES:
        raise UsageError(f"{name!r} is no language that is read; known are {', '.join(LANGUAGES)}")
    return found


def _matching_symbols(reading: sqlite3.Connection, symbol: str, language: str) -> list[sqlite3.Row]:
    """The symbols that a name means, the most likely first."""
    wanted = _parse_symbol(symbol)
    rows = reading.execute(_SYMBOL + " WHERE symbols.name = ?", (wanted.name,)).fetchall()
    spoken = _language(language)
    fitting = [
        (ways, row)
        for row in rows
        if (not spoken or row["language"] == spoken) and (ways := _fits(row, wanted))
    ]
    return [row for _, row in sorted(fitting, key=lambda each: (each[0], *_likelihood(each[1])))]


def _fits(row: sqlite3.Row, wanted: _NameQuery) -> int:
    """How well a symbol fits a name: 1, 2 where words before it are folders or the file's name; 0
    where it does not."""
    if wanted.path and row["path"] != wanted.path.removeprefix("./"):
        return 0
    full = (*wanted.outer_name, wanted.name)
    qualified = tuple(row["qualified_name"].split("."))
    if qualified[-len(full) :] == full:
        return 1
    folders = tuple(row["path"].rpartition("/")[0].split("/"))
    stem = row["path"].rpartition("/")[2].partition(".")[0]
    ways = ((*folders, *qualified), (*folders, stem, *qualified))
    return 2 if any(way[-len(full) :] == full for way in ways) else 0


def _likelihood(row: sqlite3.Row) -> tuple[object, ...]:
    return (
        row["is_test"],
        row["is_generated"],
        row["qualified_name"].count("."),
        _KIND_ORDER.index(row["kind"]),
        row["path"],
        row["line"],
    )


def _call_targets(
    reading: sqlite3.Connection, rows: list[sqlite3.Row]
) -> Iterator[tuple[str, str, str]]:
    """Path and qualified name of everything whose callers call one of some symbols, and the member
    of a base through which they may: calling a class runs its constructor, and calling a method of
    a base may run the one that overrides it."""
    for row in rows:
        path, name = row["path"], row["qualified_name"]
        yield path, name, ""
        if row["kind"] == "constructor":
            yield path, name.rpartition(".")[0], ""
    for row in rows:
        path, name = row["path"], row["qualified_name"]
        for base in reading.execute(
            "SELECT base_path, base_name FROM overrides JOIN files ON files.id = overrides.file"
            " WHERE files.path = ? AND qualified_name = ?",
            (path, name),
        ):
            place = f"{base['base_path']}#{base['base_name']}"
            yield base["base_path"], base["base_name"], place


def _graph(reading: sqlite3.Connection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in reading.execute(
        "SELECT files.path, dependencies.target FROM dependencies"
        " JOIN files ON files.id = dependencies.file ORDER BY 1, 2"
    ):
        found.setdefault(row["path"], []).append(row["target"])
    return found


def _matching_rows(
    reading: sqlite3.Connection, expression: str, where: str, values: list[str], most: int
) -> list[sqlite3.Row]:
    """Test code and generated code counts half."""
    return reading.execute(
        "SELECT symbols.*, files.path, files.language, files.service, files.is_test,"
        " files.is_generated, 'words' AS match,"
        " bm25(symbol_words, 10.0, 4.0, 3.0, 2.0) * -1.0"
        " / (1 + (files.is_test OR files.is_generated)) AS score"
        " FROM symbol_words JOIN symbols ON symbols.id = symbol_words.rowid"
        " JOIN files ON files.id = symbols.file"
        f" WHERE symbol_words MATCH ?{where}"
        " ORDER BY score DESC, files.path, symbols.line LIMIT ?",
        (expression, *values, most),
    ).fetchall()


def _central(
    reading: sqlite3.Connection, where: str, values: list[str], most: int
) -> list[sqlite3.Row]:
    """What is called from the most places, and is no test."""
    return reading.execute(
        "SELECT symbols.*, files.path, files.language, files.service, files.is_test,"
        " files.is_generated, 'most_used' AS match, count(targets.call) AS score"
        " FROM symbols JOIN files ON files.id = symbols.file LEFT JOIN targets"
        " ON targets.path = files.path AND targets.qualified_name = symbols.qualified_name"
        " WHERE NOT files.is_test AND symbols.kind IN"
        f" ('class', 'interface', 'record', 'struct', 'enum', 'function', 'method'){where}"
        " GROUP BY symbols.id ORDER BY score DESC, files.path, symbols.line LIMIT ?",
        (*values, most),
    ).fetchall()


def _hit(row: sqlite3.Row) -> Hit:
    return Hit(definition=Definition.of_row(row), score=round(row["score"], 4), match=row["match"])


def _caller(row: sqlite3.Row, target: str, *, through: str = "") -> Caller:
    return Caller(
        path=row["path"],
        line=row["line"],
        column=row["column"],
        caller=row["caller"],
        name=row["name"],
        target=target,
        through=through,
        language=row["language"],
        service=row["service"],
        is_test=bool(row["is_test"]),
        is_generated=bool(row["is_generated"]),
    )


def _count(reading: sqlite3.Connection, table: str, file: int) -> int:
    row = reading.execute(f"SELECT count(*) FROM {table} WHERE file = ?", (file,)).fetchone()
    return int(row[0])


def _pairs(reading: sqlite3.Connection, query: str, *values: object) -> dict[str, int]:
    return {row[0]: row[1] for row in reading.execute(query, values)}


def _fingerprint(tree: SourceTree) -> str:
    """Changes with every file of the tree: endpoints also depend on configuration files."""
    from contract_scan.parsers.source.store import content_key
    from contract_scan.parsers.source.version import reader_version

    found: list[tuple[str, int, int]] = []
    for path in sorted(tree.paths()):
        try:
            state = os.lstat(tree.root / path)
        except OSError:
            continue
        found.append((path, state.st_size, state.st_mtime_ns))
    return content_key(msgspec.msgpack.encode(found), reader_version()).hex()
