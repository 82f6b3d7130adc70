"""C# attributes, parameters, methods and lambdas -> annotations, parameters, functions."""

from __future__ import annotations

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.parsers.source.csharp.lowering.context import LowerExpression, Lowering, children
from contract_scan.parsers.source.csharp.lowering.expressions import lower_arguments
from contract_scan.parsers.source.csharp.lowering.types import (
    declared_type,
    lower_type,
    type_parameters,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    Attribute,
    Call,
    Evaluate,
    Expr,
    Function,
    Lambda,
    Name,
    NamedType,
    Param,
    Statement,
    TypeExpr,
)

# --------------------------------------------------------------------------- attributes


def attributes(low: Lowering, node: Node) -> tuple[Annotation, ...]:
    """The attributes in front of a declaration, in order."""
    found: list[Annotation] = []
    for part in children(node):
        if part.type == "attribute_list":
            found.extend(attribute_list(low, part))
    return tuple(found)


def attribute_list(low: Lowering, node: Node) -> list[Annotation]:
    """The attributes of one `[…]`."""
    target = ""
    found: list[Annotation] = []
    for child in children(node):
        if child.type == "attribute_target_specifier":
            target = low.text(child).rstrip(": \t\r\n")
        elif child.type == "attribute":
            found.append(_attribute(low, child, target))
    return found


def _attribute(low: Lowering, node: Node, target: str) -> Annotation:
    written = node.child_by_field_name("name")
    type_args: tuple[TypeExpr, ...] = ()
    name = ""
    if written is not None:
        named = lower_type(low, written)
        name = named.name.split("`")[0] if isinstance(named, NamedType) else low.text(written)
        type_args = named.args if isinstance(named, NamedType) else ()
    arguments = next((c for c in children(node) if c.type == "attribute_argument_list"), None)
    return Annotation(
        span=low.span(node),
        name=name,
        args=_attribute_arguments(low, arguments),
        has_parentheses=arguments is not None,
        callee=_member_access(name, low.span(written or node)),
        type_args=type_args,
        target=target,
    )


def _attribute_arguments(low: Lowering, node: Node | None) -> tuple[Argument, ...]:
    if node is None:
        return ()
    found: list[Argument] = []
    for child in children(node):
        if child.type != "attribute_argument":
            continue
        name = child.child_by_field_name("name")
        values = [part for part in children(child) if part != name]
        value = low.expression(values[-1]) if values else low.opaque(child)
        found.append(Argument(value=value, name=low.identifier(name)))
    return tuple(found)


def _member_access(name: str, span: Span) -> Expr:
    first, *rest = name.split(".")
    value: Expr = Name(span=span, id=first)
    for part in rest:
        value = Attribute(span=span, value=value, name=part)
    return value


# --------------------------------------------------------------------------- parameters


def parameters(low: Lowering, node: Node | None) -> tuple[Param, ...]:
    """The parameters of a function. A `params` array is variadic."""
    if node is None:
        return ()
    if node.type in ("implicit_parameter", "identifier"):
        return (Param(span=low.span(node), name=low.identifier(node)),)
    found = [_parameter(low, child) for child in children(node) if child.type == "parameter"]
    variadic = _variadic(low, node)
    return tuple(found) if variadic is None else (*found, variadic)


def _parameter(low: Lowering, node: Node) -> Param:
    name = node.child_by_field_name("name")
    written = node.child_by_field_name("type")
    default = _default(node, name)
    return Param(
        span=low.span(node),
        name=low.identifier(name),
        type=declared_type(low, written),
        default=low.expression(default) if default is not None else None,
        annotations=attributes(low, node),
        modifiers=modifiers(low, node),
        name_span=low.span(name) if name is not None else NO_SPAN,
    )


def _default(node: Node, name: Node | None) -> Node | None:
    """The node behind `=`."""
    if not any(child.type == "=" for child in node.children):
        return None
    last = children(node)[-1]
    return last if last != name else None


def _variadic(low: Lowering, node: Node) -> Param | None:
    """`params T[] rest`: the grammar lists its parts among the parameters."""
    if not any(child.type == "params" for child in node.children):
        return None
    name, written = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None:
        return None
    span = low.span(written or name, name)
    return Param(
        span=span,
        name=low.identifier(name),
        type=declared_type(low, written),
        kind="*",
        name_span=low.span(name),
    )


