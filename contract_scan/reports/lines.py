"""Lines of the files that findings point into, read only as far as they are needed."""

from __future__ import annotations

import codecs
import io
import stat
from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from contract_scan import unsaved

OPEN_FILES = 16
"""Files whose lines are kept. Findings come sorted by file, each with a contract line or two."""
LONGEST_LINE = 100_000

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Lines:
    """Lines of files below a root, by number from 1.

    A file that is gone, is no regular file or cannot be read has no lines: a report is still
    printed, only without its code frame.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: OrderedDict[str, _Prefix] = OrderedDict()

    def line(self, path: str, number: int) -> str | None:
        """One line without its end, or None if there is no such line."""
        if number < 1:
            return None
        prefix = self._files.get(path)
        if prefix is None:
            prefix = self._files[path] = _Prefix(_read_lines(self._root / path))
            if len(self._files) > OPEN_FILES:
                self._files.popitem(last=False)
        else:
            self._files.move_to_end(path)
        return prefix.line(number)


class _Prefix:
    """The lines of one file up to the furthest one asked for."""

    def __init__(self, rest: Iterator[str]) -> None:
        self._read_lines: list[str] = []
        self._rest = rest

    def line(self, number: int) -> str | None:
        missing = number - len(self._read_lines)
        if missing > 0:
            self._read_lines.extend(islice(self._rest, missing))
        return self._read_lines[number - 1] if number <= len(self._read_lines) else None


def encoding_of(start: bytes) -> str:
    """The encoding that a byte order mark tells, else UTF-8."""
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8")


def _read_lines(path: Path) -> Iterator[str]:
    """The lines of a file. Ends at `\\n`, `\\r\\n` and `\\r` only, as every other part counts."""
    try:
        held = unsaved.text_of(path)
        if held is not None:
            text = io.StringIO(held.decode(encoding_of(held), "replace"), newline=None)
            yield from (line.rstrip("\n")[:LONGEST_LINE] for line in text)
            return
        if not stat.S_ISREG(path.stat().st_mode):
            return
        with path.open("rb") as file:
            encoding = encoding_of(file.read(4))
        with path.open(encoding=encoding, errors="replace", newline=None) as written:
            for line in written:
                yield line.rstrip("\n")[:LONGEST_LINE]
    except (OSError, ValueError):
        return
