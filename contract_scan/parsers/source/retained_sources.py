"""What was read of source files, as values, for the next run of a process that goes on.

A language server, `--watch` and MCP servers scan the same folder again and again, and one file has
changed in between. Everything here follows from the text of one file alone, and is held with the
digest of that text: a file that has changed finds nothing of its own.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager
from threading import Lock

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.discovery.file_scan import FileSummary
from contract_scan.parsers.source.discovery.inverted_index import WordIndex
from contract_scan.parsers.source.facts.nodes import FileFacts, Statement
from contract_scan.parsers.source.store import FileState

MOST_ROOTS = 4
"""How many folders are held; the one that was scanned longest ago goes first."""


class LoweredFile(Struct):
    """What was lowered of one text."""

    digest: bytes
    """Of the text."""
    facts: FileFacts | None = None
    facts_digest: bytes = b""
    bodies: dict[Span, tuple[tuple[Statement, ...], bytes]] = {}
    """Statements of functions that were lowered afterwards, with their digests."""


class RetainedSources:
    """The source files of one root. One run at a time uses it."""

    def __init__(self, version: str = "") -> None:
        self.version = version
        """Of what looked at the files, with its limits."""
        self.summaries: dict[str, tuple[FileState, FileSummary]] = {}
        """What was seen of each file when it was in a state."""
        self.texts: dict[str, bytes] = {}
        self.indexes: dict[str, WordIndex] = {}
        """The words of texts, by language. They stand for a path only while it is among `paths`."""
        self.words: dict[str, dict[bytes, frozenset[str]]] = {}
        """By language, the files that have a word, of every word that was asked for."""
        self.literals: dict[tuple[str, bytes], frozenset[str]] = {}
        """The same of literals that no framework declares."""
        self.changed: set[str] = set()
        """Files whose texts were forgotten since the last run."""
        self._lowered: dict[str, LoweredFile] = {}

    def begin(self, version: str) -> None:
        """Begin a run by a version; nothing is held from another one."""
        if version != self.version:
            vars(self).update(vars(RetainedSources(version)))

    def lowered_file(self, path: str, digest: bytes) -> LoweredFile:
        """What was lowered of a file with such a text, to be added to."""
        known = self._lowered.get(path)
        if known is None or known.digest != digest:
            known = self._lowered[path] = LoweredFile(digest)
        return known

    def keep_only(self, paths: Container[str]) -> None:
        """Forget the files that are gone."""
        for known in (self.texts, self._lowered):
            for path in [path for path in known if path not in paths]:
                del known[path]
                self.changed.add(path)

    def forget(self, path: str) -> None:
        """Forget the text of a file that has changed."""
        self.changed.add(path)
        self.texts.pop(path, None)
        for index in self.indexes.values():
            index.paths.discard(path)


_held: dict[str, tuple[RetainedSources, Lock]] = {}
_holders = 0


@contextmanager
def many_runs() -> Iterator[None]:
    """Inside, what a run reads of source files is held for the next run of the same root."""
    global _holders
    _holders += 1
    try:
        yield
    finally:
        _holders -= 1
        if not _holders:
            _held.clear()


@contextmanager
def retained_sources(root: str) -> Iterator[RetainedSources]:
    """What is held of a root, for one run; nothing where another run has it just now."""
    if not _holders:
        yield RetainedSources()
        return
    known = _held.pop(root) if root in _held else (RetainedSources(), Lock())
    _held[root] = retained, lock = known
    while len(_held) > MOST_ROOTS:
        del _held[next(iter(_held))]
    if not lock.acquire(blocking=False):
        yield RetainedSources()
        return
    try:
        yield retained
    finally:
        lock.release()
