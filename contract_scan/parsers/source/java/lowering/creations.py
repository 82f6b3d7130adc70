"""`new Type(…)` of Java, with anonymous classes and initialiser blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Entry,
    LiteralExpr,
    Name,
    New,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.java.lowering.types import COMMENTS, Reader, lower_type

if TYPE_CHECKING:
    from tree_sitter import Node

_ENTRY_METHODS = {"put": 2, "add": 1, "putAll": 1, "addAll": 1}
"""Methods that fill a collection in an initialiser block, with their number of arguments."""
_OTHER_INITIALISER = "statement in an initialiser block"


def creation(reader: Reader, node: Node, args: tuple[Argument, ...], depth: int) -> New:
    """`new Type(…)`, with the entries and members that a class body after it adds."""
    type_node = node.child_by_field_name("type")
    body = next((c for c in node.named_children if c.type == "class_body"), None)
    entries: tuple[Entry, ...] = ()
    members = None
    if body is not None:
        entries = _initialiser_entries(reader, body, depth)
        members = reader.class_body(reader, body, depth + 1)
        if not members.members and not members.methods and not members.classes:
            members = None
    return New(
        type=lower_type(reader, type_node) if type_node is not None else None,
        args=args,
        entries=entries,
        members=members,
        span=reader.span(node),
    )


def _initialiser_entries(reader: Reader, body: Node, depth: int) -> tuple[Entry, ...]:
    """Entries that `{{ put("a", b); add(c); }}` fills into the new collection.

    Any other statement may add further entries: it stands as a spread of something opaque.
    """
    return tuple(
        _initialiser_entry(reader, statement, depth)
        for block in body.named_children
        if block.type == "block"
        for statement in block.named_children
        if statement.type not in COMMENTS
    )


def _initialiser_entry(reader: Reader, statement: Node, depth: int) -> Entry:
    span = reader.span(statement)
    other = Entry(
        value=UnsupportedSyntax(description=_OTHER_INITIALISER, span=span), spread=True, span=span
    )
    if statement.type != "expression_statement":
        return other
    call = reader.expression(reader, statement.named_children[0], depth + 1)
    if not isinstance(call, Call):
        return other
    match call.callee:
        case Name(id=name) | Attribute(value=Name(id="this"), name=name):
            pass
        case _:
            return other
    if _ENTRY_METHODS.get(name) != len(call.args):
        return other
    if name != "put":
        return Entry(value=call.args[0].value, spread=name.endswith("All"), span=span)
    key, value = call.args[0].value, call.args[1].value
    if isinstance(key, LiteralExpr) and isinstance(key.value, str):
        return Entry(value=value, key=key.value, span=span)
    return Entry(value=value, key_expression=key, span=span)
