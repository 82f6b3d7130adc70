"""Functions, arrow functions and methods."""

from __future__ import annotations

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    Expr,
    Function,
    KeyOfType,
    MappedType,
    Name,
    NamedType,
    Statement,
)
from contract_scan.parsers.source.typescript.lowering import (
    objects,
    params,
    statements,
    types,
)
from contract_scan.parsers.source.typescript.lowering.context import Lowering

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
    given = types.lower_type(context, returns) if returns is not None else None
    type_params = types.lower_type_params(context, node.child_by_field_name("type_parameters"))
    if isinstance(given, MappedType) and given.optional == "+":
        match given.constraint:
            case KeyOfType(item=NamedType(name=name_of_item)):
                if any(parameter.name == name_of_item for parameter in type_params):
                    given = replace(given, optional="?")
            case _:
                pass
    return Function(
        name=key or "",
        params=lowered,
        returns=given,
        modifiers=tuple(words),
        type_params=type_params,
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


def lower_function_body(context: Lowering, node: Node) -> tuple[Statement, ...]:
    """The statements of a function node; an expression body is one `Return`."""
    body = node.child_by_field_name("body")
    if body is None:
        return ()
    lazy, context.lazy = context.lazy, False
    try:
        if body.type == "statement_block":
            return statements.lower_block(context, body)
        return statements.lower_returned(context, body, context.span(body))
    finally:
        context.lazy = lazy


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
