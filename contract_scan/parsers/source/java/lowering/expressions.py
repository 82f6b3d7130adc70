"""Expressions of Java -> expressions of the neutral form.

Chains that lean to the left (`a.b().c()`, `a + b + c`) are walked in a loop, so that their length
costs no recursion; everything else counts its depth.
"""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.conditionals import CASE, conditional
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Choice,
    Entry,
    Expr,
    Function,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    New,
    OperationExpr,
    Param,
    Return,
    Text,
    TypeValue,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.java.lowering.annotations import (
    lower_annotation,
    lower_dotted_name,
    parameters,
)
from contract_scan.parsers.source.java.lowering.literals import (
    float_value,
    integer_value,
    string_value,
)
from contract_scan.parsers.source.java.lowering.types import (
    COMMENTS,
    MAX_DEPTH,
    TOO_DEEP,
    Reader,
    lower_type,
    type_arguments,
    with_dimensions,
)

MAX_OPERANDS = 2000
"""Operands of one chain of operators that are read."""
_CHAIN = {"method_invocation": "object", "field_access": "object", "array_access": "array"}
"""Expressions that apply something to the value on their left, and the field of that value."""


def lower_expression(reader: Reader, node: Node, depth: int = 0) -> Expr:
    """One expression, whatever it is; without a word for it: `UnsupportedSyntax`."""
    node = _without_parentheses(node)
    chain: list[Node] = []
    while (field := _CHAIN.get(node.type)) is not None:
        inner = node.child_by_field_name(field)
        if inner is None:
            break
        chain.append(node)
        node = _without_parentheses(inner)
    if len(chain) > MAX_DEPTH:
        reader.unread.append(reader.span(chain[0]))
    depth += len(chain)
    if depth > MAX_DEPTH:
        return UnsupportedSyntax(
            description=TOO_DEEP, span=reader.span(chain[0] if chain else node)
        )
    value = _atom(reader, node, depth)
    for link in reversed(chain):
        value = _lower_link(reader, link, value, depth)
    return value


