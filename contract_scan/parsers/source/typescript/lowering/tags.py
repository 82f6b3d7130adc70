"""Tags of templates with type arguments, which the grammar takes for comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import Argument, Attribute, Call, Expr

if TYPE_CHECKING:
    from tree_sitter import Node


def template_of_generic_tag(node: Node) -> Node | None:
    """The template of a tag with type arguments (`` sql<Row>`…` ``), and what is called on it
    (`` sql<Row>`…`.as("x") ``), which the grammar takes for two comparisons; nobody compares the
    result of one with a template."""
    last = end(node, "right")
    base: Node | None = last
    while base is not None and base.type in ("call_expression", "member_expression"):
        inner = "function" if base.type == "call_expression" else "object"
        base = base.child_by_field_name(inner)
    if base is None or base.type != "template_string" or last.parent is None:
        return None
    first = node
    while (left := first.child_by_field_name("left")) is not None:
        if left.type != "binary_expression":
            break
        first = left
    opened = operator_of(first) == "<"
    return last if opened and operator_of(last.parent).endswith(">") else None


def tag_template(expr: Expr, tag: Expr, span: Span) -> Expr:
    """The template at the beginning of a chain of calls, given to its tag."""
    links: list[Call | Attribute] = []
    while isinstance(expr, Call | Attribute):
        links.append(expr)
        expr = expr.callee if isinstance(expr, Call) else expr.value
    found: Expr = Call(callee=tag, args=(Argument(value=expr),), span=span)
    for link in reversed(links):
        if isinstance(link, Call):
            found = replace(link, callee=found)
        else:
            found = replace(link, value=found)
    return found


def end(node: Node, side: str) -> Node:
    """The operand at one end of nested binary expressions."""
    while node.type == "binary_expression":
        inner = node.child_by_field_name(side)
        if inner is None:
            break
        node = inner
    return node


def operator_of(node: Node) -> str:
    """The operator of an expression; empty where it has none."""
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""
