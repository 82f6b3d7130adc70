"""C# statement syntax -> statements.

What C# declares inside expressions (`if (x is Order order)`, `x is { } value`, `TryGet(key, out var
value)`) becomes assignments in front of the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.csharp.lowering.context import (
    MAX_DEPTH,
    TOO_DEEP,
    Lowering,
    branches,
    children,
    statements_of,
)
from contract_scan.parsers.source.csharp.lowering.expressions import NOT_NULL, call_marker
from contract_scan.parsers.source.csharp.lowering.functions import function
from contract_scan.parsers.source.csharp.lowering.target_types import of_target_type
from contract_scan.parsers.source.csharp.lowering.types import declared_type, lower_type
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Define,
    Evaluate,
    Expr,
    Index,
    Jump,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
    TypeValue,
    UnsupportedSyntax,
)

_FUNCTIONS = frozenset({"lambda_expression", "anonymous_method_expression", "block"})
_PATTERNS = frozenset({"declaration_pattern", "recursive_pattern", "var_pattern"})
_TRANSPARENT = _PATTERNS | {
    "negated_pattern",
    "parenthesized_pattern",
    "and_pattern",
}
"""Patterns whose variable stands for the value that is tested."""
_OF_MEMBERS = frozenset({"recursive_pattern", "property_pattern_clause"})
"""Syntax around patterns of members of the value that is tested."""
OF_TYPE = "of type"
"""Operator of a label of a `switch` that takes the values of a type."""
_DECLARING = re.compile(rb"\b(?:is|out|case)\b")
_MAX_NODES = 5_000


def lower_block(low: Lowering, node: Node) -> tuple[Statement, ...]:
    """The statements of a function body: a block, `=> value`, or the expression of a lambda."""
    if node.type == "block":
        return lower_statements(low, statements_of(node))
    value = node
    if node.type == "arrow_expression_clause":
        inner = children(node)
        if not inner:
            return ()
        value = inner[-1]
    if value.type == "throw_expression":
        return tuple(_throw(low, value))
    if value.type == "assignment_expression":
        return (*_pattern_assignments(low, value), *_expression(low, value))
    given = of_target_type(low.expression(value), low.result)
    returned = Return(span=low.span(value), value=given)
    return (*_pattern_assignments(low, value), returned)


def lower_statements(low: Lowering, nodes: list[Node]) -> tuple[Statement, ...]:
    """The statements of a run of nodes."""
    found: list[Statement] = []
    for node in nodes:
        found.extend(_statement(low, node))
    return tuple(found)


def is_statement(kind: str) -> bool:
    """Whether nodes of a kind are statements."""
    return kind in _STATEMENTS


def _statement(low: Lowering, node: Node) -> list[Statement]:
    lower = _STATEMENTS.get(node.type)
    if lower is None:
        return []
    if low.depth >= MAX_DEPTH:
        # What it returns is not known, so it may return anything.
        span = low.span(node)
        return [Return(span=span, value=UnsupportedSyntax(span=span, description=TOO_DEEP))]
    low.depth += 1
    low.weight += 1
    result = lower(low, node)
    low.depth -= 1
    low.weight -= 1
    return result


def _block_or_statement(low: Lowering, node: Node | None) -> tuple[Statement, ...]:
    """The statements of a block, or the single statement in place of one."""
    if node is None:
        return ()
    if node.type == "block":
        return lower_statements(low, statements_of(node))
    return tuple(_statement(low, node))


def _inline(low: Lowering, node: Node) -> list[Statement]:
    """Blocks that only say how their statements run: `checked`, `lock`, `unsafe`, labels."""
    found: list[Statement] = []
    for child in children(node):
        if child.type == "variable_declaration":
            found.extend(_variables(low, child))
        elif child.type == "block":
            found.extend(_block_or_statement(low, child))
        elif child.type in _STATEMENTS:
            found.extend(_statement(low, child))
    return found


# --------------------------------------------------------------------------- plain statements


def _expression(low: Lowering, node: Node) -> list[Statement]:
    """An expression for its effect."""
    value = node
    if node.type == "expression_statement":
        inner = children(node)
        if not inner:
            return []
        value = inner[0]
    span = low.span(node)
    if value.type == "assignment_expression":
        return [*_pattern_assignments(low, value), _assignment(low, value, span)]
    counts = next((c.type for c in value.children if c.type in ("++", "--")), "")
    if value.type in ("prefix_unary_expression", "postfix_unary_expression") and counts:
        target, one = low.expression(children(value)[0]), LiteralExpr(value=1, span=span)
        return [Assign(span=span, target=target, value=one, operator=f"{counts[0]}=")]
    return [
        *_pattern_assignments(low, value),
        Evaluate(span=span, value=low.expression(value)),
    ]


def _assignment(low: Lowering, node: Node, span: Span) -> Assign:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    symbol = operator.type if operator is not None else "="
    return Assign(
        span=span,
        target=low.expression(left) if left is not None else low.opaque(node),
        value=low.expression(right) if right is not None else None,
        operator="" if symbol == "=" else symbol,
    )


def _local(low: Lowering, node: Node) -> list[Statement]:
    found: list[Statement] = []
    for child in children(node):
        if child.type == "variable_declaration":
            found.extend(_variables(low, child))
    return found


def _variables(low: Lowering, node: Node) -> list[Statement]:
    """`T a = 1, b;` and `var (a, b) = pair;`."""
    written = declared_type(low, node.child_by_field_name("type"))
    found: list[Statement] = []
    for child in children(node):
        if child.type != "variable_declarator":
            continue
        found.extend(_pattern_assignments(low, child))
        parts = children(child)
        if not parts:
            continue
        has_value = len(parts) > 1 and any(c.type == "=" for c in child.children)
        found.append(
            Assign(
                span=low.span(child),
                target=low.expression(parts[0]),
                value=of_target_type(low.expression(parts[-1]), written) if has_value else None,
                type=written,
                declares=True,
                scoped=True,
            )
        )
    return found


def _return(low: Lowering, node: Node) -> list[Statement]:
    inner = children(node)
    span = low.span(node)
    if not inner:
        return [Return(span=span, value=None)]
    if inner[0].type == "throw_expression":
        return _throw(low, inner[0])
    assigned = _pattern_assignments(low, inner[0])
    given = of_target_type(low.expression(inner[0]), low.result)
    return [*assigned, Return(span=span, value=given)]


def _yield(low: Lowering, node: Node) -> list[Statement]:
    inner = children(node)
    if not inner:
        return []
    return [Return(span=low.span(node), value=low.expression(inner[0]), generator=True)]


def _continue(low: Lowering, node: Node) -> list[Statement]:
    return [Jump(span=low.span(node))]


def _throw(low: Lowering, node: Node) -> list[Statement]:
    inner = children(node)
    value = low.expression(inner[0]) if inner else None
    return [Throw(span=low.span(node), value=value)]


def _local_function(low: Lowering, node: Node) -> list[Statement]:
    return [Define(span=low.span(node), declaration=function(low, node))]


# --------------------------------------------------------------------------- branches


def _if(low: Lowering, node: Node) -> list[Statement]:
    condition = node.child_by_field_name("condition")
    alternative = node.child_by_field_name("alternative")
    blocks = [_block_or_statement(low, node.child_by_field_name("consequence"))]
    if alternative is not None:
        blocks.append(_block_or_statement(low, alternative))
    branch = Branch(
        span=low.span(node),
        blocks=tuple(blocks),
        condition=low.expression(condition) if condition is not None else None,
        exhaustive=alternative is not None,
    )
    return [*_patterns(low, condition), branch]


def _patterns(low: Lowering, node: Node | None) -> list[Assign]:
    return _pattern_assignments(low, node) if node is not None else []


def _conditional_compilation(low: Lowering, node: Node) -> list[Statement]:
    """`#if` on a symbol of the project's own: one of several runs of statements is compiled."""
    runs = [lower_statements(low, run) for run in branches(node)]
    return [Branch(span=low.span(node), blocks=tuple(runs), exhaustive=True)]


