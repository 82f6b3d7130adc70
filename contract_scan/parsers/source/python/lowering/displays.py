"""Lists, dicts and comprehensions -> neutral expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Each,
    Entry,
    Expr,
    LiteralExpr,
    ObjectLiteral,
    Opaque,
    Spread,
)
from contract_scan.parsers.source.python.lowering import expressions
from contract_scan.parsers.source.python.lowering.scope import MOST_ITEMS, Scope, first, named

if TYPE_CHECKING:
    from tree_sitter import Node


def sequence(scope: Scope, node: Node) -> Expr:
    """A list, tuple or set display."""
    children = named(node)
    if len(children) > MOST_ITEMS:
        return Opaque(f"display of {len(children)} items", span=scope.span(node))
    return ArrayLiteral(
        tuple(expressions.expression(scope, child) for child in children if child.type != "ERROR"),
        is_tuple=node.type in ("tuple", "expression_list", "pattern_list", "tuple_pattern"),
        span=scope.span(node),
    )


def dictionary(scope: Scope, node: Node) -> Expr:
    """A dict display, with what is spread into it."""
    children = named(node)
    if len(children) > MOST_ITEMS:
        return Opaque(f"display of {len(children)} items", span=scope.span(node))
    entries: list[Entry] = []
    for child in children:
        span = scope.span(child)
        if child.type == "dictionary_splat":
            entries.append(Entry(value=expressions.inner(scope, child), spread=True, span=span))
        elif child.type == "pair":
            key = expressions.field(scope, child, "key")
            value = expressions.field(scope, child, "value")
            if isinstance(key, LiteralExpr):
                entries.append(Entry(value=value, key=_key_text(key), span=span))
            else:
                entries.append(Entry(value=value, computed=key, span=span))
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
    clauses = [child for child in named(node) if child.type == "for_in_clause"]
    span = scope.span(node)
    if body is None or not clauses:
        return Opaque("unparsable comprehension", span=span)
    conditions = [first(child) for child in named(node) if child.type == "if_clause"]
    tests = [
        expressions.expression(scope, condition)
        for condition in conditions
        if condition is not None
    ]
    key: Expr | None = None
    if body.type == "pair":
        key, element = (
            expressions.field(scope, body, "key"),
            expressions.field(scope, body, "value"),
        )
    else:
        element = expressions.expression(scope, body)
    for position, clause in enumerate(reversed(clauses)):
        if position:
            element = Spread(element, span=span)
        variable = clause.child_by_field_name("left")
        element = Each(
            element,
            expressions.expression(scope, variable)
            if variable is not None
            else Opaque("target", span=span),
            expressions.field(scope, clause, "right"),
            key if not position else None,
            tests[0] if tests and not position else None,
            span=span,
        )
    return element
