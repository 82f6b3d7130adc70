"""The tree-sitter grammar of Python, and a parsed file with exact places.

Bytes are put into one shape before parsing: no byte order mark, UTF-8 whatever the encoding cookie
says, lone carriage returns as line ends. None of that moves a line.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from functools import lru_cache

from tree_sitter import Node, Parser

from contract_scan.errors import SourceError
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.bounded_parse import parse as bounded_parse

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


@lru_cache(maxsize=1)
def parser() -> Parser:
    """The parser of this process. Raises SourceError when no grammar is installed."""
    from tree_sitter import Language, Parser

    try:
        import tree_sitter_python
    except ImportError:
        pass
    else:
        return Parser(Language(tree_sitter_python.language()))
    try:
        from tree_sitter_language_pack import get_language
    except ImportError:
        raise SourceError(
            "no grammar for Python is installed: pip install tree-sitter-python"
        ) from None
    return Parser(get_language("python"))


class Source:
    """One parsed file: its tree, and the text and place of each node."""

    __slots__ = ("_ascii", "_line_starts", "_text", "content", "root")

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.root: Node = bounded_parse(parser(), content).root_node
        self._ascii = content.isascii()
        self._text = content.decode() if self._ascii else ""
        """Where bytes are characters: a part of it takes half as long as one that is decoded."""
        self._line_starts: list[int] | None = None

    def text(self, node: Node) -> str:
        """The source text of a node."""
        if self._ascii:
            return self._text[node.start_byte : node.end_byte]
        return self.content[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def span(self, node: Node) -> Span:
        """The place of a node: lines and columns from 1, in code points."""
        start_row, start_column = node.start_point
        end_row, end_column = node.end_point
        if self._ascii:
            return Span(start_row + 1, start_column + 1, end_row + 1, end_column + 1)
        return Span(
            start_row + 1,
            self._code_points(node.start_byte, start_column) + 1,
            end_row + 1,
            self._code_points(node.end_byte, end_column) + 1,
        )

    def offset(self, line: int, column: int) -> int:
        """The byte at a place as `span` gives it (inside the file, whatever is asked)."""
        starts = self._starts()
        if not 1 <= line <= len(starts):
            return len(self.content)
        start = starts[line - 1]
        if self._ascii:
            return start + column - 1
        end = starts[line] if line < len(starts) else len(self.content)
        text = self.content[start:end].decode("utf-8", "replace")
        return start + len(text[: column - 1].encode("utf-8", "replace"))

    def line_of(self, offset: int) -> int:
        """The line of a byte."""
        return bisect_right(self._starts(), offset)

    def _code_points(self, offset: int, column: int) -> int:
        before = self.content[offset - column : offset]
        return column if before.isascii() else len(before.decode("utf-8", "replace"))

    def _starts(self) -> list[int]:
        if self._line_starts is None:
            ends = (match.end() for match in re.finditer(rb"\n", self.content))
            self._line_starts = [0, *ends]
        return self._line_starts


@lru_cache(maxsize=1024)
def parsed_part(text: bytes) -> Source:
    """A part of a file that is parsed on its own, such as a quoted annotation: they recur."""
    return Source(text)


def normalise(content: bytes) -> bytes | None:
    """UTF-8 bytes with the same lines; None where the text is UTF-16 (or UTF-32)."""
    if content.startswith(_UTF16_MARKS):
        return None
    if content.startswith(_UTF8_MARK):
        content = content[len(_UTF8_MARK) :]
    elif not content.isascii():
        content = _decoded_by_cookie(content)
    elif content[:2].count(b"\0") == 1:
        return None
    if b"\r" in content:
        content = _LONE_RETURN.sub(b"\n", content)
    return content


def _decoded_by_cookie(content: bytes) -> bytes:
    for line in content.split(b"\n", 2)[:2]:
        match = _COOKIE.match(line)
        if match is None:
            continue
        try:
            name = codecs.lookup(match[1].decode("ascii", "replace")).name
            if name == "utf-8":
                return content
            return content.decode(name).encode("utf-8", "replace")
        except (LookupError, ValueError, TypeError, AttributeError):
            return content
    return content


def error_spans(source: Source, limit: int = 50) -> tuple[Span, ...]:
    """Places that the grammar could not parse, at most `limit` of them."""
    found: list[Span] = []
    pending = [source.root]
    while pending and len(found) < limit:
        node = pending.pop()
        if not node.has_error:
            continue
        if node.is_error or node.is_missing:
            found.append(source.span(node))
        else:
            pending.extend(reversed(node.children))
    return tuple(found)