def _switch(low: Lowering, node: Node) -> list[Statement]:
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    blocks: list[tuple[Statement, ...]] = []
    cases: list[Expr] = []
    exhaustive = False
    sections = [c for c in children(body) if c.type == "switch_section"] if body else []
    for section in sections:
        label = next((c for c in children(section) if _is_label(c)), None)
        statements = [c for c in statements_of(section) if c.type in _STATEMENTS]
        exhaustive = exhaustive or label is None
        cases.append(_case(low, label, section) if label is not None else low.opaque(section))
        blocks.append((*_patterns(low, label), *lower_statements(low, statements)))
    return [
        Branch(
            span=low.span(node),
            blocks=_fall_through(blocks),
            condition=low.expression(value) if value is not None else None,
            exhaustive=exhaustive,
            cases=tuple(cases),
            kind="switch",
        )
    ]


def _is_label(node: Node) -> bool:
    return node.type.endswith("_pattern") or node.type == "discard"


def _case(low: Lowering, label: Node, section: Node) -> Expr:
    """A label with its guard, where it has one: `case "GET" when path == "/x"`."""
    pattern = _label(low, label)
    guard = next((c for c in children(section) if c.type == "when_clause"), None)
    if guard is None or not children(guard):
        return pattern
    operands = (pattern, low.expression(children(guard)[-1]))
    return OperationExpr(operator="when", operands=operands, span=low.span(label))


