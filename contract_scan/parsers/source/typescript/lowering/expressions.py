"""Expression syntax -> expressions."""

from __future__ import annotations

from msgspec.structs import replace
from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.conditionals import conditional
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    OperationExpr,
    Spread,
    Text,
    TypeExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.typescript.lowering import objects, params, types
from contract_scan.parsers.source.typescript.lowering.context import (
    MAX_CHAIN,
    MAX_DEPTH,
    TOO_DEEP,
    Lowering,
    named_children,
    unescape,
)

_CHAIN = frozenset(
    {"call_expression", "member_expression", "subscript_expression", "non_null_expression"}
)
_CHOICES = frozenset({"||", "??"})
_IN_TYPES = frozenset({"<", ">", "|", "&"})
"""Operators that the grammar may see where type arguments stand."""
_WORDS = {"true": True, "false": False, "null": None}


def lower_expression(context: Lowering, node: Node) -> Expr:
    """An expression node as an expression; what has no word there is `UnsupportedSyntax`."""
    while node.type in ("parenthesized_expression", "await_expression"):
        inner = list(named_children(node))
        if not inner:
            return UnsupportedSyntax(description="empty expression", span=context.span(node))
        node = inner[-1]
    if context.depth >= MAX_DEPTH:
        return UnsupportedSyntax(description=TOO_DEEP, span=context.span(node))
    context.depth += 1
    try:
        return _lower(context, node)
    finally:
        context.depth -= 1


def _lower(context: Lowering, node: Node) -> Expr:
    span = context.span(node)
    match node.type:
        case "identifier" | "undefined" | "this" | "super" | "shorthand_property_identifier":
            return Name(id=context.text(node), span=span)
        case "string":
            return LiteralExpr(value=context.string(node), span=span)
        case "number":
            return context.number(context.text(node), node)
        case "true" | "false" | "null":
            return LiteralExpr(value=_WORDS[node.type], span=span)
        case "template_string":
            return _template(context, node)
        case "call_expression" | "member_expression" | "subscript_expression":
            return _chain(context, node)
        case "non_null_expression" | "spread_element":
            return _inner_expression(context, node)
        case "object":
            return objects.lower_object(context, node)
        case "array":
            items = tuple(lower_expression(context, child) for child in named_children(node))
            return ArrayLiteral(items=items, span=span)
        case "arrow_function" | "function_expression" | "generator_function":
            return Lambda(function=context.function(node), span=span)
        case "binary_expression":
            return _binary(context, node)
        case "unary_expression" | "update_expression":
            return _unary(context, node)
        case "ternary_expression":
            return _ternary(context, node)
        case "new_expression":
            return _construction(context, node)
        case "as_expression" | "satisfies_expression" | "type_assertion":
            return _cast(context, node)
        case "assignment_expression" | "augmented_assignment_expression":
            right = node.child_by_field_name("right")
            if right is not None:
                return lower_expression(context, right)
        case "sequence_expression":
            return lower_expression(context, node.named_children[-1])
        case "object_pattern" | "array_pattern":
            return params.lower_pattern(context, node)
        case "instantiation_expression":
            return lower_expression(context, node.named_children[0])
        case "regex":
            return UnsupportedSyntax(
                description=f"regular expression {context.text(node)}", span=span
            )
        case "meta_property" if context.text(node) == "import.meta":
            return Attribute(value=Name(id="import", span=span), name="meta", span=span)
        case "class":
            return UnsupportedSyntax(description="class expression", span=span)
        case "jsx_element" | "jsx_self_closing_element":
            return UnsupportedSyntax(description="JSX element", span=span)
    return UnsupportedSyntax(description=node.type.replace("_", " "), span=span)


# ------------------------------------------------------------------ literals


def _template(context: Lowering, node: Node) -> Expr:
    parts: list[Expr] = []
    text = ""
    for child in node.named_children:
        if child.type == "template_substitution":
            if text:
                parts.append(LiteralExpr(value=unescape(text), span=context.span(node)))
                text = ""
            inner = next(named_children(child), None)
            if inner is not None:
                parts.append(lower_expression(context, inner))
        elif child.type in ("string_fragment", "escape_sequence"):
            text += context.text(child)
    if not parts:
        return LiteralExpr(value=unescape(text), span=context.span(node))
    if text:
        parts.append(LiteralExpr(value=unescape(text), span=context.span(node)))
    return Text(parts=tuple(parts), span=context.span(node))


# ------------------------------------------------------------------ chains


def _inner_expression(context: Lowering, node: Node) -> Expr:
    """What stands inside `value!` and `...value`; the latter as `Spread`."""
    inner = next(named_children(node), None)
    if inner is None:
        return UnsupportedSyntax(description="empty expression", span=context.span(node))
    value = lower_expression(context, inner)
    if node.type == "spread_element":
        return Spread(value=value, span=context.span(node))
    if isinstance(value, Call):  # `(await find())!`: what a call gives is not null here
        return OperationExpr(operator="present", operands=(value,), span=context.span(node))
    return value


