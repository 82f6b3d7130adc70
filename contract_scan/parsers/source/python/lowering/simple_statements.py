"""Statements that hold no others -> neutral statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Evaluate,
    Expr,
    Index,
    Jump,
    Name,
    Return,
    Spread,
    Statement,
    Throw,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.lowering import types
from contract_scan.parsers.source.python.lowering.expressions import expression
from contract_scan.parsers.source.python.lowering.operators import aborts
from contract_scan.parsers.source.python.lowering.scope import Scope, first_child, named_children

if TYPE_CHECKING:
    from tree_sitter import Node

_NOTHING: tuple[Statement, ...] = ()
_SAYING_NOTHING = frozenset({"string", "concatenated_string", "ellipsis", "identifier", "none"})
"""Expressions that do nothing where they stand alone."""


def expression_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """A call, an assignment or another expression as a statement."""
    children = named_children(node)
    if len(children) != 1:
        if not children:
            return _NOTHING
        items = tuple(expression(scope, child) for child in children)
        return (Evaluate(ArrayLiteral(items, is_tuple=True), span=scope.span(node)),)
    child = children[0]
    match child.type:
        case "assignment":
            return _NOTHING if child.start_byte in scope.declared else _assignment(scope, child)
        case "augmented_assignment":
            sign = child.child_by_field_name("operator")
            return (
                Assign(
                    scope.field(child, "left"),
                    scope.field(child, "right"),
                    operator=scope.source.text(sign) if sign is not None else "+=",
                    span=scope.span(child),
                ),
            )
        case "yield":
            return (_yield(scope, child),)
        case kind if kind in _SAYING_NOTHING:
            return _NOTHING
        case _:
            value, span = expression(scope, child), scope.span(node)
            return (Throw(value, span=span) if aborts(value) else Evaluate(value, span=span),)


def jump(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`break` and `continue`."""
    return (Jump(span=scope.span(node)),)


def return_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`return`."""
    child = first_child(node)
    value = expression(scope, child) if child is not None else None
    return (Return(value, span=scope.span(node)),)


def raise_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`raise`."""
    child = first_child(node)
    value = expression(scope, child) if child is not None else None
    return (Throw(value, span=scope.span(node)),)


def assert_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """The expressions of an `assert`, which are evaluated."""
    return tuple(
        Evaluate(expression(scope, child), span=scope.span(child))
        for child in named_children(node)
        if child.type not in _SAYING_NOTHING
    )


def delete_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`del data["x"]` as `data.pop("x")`, which leaves the same; names that go away say nothing."""
    child = first_child(node)
    targets = (
        named_children(child) if child is not None and child.type == "expression_list" else [child]
    )
    result: list[Statement] = []
    for target in targets:
        if target is None or target.type != "subscript":
            continue
        removed = expression(scope, target)
        if isinstance(removed, Index):
            span = scope.span(target)
            pop = Attribute(removed.value, "pop", span=span)
            result.append(
                Evaluate(Call(pop, (Argument(value=removed.index),), span=span), span=span)
            )
    return tuple(result)


def import_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """Imports are facts of the file; only a name that means something else there is rebound."""
    return tuple(
        Assign(Name(local), Name(known), span=scope.span(node))
        for local, known in scope.aliased_imports.get(node.start_byte, ())
    )


def _assignment(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`a: T = b = value` as one assignment each, so that `a` and `b` are the same value."""
    span = scope.span(node)
    targets: list[tuple[Expr, Node | None]] = []
    current: Node | None = node
    while current is not None and current.type == "assignment":
        targets.append((scope.field(current, "left"), current.child_by_field_name("type")))
        current = current.child_by_field_name("right")
    value: Expr | None = None
    if current is not None:
        if current.type == "yield":
            value = UnsupportedSyntax("value sent to a generator", span=span)
        else:
            value = expression(scope, current)
    result: list[Statement] = []
    for position, (target, annotation) in enumerate(targets):
        if position and isinstance(targets[0][0], (Name, Attribute)):
            value = targets[0][0]
        declared = types.type_expression(scope, annotation) if annotation is not None else None
        result.append(Assign(target, value, declared, span=span))
    return tuple(result)


def _yield(scope: Scope, node: Node) -> Statement:
    span = scope.span(node)
    child = first_child(node)
    value = expression(scope, child) if child is not None else None
    if value is not None and any(token.type == "from" for token in node.children):
        value = Spread(value, span=span)
    return Return(value, generator=True, span=span)
