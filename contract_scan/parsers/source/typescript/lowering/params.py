"""Parameters, destructuring patterns and decorators."""

from __future__ import annotations

from typing import Literal

from tree_sitter import Node

from contract_scan.ir.origin import NO_SPAN
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of as dotted_name_of
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayLiteral,
    Call,
    Entry,
    Expr,
    Name,
    ObjectLiteral,
    Param,
    Spread,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.typescript.lowering import objects
from contract_scan.parsers.source.typescript.lowering.context import (
    MAX_DEPTH,
    TOO_DEEP,
    Lowering,
    named_children,
)

_MODIFIERS = ("accessibility_modifier", "override_modifier")


def lower_params(context: Lowering, node: Node | None) -> tuple[Param, ...]:
    """The parameters of a function; none for None."""
    if node is None:
        return ()
    found = []
    for child in named_children(node):
        param = _param(context, child)
        if param is not None:
            found.append(param)
    return tuple(found)


def lower_param(context: Lowering, node: Node) -> tuple[Param, ...]:
    """The single parameter of `x => …`."""
    return (Param(name=context.text(node), span=context.span(node)),)


def _param(context: Lowering, node: Node) -> Param | None:
    pattern: Node | None = node
    default = node.child_by_field_name("value")
    if node.type in ("required_parameter", "optional_parameter"):
        pattern = node.child_by_field_name("pattern")
        if pattern is None:
            pattern = node.child_by_field_name("name")
    elif node.type == "ERROR":
        return None
    if pattern is not None and pattern.type == "assignment_pattern":
        default = pattern.child_by_field_name("right")
        pattern = pattern.child_by_field_name("left")
    if pattern is None or pattern.type == "this":
        return None
    kind: Literal["", "*", "pattern"] = ""
    if pattern.type == "rest_pattern":
        kind = "*"
        pattern = next(named_children(pattern), pattern)
    target: Expr | None = None
    if pattern.type in ("object_pattern", "array_pattern"):
        kind = kind or "pattern"
        target = lower_pattern(context, pattern, defaults=True)
    declared = node.child_by_field_name("type")
    return Param(
        name=context.text(pattern) if target is None else "",
        type=context.type(declared) if declared is not None else None,
        default=context.expression(default) if default is not None else None,
        annotations=lower_decorators(context, node),
        kind=kind,
        optional=node.type == "optional_parameter",
        modifiers=modifiers(context, node, ("readonly",)),
        pattern=target,
        name_span=context.span(pattern) if target is None else NO_SPAN,
        span=context.span(node),
    )


def modifiers(context: Lowering, node: Node, words: tuple[str, ...]) -> tuple[str, ...]:
    """`private`, `override` and those of `words` that a declaration bears, in order as written."""
    found = []
    for child in node.children:
        if child.type in _MODIFIERS:
            found.append(context.text(child))
        elif not child.is_named and child.type in words:
            found.append(child.type)
        elif child.type in ("statement_block", "class_body", "formal_parameters"):
            break
    return tuple(found)


def lower_decorators(context: Lowering, node: Node) -> tuple[Annotation, ...]:
    """The decorators that are children of a declaration, in order."""
    return tuple(
        lower_decorator(context, child) for child in node.children if child.type == "decorator"
    )


def lower_decorator(context: Lowering, node: Node) -> Annotation:
    """`@Name`, `@Name(…)`, `@ns.Name<T>(…)`."""
    inner = next(named_children(node), None)
    span = context.span(node)
    if inner is None:
        return Annotation(name="", has_parentheses=False, span=span)
    value = context.expression(inner)
    if isinstance(value, Call):
        return Annotation(
            name=dotted_name_of(value.callee),
            args=value.args,
            callee=value.callee,
            type_args=value.type_args,
            span=span,
        )
    return Annotation(name=dotted_name_of(value), has_parentheses=False, callee=value, span=span)


# ------------------------------------------------------------------ patterns


def lower_pattern(context: Lowering, node: Node, *, defaults: bool = False) -> Expr:
    """The target of an assignment or declaration: a name, a place, or a pattern of targets.

    Default values inside a pattern are kept (with `defaults`) where an object is taken apart; see
    `lower_statements` for how those of assignments are.
    """
    if node.type not in ("object_pattern", "array_pattern"):
        return _target(context, node, defaults=defaults)
    if context.depth >= MAX_DEPTH:
        return UnsupportedSyntax(description=TOO_DEEP, span=context.span(node))
    context.depth += 1
    try:
        if node.type == "array_pattern":
            return _array_pattern(context, node, defaults=defaults)
        entries = tuple(
            _pattern_entry(context, child, defaults=defaults) for child in named_children(node)
        )
        return ObjectLiteral(entries=entries, span=context.span(node))
    finally:
        context.depth -= 1


def _target(context: Lowering, node: Node, *, defaults: bool) -> Expr:
    match node.type:
        case "assignment_pattern" | "object_assignment_pattern":
            left = node.child_by_field_name("left")
            target = left if left is not None else node.named_children[0]
            return lower_pattern(context, target, defaults=defaults)
        case "rest_pattern":
            inner = next(named_children(node), None)
            if inner is None:
                return UnsupportedSyntax(description="empty pattern", span=context.span(node))
            return Spread(
                value=lower_pattern(context, inner, defaults=defaults), span=context.span(node)
            )
        case "shorthand_property_identifier_pattern":
            return Name(id=context.text(node), span=context.span(node))
        case _:
            return context.expression(node)


def _array_pattern(context: Lowering, node: Node, *, defaults: bool) -> Expr:
    """Holes of `[, second]` are `UnsupportedSyntax`."""
    items: list[Expr] = []
    expecting = True
    for child in node.children:
        if child.type == ",":
            if expecting:
                items.append(UnsupportedSyntax(description="hole", span=context.span(child)))
            expecting = True
        elif child.is_named and child.type != "comment":
            items.append(lower_pattern(context, child, defaults=defaults))
            expecting = False
    return ArrayLiteral(items=tuple(items), span=context.span(node))


def _pattern_entry(context: Lowering, node: Node, *, defaults: bool) -> Entry:
    span = context.span(node)
    if node.type == "rest_pattern":
        inner = next(named_children(node), node)
        return Entry(value=_target(context, inner, defaults=defaults), spread=True, span=span)
    if node.type == "pair_pattern":
        key = node.child_by_field_name("key")
        value = node.child_by_field_name("value")
        if key is not None and value is not None:
            name = objects.lower_key(context, key)
            computed = None
            if name is None:
                computed = objects.lower_computed_key(context, key)
            return Entry(
                value=lower_pattern(context, value, defaults=defaults),
                key=name,
                key_expression=computed,
                default=_default(context, value) if defaults else None,
                span=span,
            )
    target = _target(context, node, defaults=defaults)
    return Entry(
        value=target,
        key=target.id if isinstance(target, Name) else None,
        default=_default(context, node) if defaults else None,
        span=span,
    )


def _default(context: Lowering, node: Node) -> Expr | None:
    """What `a = 1` in a pattern gives where nothing is given."""
    if node.type not in ("assignment_pattern", "object_assignment_pattern"):
        return None
    default = node.child_by_field_name("right")
    return None if default is None else context.expression(default)
