"""Places in the units of the protocol: lines from 0, columns in UTF-16 units unless the client
asked for others; and back."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from contract_scan.ir.origin import Origin, Span
from contract_scan.reports.lines import Lines

LONGEST_PATH = 4_096
"""Bytes of a path (`PATH_MAX` of Linux)."""


def units(text: str, encoding: str) -> int:
    """How many units of an encoding a text takes."""
    if text.isascii() or encoding == "utf-32":
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def code_points(line: str, offset: int, encoding: str) -> int:
    """The index in a line of an offset in units; its end where it is beyond."""
    if line.isascii() or encoding == "utf-32":
        return min(offset, len(line))
    used = 0
    for index, character in enumerate(line):
        if used >= offset:
            return index
        used += units(character, encoding)
    return len(line)


class Positions:
    """Turns places of one scanned folder into ranges of the protocol."""

    def __init__(self, folder: Path, encoding: str) -> None:
        """`folder` as the client names it; files are read from disk, as they were scanned."""
        self._folder = folder
        self._encoding = encoding
        self._lines = Lines(folder)

    def uri(self, path: str) -> str:
        """The address of a root-relative path."""
        return Path(os.path.normpath(self._folder / path)).as_uri()

    def exact_range(self, origin: Origin) -> types.Range:
        """The range of a place, empty where it is."""
        span = origin.span
        return types.Range(
            self._position(origin.path, span.line, span.column),
            self._position(origin.path, max(span.end_line, span.line), span.end_column),
        )

    def range(self, origin: Origin) -> types.Range:
        """The range of a place to show, never empty; the start of the file where it has none."""
        if origin.span.line < 1:
            return whole_line(0)
        found = self.exact_range(origin)
        start, end = found.start, found.end
        if (end.line, end.character) <= (start.line, start.character):
            end = types.Position(start.line, start.character + 1)
        return types.Range(start, end)

    def location(self, origin: Origin) -> types.Location:
        """The place with its file."""
        return types.Location(self.uri(origin.path), self.range(origin))

    def line(self, path: str, number: int) -> str:
        """A line of a file, from 1; empty where there is none."""
        return self._lines.line(path, number) or ""

    def _position(self, path: str, line: int, column: int) -> types.Position:
        before = self.line(path, line)[: max(column - 1, 0)]
        return types.Position(line - 1, units(before, self._encoding))


def whole_line(number: int) -> types.Range:
    """A line from its first to its last column; no editor has one as long."""
    return types.Range(types.Position(number, 0), types.Position(number, 1_000))


def covers(span: Span, line: int, column: int) -> bool:
    """Whether a place holds a line and column, both from 1; its end counts as inside."""
    end = (max(span.end_line, span.line), span.end_column)
    return span.line > 0 and (span.line, span.column) <= (line, column) <= end


def path_of(uri: str) -> Path | None:
    """The file of this machine that an address leads to; None for what is none (an unsaved buffer,
    a file of another host) and for what no file system takes (NUL, no absolute path)."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path, errors="surrogateescape")
    if os.name == "nt":
        path = path.lstrip("/")
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:  # half of a pair of surrogates
        return None
    if "\0" in path or length > LONGEST_PATH or not Path(path).is_absolute():
        return None
    return Path(os.path.normpath(path))
