"""Functions, arrow functions and methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.typescript.lowering import (
    effects,
    expressions,
    objects,
    params,
    statements,
    types,
)
from contract_scan.parsers.source.typescript.lowering.context import Lowering, discarded, named

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_expression",
        "generator_function",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
    }
)


def lower_function(context: Lowering, node: Node) -> Function:
    """A function, arrow function or method with its statements, or without (`body` None) where it
    is a declaration that holds no marker."""
    name = node.child_by_field_name("name")
    parameters = node.child_by_field_name("parameters")
    single = node.child_by_field_name("parameter")
    returns = node.child_by_field_name("return_type")
    lowered = (
        params.lower_param(context, single)
        if single is not None
        else params.lower_params(context, parameters)
    )
    key = objects.lower_key(context, name) if name is not None else ""
    words = list(
        params.modifiers(
            context, node, ("static", "async", "get", "set", "abstract", "readonly", "override")
        )
    )
    if any(child.type == "*" for child in node.children):
        words.append("generator")
    body: tuple[Statement, ...] | None = None
    if context.wants_body(node):
        body = lower_function_body(context, node)
    return Function(
        name=key or "",
        params=lowered,
        returns=types.lower_type(context, returns) if returns is not None else None,
        modifiers=tuple(words),
        type_params=types.lower_type_params(context, node.child_by_field_name("type_parameters")),
        body=body,
        name_span=context.span(name if name is not None else node),
        span=context.span(node),
    )


def with_changes(
    function: Function,
    annotations: tuple[Annotation, ...],
    modifiers: tuple[str, ...],
    body: tuple[Statement, ...] | None,
) -> Function:
    """The same function with its decorators, modifiers and body replaced."""
    return replace(function, annotations=annotations, modifiers=modifiers, body=body)


def with_name(value: Expr | None, name: str) -> Expr | None:
    """A function without a name of its own bears that of the variable it is assigned to."""
    if not isinstance(value, Lambda) or value.function.name:
        return value
    return replace(value, function=replace(value.function, name=name))


def lower_function_body(context: Lowering, node: Node) -> tuple[Statement, ...]:
    """The statements of a function node; an expression body is one `Return`."""
    body = node.child_by_field_name("body")
    if body is None:
        return ()
    lazy, context.lazy = context.lazy, False
    try:
        if body.type == "statement_block":
            return statements.lower_block(context, body)
        return lower_returned(context, body, context.span(body))
    finally:
        context.lazy = lazy


def lower_returned(context: Lowering, value: Node | None, span: Span) -> tuple[Statement, ...]:
    """`return value`; `return void call()` is the call and a return of nothing, and
    `return context.body = value` the assignment and a return of the value."""
    assignment = value
    while assignment is not None and assignment.type == "parenthesized_expression":
        assignment = next(named(assignment), None)
    if assignment is not None and assignment.type == "assignment_expression":
        made: list[Statement] = []
        effects.lower_effect(context, assignment, made)
        right = assignment.child_by_field_name("right")
        given = expressions.lower_expression(context, right) if right is not None else None
        return (*made, Return(value=given, span=span))
    unused = discarded(value) if value is not None else None
    if unused is not None:
        done: list[Statement] = []
        effects.lower_effect(context, unused, done)
        return (*done, Return(value=None, span=span))
    lowered = expressions.lower_expression(context, value) if value is not None else None
    return (Return(value=lowered, span=span),)


def binds_itself(name: str, value: Expr | None) -> bool:
    """Whether `this.list = this.list.bind(this)` is what a constructor assigns: the method is still
    the method."""
    if not isinstance(value, Call) or not isinstance(value.callee, Attribute):
        return False
    method = value.callee.value
    return (
        value.callee.name == "bind"
        and isinstance(method, Attribute)
        and method.name == name
        and isinstance(method.value, Name)
        and method.value.id == "this"
    )
