"""A file with its syntax tree, and edits at places of the tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.fixes.text import Text
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.ancestors import parent_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_LEVELS = 40
"""From a place up to the declaration around it."""
IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


class Replacement(Struct, frozen=True, order=True):
    """Text for a stretch between two offsets."""

    start: int
    end: int
    text: str


class Draft(Struct, frozen=True):
    """Replacements that together are a fix."""

    title: str
    safe: bool
    replacements: tuple[Replacement, ...]


class Syntax:
    """The text of a file, and the tree of it."""

    def __init__(self, text: Text, parse: Callable[[bytes], Node]) -> None:
        self.text = text
        self.root = parse(text.utf8)

    def enclosing_node(self, span: Span, types: Collection[str]) -> Node | None:
        """The innermost node of one of the types at or around a place."""
        start = self.text.to_byte(self.text.offset(span.line, span.column))
        end = self.text.to_byte(self.text.offset(span.end_line, span.end_column))
        node = self.root.named_descendant_for_byte_range(start, max(end, start))
        for _ in range(_MOST_LEVELS):
            if node is None or node.type in types:
                return node
            node = parent_of(node)
        return None

    def source(self, node: Node) -> str:
        """The text of a node."""
        return self.text.utf8[node.start_byte : node.end_byte].decode()

    def start(self, node: Node) -> int:
        """Where a node starts."""
        return self.text.from_byte(node.start_byte)

    def end(self, node: Node) -> int:
        """Where a node ends."""
        return self.text.from_byte(node.end_byte)

    def replace(self, node: Node, new: str) -> Replacement:
        """Put a text in the place of a node."""
        return Replacement(self.start(node), self.end(node), new)

    def before(self, node: Node, new: str) -> Replacement:
        """Put a text in front of a node."""
        return Replacement(self.start(node), self.start(node), new)

    def after(self, node: Node, new: str) -> Replacement:
        """Put a text behind a node."""
        return Replacement(self.end(node), self.end(node), new)

    def indent(self, node: Node) -> str:
        """The blanks that the line of a node begins with."""
        line, _ = self.text.place(self.start(node))
        start = self.text.offset(line, 1)
        rest = self.text.text[start:]
        return rest[: len(rest) - len(rest.lstrip(" \t"))]

    def begins_line(self, node: Node) -> bool:
        """Whether nothing but blanks stands before a node on its line."""
        line, _ = self.text.place(self.start(node))
        return not self.text.text[self.text.offset(line, 1) : self.start(node)].strip()

    def line_after(self, node: Node) -> int | None:
        """The start of the line below a node; None where more stands behind it on its line."""
        end = self.text.text.find("\n", self.end(node))
        rest = self.text.text[self.end(node) : end if end >= 0 else None].strip()
        if end < 0 or (rest and not rest.startswith("//")):
            return None
        return end + 1


def walk(node: Node) -> Iterator[Node]:
    """A node and everything in it, in the order of the text."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(found.named_children))


def removed_nodes(syntax: Syntax, draft: Draft, nodes: Iterable[Node]) -> list[Node]:
    """Those of the nodes that a draft takes out of the text without putting anything there."""
    removed = [(each.start, each.end) for each in draft.replacements if not each.text]
    return [
        node
        for node in nodes
        if any(first <= syntax.start(node) and syntax.end(node) <= last for first, last in removed)
    ]


def child(node: Node | None, *types: str) -> Node | None:
    """The first child of one of the types."""
    if node is None:
        return None
    return next((each for each in node.children if each.type in types), None)


def children(node: Node | None, *types: str) -> list[Node]:
    """All children of the types."""
    return [] if node is None else [each for each in node.children if each.type in types]


def literals(syntax: Syntax, node: Node, text: str, types: Collection[str]) -> list[Node]:
    """The string literals below a node that hold a text."""
    return [
        found for found in walk(node) if found.type in types and syntax.source(found)[1:-1] == text
    ]


def same_quotes(syntax: Syntax, literal: Node, text: str) -> str:
    """A string literal with another text."""
    quote = syntax.source(literal)[0]
    return f"{quote}{text}{quote}"


def renamed_literals(
    syntax: Syntax,
    named: Sequence[Node],
    title: str,
    texts: tuple[str, str],
    types: Collection[str],
) -> Draft | None:
    """Another name in what gives one on the wire, `texts` being the old and the new one; None where
    one of the places does not hold the old one as a text."""
    old, new = texts
    given = [literal for each in named for literal in literals(syntax, each, old, types)]
    if len(given) != len(named):
        return None
    edits = tuple(syntax.replace(each, same_quotes(syntax, each, new)) for each in given)
    return Draft(title, not occurs_elsewhere(syntax, old, types, given), edits)


def is_spoken_of(syntax: Syntax, name: Node) -> bool:
    """Whether the file has an identifier beside the one given that reads as it does: what that
    stands for is used there, be it this or another."""
    word = syntax.source(name)
    found = (node for node in walk(syntax.root) if node.type == "identifier" and node != name)
    return any(syntax.source(node) == word for node in found)


def occurs_elsewhere(
    syntax: Syntax, text: str, types: Collection[str], here: Collection[Node]
) -> bool:
    """Whether the file names a text in another string literal, which may have to stay the same."""
    return len(literals(syntax, syntax.root, text, types)) > len(here)
