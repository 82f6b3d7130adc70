"""What the index answers."""

from __future__ import annotations

import sqlite3
from typing import Literal

import msgspec
from msgspec import Struct


class Definition(Struct, frozen=True, kw_only=True):
    """A declaration."""

    path: str
    line: int
    column: int
    end_line: int
    name: str
    qualified_name: str
    kind: str
    signature: str
    language: str
    service: str
    is_test: bool
    is_generated: bool

    @classmethod
    def of_row(cls, row: sqlite3.Row) -> Definition:
        """The declaration that a row of symbols, joined with their files, holds."""
        values = {name: row[name] for name in cls.__struct_fields__}
        return msgspec.convert(values, cls, strict=False)


class Definitions(Struct, frozen=True, kw_only=True):
    """The declarations that a name means."""

    found: tuple[Definition, ...]
    """The most likely first."""
    count: int
    """How many there are; `found` is cut off."""


class Caller(Struct, frozen=True, kw_only=True):
    """A place that calls a symbol."""

    path: str
    line: int
    column: int
    caller: str
    """Qualified name of the function around it; empty at the top level."""
    name: str
    """What is called, as it stands there."""
    target: str
    """`path#qualified name` of what is known to be called; empty: only the name is the same."""
    through: str
    """`path#qualified name` of the member of a base that is called, where what was asked for
    overrides it."""
    language: str
    service: str
    is_test: bool
    is_generated: bool

    @property
    def is_resolved(self) -> bool:
        """Whether the callee is known."""
        return bool(self.target)


class Callers(Struct, frozen=True, kw_only=True):
    """The places that call a symbol."""

    known: bool
    """Whether there is such a symbol."""
    found: tuple[Caller, ...]
    resolved: int
    by_name: int
    """How many of either there are; `found` is cut off."""


class Dependencies(Struct, frozen=True, kw_only=True):
    """What a file needs, and what needs it; paths are root-relative and sorted."""

    path: str
    imports: tuple[str, ...]
    imported_by: tuple[str, ...]
    transitive: tuple[str, ...]
    """Everything that it needs in the end, `imports` included."""
    cycles: tuple[tuple[str, ...], ...]
    """Each begins with the file and does not repeat it."""
    libraries: tuple[str, ...]


class Hit(Struct, frozen=True, kw_only=True):
    """A declaration that a search found."""

    definition: Definition
    score: float
    """Higher is better; of `words` BM25, of `most_used` the number of calls."""
    match: Literal["words", "most_used"]


class InterfacePart(Struct, frozen=True, kw_only=True):
    """An endpoint, or a place that sends or receives."""

    part: Literal["endpoint", "send", "receive"]
    path: str
    record: dict[str, object]


class Interface(Struct, frozen=True, kw_only=True):
    """What services offer and say to each other."""

    endpoints: tuple[dict[str, object], ...]
    events_published: tuple[dict[str, object], ...]
    events_consumed: tuple[dict[str, object], ...]


class DeadSymbol(Struct, frozen=True, kw_only=True):
    """A declaration that nothing seems to use."""

    definition: Definition
    reason: Literal["not_mentioned", "only_in_tests"]
    confidence: Literal["high", "medium"]
    """`medium`: others can use it from outside of the project."""


class IndexingResult(Struct, frozen=True, kw_only=True):
    """What came of reading a file into the index."""

    path: str
    indexed: bool = False
    symbols_found: int = 0
    dependencies_found: int = 0
    """Files and libraries."""
    files_read: int = 0
    files_left: int = 0
    reason: str = ""
    """Why it is not indexed."""


class GraphSummary(Struct, frozen=True, kw_only=True):
    """What the index holds, and what stands out in it."""

    files: int
    test_files: int
    languages: dict[str, int]
    symbols: dict[str, int]
    """By kind."""
    calls: dict[str, int]
    """By what is known of them: `resolved`, `library`, `name_only`."""
    skipped: dict[str, int]
    """Files that are not read, by reason."""
    services: dict[str, int]
    dependencies: int
    cycles: tuple[tuple[str, ...], ...]
    """Groups of files that all need each other."""
    cycle_count: int
    most_imported: dict[str, int]
    most_called: dict[str, int]
    libraries: dict[str, int]
