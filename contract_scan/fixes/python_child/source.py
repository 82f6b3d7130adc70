"""A Python file as a tree whose nodes know their places."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

Edit: TypeAlias = tuple[tuple[int, int, int, int], str]
"""A stretch (lines and columns from 1, the end exclusive), and what to write there."""
Bounds: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
"""Where something starts and ends: lines and columns from 1."""
NodeT = TypeVar("NodeT", bound=cst.CSTNode)


class Source:
    """One file. Of its statements only those are parsed with places that something is asked about:
    that takes long. Raises SyntaxError or ValueError where it cannot be parsed."""

    def __init__(self, text: str, path: Path, root: Path) -> None:
        self.path = path
        self.root = root
        self.text = text
        self.tree = ast.parse(text)  # refuses what would bring libcst down
        self._lines = text.split("\n")
        self._lines[:-1] = [f"{line}\n" for line in self._lines[:-1]]
        self._parsed: dict[int, list[cst.CSTNode]] = {}
        self._bounds: dict[cst.CSTNode, Bounds] = {}
        self._parents: dict[cst.CSTNode, cst.CSTNode] = {}
        self.line_end = "\r\n" if "\r\n" in text else "\n"

    def enclosing_node(
        self, span: Sequence[int], types: tuple[type[cst.CSTNode], ...]
    ) -> cst.CSTNode | None:
        """The innermost node of one of the types at or around a place."""
        start, end = (span[0], span[1]), (span[2], span[3])
        found: cst.CSTNode | None = None
        best: Bounds | None = None
        for node in self._nodes_at(span[0]):
            if not isinstance(node, types):
                continue
            first, last = self.bounds(node)
            within = first <= start and end <= last
            if within and (best is None or (first >= best[0] and last <= best[1])):
                found, best = node, (first, last)
        return found

    def _nodes_at(self, line: int) -> list[cst.CSTNode]:
        """The nodes of the statement of the module that a line belongs to."""
        for statement in self.tree.body:
            decorators = getattr(statement, "decorator_list", [])
            first = min([statement.lineno, *(each.lineno for each in decorators)])
            last = statement.end_lineno or statement.lineno
            if first <= line <= last:
                if first not in self._parsed:
                    self._parsed[first] = self._parse(first, last)
                return self._parsed[first]
        return []

    def _parse(self, first: int, last: int) -> list[cst.CSTNode]:
        text = "".join(self._lines[first - 1 : last])
        try:
            module = cst.parse_module(text)
        except cst.ParserSyntaxError as error:
            raise ValueError(str(error)) from error
        if module.code != text:
            raise ValueError("it is not written back as it was")
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        positions: Any = wrapper.resolve(PositionProvider)
        self._parents |= wrapper.resolve(ParentNodeProvider)
        for node, place in positions.items():
            start, end = place.start, place.end
            if isinstance(node, cst.Param):  # of which libcst counts the name alone
                annotation = node.annotation.annotation if node.annotation is not None else None
                written = node.default or annotation
                end = end if written is None else positions[written].end
            self._bounds[node] = (
                (start.line + first - 1, start.column + 1),
                (end.line + first - 1, end.column + 1),
            )
        return list(positions)

    def bounds(self, node: cst.CSTNode) -> Bounds:
        """Where a node starts and ends, from 1."""
        return self._bounds[node]

    def column(self, line: int, offset: int) -> int:
        """The column, from 1, of a byte of a line as `ast` counts."""
        return len(self._lines[line - 1].encode()[:offset].decode()) + 1

    def parents(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What is around a node, from the inside."""
        while node in self._parents:
            node = self._parents[node]
            yield node

    def parent(self, node: cst.CSTNode, types: type[NodeT]) -> NodeT | None:
        """The nearest node of one of the types around another."""
        return next((each for each in self.parents(node) if isinstance(each, types)), None)

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node, as it is written."""
        (line, column), (end_line, end_column) = self.bounds(node)
        lines = self._lines[line - 1 : end_line]
        lines[-1] = lines[-1][: end_column - 1]
        lines[0] = lines[0][column - 1 :]
        return "".join(lines)

    def replace(self, node: cst.CSTNode, new: str) -> Edit:
        """Put a text in the place of a node."""
        start, end = self.bounds(node)
        return (*start, *end), new

    def after(self, node: cst.CSTNode, new: str) -> Edit:
        """Put a text behind a node."""
        _, end = self.bounds(node)
        return (*end, *end), new

    def line_below(self, node: cst.CSTNode, text: str) -> Edit | None:
        """Put a line below the one that a statement ends on; None where it is the last of the file
        and has no end."""
        _, (line, _) = self.bounds(node)
        return self.line_after(line, text)

    def line_after(self, line: int, text: str) -> Edit | None:
        """Put a line below another; None where that is the last of the file and has no end."""
        if line >= len(self._lines):
            return None
        return (line + 1, 1, line + 1, 1), text + self.line_end

    def indent(self, node: cst.CSTNode) -> str:
        """The blanks that the line of a node begins with."""
        (line, column), _ = self.bounds(node)
        return self._lines[line - 1][: column - 1]
