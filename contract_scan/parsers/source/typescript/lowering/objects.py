"""Object literals and the names of properties."""

from __future__ import annotations

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.parsers.source.facts.dotted_names import dotted_name_of
from contract_scan.parsers.source.facts.nodes import (
    Call,
    Choice,
    Entry,
    Expr,
    Lambda,
    LiteralExpr,
    Name,
    ObjectLiteral,
    OperationExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.typescript.lowering.context import Lowering, named_children


def lower_object(context: Lowering, node: Node) -> Expr:
    """`{ a, b: 1, [c]: 2, ...d, run() {} }`."""
    entries = []
    for child in named_children(node):
        entry = _entry(context, child)
        if entry is not None:
            entries.append(entry)
    return ObjectLiteral(entries=tuple(entries), span=context.span(node))


def _entry(context: Lowering, node: Node) -> Entry | None:
    span = context.span(node)
    match node.type:
        case "shorthand_property_identifier":
            name = context.text(node)
            return Entry(value=Name(id=name, span=span), key=name, span=span)
        case "spread_element":
            spread = next(named_children(node), None)
            if spread is None:
                return Entry(
                    value=UnsupportedSyntax(description="empty expression", span=span),
                    spread=True,
                    span=span,
                )
            return Entry(value=_spreadable(context.expression(spread)), spread=True, span=span)
        case "pair":
            key = node.child_by_field_name("key")
            written = node.child_by_field_name("value")
            if key is None or written is None:
                return None
            return _property_entry(context, key, context.expression(written), node)
        case "method_definition":
            key = node.child_by_field_name("name")
            kinds = {child.type for child in node.children if not child.is_named}
            if key is None or "set" in kinds:
                return None
            method: Expr = Lambda(function=context.function(node), span=span)
            if "get" in kinds:
                method = Call(callee=method, span=span)
            return _property_entry(context, key, method, node)
        case _:
            return None


def _spreadable(value: Expr) -> Expr:
    """What is spread: of a value that does not hold, nothing."""
    if not isinstance(value, Choice):
        return value
    nothing = ObjectLiteral(span=value.span)
    options = (
        nothing
        if (isinstance(option, OperationExpr) and option.operator == "falsy")
        or (isinstance(option, Name) and option.id == "undefined")
        else _spreadable(option)
        for option in value.options
    )
    return replace(value, options=tuple(options))


def _property_entry(context: Lowering, key: Node, value: Expr, node: Node) -> Entry:
    name = lower_key(context, key)
    computed = lower_computed_key(context, key) if name is None else None
    return Entry(value=value, key=name, key_expression=computed, span=context.span(node))


def lower_key(context: Lowering, node: Node) -> str | None:
    """The name of a property as a constant; None where it is computed."""
    match node.type:
        case "string":
            return context.string(node)
        case "number":
            value = context.number(context.text(node), node)
            return str(value.value) if isinstance(value, LiteralExpr) else context.text(node)
        case "computed_property_name":
            value = lower_computed_key(context, node)
            if isinstance(value, LiteralExpr) and isinstance(value.value, str):
                return value.value
            return None
        case _:
            return context.text(node)


def lower_member_name(context: Lowering, node: Node) -> str | None:
    """The name of a member of a type; `[Measure.Height]` where the name of a constant stands for
    it, None where anything else does."""
    name = lower_key(context, node)
    if name is None and node.type == "computed_property_name":
        dotted = dotted_name_of(lower_computed_key(context, node))
        return f"[{dotted}]" if dotted else None
    return name


def lower_computed_key(context: Lowering, node: Node) -> Expr:
    """The expression between the brackets of `[key]`."""
    inner = next(named_children(node), None)
    if inner is None:
        return UnsupportedSyntax(description="empty key", span=context.span(node))
    return context.expression(inner)