def _label(low: Lowering, node: Node) -> Expr:
    inner = children(node)
    if node.type == "constant_pattern" and inner:
        return low.expression(inner[0])
    written = node.child_by_field_name("type")
    if node.type == "declaration_pattern" and written is not None:
        kind = TypeValue(span=low.span(written), type=lower_type(low, written))
        return OperationExpr(span=low.span(node), operator=OF_TYPE, operands=(kind,))
    return low.opaque(node)


def _fall_through(blocks: list[tuple[Statement, ...]]) -> tuple[tuple[Statement, ...], ...]:
    """A label without statements runs those of the next label that has some."""
    filled: list[tuple[Statement, ...]] = []
    following: tuple[Statement, ...] = ()
    for block in reversed(blocks):
        following = block or following
        filled.append(following)
    return tuple(reversed(filled))


def _try(low: Lowering, node: Node) -> list[Statement]:
    body = node.child_by_field_name("body")
    parts = children(node)
    catches = [part for part in parts if part.type == "catch_clause"]
    blocks = [_block_or_statement(low, body), *(_catch(low, part) for part in catches)]
    last = catches[-1] if catches else body or node
    branch = Branch(span=low.span(node, last), blocks=tuple(blocks), exhaustive=True, kind="try")
    after: list[Statement] = []
    for part in parts:
        if part.type == "finally_clause":
            for block in children(part):
                after.extend(_block_or_statement(low, block))
    return [branch, *after]


def _catch(low: Lowering, node: Node) -> tuple[Statement, ...]:
    declaration = next((c for c in children(node) if c.type == "catch_declaration"), None)
    caught: list[Statement] = []
    name = declaration.child_by_field_name("name") if declaration is not None else None
    if declaration is not None and name is not None:
        caught.append(
            Assign(
                span=low.span(declaration),
                target=low.expression(name),
                value=None,
                type=declared_type(low, declaration.child_by_field_name("type")),
            )
        )
    return (*caught, *_block_or_statement(low, node.child_by_field_name("body")))


# --------------------------------------------------------------------------- loops


def _foreach(low: Lowering, node: Node) -> list[Statement]:
    variable, source = node.child_by_field_name("left"), node.child_by_field_name("right")
    iterable = low.expression(source) if source is not None else None
    written = declared_type(low, node.child_by_field_name("type"))
    if written is not None and iterable is not None:
        # `foreach (Order order in orders)` says what the items are.
        items = ArrayType(span=written.span, item=written)
        iterable = Cast(span=iterable.span, type=items, value=iterable)
    loop = Loop(
        span=low.span(node),
        body=_block_or_statement(low, node.child_by_field_name("body")),
        variable=low.expression(variable) if variable is not None else None,
        iterable=iterable,
    )
    return [loop]


def _loop(low: Lowering, node: Node) -> list[Statement]:
    """`for`, `while`, `do`."""
    started: list[Statement] = []
    initializer = node.child_by_field_name("initializer")
    if initializer is not None and initializer.type == "variable_declaration":
        started.extend(_variables(low, initializer))
    condition = node.child_by_field_name("condition")
    body = _block_or_statement(low, node.child_by_field_name("body"))
    endless = condition is not None and low.text(condition) == "true"
    loop = Loop(span=low.span(node), body=(*_patterns(low, condition), *body))
    if endless or node.type == "do_statement":
        # The body runs at least once, so what it returns is not optional.
        return [*started, Branch(span=low.span(node), blocks=(loop.body,), exhaustive=True)]
    return [*started, loop]


