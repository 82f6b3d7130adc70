"""C# expression syntax -> expressions: names, member access, calls and their chains."""

from __future__ import annotations

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.parsers.source.csharp.lowering.context import (
    MAX_DEPTH,
    MAX_WEIGHT,
    TOO_DEEP,
    LowerExpression,
    Lowering,
    children,
)
from contract_scan.parsers.source.csharp.lowering.types import lower_type, type_arguments
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    TypeExpr,
    TypeValue,
    UnsupportedSyntax,
)

_LINKS = frozenset(
    {
        "invocation_expression",
        "member_access_expression",
        "conditional_access_expression",
        "element_access_expression",
        "postfix_unary_expression",
        "parenthesized_expression",
        "await_expression",
        "checked_expression",
    }
)
_MAX_LINKS = 150
"""Links of one chain (`a.B().C()…`) that are read, counted from its end."""


AWAIT = "await"
"""Name of the made-up function that gives what a task gives."""
NOT_NULL = "!"
"""Marks `x!`, and with the span of `x` alone what is left of `x` in `x ?? y`: name of the made-up
function that gives its argument without null."""
DEFAULT_VALUE = "default value"
"""What `default` is described as."""


def call_marker(function: str, value: Expr) -> Expr:
    """A call of a made-up function, which the intrinsics know."""
    callee = Name(span=value.span, id=function)
    return Call(span=value.span, callee=callee, args=(Argument(value=value),))


def lower_arguments(low: Lowering, node: Node | None) -> tuple[Argument, ...]:
    """The arguments of a call, or of an index in brackets."""
    if node is None:
        return ()
    return tuple([_argument(low, child) for child in children(node) if child.type == "argument"])


def _argument(low: Lowering, node: Node) -> Argument:
    name = node.child_by_field_name("name")
    values = [child for child in children(node) if child != name]
    value = low.expression(values[-1]) if values else low.opaque(node)
    return Argument(value=value, name=low.identifier(name))


def lower_index(low: Lowering, subscript: Node) -> Expr:
    """What stands in the brackets of an element access; several indices make a tuple."""
    indices = [argument.value for argument in lower_arguments(low, subscript)]
    if len(indices) == 1:
        return indices[0]
    return ArrayLiteral(span=low.span(subscript), items=tuple(indices), is_tuple=True)


# --------------------------------------------------------------------------- chains


def _chain(low: Lowering, node: Node) -> Expr:
    """`a.B(c)[d]!.E()`: from the end to the start and back, without a stack frame a link."""
    links: list[Node] = []
    base: Node | None = node
    while base is not None and base.type in _LINKS:
        links.append(base)
        base = _receiver(base)
    count = min(len(links), _MAX_LINKS, MAX_WEIGHT - low.weight)
    low.weight += count
    if base is None or count < len(links):
        what = "incomplete expression" if base is None else TOO_DEEP
        value: Expr = UnsupportedSyntax(
            span=low.span(links[count - 1] if count else node), description=what
        )
    elif base.type == "generic_name":
        value = _generic_receiver(low, base, links[-1])
    else:
        value = low.expression(base)
    for link in reversed(links[:count]):
        low.weight -= 1
        value = _chain_link(low, link, value)
    return value


def _receiver(link: Node) -> Node | None:
    match link.type:
        case "invocation_expression":
            return link.child_by_field_name("function")
        case "member_access_expression" | "element_access_expression":
            return link.child_by_field_name("expression")
        case "conditional_access_expression":
            return link.child_by_field_name("condition")
        case _:
            inner = children(link)
            return inner[-1] if inner else None


def _chain_link(low: Lowering, link: Node, value: Expr) -> Expr:
    match link.type:
        case "invocation_expression":
            return _call(low, link, value)
        case "member_access_expression":
            return _attribute(low, link, value)
        case "conditional_access_expression":
            condition = link.child_by_field_name("condition")
            bound = [child for child in children(link) if child != condition]
            return _binding_expression(low, bound[-1], link, value) if bound else value
        case "element_access_expression":
            subscript = link.child_by_field_name("subscript")
            index = lower_index(low, subscript) if subscript is not None else low.opaque(link)
            return Index(span=low.span(link), value=value, index=index)
        case "await_expression":
            return call_marker(AWAIT, value)
        case "postfix_unary_expression" if link.children[-1].type == "!":
            return replace(call_marker(NOT_NULL, value), span=low.span(link))
        case _:
            return value


def _call(low: Lowering, node: Node, callee: Expr) -> Expr:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if isinstance(callee, Name) and callee.id == "nameof" and arguments is not None:
        return _name_of(low, node, arguments)
    return Call(
        span=low.span(node),
        callee=callee,
        args=lower_arguments(low, arguments),
        type_args=_call_type_arguments(low, function),
    )


