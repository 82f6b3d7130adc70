"""The tree-sitter parsers of TypeScript, TSX and JavaScript, and a parsed file with positions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tree_sitter import Node, Parser

from contract_scan.errors import SourceError
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.bounded_parse import parse as bounded_parse

UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")

DIALECTS = {
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
}


def dialect(path: str) -> str:
    """Which grammar reads a file, by its suffix."""
    return DIALECTS.get(path[path.rfind(".") :], "typescript")


@lru_cache(maxsize=4)
def parser(name: str) -> Parser:
    """The parser of a dialect; one per process.

    Raises:
        SourceError: neither the official grammar nor the language pack is installed.
    """
    from tree_sitter import Language, Parser

    return Parser(Language(_grammar(name)))


def _grammar(name: str) -> Any:
    try:
        if name == "javascript":
            import tree_sitter_javascript

            return tree_sitter_javascript.language()
        import tree_sitter_typescript

        if name == "tsx":
            return tree_sitter_typescript.language_tsx()
        return tree_sitter_typescript.language_typescript()
    except ImportError:
        pass
    try:
        from tree_sitter_language_pack import get_binding
    except ImportError:
        wheel = "tree-sitter-javascript" if name == "javascript" else "tree-sitter-typescript"
        raise SourceError(
            f"no grammar for {name}: install {wheel}, or contract-scan[more-languages]"
        ) from None
    return get_binding(name)


class SyntaxTree:
    """A parsed file: its root node, and the text and place of any node in it."""

    __slots__ = ("_ascii", "_line_starts", "_text", "_wide_rows", "content", "root")

    def __init__(self, content: bytes, path: str) -> None:
        if content.startswith(UTF8_BOM):
            content = content[len(UTF8_BOM) :]
        self.content = content
        self.root: Node = bounded_parse(parser(dialect(path)), content).root_node
        self._line_starts: list[int] = []
        self._wide_rows: frozenset[int] = frozenset()
        """Rows on which bytes and code points differ."""
        self._ascii = content.isascii()
        self._text = content.decode() if self._ascii else ""
        """Where bytes are characters: a part of it takes half as long as one that is decoded."""
        if not self._ascii:
            rows = enumerate(content.split(b"\n"))
            self._wide_rows = frozenset(row for row, line in rows if not line.isascii())

    def text(self, node: Node) -> str:
        """The source text of a node."""
        if self._ascii:
            return self._text[node.start_byte : node.end_byte]
        return self.content[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def span(self, node: Node) -> Span:
        """The place of a node, in code points."""
        start_row, start = node.start_point
        end_row, end = node.end_point
        if self._wide_rows:
            if start_row in self._wide_rows:
                start = self._code_points(node.start_byte - start, start)
            if end_row in self._wide_rows:
                end = self._code_points(node.end_byte - end, end)
        return Span(start_row + 1, start + 1, end_row + 1, end + 1)

    def points(self, span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
        """The tree-sitter points (row, byte column) of a span of this file."""
        return (
            (span.line - 1, self._byte_column(span.line - 1, span.column - 1)),
            (span.end_line - 1, self._byte_column(span.end_line - 1, span.end_column - 1)),
        )

    def _code_points(self, line_start: int, column: int) -> int:
        before = self.content[line_start : line_start + column]
        return len(before.decode("utf-8", "surrogateescape"))

    def _byte_column(self, row: int, column: int) -> int:
        if row not in self._wide_rows:
            return column
        if not self._line_starts:
            self._line_starts = [0]
            position = self.content.find(b"\n")
            while position >= 0:
                self._line_starts.append(position + 1)
                position = self.content.find(b"\n", position + 1)
        if row >= len(self._line_starts):
            return column
        start = self._line_starts[row]
        # A code point takes at most four bytes.
        line = self.content[start : start + 4 * column].decode("utf-8", "surrogateescape")
        return len(line[:column].encode("utf-8", "surrogateescape"))
