"""The nodes around a node of a syntax tree, kept on the way down.

`Node.parent` goes down from the root each time that it is asked, so that asking it of every node is
quadratic in deep code. For an empty node, which the parser makes up, it does so by a recursion as
deep as the text nests, which overruns the stack of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_named_children: Callable[[Node], Iterable[Node]] = attrgetter("named_children")


class Placed(NamedTuple):
    """A node, and what is around it."""

    node: Node
    around: Placed | None = None
    """The parent with what is around that; None for the root."""

    @property
    def parent(self) -> Node | None:
        """The node around this one."""
        return None if self.around is None else self.around.node

    @property
    def grandparent(self) -> Node | None:
        """The node around the parent."""
        return None if self.around is None else self.around.parent


def placed_nodes(
    root: Node, children: Callable[[Node], Iterable[Node]] = _named_children
) -> Iterator[Placed]:
    """A node and everything in it, in the order of the text. `children` says what to go on with
    below a node."""
    pending = [Placed(root)]
    while pending:
        placed = pending.pop()
        yield placed
        below = [Placed(child, placed) for child in children(placed.node)]
        pending.extend(reversed(below))


def parent_of(node: Node | None) -> Node | None:
    """The node around another; None around the root, and around an empty node, which must not be
    asked."""
    return None if node is None or node.start_byte == node.end_byte else node.parent