def readable_part(node: Node) -> Node:
    """A chain of calls as far as it is short enough to be read, from its first call on."""
    links: list[Node] = []
    inner: Node | None = _without_parentheses(node)
    while inner is not None and (field := _CHAIN.get(inner.type)) is not None:
        links.append(inner)
        below = inner.child_by_field_name(field)
        inner = None if below is None else _without_parentheses(below)
    return node if len(links) <= MAX_DEPTH else links[-MAX_DEPTH // 2]


def _without_parentheses(node: Node) -> Node:
    while node.type == "parenthesized_expression":
        inner = next((c for c in node.named_children if c.type not in COMMENTS), None)
        if inner is None:
            break
        node = inner
    return node


def _lower_link(reader: Reader, node: Node, value: Expr, depth: int) -> Expr:
    """One link of a chain: call, attribute or index of `value`."""
    span = reader.span(node)
    match node.type:
        case "method_invocation":
            if any(child.type == "super" for child in node.children[1:]):
                value = Name(id="super", span=value.span)
            name = node.child_by_field_name("name")
            callee = Attribute(
                value=value, name=reader.text(name) if name is not None else "", span=span
            )
            return _call(reader, node, callee, depth)
        case "field_access":
            field = node.child_by_field_name("field")
            return Attribute(
                value=value, name=reader.text(field) if field is not None else "", span=span
            )
        case _:
            index = node.child_by_field_name("index")
            key = _optional(reader, index, depth)
            return Index(value=value, index=key, span=span)


def _optional(reader: Reader, node: Node | None, depth: int) -> Expr:
    return (
        UnsupportedSyntax(description="missing")
        if node is None
        else lower_expression(reader, node, depth + 1)
    )


def _call(reader: Reader, node: Node, callee: Expr, depth: int) -> Call:
    type_args = node.child_by_field_name("type_arguments")
    return Call(
        callee=callee,
        args=arguments(reader, node.child_by_field_name("arguments"), depth),
        type_args=type_arguments(reader, type_args) if type_args is not None else (),
        span=reader.span(node),
    )


def arguments(reader: Reader, node: Node | None, depth: int = 0) -> tuple[Argument, ...]:
    """Arguments of a call, a construction or an enum constant."""
    if node is None:
        return ()
    return tuple(
        Argument(value=lower_expression(reader, child, depth + 1))
        for child in node.named_children
        if child.type not in COMMENTS
    )


def _atom(reader: Reader, node: Node, depth: int) -> Expr:
    """An expression that is no link of a chain."""
    match node.type:
        case "identifier" | "this" | "super" | "type_identifier":
            return Name(id=reader.text(node), span=reader.span(node))
        case "string_literal" | "character_literal":
            return LiteralExpr(value=string_value(reader.text(node)), span=reader.span(node))
        case "true" | "false":
            return LiteralExpr(value=node.type == "true", span=reader.span(node))
        case "null_literal":
            return LiteralExpr(value=None, span=reader.span(node))
        case "method_invocation":
            name = node.child_by_field_name("name")
            text = reader.text(name) if name is not None else ""
            callee = Name(id=text, is_method=True, span=reader.span(name or node))
            return _call(reader, node, callee, depth)
        case "object_creation_expression":
            return creation(
                reader, node, arguments(reader, node.child_by_field_name("arguments"), depth), depth
            )
        case "lambda_expression":
            return Lambda(function=_lambda(reader, node, depth), span=reader.span(node))
        case "binary_expression":
            return _operators(reader, node, depth)
        case "class_literal" if node.named_child_count:
            types = type_arguments(reader, node, depth)
            return TypeValue(type=types[0], span=reader.span(node))
        case "array_initializer" | "element_value_array_initializer":
            items = tuple(a.value for a in arguments(reader, node, depth))
            return ArrayLiteral(items=items, span=reader.span(node))
        case "annotation" | "marker_annotation":
            written = lower_annotation(reader, node, depth)
            callee_or_name = written.callee or Name(id=written.name)
            return Call(callee=callee_or_name, args=written.args, span=written.span)
        case _:
            return _rarer_atom(reader, node, depth)


def _rarer_atom(reader: Reader, node: Node, depth: int) -> Expr:
    span = reader.span(node)
    match node.type:
        case "ternary_expression":
            parts = (
                node.child_by_field_name(f) for f in ("condition", "consequence", "alternative")
            )
            test, *options = (_optional(reader, part, depth) for part in parts)
            return conditional([test], options, span)
        case "cast_expression":
            return _cast(reader, node, depth)
        case "assignment_expression":
            # Where it stands inside an expression, an assignment is the value it assigns.
            return _optional(reader, node.child_by_field_name("right"), depth)
        case "method_reference":
            return _method_reference(reader, node, depth)
        case "switch_expression":
            return _switch_value(reader, node, depth)
        case "instanceof_expression":
            return _instance_test(reader, node, depth)
        case "array_creation_expression":
            return _array_creation(reader, node, depth)
        case "unary_expression":
            return _unary(reader, node, depth)
        case "update_expression":
            operand = lower_expression(reader, node.named_children[0], depth + 1)
            sign = next((c.type for c in node.children if c.type in ("++", "--")), "")
            return OperationExpr(operator=sign, operands=(operand,), span=span)
        case "scoped_identifier":
            return lower_dotted_name(reader, node)
        case kind if kind.endswith("integer_literal"):
            number = integer_value(reader.text(node))
            return _number(number, span_of=node, reader=reader)
        case kind if kind.endswith("floating_point_literal"):
            return _number(float_value(reader.text(node)), span_of=node, reader=reader)
        case kind:
            return UnsupportedSyntax(description=kind.replace("_", " "), span=span)


def _number(value: float | None, *, span_of: Node, reader: Reader) -> Expr:
    span = reader.span(span_of)
    if value is None:
        return UnsupportedSyntax(description="number", span=span)
    return LiteralExpr(value=value, span=span)


def _unary(reader: Reader, node: Node, depth: int) -> Expr:
    operand = _optional(reader, node.child_by_field_name("operand"), depth)
    sign = node.child_by_field_name("operator")
    symbol = reader.text(sign) if sign is not None else ""
    if symbol == "-" and isinstance(operand, LiteralExpr):
        value = operand.value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return LiteralExpr(value=-value, span=reader.span(node))
    return OperationExpr(operator=symbol, operands=(operand,), span=reader.span(node))


def _operators(reader: Reader, node: Node, depth: int) -> Expr:
    """A chain of one operator. `+` between strings (or with one) is a text."""
    operator = node.child_by_field_name("operator")
    symbol = operator.type if operator is not None else ""
    span = reader.span(node)
    operands: list[Node] = []
    current = node
    while current.type == "binary_expression":
        sign = current.child_by_field_name("operator")
        left = current.child_by_field_name("left")
        right = current.child_by_field_name("right")
        if left is None or right is None or sign is None or sign.type != symbol:
            break
        operands.append(right)
        current = _without_parentheses(left)
    operands.append(current)
    if len(operands) > MAX_OPERANDS or len(operands) == 1:
        return UnsupportedSyntax(
            description=TOO_DEEP if len(operands) > 1 else "operator", span=span
        )
    values = [lower_expression(reader, operand, depth + 1) for operand in reversed(operands)]
    if symbol == "+" and any(_is_text(value) for value in values):
        return Text(parts=_text_parts(values), span=span)
    return OperationExpr(operator=symbol, operands=tuple(values), span=span)


def _is_text(value: Expr) -> bool:
    return isinstance(value, Text) or (
        isinstance(value, LiteralExpr) and isinstance(value.value, str)
    )


def _text_parts(values: list[Expr]) -> tuple[Expr, ...]:
    """Parts of a concatenation: what stands before the first string is added up first."""
    first = next(i for i, value in enumerate(values) if _is_text(value))
    sum_before = tuple(values[:first])
    parts: list[Expr] = []
    if len(sum_before) > 1:
        parts.append(OperationExpr(operator="+", operands=sum_before, span=sum_before[0].span))
    else:
        parts.extend(sum_before)
    for value in values[first:]:
        parts.extend(value.parts if isinstance(value, Text) else (value,))
    return tuple(parts)


def _cast(reader: Reader, node: Node, depth: int) -> Expr:
    types = node.children_by_field_name("type")
    value = _optional(reader, node.child_by_field_name("value"), depth)
    if not types:
        return value
    # Of `(A & B) value` the first type is the one that carries data; the others are markers.
    return Cast(type=lower_type(reader, types[0], depth), value=value, span=reader.span(node))


def _method_reference(reader: Reader, node: Node, depth: int) -> Expr:
    children = [c for c in node.children if c.type not in COMMENTS and c.type != "::"]
    if len(children) < 2:
        return UnsupportedSyntax(description="method reference", span=reader.span(node))
    owner, method = children[0], children[-1]
    value: Expr
    if owner.type in ("generic_type", "array_type"):
        value = TypeValue(type=lower_type(reader, owner, depth), span=reader.span(owner))
    elif owner.type == "scoped_type_identifier":
        value = lower_dotted_name(reader, owner)
    else:
        value = lower_expression(reader, owner, depth + 1)
    return Attribute(value=value, name=reader.text(method), span=reader.span(node))


def _instance_test(reader: Reader, node: Node, depth: int) -> Expr:
    left = _optional(reader, node.child_by_field_name("left"), depth)
    right = node.child_by_field_name("right")
    operands: tuple[Expr, ...] = (left,)
    if right is not None:
        operands = (left, TypeValue(type=lower_type(reader, right), span=reader.span(right)))
    return OperationExpr(operator="instanceof", operands=operands, span=reader.span(node))


def _array_creation(reader: Reader, node: Node, depth: int) -> Expr:
    values = node.child_by_field_name("value")
    if values is not None:
        return lower_expression(reader, values, depth + 1)
    type_node = node.child_by_field_name("type")
    if type_node is None:
        return UnsupportedSyntax(description="array creation", span=reader.span(node))
    item = lower_type(reader, type_node, depth)
    for dimension in node.children_by_field_name("dimensions")[:MAX_DEPTH]:
        item = with_dimensions(item, dimension)
    return New(type=item, span=reader.span(node))


def _switch_value(reader: Reader, node: Node, depth: int) -> Expr:
    """The values that the branches of a switch expression yield; throwing branches yield none."""
    body = node.child_by_field_name("body")
    condition = node.child_by_field_name("condition")
    subject = _optional(reader, condition, depth)
    tests: list[Expr] = []
    options: list[Expr | None] = []
    default: list[Expr] = []
    labels: list[Expr] = []
    takes_rest = False
    for rule in body.named_children if body is not None else ():
        if rule.type not in ("switch_rule", "switch_block_statement_group"):
            continue
        values: list[Expr] = []
        for child in rule.named_children:
            if child.type == "switch_label":
                labels.extend(switch_labels(reader, child, depth))
                takes_rest |= any(part.type == "default" for part in child.children)
            elif child.type == "expression_statement" and rule.type == "switch_rule":
                values.append(lower_expression(reader, child.named_children[0], depth + 1))
            else:
                values.extend(_yields(reader, child, depth))
        if takes_rest:
            default.extend(values)
        elif values or rule.type == "switch_rule":
            tests.append(_label_test(subject, labels, reader.span(rule)))
            options.append(_choice(values))
        if values or rule.type == "switch_rule":
            labels, takes_rest = [], False
    options.append(_choice(default))
    if not tests or not any(options):
        return Choice(options=tuple(filter(None, options)), span=reader.span(node))
    return conditional(tests, options, reader.span(node))


def _choice(values: list[Expr]) -> Expr | None:
    if len(values) < 2:
        return values[0] if values else None
    return Choice(options=tuple(values), span=values[0].span)


def _label_test(subject: Expr, labels: list[Expr], span: Span) -> Expr:
    label = labels[0] if len(labels) == 1 else ArrayLiteral(items=tuple(labels), span=span)
    return OperationExpr(operator=CASE, operands=(subject, label), span=span)


def switch_labels(reader: Reader, node: Node, depth: int) -> list[Expr]:
    """Constants of a `case` label; `default` and patterns are opaque."""
    if not node.named_child_count:
        return [UnsupportedSyntax(description="default", span=reader.span(node))]
    return [
        lower_expression(reader, child, depth)
        for child in node.named_children
        if child.type not in COMMENTS
    ]


def _yields(reader: Reader, node: Node, depth: int) -> list[Expr]:
    """Values of the `yield` statements in a block, without those of switches within it."""
    found: list[Expr] = []
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type == "yield_statement":
            found.append(_optional(reader, next(iter(current.named_children), None), depth))
        elif current.type not in ("switch_expression", "lambda_expression", "class_body"):
            pending.extend(reversed(current.named_children))
    return found


def _lambda(reader: Reader, node: Node, depth: int) -> Function:
    body = node.child_by_field_name("body")
    if body is None:
        statements = None
    elif body.type == "block":
        statements = reader.block(reader, body, depth + 1)
    else:
        value = lower_expression(reader, body, depth + 1)
        statements = (Return(value=value, span=value.span),)
    return Function(
        name="",
        params=_lambda_params(reader, node.child_by_field_name("parameters")),
        body=statements,
        span=reader.span(node),
    )


def _lambda_params(reader: Reader, node: Node | None) -> tuple[Param, ...]:
    if node is None:
        return ()
    if node.type == "formal_parameters":
        return parameters(reader, node)
    names = [node] if node.type == "identifier" else node.named_children
    return tuple(
        Param(name=reader.text(name), span=reader.span(name))
        for name in names
        if name.type == "identifier"
    )


# `new Type(…)` of Java, with anonymous classes and initialiser blocks.

_ENTRY_METHODS = {"put": 2, "add": 1, "putAll": 1, "addAll": 1}
"""Methods that fill a collection in an initialiser block, with their number of arguments."""
_OTHER_INITIALISER = "statement in an initialiser block"


def creation(reader: Reader, node: Node, args: tuple[Argument, ...], depth: int) -> New:
    """`new Type(…)`, with the entries and members that a class body after it adds."""
    type_node = node.child_by_field_name("type")
    body = next((c for c in node.named_children if c.type == "class_body"), None)
    entries: tuple[Entry, ...] = ()
    members = None
    if body is not None:
        entries = _initialiser_entries(reader, body, depth)
        members = reader.class_body(reader, body, depth + 1)
        if not members.members and not members.methods and not members.classes:
            members = None
    return New(
        type=lower_type(reader, type_node) if type_node is not None else None,
        args=args,
        entries=entries,
        members=members,
        span=reader.span(node),
    )


def _initialiser_entries(reader: Reader, body: Node, depth: int) -> tuple[Entry, ...]:
    """Entries that `{{ put("a", b); add(c); }}` fills into the new collection.

    Any other statement may add further entries: it stands as a spread of something opaque.
    """
    return tuple(
        _initialiser_entry(reader, statement, depth)
        for block in body.named_children
        if block.type == "block"
        for statement in block.named_children
        if statement.type not in COMMENTS
    )


def _initialiser_entry(reader: Reader, statement: Node, depth: int) -> Entry:
    span = reader.span(statement)
    other = Entry(
        value=UnsupportedSyntax(description=_OTHER_INITIALISER, span=span), spread=True, span=span
    )
    if statement.type != "expression_statement":
        return other
    call = reader.expression(reader, statement.named_children[0], depth + 1)
    if not isinstance(call, Call):
        return other
    match call.callee:
        case Name(id=name) | Attribute(value=Name(id="this"), name=name):
            pass
        case _:
            return other
    if _ENTRY_METHODS.get(name) != len(call.args):
        return other
    if name != "put":
        return Entry(value=call.args[0].value, spread=name.endswith("All"), span=span)
    key, value = call.args[0].value, call.args[1].value
    if isinstance(key, LiteralExpr) and isinstance(key.value, str):
        return Entry(value=value, key=key.value, span=span)
    return Entry(value=value, key_expression=key, span=span)
