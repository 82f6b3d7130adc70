"""What stands directly inside the nodes of facts: the one way to go through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import fields

from contract_scan.parsers.source.facts.nodes import Argument, Comprehension, Entry

_Parts: TypeAlias = "Callable[[object], tuple[object, ...]]"
_PARTS: dict[type, _Parts] = {}
"""What stands directly inside the nodes of a kind, and, for all that are none, nothing."""

_NAMED: dict[type, tuple[str, ...]] = {
    Argument: ("value",),
    Comprehension: ("key", "element", "variable", "source", "given"),
    Entry: ("key_expression", "value", "default"),
}
"""The fields that hold expressions, of kinds whose other fields have names of fields that do."""


def children(node: Struct) -> tuple[object, ...]:
    """What stands directly inside a statement or expression."""
    return parts(type(node))(node)


def nodes_of(root: object, closed: tuple[type, ...] = ()) -> Iterator[Struct]:
    """A piece of syntax and everything in it, outer before inner and in the order of the source;
    not what is in nodes of the kinds `closed`."""
    # Kinds are compared by identity: asking `isinstance` of a record takes six times as long.
    pending: list[Any] = [root]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is tuple:
            pending.extend(reversed(node))
        elif issubclass(kind, Struct):
            yield node
            if kind not in closed:
                pending.extend(reversed(parts(kind)(node)))


def parts(kind: type) -> _Parts:
    """What reads the parts of the nodes of a kind that can hold expressions or statements."""
    known = _PARTS.get(kind)
    if known is None:
        names = _children(kind) if issubclass(kind, Struct) else ()
        known = _PARTS[kind] = _reader(names)
    return known


def _reader(names: tuple[str, ...]) -> _Parts:
    if not names:
        return lambda _: ()
    read = attrgetter(*names)
    return read if len(names) > 1 else lambda node: (read(node),)


def _children(kind: type[Struct]) -> tuple[str, ...]:
    """Names of the fields that can hold expressions or statements."""
    known = _NAMED.get(kind)
    if known is not None:
        return known
    skipped = {"span", "type", "type_args", "name", "id", "members", "key", "operator", "kind"}
    return tuple(f.name for f in fields(kind) if f.name not in skipped)
