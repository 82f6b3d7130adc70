"""Annotations and type parameters -> neutral type expressions."""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    ArrayType,
    Attribute,
    Call,
    Expr,
    FunctionType,
    LiteralExpr,
    LiteralType,
    Name,
    NamedType,
    NullType,
    Param,
    TupleType,
    TypeExpr,
    TypeOfType,
    TypeParam,
    UnionType,
    UnsupportedType,
)
from contract_scan.parsers.source.python.lowering.scope import (
    DEEPEST,
    Scope,
    dotted_text,
    first_child,
    named_children,
)

_LONGEST_QUOTED = 2000

ENUM_BASES = frozenset(
    ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices", "Choices"]
)
"""Bases that make the names assigned in a class its constants."""


def type_expression(scope: Scope, node: Node) -> TypeExpr:
    """The type that a node in an annotation (or a value that names a type) stands for."""
    if scope.depth >= DEEPEST:
        return UnsupportedType("nested too deeply", span=scope.span(node))
    scope.depth += 1
    try:
        return _type(scope, node)
    finally:
        scope.depth -= 1


def type_parameters(scope: Scope, node: Node) -> tuple[TypeParam, ...]:
    """`[T: Bound = Default]`."""
    declared = node.child_by_field_name("type_parameters")
    if declared is None:
        return ()
    result: list[TypeParam] = []
    for child in named_children(declared):
        inner = first_child(child) if child.type == "type" else child
        if inner is None or inner.type == "ERROR":
            continue
        bound = None
        if inner.type == "constrained_type":
            parts = named_children(inner)
            bound = type_expression(scope, parts[-1]) if len(parts) == 2 else None
            inner = parts[0]
        name = dotted_text(scope, _unwrapped_type(inner))
        if name:
            result.append(TypeParam(name=name, bound=bound))
    return tuple(result)


def _type(scope: Scope, node: Node) -> TypeExpr:
    while node.type in ("type", "parenthesized_expression"):
        inner = first_child(node)
        if inner is None:
            return UnsupportedType("unreadable annotation", span=scope.span(node))
        node = inner
    match node.type:
        case "identifier" | "attribute" | "dotted_name" | "member_type":
            name = dotted_text(scope, node)
            if name:
                return NamedType(name, span=scope.span(node))
        case "none":
            return NullType(span=scope.span(node))
        case "string" | "concatenated_string":
            return _quoted_type(scope, node)
        case "generic_type":
            return _generic_type(scope, node)
        case "subscript":
            value = node.child_by_field_name("value")
            if value is not None:
                return _subscripted_type(
                    scope, node, value, node.children_by_field_name("subscript")
                )
        case "union_type" | "binary_operator":
            return _union(scope, node)
        case "call":
            return _type_of_call(scope, node)
        case "list_splat" | "splat_type":
            return UnsupportedType("unpacked type arguments", span=scope.span(node))
        case "ellipsis":
            return UnsupportedType("...", span=scope.span(node))
        case "list":
            return TupleType(
                tuple(type_expression(scope, child) for child in named_children(node)),
                span=scope.span(node),
            )
        case "constrained_type":
            inner = first_child(node)
            if inner is not None:
                return type_expression(scope, inner)
        case _:
            pass
    return UnsupportedType(f"annotation of kind {node.type}", span=scope.span(node))


def _union(scope: Scope, node: Node) -> TypeExpr:
    """`A | B | C`, which the grammar nests to the left, as one union."""
    span = scope.span(node)
    options: list[Node] = []
    while node.type in ("union_type", "binary_operator"):
        if node.type == "binary_operator":
            operator = node.child_by_field_name("operator")
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if operator is None or operator.type != "|":
                return UnsupportedType("annotation that computes", span=span)
        else:
            children = named_children(node)
            left, right = (children[0], children[-1]) if len(children) == 2 else (None, None)
        if left is None or right is None:
            return UnsupportedType("unreadable annotation", span=span)
        options.append(right)
        while left.type in ("type", "parenthesized_expression"):
            inner = first_child(left)
            if inner is None:
                break
            left = inner
        node = left
    options.append(node)
    return UnionType(
        tuple(type_expression(scope, option) for option in reversed(options)), span=span
    )


def _generic_type(scope: Scope, node: Node) -> TypeExpr:
    children = named_children(node)
    if len(children) < 2:
        return UnsupportedType("unreadable annotation", span=scope.span(node))
    return _subscripted_type(scope, node, children[0], named_children(children[1]))