def modifiers(low: Lowering, node: Node) -> tuple[str, ...]:
    """The modifiers of a declaration as written."""
    return tuple([low.text(child) for child in node.named_children if child.type == "modifier"])


# --------------------------------------------------------------------------- functions


def function(low: Lowering, node: Node, extra: tuple[str, ...] = ()) -> Function:
    """A method, constructor or local function. Its statements are lowered only where wanted."""
    name = node.child_by_field_name("name")
    body = function_body(node)
    written = modifiers(low, node)
    if body is None and "abstract" not in written:
        extra = (*extra, "abstract")
    if any(c.type == "explicit_interface_specifier" for c in node.named_children):
        extra = (*extra, "explicit")
    statements: tuple[Statement, ...] | None = None
    if body is not None and low.wants_body(node):
        statements = function_statements(low, node, body)
    return Function(
        span=low.span(node),
        name=low.identifier(name),
        params=parameters(low, node.child_by_field_name("parameters")),
        returns=declared_type(
            low, node.child_by_field_name("returns") or node.child_by_field_name("type")
        ),
        annotations=attributes(low, node),
        modifiers=(*written, *extra),
        type_params=type_parameters(low, node),
        body=statements,
        name_span=low.span(name) if name is not None else NO_SPAN,
    )


_TASKS = frozenset({"Task", "ValueTask"})
CONVERSIONS = {"implicit": "op_Implicit", "explicit": "op_Explicit"}
"""What the run time calls operators that convert."""


def conversion(low: Lowering, node: Node) -> Function:
    """`public static implicit operator Result<T>(T value) => new(value);`, a method that has the
    name which the run time gives it."""
    kinds = [CONVERSIONS[child.type] for child in node.children if child.type in CONVERSIONS]
    found = function(low, node, ("operator",))
    return replace(found, name=kinds[0] if kinds else CONVERSIONS["explicit"])


def function_statements(low: Lowering, node: Node, body: Node) -> tuple[Statement, ...]:
    """The statements of a function; a constructor's `: base(…)` comes first, as a call."""
    around, low.result = low.result, _result_type(low, node)
    try:
        return _statements(low, node, body)
    finally:
        low.result = around


def _result_type(low: Lowering, node: Node) -> TypeExpr | None:
    """The declared type of what a function returns; of an asynchronous one, what is awaited."""
    written = node.child_by_field_name("returns") or node.child_by_field_name("type")
    type = declared_type(low, written)
    if "async" not in modifiers(low, node):
        return type
    match type:
        case NamedType(name=name, args=(item,)) if name.partition("`")[0] in _TASKS:
            return item
        case _:
            return None


def _statements(low: Lowering, node: Node, body: Node) -> tuple[Statement, ...]:
    initializer = next(
        (c for c in node.named_children if c.type == "constructor_initializer"), None
    )
    if initializer is None:
        return low.block(body)
    span = low.span(initializer)
    base = any(child.type == "base" for child in initializer.children)
    listed = next((c for c in initializer.named_children if c.type == "argument_list"), None)
    call = Call(
        span=span,
        callee=Name(span=span, id="super" if base else "this"),
        args=lower_arguments(low, listed),
    )
    return (Evaluate(span=span, value=call), *low.block(body))


def function_body(node: Node) -> Node | None:
    """The block or `=> value` of a function node."""
    body = node.child_by_field_name("body")
    if body is not None:
        return body
    return next(
        (c for c in node.named_children if c.type in ("block", "arrow_expression_clause")), None
    )


def _lambda_statements(low: Lowering, body: Node | None) -> tuple[Statement, ...]:
    """The statements of a lambda, whose result its place declares."""
    around, low.result = low.result, None
    try:
        return low.block(body) if body is not None else ()
    finally:
        low.result = around


def _lambda(low: Lowering, node: Node) -> Expr:
    body = function_body(node)
    span = low.span(node)
    function = Function(
        span=span,
        name="",
        params=parameters(low, node.child_by_field_name("parameters")),
        returns=declared_type(low, node.child_by_field_name("type")),
        annotations=attributes(low, node),
        modifiers=modifiers(low, node),
        body=_lambda_statements(low, body),
    )
    return Lambda(span=span, function=function)


FUNCTIONS: dict[str, LowerExpression] = {
    "lambda_expression": _lambda,
    "anonymous_method_expression": _lambda,
}
