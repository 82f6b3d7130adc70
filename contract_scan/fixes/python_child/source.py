"""A Python file as a tree whose nodes know their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

Edit: TypeAlias = tuple[tuple[int, int, int, int], str]
"""A stretch (lines and columns from 1, the end exclusive), and what to write there."""
NodeT = TypeVar("NodeT", bound=cst.CSTNode)


class Source:
    """One file. Raises ValueError where it cannot be parsed."""

    def __init__(self, text: str, path: Path, root: Path) -> None:
        self.path = path
        self.root = root
        self.text = text
        self._lines = text.split("\n")
        self._lines[:-1] = [f"{line}\n" for line in self._lines[:-1]]
        try:
            self.module = cst.parse_module(text)
        except cst.ParserSyntaxError as error:
            raise ValueError(str(error)) from error
        if self.module.code != text:
            raise ValueError("it is not written back as it was")
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        self._positions: Any = wrapper.resolve(PositionProvider)
        self._parents: Any = wrapper.resolve(ParentNodeProvider)
        self.line_end = "\r\n" if "\r\n" in text else "\n"

    def around(
        self, span: Sequence[int], types: tuple[type[cst.CSTNode], ...]
    ) -> cst.CSTNode | None:
        """The innermost node of one of the types at or around a place."""
        start, end = (span[0], span[1]), (span[2], span[3])
        found: cst.CSTNode | None = None
        best: tuple[tuple[int, int], tuple[int, int]] | None = None
        for node in self._positions:
            if not isinstance(node, types):
                continue
            first, last = self.bounds(node)
            within = first <= start and end <= last
            if within and (best is None or (first >= best[0] and last <= best[1])):
                found, best = node, (first, last)
        return found

    def bounds(self, node: cst.CSTNode) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where a node starts and ends, from 1."""
        place = self._positions[node]
        start, end = place.start, place.end
        if isinstance(node, cst.Param):  # of which libcst counts the name alone
            annotation = node.annotation.annotation if node.annotation is not None else None
            last = node.default or annotation
            end = end if last is None else self._positions[last].end
        return (start.line, start.column + 1), (end.line, end.column + 1)

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
        if line >= len(self._lines):
            return None
        return (line + 1, 1, line + 1, 1), text + self.line_end

    def indent(self, node: cst.CSTNode) -> str:
        """The blanks that the line of a node begins with."""
        (line, column), _ = self.bounds(node)
        return self._lines[line - 1][: column - 1]
