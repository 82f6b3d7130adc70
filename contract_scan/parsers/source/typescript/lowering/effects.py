"""Expressions that are evaluated for their effect, and declarations of variables -> statements."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Choice,
    Define,
    Evaluate,
    Expr,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    OperationExpr,
    Return,
    Statement,
)
from contract_scan.parsers.source.typescript.lowering import (
    expressions,
    objects,
    params,
    types,
)
from contract_scan.parsers.source.typescript.lowering.context import (
    MAX_DEPTH,
    Lowering,
    named_children,
    void_argument,
)

Statements = list[Statement]

_MEMBERS = frozenset({"member_expression", "subscript_expression"})
_WRAPPERS = frozenset({"parenthesized_expression", "await_expression"})


def lower_effect(context: Lowering, node: Node, found: Statements) -> None:
    """An expression evaluated for its effect: assignment, call, `a && call()`, `c ? x() : y()`."""
    while (inner := void_argument(node)) or node.type in _WRAPPERS:
        inner = inner or next(named_children(node), None)
        if inner is None:
            return
        node = inner
    span = context.span(node)
    match node.type:
        case "assignment_expression":
            _assignment(context, node, found)
        case "augmented_assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            operator = node.child_by_field_name("operator")
            if left is not None and right is not None and operator is not None:
                target = expressions.lower_expression(context, left)
                value = expressions.lower_expression(context, right)
                word = operator.type.removesuffix("=")
                if word in ("??", "||"):  # `a ??= b` assigns `a ?? b`
                    falsy = word == "||"
                    value = Choice(options=(target, value), fallback=True, falsy=falsy, span=span)
                    word = ""
                found.append(Assign(target=target, value=value, operator=word, span=span))
        case "update_expression":
            argument = node.child_by_field_name("argument")
            if argument is not None:
                target = expressions.lower_expression(context, argument)
                one = LiteralExpr(value=1, span=span)
                found.append(Assign(target=target, value=one, operator="+", span=span))
        case "sequence_expression":
            for child in named_children(node):
                lower_effect(context, child, found)
        case "yield_expression":
            returned = next(named_children(node), None)
            yielded = None if returned is None else expressions.lower_expression(context, returned)
            found.append(Return(value=yielded, generator=True, span=span))
        case "ternary_expression":
            found.append(_conditional(context, node))
        case "binary_expression" if _operator(node) in ("&&", "||", "??"):
            found.append(_shortcut(context, node))
        case _:
            value = expressions.lower_expression(context, node)
            found.append(Evaluate(value=value, span=span))


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _assignment(context: Lowering, node: Node, found: Statements) -> None:
    """`a = b = value` assigns the value to each target."""
    targets: list[Node] = []
    current: Node | None = node
    while current is not None and current.type == "assignment_expression":
        left = current.child_by_field_name("left")
        if left is not None:
            targets.append(left)
        current = current.child_by_field_name("right")
    value = None if current is None else expressions.lower_expression(context, current)
    for target in targets:
        members = list(_member_targets(context, target, value))
        for member, part in members:
            _assign(context, member, part, None, context.span(node), found, declares=False)
        if not members:
            _assign(context, target, value, None, context.span(node), found, declares=False)


def _member_targets(
    context: Lowering, pattern: Node, value: Expr | None
) -> Iterator[tuple[Node, Expr | None]]:
    """The members that a pattern sets, each with what it is given: `[row.a, row.b] = pair`,
    `({ a: row.a } = other)`."""
    span = context.span(pattern)
    if pattern.type == "array_pattern":
        for position, child in enumerate(named_children(pattern)):
            if child.type in _MEMBERS and value is not None:
                listed = value.items if isinstance(value, ArrayLiteral) else ()
                at = LiteralExpr(value=position, span=span)
                yield (
                    child,
                    listed[position] if position < len(listed) else Index(value, at, span=span),
                )
    elif pattern.type == "object_pattern":
        for child in named_children(pattern):
            key, inner = child.child_by_field_name("key"), child.child_by_field_name("value")
            if inner is None or key is None or inner.type not in _MEMBERS or value is None:
                continue
            name = objects.lower_key(context, key)
            if name is not None:
                yield inner, Attribute(value=value, name=name, span=span)


def _assign(
    context: Lowering,
    target: Node,
    value: Expr | None,
    declared: Node | None,
    span: Span,
    found: Statements,
    *,
    declares: bool,
    scoped: bool = False,
) -> None:
    lowered = params.lower_pattern(context, target)
    kind = types.lower_type(context, declared) if declared is not None else None
    assigned = Assign(
        target=lowered, value=value, type=kind, declares=declares, scoped=scoped, span=span
    )
    found.append(assigned)
    if value is not None and target.type == "object_pattern":
        found.extend(_defaults(context, target, value, span))


def _defaults(context: Lowering, pattern: Node, value: Expr, span: Span) -> Statements:
    """`{ a = 1 } = value` also assigns `a = value.a ?? 1`."""
    found: Statements = []
    for child in named_children(pattern):
        assigned = child
        key: str | None = None
        if child.type == "pair_pattern":
            name, inner = child.child_by_field_name("key"), child.child_by_field_name("value")
            if name is None or inner is None:
                continue
            key, assigned = objects.lower_key(context, name), inner
        if assigned.type not in ("object_assignment_pattern", "assignment_pattern"):
            continue
        left, right = assigned.child_by_field_name("left"), assigned.child_by_field_name("right")
        if left is None or right is None:
            continue
        target = params.lower_pattern(context, left)
        if key is None and isinstance(target, Name):
            key = target.id
        if key is None:
            continue
        options = (
            Attribute(value=value, name=key, span=context.span(left)),
            expressions.lower_expression(context, right),
        )
        found.append(Assign(target=target, value=Choice(options=options, span=span), span=span))
    return found


def _conditional(context: Lowering, node: Node) -> Statement:
    condition = node.child_by_field_name("condition")
    blocks = []
    for field in ("consequence", "alternative"):
        child = node.child_by_field_name(field)
        block: Statements = []
        if child is not None and context.depth < MAX_DEPTH:
            context.depth += 1
            lower_effect(context, child, block)
            context.depth -= 1
        blocks.append(tuple(block))
    return Branch(
        blocks=tuple(blocks),
        condition=expressions.lower_expression(context, condition) if condition else None,
        exhaustive=True,
        span=context.span(node),
    )


def _shortcut(context: Lowering, node: Node) -> Statement:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    block: Statements = []
    if right is not None and context.depth < MAX_DEPTH:
        context.depth += 1
        lower_effect(context, right, block)
        context.depth -= 1
    test = expressions.lower_expression(context, left) if left is not None else None
    if test is not None and (operator := _operator(node)) != "&&":
        # The right side runs where the left is not there.
        null = LiteralExpr(value=None, span=test.span)
        word, operands = ("!", (test,)) if operator == "||" else ("==", (test, null))
        test = OperationExpr(word, operands, span=test.span)
    return Branch(blocks=(tuple(block),), condition=test, span=context.span(node))


def lower_variables(context: Lowering, node: Node, found: Statements) -> None:
    """`const a = 1, { b } = c`: one `Assign` each. A class expression is a class declaration."""
    for declarator in named_children(node):
        if declarator.type != "variable_declarator":
            continue
        target = declarator.child_by_field_name("name")
        written = declarator.child_by_field_name("value")
        declared = declarator.child_by_field_name("type")
        if target is None:
            continue
        span = context.span(declarator)
        if written is not None and written.type == "class":
            made = context.class_declaration(written, context.text(target))
            found.append(Define(declaration=made, span=span))
            continue
        value = expressions.lower_expression(context, written) if written is not None else None
        if target.type == "identifier":
            value = with_name(value, context.text(target))
        scoped = node.type == "lexical_declaration"
        _assign(context, target, value, declared, span, found, declares=True, scoped=scoped)


def with_name(value: Expr | None, name: str) -> Expr | None:
    """A function without a name of its own bears that of the variable it is assigned to."""
    if not isinstance(value, Lambda) or value.function.name:
        return value
    return replace(value, function=replace(value.function, name=name))