def _pattern_assignments(low: Lowering, node: Node) -> list[Assign]:
    """An assignment for every variable that the expression declares, functions inside it left
    out."""
    text = low.content[node.start_byte : node.end_byte]
    if not (_DECLARING.search(text) or node.type.endswith("_pattern")):
        return []
    found: list[Assign] = []
    pending: list[tuple[Node, Expr | None]] = [(node, None)]
    visited = 0
    while pending and visited < _MAX_NODES:
        current, subject = pending.pop()
        visited += 1
        if current.type in _FUNCTIONS:
            continue
        if current.type == "declaration_expression":
            found.extend(_out_variable(low, current))
        elif current.type in _PATTERNS:
            found.extend(_pattern_variable(low, current, subject))
        if current.type == "is_pattern_expression":
            asked = current.child_by_field_name("expression")
            value = None if asked is None else low.expression(asked)
            pending.extend(
                (child, value if child.type in _TRANSPARENT else None)
                for child in reversed(children(current))
            )
            continue
        inner = subject if current.type in _TRANSPARENT - _PATTERNS | _OF_MEMBERS else None
        if current.type == "subpattern":  # `{ Owner.Name: var name }`
            inner = None if subject is None else _member(low, subject, children(current)[0])
        pending.extend((child, inner) for child in reversed(children(current)))
    return found


def _member(low: Lowering, holder: Expr, named: Node) -> Expr | None:
    """The member of an object that a pattern names, or a member of that."""
    if not re.fullmatch(r"[\w.]+", low.text(named)):
        return None
    for name in low.text(named).split("."):
        holder = Attribute(span=low.span(named), value=holder, name=name)
    return holder


def _out_variable(low: Lowering, node: Node) -> list[Assign]:
    name = node.child_by_field_name("name")
    if name is None:
        return []
    span = low.span(node)
    type = declared_type(low, node.child_by_field_name("type"))
    value = _given_out(low, node, low.span(name)) if type is None else None
    return [
        Assign(
            span=span,
            target=Name(span=low.span(name), id=low.identifier(name)),
            value=value or UnsupportedSyntax(span=span, description="out parameter"),
            type=type,
        )
    ]


def _given_out(low: Lowering, declaration: Node, name: Span) -> Expr | None:
    """What a call gives the variable that it declares as an argument: `map.TryGetValue(key, out var
    item)` an item of the map, another call what its parameter says."""
    argument = declaration.parent
    written = argument.parent if argument is not None else None
    call_node = written.parent if written is not None else None
    if argument is None or call_node is None or call_node.type != "invocation_expression":
        return None
    call = low.expression(call_node)
    if not isinstance(call, Call):
        return None
    match call:
        case Call(callee=Attribute(value=of, name="TryGetValue"), args=(key, _)):
            return Index(span=call.span, value=of, index=key.value)
        case _:
            position = next((i for i, a in enumerate(call.args) if a.value.span == name), None)
            if position is None:
                return None
            at = LiteralExpr(span=call.span, value=position)
            return OperationExpr(span=call.span, operator="out", operands=(call, at))


def _excludes_null(node: Node, subject: Expr | None) -> bool:
    """`is { } value`: the pattern that everything but null has."""
    return subject is not None and node.type == "recursive_pattern"


def _pattern_variable(low: Lowering, node: Node, subject: Expr | None) -> list[Assign]:
    name = node.child_by_field_name("name")
    if name is None:
        return []
    span = low.span(node)
    written = declared_type(low, node.child_by_field_name("type"))
    value: Expr = (
        subject
        if subject is not None
        else UnsupportedSyntax(span=span, description="variable of a nested pattern")
    )
    if _excludes_null(node, subject):
        value = call_marker(NOT_NULL, value)
    if written is not None:
        value = Cast(span=span, type=written, value=value)
    return [
        Assign(span=span, target=Name(span=low.span(name), id=low.identifier(name)), value=value)
    ]


_STATEMENTS: dict[str, Callable[[Lowering, Node], list[Statement]]] = {
    "expression_statement": _expression,
    "local_declaration_statement": _local,
    "local_function_statement": _local_function,
    "return_statement": _return,
    "yield_statement": _yield,
    "continue_statement": _continue,
    "throw_statement": _throw,
    "if_statement": _if,
    "switch_statement": _switch,
    "try_statement": _try,
    "preproc_if": _conditional_compilation,
    "foreach_statement": _foreach,
    "for_statement": _loop,
    "while_statement": _loop,
    "do_statement": _loop,
    **dict.fromkeys(
        (
            "block",
            "checked_statement",
            "fixed_statement",
            "labeled_statement",
            "lock_statement",
            "unsafe_statement",
            "using_statement",
        ),
        _inline,
    ),
}
