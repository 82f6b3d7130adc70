"""C# operators -> expressions: arithmetic, choices, patterns, casts, queries."""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.parsers.source.csharp.lowering.context import (
    MAX_DEPTH,
    TOO_DEEP,
    LowerExpression,
    Lowering,
    children,
)
from contract_scan.parsers.source.csharp.lowering.expressions import NOT_NULL, call_marker
from contract_scan.parsers.source.csharp.lowering.queries import lower_query
from contract_scan.parsers.source.csharp.lowering.types import lower_type
from contract_scan.parsers.source.facts.conditionals import CASE, conditional
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Cast,
    Choice,
    Entry,
    Expr,
    LiteralExpr,
    ObjectLiteral,
    OperationExpr,
    Text,
    TypeValue,
    UnsupportedSyntax,
)

_MAX_CHANGES = 60
"""How often the operator of one run (`a + b - c …`) may change before it is `UnsupportedSyntax`."""


def _binary(low: Lowering, node: Node) -> Expr:
    """A run of binary operators, read along its left side without recursion."""
    if _operator(node) == "??":
        return _lower_coalescing(low, node)
    steps: list[tuple[str, Node | None, Node]] = []
    left: Node | None = node
    while left is not None and left.type == "binary_expression" and _operator(left) != "??":
        steps.append((_operator(left), left.child_by_field_name("right"), left))
        left = left.child_by_field_name("left")
    first = low.expression(left) if left is not None else low.opaque(node)
    return _fold_operations(low, first, list(reversed(steps)))


def _fold_operations(
    low: Lowering, first: Expr, steps: list[tuple[str, Node | None, Node]]
) -> Expr:
    """`first op right op right …`: equal operators next to each other become one operation."""
    value, run, operator, changes = first, [first], "", 0
    for symbol, right, node in steps:
        if symbol != operator and operator:
            value = _operation(low, operator, run, node)
            changes += 1
            if changes > _MAX_CHANGES:
                value = UnsupportedSyntax(span=low.span(node), description=TOO_DEEP)
            run = [value]
        operator = symbol
        run.append(low.expression(right) if right is not None else low.opaque(node))
    return _operation(low, operator, run, steps[-1][2]) if steps else value


def _operation(low: Lowering, operator: str, operands: list[Expr], node: Node) -> Expr:
    if operator == "+" and any(_is_text(operand) for operand in operands):
        parts: list[Expr] = []
        for operand in operands:
            parts.extend(operand.parts if isinstance(operand, Text) else (operand,))
        return Text(span=low.span(node), parts=tuple(parts))
    return OperationExpr(span=low.span(node), operator=operator, operands=tuple(operands))


def _is_text(expr: Expr) -> bool:
    return isinstance(expr, Text) or (isinstance(expr, LiteralExpr) and isinstance(expr.value, str))


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _lower_coalescing(low: Lowering, node: Node) -> Expr:
    """`a ?? b ?? c`, which the grammar nests to either side."""
    options: list[Expr] = []
    pending: list[Node] = [node]
    while pending:
        part = pending.pop()
        if part.type == "binary_expression" and _operator(part) == "??":
            sides = (part.child_by_field_name("right"), part.child_by_field_name("left"))
            pending.extend(side for side in sides if side is not None)
        elif part.type != "throw_expression":
            options.append(low.expression(part))
        else:
            return _choice(low, node, [call_marker(NOT_NULL, option) for option in options])
    return _choice(
        low, node, [*(call_marker(NOT_NULL, option) for option in options[:-1]), *options[-1:]]
    )


def _conditional(low: Lowering, node: Node) -> Expr:
    """`a ? b : c ? d : e`."""
    tests: list[Expr] = []
    options: list[Expr | None] = []
    part: Node | None = node
    while part is not None and part.type == "conditional_expression":
        test = part.child_by_field_name("condition")
        if test is None:
            break
        tests.append(low.expression(test))
        options.append(_unless_thrown(low, part.child_by_field_name("consequence")))
        part = part.child_by_field_name("alternative")
    options.append(_unless_thrown(low, part))
    if not any(options):
        return _choice(low, node, [])
    return conditional(tests, options, low.span(node))