def _subscripted_type(scope: Scope, node: Node, base: Node, arguments: list[Node]) -> TypeExpr:
    """`base[arguments]`."""
    span = scope.span(node)
    name = dotted_text(scope, base)
    if not name:
        return UnsupportedType("annotation that computes", span=span)
    arguments = _without_tuple(arguments)
    form = scope.special_form(name)
    match form:
        case "Optional":
            items = [type_expression(scope, argument) for argument in arguments]
            return UnionType((*items, NullType(span=span)), span=span)
        case "Union":
            return UnionType(
                tuple(type_expression(scope, argument) for argument in arguments), span=span
            )
        case "Literal":
            options = tuple(_literal(scope, argument) for argument in arguments)
            return options[0] if len(options) == 1 else UnionType(options, span=span)
        case "Annotated":
            if not arguments:
                return UnsupportedType("unreadable annotation", span=span)
            return AnnotatedType(
                type_expression(scope, arguments[0]),
                tuple(scope.expression(_unwrapped_type(item)) for item in arguments[1:]),
                span=span,
            )
        case "Callable":
            return _callable(scope, span, arguments)
        case "Tuple" | "tuple":
            items = [type_expression(scope, argument) for argument in arguments]
            if len(items) == 2 and items[1] == UnsupportedType("...", span=items[1].span):
                return ArrayType(items[0], span=span)
            if len(arguments) == 1 and _unwrapped_type(arguments[0]).type == "tuple":
                return TupleType((), span=span)
            return TupleType(tuple(items), span=span)
        case _:
            return NamedType(
                form or name,
                tuple(type_expression(scope, argument) for argument in arguments),
                span=span,
            )


def _without_tuple(arguments: list[Node]) -> list[Node]:
    """The type arguments of `X[(a, b)]`, which means the same as `X[a, b]`."""
    if len(arguments) == 1:
        only = _unwrapped_type(arguments[0])
        if only.type == "tuple" and named_children(only):
            return named_children(only)
    return arguments


def _unwrapped_type(node: Node) -> Node:
    """What a `type` node wraps."""
    while node.type == "type":
        inner = first_child(node)
        if inner is None:
            return node
        node = inner
    return node


def _literal(scope: Scope, node: Node) -> TypeExpr:
    """One argument of `Literal[…]`."""
    span = scope.span(node)
    value: Expr = scope.expression(_unwrapped_type(node))
    if isinstance(value, LiteralExpr):
        return NullType(span=span) if value.value is None else LiteralType(value.value, span=span)
    return TypeOfType(value, span=span)


def _callable(scope: Scope, span: Span, arguments: list[Node]) -> TypeExpr:
    if not arguments:
        return FunctionType(span=span)
    params: tuple[Param, ...] = ()
    given = _unwrapped_type(arguments[0])
    if given.type == "list":
        params = tuple(
            Param(name="", type=type_expression(scope, item)) for item in named_children(given)
        )
    return FunctionType(params, type_expression(scope, arguments[-1]), span=span)


def _type_of_call(scope: Scope, node: Node) -> TypeExpr:
    """`conint(gt=1)`: a function that makes a type. Positional arguments may be types in turn."""
    call = scope.expression(node)
    if isinstance(call, Call):
        callee = node.child_by_field_name("function")
        name = dotted_text(scope, callee) if callee is not None else ""
        arguments = node.child_by_field_name("arguments")
        if name and arguments is not None:
            args = tuple(
                type_expression(scope, argument)
                for argument in named_children(arguments)
                if argument.type in ("identifier", "attribute", "subscript", "string", "call")
            )
            return AnnotatedType(
                NamedType(name, args, span=scope.span(node)), (call,), span=scope.span(node)
            )
    return UnsupportedType("annotation that computes", span=scope.span(node))


def _quoted_type(scope: Scope, node: Node) -> TypeExpr:
    """A forward reference: the text of the string is a type."""
    value = scope.expression(node)
    if not isinstance(value, LiteralExpr) or not isinstance(value.value, str):
        return UnsupportedType("annotation that computes", span=scope.span(node))
    text = value.value.strip()
    if not text or len(text) > _LONGEST_QUOTED:
        return UnsupportedType("unreadable annotation", span=scope.span(node))
    inner = scope.for_quoted_text(f"({text})".encode("utf-8", "replace"), scope.span(node))
    statement = first_child(inner.source.root)
    only = first_child(statement) if statement is not None else None
    if only is None or inner.source.root.has_error:
        return UnsupportedType("unreadable annotation", span=scope.span(node))
    return type_expression(inner, only)


def dotted_name(value: Expr) -> str:
    """`a.b.c` for a chain of attributes; empty for any other expression."""
    parts: list[str] = []
    while isinstance(value, Attribute):
        parts.append(value.name)
        value = value.value
    if not isinstance(value, Name):
        return ""
    return ".".join((value.id, *reversed(parts)))
