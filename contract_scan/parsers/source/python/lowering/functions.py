"""Functions and methods with their decorators -> neutral declarations."""

from __future__ import annotations

import re
from bisect import bisect_left

from tree_sitter import Node

from contract_scan.parsers.source.facts.nodes import Annotation, Function, Statement
from contract_scan.parsers.source.python.lowering import parameters, statements, types
from contract_scan.parsers.source.python.lowering.scope import Scope, first_child, named_children

_ROUTE_DECORATOR = re.compile(
    r"(?:^|\.)(?:get|post|put|patch|delete|head|options|trace|route|api_route|websocket|action|"
    r"api_view|doc|response|arguments|marshal_with|subscriber|publisher)$"
)
_MODIFIER_DECORATORS = {
    "property": "property",
    "cached_property": "property",
    "hybrid_property": "property",
    "reify": "property",
    "functools.cached_property": "property",
    "staticmethod": "static",
    "classmethod": "classmethod",
    "abstractmethod": "abstract",
    "abc.abstractmethod": "abstract",
    "singledispatch": "abstract",
    "functools.singledispatch": "abstract",
    "overload": "overload",
    "typing.overload": "overload",
}
"""Decorators that say what kind of function it is (also those of SQLAlchemy and Pyramid). Which of
the functions of `singledispatch` is called, the class of its argument tells."""


_STATIC_BY_NAME = frozenset({"_generate_next_value_"})
"""Methods that are handed no object without being marked `@staticmethod` (`enum.EnumType`)."""


def function(
    scope: Scope, node: Node, annotations: tuple[Annotation, ...], *, in_class: bool
) -> Function | None:
    """A function or method; its statements where they are wanted now."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return None
    name = scope.source.text(name_node)
    modifiers = _modifiers(node, annotations)
    if in_class and name == "__init__":
        modifiers = (*modifiers, "constructor")
    if in_class and name in _STATIC_BY_NAME and "static" not in modifiers:
        modifiers = (*modifiers, "static")
    params_node = node.child_by_field_name("parameters")
    params = parameters.parameters(scope, params_node) if params_node is not None else ()
    receiver = ""
    if in_class and "static" not in modifiers and params and params[0].kind == "":
        receiver, params = params[0].name, params[1:]
    returns = node.child_by_field_name("return_type")
    if in_class and _is_stub(scope, node) and "abstract" not in modifiers:
        modifiers = (*modifiers, "abstract")
    body = None
    if "abstract" not in modifiers and _body_wanted(scope, node, annotations):
        body = body_of(scope, node, receiver, in_class=in_class, modifiers=modifiers)
    return Function(
        name=name,
        params=params,
        returns=types.type_expression(scope, returns) if returns is not None else None,
        annotations=annotations,
        modifiers=modifiers,
        type_params=types.type_parameters(scope, node),
        body=body,
        name_span=scope.span(name_node),
        span=scope.span(node),
    )


def _is_stub(scope: Scope, node: Node) -> bool:
    """Whether a method only stands for what others do, as those of a `Protocol` do: it is declared
    to give something, and its body does nothing (the trivial bodies of mypy:
    https://mypy.readthedocs.io/en/stable/error_code_list.html#code-empty-body)."""
    block, returns = node.child_by_field_name("body"), node.child_by_field_name("return_type")
    if block is None or returns is None or scope.source.text(returns).strip("\"'") == "None":
        return False
    return all(
        child.type == "pass_statement" or _is_literal(child) for child in named_children(block)
    )


def _is_literal(node: Node) -> bool:
    """Whether a statement is a docstring or `...`."""
    inner = first_child(node) if node.type == "expression_statement" else None
    return inner is not None and inner.type in ("string", "ellipsis")


def body_of(
    scope: Scope, node: Node, receiver: str, *, in_class: bool, modifiers: tuple[str, ...]
) -> tuple[Statement, ...]:
    """The statements of a function. Functions nested in one keep its receiver."""
    block = node.child_by_field_name("body")
    if block is None:
        return ()
    outer = scope.receiver, scope.receiver_is_class, scope.all_bodies, scope.top_level
    if in_class:
        scope.receiver, scope.receiver_is_class = receiver, "classmethod" in modifiers
    scope.all_bodies, scope.top_level = True, False
    try:
        return statements.block(scope, named_children(block))
    finally:
        scope.receiver, scope.receiver_is_class, scope.all_bodies, scope.top_level = outer


def _modifiers(node: Node, annotations: tuple[Annotation, ...]) -> tuple[str, ...]:
    found = ["async"] if node.children and node.children[0].type == "async" else []
    for annotation in annotations:
        modifier = _MODIFIER_DECORATORS.get(annotation.name)
        if modifier is not None:
            found.append(modifier)
        elif annotation.name.endswith((".setter", ".deleter")) and not annotation.has_parentheses:
            found.append("set")
    return tuple(found)


def _body_wanted(scope: Scope, node: Node, annotations: tuple[Annotation, ...]) -> bool:
    if scope.all_bodies:
        return True
    offsets = scope.marker_offsets
    if offsets:
        position = bisect_left(offsets, node.start_byte)
        if position < len(offsets) and offsets[position] < node.end_byte:
            return True
    return any(_ROUTE_DECORATOR.search(annotation.name) for annotation in annotations)


def without_overloads(functions: list[Function]) -> tuple[Function, ...]:
    """Functions without those that `@overload` marks: they tell type checkers of the one of the
    same name that follows, which alone is called."""
    implemented = {f.name for f in functions if not _is_overload(f)}
    return tuple(f for f in functions if not (_is_overload(f) and f.name in implemented))


def _is_overload(function: Function) -> bool:
    return any(a.name.rpartition(".")[2] == "overload" for a in function.annotations)