def _unless_thrown(low: Lowering, node: Node | None) -> Expr | None:
    if node is None or node.type == "throw_expression":
        return None
    return low.expression(node)


def _switch(low: Lowering, node: Node) -> Expr:
    """`a switch { X => b, _ => c }`. Arms behind one that takes everything are never chosen."""
    tests: list[Expr] = []
    options: list[Expr | None] = []
    subject = low.expression(children(node)[0])
    for arm in children(node):
        if arm.type != "switch_expression_arm":
            continue
        parts = children(arm)
        options.append(_unless_thrown(low, parts[-1]))
        if len(parts) == 2 and parts[0].type == "discard":
            break
        tests.append(_arm_test(low, subject, arm))
    if len(options) == len(tests):
        options.append(None)  # what no arm takes is an exception
    if not any(options):
        return _choice(low, node, [])
    return conditional(tests, options, low.span(node))


def _arm_test(low: Lowering, subject: Expr, arm: Node) -> Expr:
    """The test of an arm: its pattern, and its guard where it has one."""
    pattern, *rest = children(arm)
    guards = [low.expression(children(part)[-1]) for part in rest if part.type == "when_clause"]
    if not guards:
        return _pattern_test(low, subject, pattern)
    if pattern.type == "discard":
        return guards[0]
    operands = (_pattern_test(low, subject, pattern), *guards)
    return OperationExpr(operator="&&", operands=operands, span=low.span(pattern))


def _pattern_test(low: Lowering, subject: Expr, pattern: Node) -> Expr:
    values = _constants(pattern)
    if not values:
        return _matches(low, pattern, subject, pattern)
    labels = [low.expression(value) for value in values]
    span = low.span(pattern)
    label = labels[0] if len(labels) == 1 else ArrayLiteral(items=tuple(labels), span=span)
    return OperationExpr(operator=CASE, operands=(subject, label), span=span)


def _constants(pattern: Node) -> list[Node]:
    """The constants of `X` or `X or Y`; none for other patterns."""
    found: list[Node] = []
    pending = [pattern]
    while pending:
        part = pending.pop()
        inner = children(part)
        if part.type == "constant_pattern" and inner:
            found.append(inner[0])
        elif part.type in ("or_pattern", "parenthesized_pattern") and inner:
            pending.extend(reversed(inner))
        else:
            return []
    return found


def _choice(low: Lowering, node: Node, options: list[Expr]) -> Expr:
    if not options:
        return UnsupportedSyntax(span=low.span(node), description="expression that always throws")
    return options[0] if len(options) == 1 else Choice(span=low.span(node), options=tuple(options))


# --------------------------------------------------------------------------- types and patterns


def _cast(low: Lowering, node: Node) -> Expr:
    written, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if written is None or value is None:
        return low.opaque(node)
    return Cast(span=low.span(node), type=lower_type(low, written), value=low.expression(value))


def _lower_as(low: Lowering, node: Node) -> Expr:
    value, written = node.child_by_field_name("left"), node.child_by_field_name("right")
    if written is None or value is None:
        return low.opaque(node)
    return Cast(span=low.span(node), type=lower_type(low, written), value=low.expression(value))


def _lower_is(low: Lowering, node: Node) -> Expr:
    value, written = node.child_by_field_name("left"), node.child_by_field_name("right")
    if written is None or value is None:
        return low.opaque(node)
    kind = TypeValue(span=low.span(written), type=lower_type(low, written))
    operands = (low.expression(value), kind)
    return OperationExpr(span=low.span(node), operator="is", operands=operands)


def _is_pattern(low: Lowering, node: Node) -> Expr:
    value, pattern = node.child_by_field_name("expression"), node.child_by_field_name("pattern")
    if value is None or pattern is None:
        return low.opaque(node)
    return _matches(low, node, low.expression(value), pattern)