def _chain(context: Lowering, node: Node) -> Expr:
    """`a.b(c)[d]!.e`: links nest to the left, so they are walked, not recursed into."""
    links: list[Node] = []
    current: Node | None = node
    while current is not None and current.type in _CHAIN and len(links) <= MAX_CHAIN:
        links.append(current)
        current = _inner(current)
    result: Expr
    if current is None or len(links) > MAX_CHAIN:
        result = UnsupportedSyntax(description=TOO_DEEP, span=context.span(node))
    elif current.type == "import":
        result = Name(id="import", span=context.span(current))
    else:
        result = lower_expression(context, current)
    for link in reversed(links):
        result = _chain_link(context, link, result)
    return result


def _inner(node: Node) -> Node | None:
    if node.type == "call_expression":
        inner = node.child_by_field_name("function")
    elif node.type == "non_null_expression":
        inner = next(named_children(node), None)
    else:
        inner = node.child_by_field_name("object")
    while inner is not None and inner.type in ("parenthesized_expression", "await_expression"):
        inner = next(named_children(inner), None)
    return inner


def _chain_link(context: Lowering, node: Node, value: Expr) -> Expr:
    span = context.span(node)
    if node.type == "non_null_expression":
        return value
    if node.type == "member_expression":
        name = node.child_by_field_name("property")
        optional = any(child.type == "optional_chain" for child in node.children)
        text = context.text(name) if name else ""
        whole = _type_of_three_names(node, value, text)
        if whole is not None:
            return replace(whole, span=span)
        return Attribute(value=value, name=text, optional=optional, span=span)
    if node.type == "subscript_expression":
        index = node.child_by_field_name("index")
        if index is None:
            return UnsupportedSyntax(description="empty index", span=span)
        key = lower_expression(context, index)
        while isinstance(key, Cast):  # what a key is called is its value alone
            key = key.value
        return Index(value=value, index=key, span=span)
    arguments = node.child_by_field_name("arguments")
    if arguments is not None and arguments.type == "template_string":
        args: tuple[Argument, ...] = (Argument(value=lower_expression(context, arguments)),)
    else:
        args = lower_arguments(context, arguments)
    if isinstance(value, Name) and value.id in ("require", "import") and len(args) == 1:
        module = args[0].value
        if isinstance(module, LiteralExpr) and isinstance(module.value, str):
            return Name(id=context.module(module.value), span=span)
    type_args = types.lower_type_arguments(context, node.child_by_field_name("type_arguments"))
    return Call(callee=value, args=args, type_args=type_args, span=span)


def lower_arguments(context: Lowering, node: Node | None) -> tuple[Argument, ...]:
    """The arguments of a call; none for None."""
    if node is None:
        return ()
    found = []
    for child in named_children(node):
        value = lower_expression(context, child)
        if isinstance(value, Spread):
            found.append(Argument(value=value.value, spread="*"))
        else:
            found.append(Argument(value=value))
    return tuple(found)


def _construction(context: Lowering, node: Node) -> Expr:
    constructor = node.child_by_field_name("constructor")
    made: TypeExpr | None = None
    type_args = types.lower_type_arguments(context, node.child_by_field_name("type_arguments"))
    if constructor is not None:
        name = params.dotted_name_of(lower_expression(context, constructor))
        if name:
            made = NamedType(name=name, args=type_args, span=context.span(constructor))
    args = lower_arguments(context, node.child_by_field_name("arguments"))
    return New(type=made, args=args, span=context.span(node))


# ------------------------------------------------------------------ operators


def _binary(context: Lowering, node: Node) -> Expr:
    """`a + b + c` and its like nest to the left: walked, not recursed into."""
    operator = _operator_of(node)
    template = _template_of_generic_tag(node) if operator in _IN_TYPES else None
    if template is not None:
        tag = lower_expression(context, _end(node, "left"))
        return _tag_template(lower_expression(context, template), tag, context.span(node))
    operands: list[Node] = []
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        if _operator_of(current) != operator:
            break
        right = current.child_by_field_name("right")
        if right is not None:
            operands.append(right)
        current = current.child_by_field_name("left")
    if current is not None:
        operands.append(current)
    values = tuple(lower_expression(context, operand) for operand in reversed(operands))
    span = context.span(node)
    if operator in _CHOICES:
        return Choice(options=values, fallback=True, falsy=operator == "||", span=span)
    if operator == "&&":
        # The last operand, or the first that does not hold.
        failed = (OperationExpr(operator="falsy", operands=(v,), span=span) for v in values[:-1])
        return Choice(options=(*failed, values[-1]), span=span)
    if operator == "+" and any(_is_text(value) for value in values):
        parts: list[Expr] = []
        for value in values:
            parts.extend(value.parts if isinstance(value, Text) else (value,))
        return Text(parts=tuple(parts), span=span)
    return OperationExpr(operator=operator, operands=values, span=span)


