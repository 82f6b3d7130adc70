"""Annotations, modifiers and declared parameters of Java."""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.ir.origin import NO_SPAN
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    Attribute,
    Expr,
    Name,
    Param,
)
from contract_scan.parsers.source.java.lowering.types import (
    COMMENTS,
    MAX_DEPTH,
    Reader,
    lower_type,
    with_dimensions,
)

ANNOTATIONS = frozenset({"annotation", "marker_annotation"})


def lower_dotted_name(reader: Reader, node: Node) -> Expr:
    """`a.b.C` as attributes of attributes."""
    span = reader.span(node)
    first, *rest = reader.name(node).split(".")[:MAX_DEPTH]
    value: Expr = Name(id=first, span=span)
    for part in rest:
        value = Attribute(value=value, name=part, span=span)
    return value


def lower_annotation(reader: Reader, node: Node, depth: int = 0) -> Annotation:
    """`@Name`, `@Name(value)`, `@Name(key = value, …)`."""
    name = node.child_by_field_name("name")
    values = node.child_by_field_name("arguments")
    args: list[Argument] = []
    for child in values.named_children if values is not None else ():
        if child.type == "element_value_pair":
            key = child.child_by_field_name("key")
            value = reader.expression(
                reader, child.child_by_field_name("value") or child, depth + 1
            )
            args.append(Argument(value=value, name=reader.text(key) if key is not None else ""))
        elif child.type not in COMMENTS:
            args.append(Argument(value=reader.expression(reader, child, depth + 1)))
    return Annotation(
        name=reader.name(name) if name is not None else "",
        args=tuple(args),
        has_parentheses=values is not None,
        callee=lower_dotted_name(reader, name) if name is not None else None,
        span=reader.span(node),
    )


def modifiers_of(reader: Reader, node: Node) -> tuple[tuple[str, ...], tuple[Annotation, ...]]:
    """Modifiers in lower case as written, and annotations, of a declaration; `@Valid` of what its
    type holds (`List<@Valid Item>`) says the same as on the declaration."""
    words: list[str] = []
    annotations: list[Annotation] = []
    first = node.child(0)
    for child in first.children if first is not None and first.type == "modifiers" else ():
        if child.type in ANNOTATIONS:
            annotations.append(lower_annotation(reader, child))
        elif child.type not in COMMENTS and child.type != "ERROR":
            words.append(child.type)
    declared = node.child_by_field_name("type")
    if (
        declared is not None
        and b"@Valid " in reader.content[declared.start_byte : declared.end_byte]
    ):
        annotations.append(
            Annotation(name="Valid", has_parentheses=False, span=reader.span(declared))
        )
    return tuple(words), tuple(annotations)


def parameters(reader: Reader, node: Node | None) -> tuple[Param, ...]:
    """Declared parameters; Java's explicit receiver (`Foo this`) is none."""
    if node is None:
        return ()
    found: list[Param] = []
    for child in node.named_children:
        if child.type == "formal_parameter":
            found.append(_parameter(reader, child))
        elif child.type == "spread_parameter":
            found.append(_spread_parameter(reader, child))
    return tuple(found)


def _parameter(reader: Reader, node: Node) -> Param:
    words, annotations = modifiers_of(reader, node)
    name = node.child_by_field_name("name")
    type_node = node.child_by_field_name("type")
    item = lower_type(reader, type_node) if type_node is not None else None
    dimensions = node.child_by_field_name("dimensions")
    if item is not None and dimensions is not None:
        item = with_dimensions(item, dimensions)
    return Param(
        name=reader.text(name) if name is not None else "",
        type=item,
        annotations=annotations,
        modifiers=words,
        name_span=reader.span(name) if name is not None else NO_SPAN,
        span=reader.span(node),
    )


def _spread_parameter(reader: Reader, node: Node) -> Param:
    words, annotations = modifiers_of(reader, node)
    name, name_span = "", NO_SPAN
    item = None
    for child in node.named_children:
        if child.type == "variable_declarator":
            written = child.child_by_field_name("name")
            if written is not None:
                name, name_span = reader.text(written), reader.span(written)
        elif child.type != "modifiers" and child.type not in COMMENTS and item is None:
            item = lower_type(reader, child)
    return Param(
        name=name,
        type=item,
        annotations=annotations,
        modifiers=words,
        kind="*",
        name_span=name_span,
        span=reader.span(node),
    )
