"""Variables that C# declares inside expressions -> assignments in front of the statement.

`if (x is Order order)`, `x is { } value`, `TryGet(key, out var value)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contract_scan.parsers.source.csharp.lowering.context import children
from contract_scan.parsers.source.csharp.lowering.expressions import NOT_NULL, call_marker
from contract_scan.parsers.source.csharp.lowering.types import declared_type
from contract_scan.parsers.source.facts.nodes import Assign, Cast, Expr, Name, UnsupportedSyntax

if TYPE_CHECKING:
    from tree_sitter import Node

    from contract_scan.parsers.source.csharp.lowering.context import Lowering

_FUNCTIONS = frozenset({"lambda_expression", "anonymous_method_expression", "block"})
_PATTERNS = frozenset({"declaration_pattern", "recursive_pattern", "var_pattern"})
_TRANSPARENT = _PATTERNS | {
    "negated_pattern",
    "parenthesized_pattern",
    "and_pattern",
}
"""Patterns whose variable stands for the value that is tested."""
_DECLARING = re.compile(rb"\b(?:is|out|case)\b")
_MAX_NODES = 5_000


def pattern_assignments(low: Lowering, node: Node) -> list[Assign]:
    """An assignment for every variable that the expression declares, functions inside it left
    out."""
    text = low.content[node.start_byte : node.end_byte]
    if not (_DECLARING.search(text) or node.type.endswith("_pattern")):
        return []
    found: list[Assign] = []
    pending: list[tuple[Node, Node | None]] = [(node, None)]
    visited = 0
    while pending and visited < _MAX_NODES:
        current, subject = pending.pop()
        visited += 1
        if current.type in _FUNCTIONS:
            continue
        if current.type == "declaration_expression":
            found.extend(_out_variable(low, current))
        elif current.type in _PATTERNS:
            found.extend(_pattern_variable(low, current, subject))
        if current.type == "is_pattern_expression":
            value = current.child_by_field_name("expression")
            pending.extend(
                (child, value if child.type in _TRANSPARENT else None)
                for child in reversed(children(current))
            )
            continue
        inner = subject if current.type in _TRANSPARENT - _PATTERNS else None
        pending.extend((child, inner) for child in reversed(children(current)))
    return found


def _out_variable(low: Lowering, node: Node) -> list[Assign]:
    name = node.child_by_field_name("name")
    if name is None:
        return []
    span = low.span(node)
    return [
        Assign(
            span=span,
            target=Name(span=low.span(name), id=low.identifier(name)),
            value=UnsupportedSyntax(span=span, description="out parameter"),
            type=declared_type(low, node.child_by_field_name("type")),
        )
    ]


def _excludes_null(node: Node, subject: Node | None) -> bool:
    """`is { } value`: the pattern that everything but null has."""
    return subject is not None and node.type == "recursive_pattern"


def _pattern_variable(low: Lowering, node: Node, subject: Node | None) -> list[Assign]:
    name = node.child_by_field_name("name")
    if name is None:
        return []
    span = low.span(node)
    written = declared_type(low, node.child_by_field_name("type"))
    value: Expr = (
        low.expression(subject)
        if subject is not None
        else UnsupportedSyntax(span=span, description="variable of a nested pattern")
    )
    if _excludes_null(node, subject):
        value = call_marker(NOT_NULL, value)
    if written is not None:
        value = Cast(span=span, type=written, value=value)
    return [
        Assign(span=span, target=Name(span=low.span(name), id=low.identifier(name)), value=value)
    ]
