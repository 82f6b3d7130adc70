"""Lists, dicts and comprehensions -> neutral expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Comprehension,
    Entry,
    Expr,
    LiteralExpr,
    ObjectLiteral,
    Spread,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.lowering.scope import (
    MOST_ITEMS,
    Scope,
    first_child,
    named_children,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def sequence(scope: Scope, node: Node) -> Expr:
    """A list, tuple or set display."""
    children = named_children(node)
    if len(children) > MOST_ITEMS:
        return UnsupportedSyntax(f"display of {len(children)} items", span=scope.span(node))
    return ArrayLiteral(
        tuple(scope.expression(child) for child in children if child.type != "ERROR"),
        is_tuple=node.type in ("tuple", "expression_list", "pattern_list", "tuple_pattern"),
        span=scope.span(node),
    )


def dictionary(scope: Scope, node: Node) -> Expr:
    """A dict display, with what is spread into it."""
    children = named_children(node)
    if len(children) > MOST_ITEMS:
        return UnsupportedSyntax(f"display of {len(children)} items", span=scope.span(node))
    entries: list[Entry] = []
    for child in children:
        span = scope.span(child)
        if child.type == "dictionary_splat":
            entries.append(Entry(value=scope.enclosed_expression(child), spread=True, span=span))
        elif child.type == "pair":
            key = scope.field(child, "key")
            value = scope.field(child, "value")
            if isinstance(key, LiteralExpr):
                entries.append(Entry(value=value, key=_key_text(key), span=span))
            else:
                entries.append(Entry(value=value, key_expression=key, span=span))
    return ObjectLiteral(tuple(entries), span=scope.span(node))


def _key_text(key: LiteralExpr) -> str:
    """A constant key as JSON writes it."""
    match key.value:
        case True:
            return "true"
        case False:
            return "false"
        case None:
            return "null"
        case value:
            return str(value)


def comprehension(scope: Scope, node: Node) -> Expr:
    """A comprehension or generator expression."""
    body = node.child_by_field_name("body")
    clauses = [child for child in named_children(node) if child.type == "for_in_clause"]
    span = scope.span(node)
    if body is None or not clauses:
        return UnsupportedSyntax("unparsable comprehension", span=span)
    conditions = [first_child(child) for child in named_children(node) if child.type == "if_clause"]
    tests = [scope.expression(condition) for condition in conditions if condition is not None]
    key: Expr | None = None
    if body.type == "pair":
        key, element = (
            scope.field(body, "key"),
            scope.field(body, "value"),
        )
    else:
        element = scope.expression(body)
    for position, clause in enumerate(reversed(clauses)):
        if position:
            element = Spread(element, span=span)
        variable = clause.child_by_field_name("left")
        element = Comprehension(
            element,
            scope.expression(variable)
            if variable is not None
            else UnsupportedSyntax("target", span=span),
            scope.field(clause, "right"),
            key if not position else None,
            tests[0] if tests and not position else None,
            span=span,
        )
    return element
