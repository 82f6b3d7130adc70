"""Comments of source code that speak to contract-scan, taken from the syntax tree.

A string that looks like such a comment is none: the tree tells which is which.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.comment import ADDRESS, Comment, said_in
from contract_scan.ir.origin import Origin, Span

if TYPE_CHECKING:
    from tree_sitter import Node

_MARK = ADDRESS.encode()
_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "html_comment"})
_ATTRIBUTES = frozenset({"decorator", "attribute_list", "annotation", "marker_annotation"})
MOST_ATTRIBUTES = 50
LONGEST_ATTRIBUTE = 200
"""Lines. What is beyond is machine-made, and no comment is meant to be about all of it."""
_BLANK = b" \t\r{}"
"""Braces hold a comment inside JSX: `{/* … */}`."""


def comments(content: bytes, path: str) -> Iterator[Comment]:
    """The instructions in the comments of one file, in order.

    Raises SourceError where no grammar for the language is installed.
    """
    if _MARK not in content:
        return
    parsed = _parse(content, path)
    if parsed is None:
        return
    text, root = parsed
    page = _Page(text, root)
    for place in page.comments:
        written = text[place.start : place.end]
        if _MARK in written:
            yield from _comments_at(place, written.decode("utf-8", "replace"), path, page)


def _parse(content: bytes, path: str) -> tuple[bytes, Node] | None:
    """The text as its language counts lines, and its tree; None for text that is not UTF-8."""
    from contract_scan.parsers.source.python.lowering.grammar import normalise
    from contract_scan.parsers.source.syntax_tree import parse, suffix_of

    text = normalise(content)
    return None if text is None else (text, parse(text, suffix_of(path)))


class _NodePosition(Struct, frozen=True):
    """Where a node stands: bytes, rows and byte columns."""

    start: int
    end: int
    row: int
    column: int
    end_row: int
    end_column: int


class _Page:
    """The lines of a file, with its comments and attributes."""

    def __init__(self, text: bytes, root: Node) -> None:
        self.lines = text.split(b"\n")
        self.comments: list[_NodePosition] = []
        self.attributes: dict[int, _NodePosition] = {}
        """By the row that they are the first on."""
        self._walk(root)
        self._next: dict[int, int] = {}
        for place in reversed(self.comments):
            if not self.before(place).strip() and not self.after(place).strip():
                row = place.end_row + 1
                self._next[place.row] = self._next.get(row, row)
        self._declarations: dict[int, tuple[int, ...]] = {}
        """By line: all lines from the first attribute of a declaration to its name."""
        for row in sorted(self.attributes):
            if row + 1 not in self._declarations:
                lines = tuple(self._declaration_lines(row))
                self._declarations.update(dict.fromkeys(lines, lines))

    def before(self, place: _NodePosition) -> bytes:
        """What stands before it on its first line."""
        return self.lines[place.row][: place.column]

    def after(self, place: _NodePosition) -> bytes:
        """What stands behind it on its last line."""
        return self.lines[place.end_row][place.end_column :]

    def next_row(self, row: int) -> int:
        """The first row from one on that is no comment alone."""
        return self._next.get(row, row)

    def described_lines(self, row: int) -> tuple[int, ...]:
        """The line of a row; of a declaration with attributes or decorators all up to its name."""
        return self._declarations.get(row + 1, (row + 1,))

    def _declaration_lines(self, row: int) -> Iterator[int]:
        """The lines from an attribute to what it belongs to."""
        for _ in range(MOST_ATTRIBUTES):
            yield row + 1
            attribute = self.attributes.get(row)
            if attribute is None:
                return
            yield from range(row + 2, min(attribute.end_row, row + LONGEST_ATTRIBUTE) + 2)
            rest = self.after(attribute).strip()
            if rest and not rest.startswith((b"#", b"//", b"/*")):
                return
            row = self.next_row(attribute.end_row + 1)

    def _walk(self, root: Node) -> None:
        cursor = root.walk()
        while True:
            node = cursor.node
            kind = node.type if node is not None else ""
            if node is not None and (kind in _COMMENTS or kind in _ATTRIBUTES):
                place = _NodePosition(
                    node.start_byte, node.end_byte, *node.start_point, *node.end_point
                )
                if kind in _COMMENTS:
                    self.comments.append(place)
                elif not self.before(place).strip():
                    self.attributes.setdefault(place.row, place)
            if kind not in _COMMENTS and cursor.goto_first_child():
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return


def _comments_at(place: _NodePosition, written: str, path: str, page: _Page) -> Iterator[Comment]:
    about = tuple(
        sorted({line for row in _described_rows(place, page) for line in page.described_lines(row)})
    )
    line, read = place.row + 1, 0
    for offset, said in said_in(written):
        line += written.count("\n", read, offset)
        start = written.rfind("\n", 0, offset) + 1
        read = offset
        column = offset - start + 1
        if not start:
            column += len(page.before(place).decode("utf-8", "replace"))
        end = column + len(ADDRESS) + 1 + len(said)
        yield Comment(said=said, origin=Origin(path, Span(line, column, line, end)), lines=about)


def _described_rows(place: _NodePosition, page: _Page) -> Iterator[int]:
    """The comment's own row where code stands on it, and the next where it stands alone."""
    before, after = page.before(place), page.after(place)
    if before.strip() or after.strip():
        yield place.row
        yield place.end_row
    if not before.strip(_BLANK) and not after.strip(_BLANK):
        yield page.next_row(place.end_row + 1)
