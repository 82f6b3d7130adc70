"""Texts as tree-sitter reads them: the grammars of all languages, the text and place of a node."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from contract_scan.errors import SourceError
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.bounded_parse import parse as bounded_parse
from contract_scan.parsers.source.discovery.normalised_source import GRAMMARS

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


def suffix_of(path: str) -> str:
    """The end of a file's name, with its dot."""
    return path[path.rfind(".") :]


def parser_for(suffix: str) -> Parser:
    """The parser of files with a suffix, one for each grammar and process. What has one that no
    language has is read as TypeScript.

    Raises:
        SourceError: neither the official grammar nor the language pack is installed.
    """
    return _parser(*GRAMMARS.get(suffix, GRAMMARS[".ts"]))


@cache
def _parser(package: str, function: str) -> Parser:
    from tree_sitter import Language, Parser

    try:
        grammar = getattr(import_module(package), function)()
    except ImportError:
        # Both end with what the pack calls the grammar: `language_tsx`, `tree_sitter_java`.
        name = function if "_" in function else package.replace("c_sharp", "csharp")
        grammar = _from_language_pack(name.rpartition("_")[2], package.replace("_", "-"))
    return Parser(Language(grammar))


def _from_language_pack(name: str, wheel: str) -> object:
    try:
        from tree_sitter_language_pack import get_binding
    except ImportError:
        raise SourceError(
            f"no grammar for {name}: install {wheel}, or contract-scan[more-languages]"
        ) from None
    return get_binding(name)


def parse(content: bytes, suffix: str) -> Node:
    """The root of the syntax tree of a text. Raises as `parser_for`, and ParseLimitError where it
    takes too much to parse."""
    return bounded_parse(parser_for(suffix), content).root_node


def unparsed_nodes(root: Node) -> Iterator[Node]:
    """What the grammar could not parse, outermost first, in order."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            pending.extend(reversed(node.children))


class NodeText:
    """A text that is parsed, by the nodes of its tree."""

    __slots__ = ("_ascii", "_line_starts", "_text", "content", "first_line")

    def __init__(self, content: bytes, first_line: int = 1) -> None:
        self.content = content
        self.first_line = first_line
        """The number of the first line, where the text is a part of a file."""
        self._ascii = content.isascii()
        self._text = content.decode() if self._ascii else ""
        """Where bytes are characters: a part of it takes half as long as one that is decoded."""
        self._line_starts: list[int] = []

    def text(self, node: Node) -> str:
        """The source text of a node."""
        if self._ascii:
            return self._text[node.start_byte : node.end_byte]
        return self.content[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def span(self, node: Node, end: Node | None = None) -> Span:
        """The place of a node, or from the start of one node to the end of another: lines and
        columns from 1, in code points."""
        last = end or node
        row, column = node.start_point
        end_row, end_column = last.end_point
        if not self._ascii:
            column = self._code_points(node.start_byte, column)
            end_column = self._code_points(last.end_byte, end_column)
        first = self.first_line
        return Span(row + first, column + 1, end_row + first, end_column + 1)

    def offset(self, line: int, column: int) -> int:
        """The byte at a place as `span` gives it (inside the text, whatever is asked)."""
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
        if not self._line_starts:
            self._line_starts = [0, *(match.end() for match in re.finditer(rb"\n", self.content))]
        return self._line_starts


class SyntaxTree(NodeText):
    """A parsed text, with the root of its tree."""

    __slots__ = ("root",)

    def __init__(self, content: bytes, suffix: str) -> None:
        super().__init__(content)
        self.root = parse(content, suffix)