def _is_text(expr: Expr) -> bool:
    return isinstance(expr, Text) or (isinstance(expr, LiteralExpr) and isinstance(expr.value, str))


def _unary(context: Lowering, node: Node) -> Expr:
    span = context.span(node)
    operators: list[str] = []
    current: Node | None = node
    while current is not None and current.type in ("unary_expression", "update_expression"):
        operators.append(_operator_of(current))
        current = current.child_by_field_name("argument")
        while current is not None and current.type == "parenthesized_expression":
            current = next(named_children(current), None)
    if current is None or len(operators) > MAX_DEPTH:
        return UnsupportedSyntax(description=TOO_DEEP, span=span)
    value = lower_expression(context, current)
    if operators == ["-"] and isinstance(value, LiteralExpr):
        number = value.value
        if isinstance(number, int | float) and not isinstance(number, bool):
            return LiteralExpr(value=-number, span=span)
    if operators == ["void"]:
        return Name(id="undefined", span=span)
    if operators == ["delete"] and isinstance(value, Attribute):
        # Written as the call that a Map has for the same thing.
        key = Argument(value=LiteralExpr(value=value.name, span=span))
        callee = Attribute(value=value.value, name="delete", span=span)
        return Call(callee=callee, args=(key,), span=span)
    for operator in reversed(operators):
        value = OperationExpr(operator=operator, operands=(value,), span=span)
    return value


def _ternary(context: Lowering, node: Node) -> Expr:
    """`a ? x : b ? y : z` nests to the right: walked, not recursed into."""
    tests: list[Expr] = []
    options: list[Expr] = []
    current: Node | None = node
    while current is not None and current.type == "ternary_expression":
        test = current.child_by_field_name("condition")
        chosen = current.child_by_field_name("consequence")
        if test is not None and chosen is not None:
            tests.append(lower_expression(context, test))
            options.append(lower_expression(context, chosen))
        current = current.child_by_field_name("alternative")
        while current is not None and current.type == "parenthesized_expression":
            current = next(named_children(current), None)
    if current is not None:
        options.append(lower_expression(context, current))
    return conditional(tests, options, context.span(node))


def _type_of_three_names(node: Node, value: Expr, name: str) -> Cast | None:
    """`value as api.schemas.Order`, which the grammar takes for a member of `value as api.schemas`:
    without parentheses no member of a cast can be read. None for anything else."""
    held = node.child_by_field_name("object")
    if held is None or held.type not in ("as_expression", "satisfies_expression"):
        return None
    if not isinstance(value, Cast) or not isinstance(value.type, NamedType):
        return None
    return replace(value, type=replace(value.type, name=f"{value.type.name}.{name}"))


def _cast(context: Lowering, node: Node) -> Expr:
    children = list(named_children(node))
    span = context.span(node)
    if node.type == "type_assertion" and len(children) == 2:
        kinds = list(named_children(children[0]))
        value = lower_expression(context, children[1])
        if not kinds:
            return value  # `<const>value`
        return Cast(type=types.lower_type(context, kinds[0]), value=value, span=span)
    if not children:
        return UnsupportedSyntax(description="empty expression", span=span)
    value = lower_expression(context, children[0])
    if len(children) < 2:
        return value  # `value as const`
    return Cast(
        type=types.lower_type(context, children[1]),
        value=value,
        checks_only=node.type == "satisfies_expression",
        span=span,
    )


def _template_of_generic_tag(node: Node) -> Node | None:
    """The template of a tag with type arguments (`` sql<Row>`…` ``), and what is called on it
    (`` sql<Row>`…`.as("x") ``), which the grammar takes for two comparisons; nobody compares the
    result of one with a template."""
    last = _end(node, "right")
    base: Node | None = last
    while base is not None and base.type in ("call_expression", "member_expression"):
        inner = "function" if base.type == "call_expression" else "object"
        base = base.child_by_field_name(inner)
    if base is None or base.type != "template_string" or last.parent is None:
        return None
    first = node
    while (left := first.child_by_field_name("left")) is not None:
        if left.type != "binary_expression":
            break
        first = left
    opened = _operator_of(first) == "<"
    return last if opened and _operator_of(last.parent).endswith(">") else None


def _tag_template(expr: Expr, tag: Expr, span: Span) -> Expr:
    """The template at the beginning of a chain of calls, given to its tag."""
    links: list[Call | Attribute] = []
    while isinstance(expr, Call | Attribute):
        links.append(expr)
        expr = expr.callee if isinstance(expr, Call) else expr.value
    found: Expr = Call(callee=tag, args=(Argument(value=expr),), span=span)
    for link in reversed(links):
        if isinstance(link, Call):
            found = replace(link, callee=found)
        else:
            found = replace(link, value=found)
    return found


def _end(node: Node, side: str) -> Node:
    """The operand at one end of nested binary expressions."""
    while node.type == "binary_expression":
        inner = node.child_by_field_name(side)
        if inner is None:
            break
        node = inner
    return node


def _operator_of(node: Node) -> str:
    """The operator of an expression; empty where it has none."""
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""