def _matches(low: Lowering, node: Node, value: Expr, pattern: Node, negated: bool = False) -> Expr:
    """Whether a value has a pattern, in the form of a comparison."""
    span = low.span(node)
    match pattern.type:
        case "parenthesized_pattern" | "negated_pattern":
            inner = children(pattern)
            if inner and low.depth < MAX_DEPTH:
                low.depth += 1
                turned = negated != (pattern.type == "negated_pattern")
                result = _matches(low, node, value, inner[-1], turned)
                low.depth -= 1
                return result
        case "or_pattern" | "and_pattern" if low.depth < MAX_DEPTH:
            is_either = (pattern.type == "or_pattern") != negated
            low.depth += 1
            sides = tuple(_matches(low, node, value, side, negated) for side in children(pattern))
            low.depth -= 1
            operator = "||" if is_either else "&&"
            return OperationExpr(span=span, operator=operator, operands=sides)
        case "constant_pattern":
            inner = children(pattern)
            if inner:
                return _comparison(low, node, value, inner[0], negated)
        case "relational_pattern":
            inner = children(pattern)
            if inner:
                sign = pattern.children[0].type
                return _comparison(low, node, value, inner[0], negated, sign)
        case "recursive_pattern" if _asks_for_members(pattern):
            return _matches_members(low, node, value, pattern, negated)
        case "recursive_pattern" if pattern.child_by_field_name("type") is None:
            if not any(clause.named_children for clause in children(pattern)[:1]):
                null = LiteralExpr(span=span, value=None)
                operator = "==" if negated else "!="
                return OperationExpr(span=span, operator=operator, operands=(value, null))
        case "declaration_pattern" | "recursive_pattern" | "type_pattern":
            written = pattern.child_by_field_name("type")
            if written is not None and written.type != "implicit_type":
                kind = TypeValue(span=low.span(written), type=lower_type(low, written))
                test = OperationExpr(span=span, operator="is", operands=(value, kind))
                return _negate(test) if negated else test
        case _:
            pass
    test = OperationExpr(span=span, operator="is", operands=(value, low.opaque(pattern)))
    return _negate(test) if negated else test


def _asks_for_members(pattern: Node) -> bool:
    """Whether a pattern asks for more than a type, or that something is there: `Card { Id: 1 }`."""
    return any(
        clause.type in ("property_pattern_clause", "positional_pattern_clause")
        and bool(clause.named_children)
        for clause in children(pattern)
    )


def _matches_members(
    low: Lowering, node: Node, value: Expr, pattern: Node, negated: bool
) -> OperationExpr:
    """A pattern that asks for members: the value is of its type, or is there at all, and its
    members have patterns. Of positions nothing is known."""
    span = low.span(node)
    written = pattern.child_by_field_name("type")
    if written is None or written.type == "implicit_type":
        null = LiteralExpr(span=span, value=None)
        first = OperationExpr(span=span, operator="!=", operands=(value, null))
    else:
        kind = TypeValue(span=low.span(written), type=lower_type(low, written))
        first = OperationExpr(span=span, operator="is", operands=(value, kind))
    more = _member_patterns(low, node, value, pattern)
    if more is None:
        more = [OperationExpr(span=span, operator="is", operands=(value, low.opaque(pattern)))]
    test = OperationExpr(span=span, operator="&&", operands=(first, *more))
    return _negate(test) if negated else test


def _member_patterns(low: Lowering, node: Node, value: Expr, pattern: Node) -> list[Expr] | None:
    """Whether members have patterns: `{ Type: ErrorType.NotFound, Owner.Id: not null }`. None where
    a pattern asks for positions."""
    found: list[Expr] = []
    for clause in children(pattern):
        if clause.type == "positional_pattern_clause" or low.depth >= MAX_DEPTH:
            return None
        for part in children(clause) if clause.type == "property_pattern_clause" else ():
            named = children(part)
            if part.type != "subpattern" or len(named) != 2:
                return None
            member = value
            for name in low.text(named[0]).split("."):
                member = Attribute(span=value.span, value=member, name=name.strip())
            low.depth += 1
            found.append(_matches(low, node, member, named[1]))
            low.depth -= 1
    return found


