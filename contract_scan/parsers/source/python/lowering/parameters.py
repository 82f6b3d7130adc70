"""Parameters of functions and lambdas -> neutral parameters."""

from __future__ import annotations

from typing import Literal

from tree_sitter import Node

from contract_scan.parsers.source.facts.nodes import Param
from contract_scan.parsers.source.python.lowering import types
from contract_scan.parsers.source.python.lowering.scope import Scope, first_child, named_children


def parameters(scope: Scope, node: Node) -> tuple[Param, ...]:
    """The parameters of a function or lambda."""
    result: list[Param] = []
    kind: Literal["", "keyword"] = ""
    for child in named_children(node):
        if child.type == "keyword_separator":
            kind = "keyword"
            continue
        param = _parameter(scope, child, kind)
        if param is not None:
            result.append(param)
            if param.kind == "*":
                kind = "keyword"
    return tuple(result)


def _parameter(scope: Scope, node: Node, kind: Literal["", "keyword"]) -> Param | None:
    target: Node | None = node
    if node.type in ("default_parameter", "typed_default_parameter"):
        target = node.child_by_field_name("name")
    elif node.type == "typed_parameter":
        target = first_child(node)
    if target is None:
        return None
    variadic: Literal["", "keyword", "*", "**"] = kind
    if target.type == "list_splat_pattern":
        variadic, target = "*", first_child(target)
    elif target.type == "dictionary_splat_pattern":
        variadic, target = "**", first_child(target)
    if target is None or target.type != "identifier":
        return None
    annotation = node.child_by_field_name("type")
    default = node.child_by_field_name("value")
    return Param(
        name=scope.source.text(target),
        type=types.type_expression(scope, annotation) if annotation is not None else None,
        default=scope.expression(default) if default is not None else None,
        kind=variadic,
        optional=default is not None,
        name_span=scope.span(target),
        span=scope.span(node),
    )
