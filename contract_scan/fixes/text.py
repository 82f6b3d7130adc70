"""A file as text that can be edited, and written back with every other byte as it was."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from bisect import bisect_right

from contract_scan.ir.origin import Span

_MARK = codecs.BOM_UTF8
_LONE_RETURN = re.compile(r"\r(?!\n)")
LARGEST = 5_000_000
"""Bytes. What is larger was made by a program and is not edited."""


class Text:
    """The text of one file, and how it is written down.

    Offsets count code points from 0, lines and columns of spans from 1.
    """

    __slots__ = ("_byte_starts", "_encoding", "_mark", "_starts", "line_end", "text", "utf8")

    def __init__(self, raw: bytes, *, python: bool = False) -> None:
        """Raises ValueError, with the reason, for what cannot be written back as it was."""
        if len(raw) > LARGEST:
            raise ValueError("the file is too large")
        self._mark = _MARK if raw.startswith(_MARK) else b""
        body = raw[len(self._mark) :]
        self._encoding = _encoding(raw) if python else "utf-8"
        try:
            self.text = body.decode(self._encoding)
            same = self.text.encode(self._encoding) == body
        except (UnicodeError, LookupError):
            same = False
        if not same or "\0" in self.text:
            raise ValueError(f"the file is not written in {self._encoding}")
        if _LONE_RETURN.search(self.text):
            raise ValueError("lines of the file end in a carriage return alone")
        self.utf8 = self.text.encode()
        self.line_end = "\r\n" if "\r\n" in self.text else "\n"
        self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        self._byte_starts = [0, *(match.end() for match in re.finditer(b"\n", self.utf8))]

    def offset(self, line: int, column: int) -> int:
        """Where a line and column stand (inside the text, whatever is asked)."""
        if not 1 <= line <= len(self._starts):
            return len(self.text)
        return min(self._starts[line - 1] + max(column, 1) - 1, len(self.text))

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The stretch between two offsets."""
        return Span(*self.place(start), *self.place(end))

    def to_byte(self, offset: int) -> int:
        """The byte of `utf8` that an offset stands at."""
        line, column = self.place(offset)
        start = self._starts[line - 1]
        return self._byte_starts[line - 1] + len(self.text[start : start + column - 1].encode())

    def from_byte(self, byte: int) -> int:
        """The offset that a byte of `utf8` stands at."""
        row = bisect_right(self._byte_starts, byte) - 1
        return self._starts[row] + len(self.utf8[self._byte_starts[row] : byte].decode())

    def encode(self, text: str) -> bytes:
        """The bytes of a text that takes this one's place. Raises ValueError where the encoding of
        the file has no such character."""
        return self._mark + text.encode(self._encoding)


def _encoding(raw: bytes) -> str:
    """The encoding of a Python file, by its mark or cookie."""
    try:
        name = tokenize.detect_encoding(io.BytesIO(raw).readline)[0]
    except SyntaxError as error:
        raise ValueError(f"the file's {error.msg}") from None
    return "utf-8" if name == "utf-8-sig" else name