def _negate(test: OperationExpr) -> OperationExpr:
    return OperationExpr(span=test.span, operator="!", operands=(test,))


def _comparison(
    low: Lowering, node: Node, value: Expr, constant: Node, negated: bool, sign: str = "=="
) -> Expr:
    """`x is null`, `x is >= 200`. The grammar takes `x is not null && y` for a pattern `null && y`:
    the logic behind the constant is put back around the comparison."""
    steps: list[tuple[str, Node | None, Node]] = []
    leaf: Node | None = constant
    while leaf is not None and leaf.type == "binary_expression" and _operator(leaf) in ("&&", "||"):
        steps.append((_operator(leaf), leaf.child_by_field_name("right"), leaf))
        leaf = leaf.child_by_field_name("left")
    span = low.span(node, leaf)
    is_name = leaf is not None and leaf.type == "identifier" and low.text(leaf)[:1].isupper()
    if leaf is not None and is_name and sign == "==":
        # A type by its name alone, which the grammar cannot tell from a constant.
        kind = TypeValue(span=low.span(leaf), type=lower_type(low, leaf))
        test = OperationExpr(span=span, operator="is", operands=(value, kind))
        return _fold_operations(low, _negate(test) if negated else test, list(reversed(steps)))
    other = low.expression(leaf) if leaf is not None else low.opaque(constant)
    operator = "!=" if negated and sign == "==" else sign
    test = OperationExpr(span=span, operator=operator, operands=(value, other))
    test = _negate(test) if negated and sign != "==" else test
    return _fold_operations(low, test, list(reversed(steps)))


# --------------------------------------------------------------------------- others


def _prefix(low: Lowering, node: Node) -> Expr:
    inner = children(node)
    if not inner:
        return low.opaque(node)
    operator = node.children[0].type
    value = low.expression(inner[-1])
    if operator == "-" and isinstance(value, LiteralExpr) and isinstance(value.value, int | float):
        return LiteralExpr(span=low.span(node), value=-value.value)
    if operator in ("+", "(", "++", "--", "&", "*"):
        return value
    return OperationExpr(span=low.span(node), operator=operator, operands=(value,))


def _assignment(low: Lowering, node: Node) -> Expr:
    """An assignment used as a value is the value assigned."""
    right = node.child_by_field_name("right")
    return low.expression(right) if right is not None else low.opaque(node)


def _with_expression(low: Lowering, node: Node) -> Expr:
    """`order with { Total = 1 }`: a copy of `order` with other members."""
    value, *changes = children(node) or [node]
    if value is node:
        return low.opaque(node)
    entries: list[Entry] = []
    for change in changes:
        parts = children(change)
        if len(parts) != 2:
            return low.opaque(node)
        given = low.expression(parts[1])
        entries.append(Entry(key=low.identifier(parts[0]), value=given, span=low.span(change)))
    copied = ObjectLiteral(span=low.span(node), entries=tuple(entries))
    return OperationExpr(
        span=low.span(node), operator="with", operands=(low.expression(value), copied)
    )


def _range(low: Lowering, node: Node) -> Expr:
    operands = tuple([low.expression(child) for child in children(node)])
    return OperationExpr(span=low.span(node), operator="..", operands=operands)


OPERATORS: dict[str, LowerExpression] = {
    "binary_expression": _binary,
    "conditional_expression": _conditional,
    "switch_expression": _switch,
    "cast_expression": _cast,
    "as_expression": _lower_as,
    "is_expression": _lower_is,
    "is_pattern_expression": _is_pattern,
    "prefix_unary_expression": _prefix,
    "assignment_expression": _assignment,
    "with_expression": _with_expression,
    "query_expression": lower_query,
    "range_expression": _range,
}
