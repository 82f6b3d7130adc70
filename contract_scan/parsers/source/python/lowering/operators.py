"""Operators and conditional expressions -> neutral expressions."""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.parsers.source.facts.conditionals import conditional
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Choice,
    Expr,
    Function,
    Lambda,
    LiteralExpr,
    Name,
    OperationExpr,
    Throw,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.python.lowering import literals
from contract_scan.parsers.source.python.lowering.scope import MOST_ITEMS, Scope, named_children


def chain(node: Node, kind: str, operator: str) -> list[Node]:
    """The operands of `a + b + c`, which the grammar nests to the left, without recursion."""
    operands: list[Node] = []
    while True:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return []
        operands.append(right)
        sign = left.child_by_field_name("operator") if left.type == kind else None
        if sign is None or sign.type != operator:
            operands.append(left)
            operands.reverse()
            return operands
        node = left


def binary(scope: Scope, node: Node) -> Expr:
    """An arithmetic or bitwise operation."""
    span = scope.span(node)
    sign = node.child_by_field_name("operator")
    if sign is None:
        return UnsupportedSyntax("unparsable operation", span=span)
    operator = sign.type
    operands = tuple(
        scope.expression(operand) for operand in chain(node, "binary_operator", operator)
    )
    if operator == "+" and any(literals.is_text(operand) for operand in operands):
        return literals.join_text(operands, span)
    if operator == "%" and len(operands) == 2 and literals.is_text(operands[0]):
        return literals.percent(operands[0], operands[1], span)
    return OperationExpr(operator, operands, span=span)


def boolean(scope: Scope, node: Node) -> Expr:
    """`and` and `or`."""
    sign = node.child_by_field_name("operator")
    operator = sign.type if sign is not None else "and"
    operands = tuple(
        scope.expression(operand) for operand in chain(node, "boolean_operator", operator)
    )
    if operator == "or":
        options = (*operands[:1], *map(_ending, operands[1:]))
        return Choice(options, fallback=True, falsy=True, span=scope.span(node))
    return OperationExpr(operator, operands, span=scope.span(node))


def _ending(operand: Expr) -> Expr:
    """`find(id) or abort(404)`: what ends the function gives no value."""
    if not aborts(operand):
        return operand
    body = (Throw(operand, span=operand.span),)
    function = Function(name="", params=(), body=body, span=operand.span)
    return Call(Lambda(function, span=operand.span), (), span=operand.span)


def aborts(value: Expr) -> bool:
    """Whether a call ends the function as `raise` does: `abort(404)` of Flask, Bottle, Sanic and
    gRPC. What takes no status (`transaction.abort()`) goes on."""
    match value:
        case Call(callee=Name(id="abort") | Attribute(name="abort"), args=args):
            return bool(args)
        case _:
            return False


def comparison(scope: Scope, node: Node) -> Expr:
    """A comparison, possibly a chain of them."""
    signs = node.children_by_field_name("operators")
    operands = tuple(scope.expression(child) for child in named_children(node)[:MOST_ITEMS])
    return OperationExpr(signs[0].type if signs else "==", operands, span=scope.span(node))


def unary(scope: Scope, node: Node) -> Expr:
    """`not`, `-`, `+` and `~`."""
    span = scope.span(node)
    sign = node.child_by_field_name("operator")
    operator = sign.type if sign is not None else "not"
    value = scope.field(node, "argument")
    if (
        operator == "-"
        and isinstance(value, LiteralExpr)
        and isinstance(value.value, (int, float))
        and not isinstance(value.value, bool)
    ):
        return LiteralExpr(-value.value, span=span)
    return OperationExpr(operator, (value,), span=span)


def conditional_expression(scope: Scope, node: Node) -> Expr:
    """`a if test else b if test else c`: the alternatives, without recursion along `else`."""
    tests: list[Expr] = []
    options: list[Expr] = []
    rest: Node | None = node
    while rest is not None and rest.type == "conditional_expression":
        children = named_children(rest)
        if len(children) != 3:
            return UnsupportedSyntax("unparsable condition", span=scope.span(node))
        options.append(scope.expression(children[0]))
        tests.append(scope.expression(children[1]))
        rest = children[2]
    if rest is not None:
        options.append(scope.expression(rest))
    return conditional(tests, options, scope.span(node))


def named_expression(scope: Scope, node: Node) -> Expr:
    """`name := value`."""
    value = scope.field(node, "value")
    target = node.child_by_field_name("name")
    if target is None:
        return value
    name = scope.expression(target)
    scope.pending.append(Assign(name, value, span=scope.span(node)))
    return name
