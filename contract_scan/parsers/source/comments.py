"""Comments of source code that speak to contract-scan, taken from the syntax tree.

A string that looks like such a comment is none: the tree tells which is which.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.comment import ADDRESS, Comment, said_in
from contract_scan.ir.origin import Origin, Span

if TYPE_CHECKING:
    from tree_sitter import Node

_MARK = ADDRESS.encode()
_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "html_comment"})
_ATTRIBUTES = frozenset({"decorator", "attribute_list", "annotation", "marker_annotation"})
_BLANK = b" \t\r{}"
"""Braces hold a comment inside JSX: `{/* … */}`."""


def comments(content: bytes, path: str, language: str) -> Iterator[Comment]:
    """The instructions in the comments of one file, in order.

    Raises SourceError where no grammar for the language is installed.
    """
    if _MARK not in content:
        return
    parsed = _parsed(content, path, language)
    if parsed is None:
        return
    text, root = parsed
    lines = text.split(b"\n")
    seen: set[int] = set()
    position = text.find(_MARK)
    while position >= 0:
        node = root.descendant_for_byte_range(position, position + len(_MARK))
        if node is not None and node.type in _COMMENTS and node.start_byte not in seen:
            seen.add(node.start_byte)
            yield from _said(node, text, path, root, lines)
        position = text.find(_MARK, position + 1)


def _parsed(content: bytes, path: str, language: str) -> tuple[bytes, Node] | None:
    """The text as its language counts lines, and its tree; None for text that is not UTF-8."""
    from contract_scan.parsers.source.python.grammar import Source, normalise

    text = normalise(content)
    if text is None:
        return None
    match language:
        case "python":
            return text, Source(text).root
        case "typescript":
            from contract_scan.parsers.source.typescript.grammar import SyntaxTree

            return text, SyntaxTree(text, path).root
        case "csharp":
            from contract_scan.parsers.source.csharp.grammar import parse as parse_csharp

            return text, parse_csharp(text)
        case "java":
            from contract_scan.parsers.source.java.grammar import parse as parse_java

            return text, parse_java(text).root_node
        case _:
            return None


def _said(node: Node, text: bytes, path: str, root: Node, lines: list[bytes]) -> Iterator[Comment]:
    written = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
    about = tuple(
        sorted({n for row in _about(node, root, lines) for n in _reach(row, root, lines)})
    )
    for offset, said in said_in(written):
        before = written[:offset]
        line = node.start_point.row + 1 + before.count("\n")
        start = before.rfind("\n") + 1
        column = offset - start + 1
        if not start:
            column += len(_before(node, lines).decode("utf-8", "replace"))
        end = column + len(ADDRESS) + 1 + len(said)
        yield Comment(said=said, origin=Origin(path, Span(line, column, line, end)), lines=about)


def _about(node: Node, root: Node, lines: list[bytes]) -> Iterator[int]:
    """The comment's own row where code stands on it, and the next where it stands alone."""
    after = lines[node.end_point.row][node.end_point.column :]
    if _before(node, lines).strip(b" \t\r") or after.strip(b" \t\r"):
        yield node.start_point.row
        yield node.end_point.row
    if not _before(node, lines).strip(_BLANK) and not after.strip(_BLANK):
        yield _next_row(node.end_point.row + 1, root, lines)


def _reach(row: int, root: Node, lines: list[bytes]) -> Iterator[int]:
    """The line of a row; of an attribute or decorator also all up to what it belongs to."""
    while row < len(lines):
        yield row + 1
        node = _attribute(_first(row, root, lines))
        if node is None:
            return
        yield from range(row + 2, node.end_point.row + 2)
        rest = lines[node.end_point.row][node.end_point.column :].strip()
        if rest and not rest.startswith((b"#", b"//", b"/*")):
            return
        row = _next_row(node.end_point.row + 1, root, lines)


def _attribute(node: Node | None) -> Node | None:
    """The attribute, annotation or decorator that a node is part of."""
    while node is not None and node.type not in _ATTRIBUTES:
        node = node.parent
    return node


def _next_row(row: int, root: Node, lines: list[bytes]) -> int:
    """The first row from one on that is no comment alone."""
    while row < len(lines):
        node = _first(row, root, lines)
        if node is None or node.type not in _COMMENTS:
            break
        if lines[node.end_point.row][node.end_point.column :].strip():
            break
        row = node.end_point.row + 1
    return row


def _first(row: int, root: Node, lines: list[bytes]) -> Node | None:
    """What stands first on a row; None on a blank one."""
    line = lines[row]
    if not line.strip():
        return None
    column = len(line) - len(line.lstrip())
    return root.descendant_for_point_range((row, column), (row, column + 1))


def _before(node: Node, lines: list[bytes]) -> bytes:
    return lines[node.start_point.row][: node.start_point.column]
