"""C# construction syntax -> expressions: `new`, initialisers, anonymous objects, collections."""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.parsers.source.csharp.lowering.context import LowerExpression, Lowering, children
from contract_scan.parsers.source.csharp.lowering.expressions import lower_arguments, lower_index
from contract_scan.parsers.source.csharp.lowering.target_types import (
    of_target_type,
    with_typed_entries,
)
from contract_scan.parsers.source.csharp.lowering.types import lower_type
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Cast,
    Entry,
    Expr,
    LiteralExpr,
    Name,
    New,
    ObjectLiteral,
    Spread,
    UnsupportedSyntax,
)


def _lower_construction(low: Lowering, node: Node) -> Expr:
    written = node.child_by_field_name("type")
    arguments = next((c for c in node.named_children if c.type == "argument_list"), None)
    initializer = next((c for c in node.named_children if c.type == "initializer_expression"), None)
    made = New(
        span=low.span(node),
        type=lower_type(low, written) if written is not None else None,
        args=lower_arguments(low, arguments),
        entries=_entries(low, initializer),
    )
    return with_typed_entries(made)


def _new_array(low: Lowering, node: Node) -> Expr:
    written = node.child_by_field_name("type")
    initializer = next((c for c in node.named_children if c.type == "initializer_expression"), None)
    item = lower_type(low, written) if written is not None else None
    if initializer is None:
        return New(span=low.span(node), type=item)
    literal = ArrayLiteral(span=low.span(node), items=_items(low, initializer))
    if item is None:
        return literal
    return Cast(span=low.span(node), type=item, value=of_target_type(literal, item))


def _new_inferred_array(low: Lowering, node: Node) -> Expr:
    initializer = next((c for c in node.named_children if c.type == "initializer_expression"), None)
    items = _items(low, initializer) if initializer is not None else ()
    return ArrayLiteral(span=low.span(node), items=items)


def _items(low: Lowering, initializer: Node) -> tuple[Expr, ...]:
    return tuple(low.expression(child) for child in children(initializer))


def _initializer(low: Lowering, node: Node) -> Expr:
    """`{ … }` as a value: a nested object or collection initialiser, or an array's."""
    entries = _entries(low, node)
    if entries and all(
        entry.key is not None or entry.key_expression is not None for entry in entries
    ):
        return ObjectLiteral(span=low.span(node), entries=entries)
    return ArrayLiteral(span=low.span(node), items=tuple(entry.value for entry in entries))


def _entries(low: Lowering, initializer: Node | None) -> tuple[Entry, ...]:
    if initializer is None:
        return ()
    return tuple(_entry(low, child) for child in children(initializer))


def _entry(low: Lowering, node: Node) -> Entry:
    span = low.span(node)
    if node.type == "assignment_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = low.expression(right) if right is not None else low.opaque(node)
        if left is not None and left.type == "identifier":
            return Entry(key=low.identifier(left), value=value, span=span)
        if left is not None and left.type == "element_binding_expression":
            return _keyed_entry(lower_index(low, left), value, node, low)
        return Entry(
            key_expression=UnsupportedSyntax(span=span, description="initialiser"),
            value=value,
            span=span,
        )
    if node.type == "initializer_expression":
        parts = children(node)
        if len(parts) == 2:
            key = low.expression(parts[0])
            return _keyed_entry(key, low.expression(parts[1]), node, low)
    return Entry(value=low.expression(node), span=span)


def _keyed_entry(key: Expr, value: Expr, node: Node, low: Lowering) -> Entry:
    if isinstance(key, LiteralExpr) and isinstance(key.value, str):
        return Entry(key=key.value, value=value, span=low.span(node))
    return Entry(key_expression=key, value=value, span=low.span(node))


def _anonymous_object(low: Lowering, node: Node) -> Expr:
    """`new { A = 1, x.B, c }`. The grammar lists names and values side by side."""
    entries: list[Entry] = []
    parts = node.children
    for position, child in enumerate(parts):
        if not child.is_named or child.type == "comment":
            continue
        before, after = _neighbours(parts, position)
        if after == "=" and child.type == "identifier":
            continue
        value = low.expression(child)
        if before == "=":
            name_node = _named_before(parts, position)
            key = low.identifier(name_node)
            entries.append(Entry(key=key, value=value, span=low.span(name_node or child, child)))
        else:
            entries.append(Entry(key=_projected_name(value), value=value, span=low.span(child)))
    return ObjectLiteral(span=low.span(node), entries=tuple(entries))


def _neighbours(parts: list[Node], position: int) -> tuple[str, str]:
    before, after = "", ""
    for other in reversed(parts[:position]):
        if other.type != "comment":
            before = other.type
            break
    for other in parts[position + 1 :]:
        if other.type != "comment":
            after = other.type
            break
    return before, after


def _named_before(parts: list[Node], position: int) -> Node | None:
    return next((p for p in reversed(parts[:position]) if p.type == "identifier"), None)


def _projected_name(value: Expr) -> str | None:
    """The name that a member of an anonymous object takes from its value."""
    match value:
        case Name(id=id):
            return id
        case Attribute(name=name):
            return name
        case _:
            return None


def _collection(low: Lowering, node: Node) -> Expr:
    items: list[Expr] = []
    for element in children(node):
        for part in children(element):
            inner = children(part)
            if not inner:
                continue
            value = low.expression(inner[-1])
            spread = part.type == "spread_element"
            items.append(Spread(span=low.span(part), value=value) if spread else value)
    return ArrayLiteral(span=low.span(node), items=tuple(items))


def _tuple(low: Lowering, node: Node) -> Expr:
    items = tuple(argument.value for argument in lower_arguments(low, node))
    return ArrayLiteral(span=low.span(node), items=items, is_tuple=True)


def _tuple_pattern(low: Lowering, node: Node) -> Expr:
    """`(a, b)` in front of `=` or `in`: the names that are given values."""
    items = tuple([low.expression(child) for child in children(node)])
    return ArrayLiteral(span=low.span(node), items=items, is_tuple=True)


OBJECTS: dict[str, LowerExpression] = {
    "object_creation_expression": _lower_construction,
    "implicit_object_creation_expression": _lower_construction,
    "array_creation_expression": _new_array,
    "implicit_array_creation_expression": _new_inferred_array,
    "initializer_expression": _initializer,
    "anonymous_object_creation_expression": _anonymous_object,
    "collection_expression": _collection,
    "tuple_expression": _tuple,
    "tuple_pattern": _tuple_pattern,
    "parenthesized_variable_designation": _tuple_pattern,
}