def _call_type_arguments(low: Lowering, function: Node | None) -> tuple[TypeExpr, ...]:
    if function is not None and function.type == "conditional_access_expression":
        function = function.named_children[-1] if function.named_children else None
    if function is None:
        return ()
    name = function if function.type == "generic_name" else function.child_by_field_name("name")
    if name is not None and name.type == "generic_name":
        return type_arguments(low, name)
    return ()


def _name_of(low: Lowering, node: Node, arguments: Node) -> Expr:
    """`nameof(A.B)` is the constant `"B"`."""
    name = low.text(arguments).strip("()").rsplit(".", 1)[-1].split("<", 1)[0]
    return LiteralExpr(span=low.span(node), value=name.strip().removeprefix("@"))


def _generic_receiver(low: Lowering, node: Node, link: Node) -> Expr:
    """`Foo<int>` in front of `.Create()` is a type; in front of `()` it names a method."""
    if link.type == "invocation_expression":
        return _generic_name(low, node)
    return TypeValue(span=low.span(node), type=lower_type(low, node))


def _attribute(low: Lowering, node: Node, value: Expr) -> Expr:
    name = node.child_by_field_name("name")
    if name is not None and name.type == "generic_name" and name.named_children:
        name = name.named_children[0]
    return Attribute(span=low.span(node), value=value, name=low.identifier(name))


def _binding_expression(low: Lowering, node: Node, link: Node, value: Expr) -> Expr:
    """What follows `?.` or `?[`."""
    if node.type == "member_binding_expression":
        name = node.child_by_field_name("name")
        if name is not None and name.type == "generic_name" and name.named_children:
            name = name.named_children[0]
        return Attribute(span=low.span(link), value=value, name=low.identifier(name), optional=True)
    if node.type == "element_binding_expression":
        return Index(span=low.span(link), value=value, index=lower_index(low, node))
    inner = _receiver(node) if node.type in _LINKS else None
    if inner is None or low.depth >= MAX_DEPTH:
        return low.opaque(node)
    low.depth += 1
    result = _chain_link(low, node, _binding_expression(low, inner, link, value))
    low.depth -= 1
    return result


# --------------------------------------------------------------------------- names and types


def _identifier(low: Lowering, node: Node) -> Expr:
    return Name(span=low.span(node), id=low.identifier(node))


def _predefined_type_name(low: Lowering, node: Node) -> Expr:
    """`string` in `string.Join(…)`."""
    return Name(span=low.span(node), id=low.text(node))


def _generic_name(low: Lowering, node: Node) -> Expr:
    if not node.named_children:
        return low.opaque(node)
    return Name(span=low.span(node), id=low.identifier(node.named_children[0]))


def _qualified_name(low: Lowering, node: Node) -> Expr:
    """`global::A.B` as a value."""
    lowered = lower_type(low, node)
    parts = lowered.name.split(".") if isinstance(lowered, NamedType) else [low.text(node)]
    span = low.span(node)
    value: Expr = Name(span=span, id=parts[0])
    for part in parts[1:]:
        value = Attribute(span=span, value=value, name=part)
    return value


def _this(low: Lowering, node: Node) -> Expr:
    return Name(span=low.span(node), id="this")


def _base(low: Lowering, node: Node) -> Expr:
    return Name(span=low.span(node), id="super")


def _type_value(low: Lowering, node: Node) -> Expr:
    written = node.child_by_field_name("type")
    if written is None:
        return low.opaque(node)
    return TypeValue(span=low.span(node), type=lower_type(low, written))


def _default(low: Lowering, node: Node) -> Expr:
    """`default` and `default(T)`."""
    span = low.span(node)
    value = UnsupportedSyntax(span=span, description=DEFAULT_VALUE)
    written = node.child_by_field_name("type")
    if written is None:
        return value
    return Cast(span=span, type=lower_type(low, written), value=value)


def _declared_variable(low: Lowering, node: Node) -> Expr:
    """The variable that `out var x` declares as an argument."""
    name = node.child_by_field_name("name")
    return _identifier(low, name) if name is not None else low.opaque(node)


def _inner_expression(low: Lowering, node: Node) -> Expr:
    """A node that adds nothing to the value of the expression inside it."""
    inner = children(node)
    return low.expression(inner[-1]) if inner else low.opaque(node)


EXPRESSIONS: dict[str, LowerExpression] = {
    **dict.fromkeys(_LINKS, _chain),
    "identifier": _identifier,
    "predefined_type": _predefined_type_name,
    "generic_name": _generic_name,
    "qualified_name": _qualified_name,
    "alias_qualified_name": _qualified_name,
    "this": _this,
    "base": _base,
    "typeof_expression": _type_value,
    "default_expression": _default,
    "declaration_expression": _declared_variable,
    "ref_expression": _inner_expression,
}
