"""Statement syntax -> statements."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    CAUGHT,
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Define,
    Expr,
    Jump,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.lowering import (
    effects,
    expressions,
    params,
)
from contract_scan.parsers.source.typescript.lowering.context import (
    MAX_DEPTH,
    Lowering,
    named_children,
    tokens,
    void_argument,
)
from contract_scan.parsers.source.typescript.lowering.effects import Statements

MAX_CHAINED_IFS = 40
"""How many links of an `else if` chain nest."""

_CLASSES = frozenset(
    {"class_declaration", "abstract_class_declaration", "interface_declaration", "enum_declaration"}
)
_VARIABLES = frozenset({"lexical_declaration", "variable_declaration", "using_declaration"})
_TRANSPARENT = frozenset({"statement_block", "labeled_statement", "else_clause", "ERROR"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression"})
_ENTERED = _FUNCTIONS | {"function_declaration", "method_definition"}
_WORD = re.compile(r"[\w$]+")
_DECLARED = re.compile(r"\b(?:const|let|var)\s([^;=]{1,400})")
_LEAVES = frozenset({"return_statement", "throw_statement", "break_statement"})


def lower_block(context: Lowering, node: Node) -> tuple[Statement, ...]:
    """The statements of a block."""
    return lower_all(context, named_children(node))


def lower_all(context: Lowering, nodes: Iterable[Node]) -> tuple[Statement, ...]:
    """Statements in order; what says nothing is left out."""
    found: Statements = []
    for node in nodes:
        lower_statement(context, node, found)
    return tuple(found)


def lower_statement(context: Lowering, node: Node, found: Statements) -> None:
    """Append what one statement node says."""
    if context.depth >= MAX_DEPTH:
        return
    context.depth += 1
    try:
        _lower(context, node, found)
    finally:
        context.depth -= 1


def _lower(context: Lowering, node: Node, found: Statements) -> None:
    kind = node.type
    if kind == "expression_statement":
        for child in named_children(node):
            loop = _loop_of_each(context, child) if child.type == "call_expression" else None
            if loop is not None:
                found.append(loop)
            else:
                effects.lower_effect(context, child, found)
    elif kind in _VARIABLES:
        effects.lower_variables(context, node, found)
    elif kind == "return_statement":
        returned = next(named_children(node), None)
        found.extend(lower_returned(context, returned, context.span(node)))
    elif kind == "continue_statement":
        found.append(Jump(span=context.span(node)))
    elif kind == "throw_statement":
        returned = next(named_children(node), None)
        value = expressions.lower_expression(context, returned) if returned is not None else None
        found.append(Throw(value=value, span=context.span(node)))
    elif kind == "if_statement":
        found.append(_if(context, node))
    elif kind == "switch_statement":
        found.append(_switch(context, node))
    elif kind == "try_statement":
        _try(context, node, found)
    elif kind in ("for_in_statement", "for_statement", "while_statement", "do_statement"):
        _loop(context, node, found)
    elif kind in _TRANSPARENT or kind == "with_statement":
        for child in named_children(node):
            lower_statement(context, child, found)
    elif kind in ("function_declaration", "generator_function_declaration"):
        function = context.function(node)
        found.append(Define(declaration=function, span=context.span(node)))
    elif kind in _CLASSES:
        declared = context.class_declaration(node)
        found.append(Define(declaration=declared, span=context.span(node)))


# ------------------------------------------------------------------ control flow


def _if(context: Lowering, node: Node) -> Statement:
    """`if … else if … else`: nests to the right, so the chain is walked first. Of a chain too long
    to nest, the last links are one branch of many blocks."""
    chain: list[Node] = []
    last: Node | None = node
    while last is not None and last.type == "if_statement":
        chain.append(last)
        last = last.child_by_field_name("alternative")
        if last is not None and last.type == "else_clause":
            last = next(named_children(last), None)
    otherwise: Statements = []
    if last is not None:
        lower_statement(context, last, otherwise)
    exhaustive = last is not None
    tail = chain[MAX_CHAINED_IFS:]
    blocks = [_block(context, link.child_by_field_name("consequence")) for link in tail]
    if exhaustive:
        blocks.append(tuple(otherwise))
    if tail:
        joined = Branch(blocks=tuple(blocks), exhaustive=exhaustive, span=context.span(tail[0]))
        otherwise, exhaustive = [joined], True
    for link in reversed(chain[:MAX_CHAINED_IFS]):
        condition = link.child_by_field_name("condition")
        block = _block(context, link.child_by_field_name("consequence"))
        branch = Branch(
            blocks=(block, tuple(otherwise)) if exhaustive else (block,),
            condition=expressions.lower_expression(context, condition) if condition else None,
            exhaustive=exhaustive,
            span=context.span(link),
        )
        otherwise, exhaustive = [branch], True
    return branch


def _block(context: Lowering, node: Node | None) -> tuple[Statement, ...]:
    found: Statements = []
    if node is not None:
        lower_statement(context, node, found)
    return tuple(found)


def _switch(context: Lowering, node: Node) -> Statement:
    """One block per label; a label that falls through has the statements it falls into as well."""
    value = node.child_by_field_name("value")
    body = node.child_by_field_name("body")
    labels: list[Expr | None] = []
    blocks: list[tuple[Statement, ...]] = []
    ends: list[bool] = []
    for child in named_children(body) if body is not None else ():
        if child.type not in ("switch_case", "switch_default"):
            continue
        label = child.child_by_field_name("value")
        labels.append(expressions.lower_expression(context, label) if label is not None else None)
        content = [part for part in child.children_by_field_name("body") if part.is_named]
        blocks.append(lower_all(context, content))
        ends.append(_leaves_switch(content))
    for position in range(len(blocks) - 2, -1, -1):
        if not ends[position]:
            blocks[position] = (*blocks[position], *blocks[position + 1])
    cases = [(label, block) for label, block in zip(labels, blocks, strict=True) if label]
    default = [block for label, block in zip(labels, blocks, strict=True) if label is None]
    return Branch(
        blocks=(*(block for _, block in cases), *default),
        condition=expressions.lower_expression(context, value) if value is not None else None,
        exhaustive=bool(default),
        cases=tuple(label for label, _ in cases if label is not None),
        kind="switch",
        span=context.span(node),
    )


def _leaves_switch(nodes: list[Node], depth: int = 0) -> bool:
    """Whether a case's statements end in leaving the switch."""
    last = next((node for node in reversed(nodes) if node.type != "comment"), None)
    if last is None or depth > MAX_DEPTH:
        return False
    match last.type:
        case "statement_block" | "else_clause":
            return _leaves_switch(list(named_children(last)), depth + 1)
        case "if_statement":
            blocks = [last.child_by_field_name(name) for name in ("consequence", "alternative")]
            return all(block is not None and _leaves_switch([block], depth + 1) for block in blocks)
        case "try_statement":
            return _leaves_try(last, depth + 1)
        case kind:
            return kind in (*_LEAVES, "continue_statement")


def _leaves_try(node: Node, depth: int) -> bool:
    """Whether a `try` leaves: in its `finally`, or in its body and in its `catch`."""
    handlers = {child.type: child.child_by_field_name("body") for child in named_children(node)}
    last = handlers.get("finally_clause")
    if last is not None and _leaves_switch([last], depth):
        return True
    blocks = [node.child_by_field_name("body")]
    if "catch_clause" in handlers:
        blocks.append(handlers["catch_clause"])
    return all(block is not None and _leaves_switch([block], depth) for block in blocks)


def _try(context: Lowering, node: Node, found: Statements) -> None:
    """`finally` runs after either block, so it follows them."""
    body = node.child_by_field_name("body")
    handler = node.child_by_field_name("handler")
    finalizer = node.child_by_field_name("finalizer")
    tried = lower_block(context, body) if body is not None else ()
    if handler is None:
        found.extend(tried)
    else:
        start, end = context.span(node), context.span(handler)
        found.append(
            Branch(
                blocks=(tried, _catch(context, handler)),
                exhaustive=True,
                kind="try",
                span=Span(start.line, start.column, end.end_line, end.end_column),
            )
        )
    if finalizer is not None:
        inner = finalizer.child_by_field_name("body")
        if inner is not None:
            found.extend(lower_block(context, inner))


def _catch(context: Lowering, node: Node) -> tuple[Statement, ...]:
    """`catch (error) { … }`: what was thrown, then the block."""
    body, parameter = (node.child_by_field_name(name) for name in ("body", "parameter"))
    block = lower_block(context, body) if body is not None else ()
    if parameter is None:
        return block
    span = context.span(parameter)
    target = params.lower_pattern(context, parameter)
    caught = Name(id=CAUGHT, span=span)
    return (Assign(target=target, value=caught, declares=True, scoped=True, span=span), *block)


def _loop(context: Lowering, node: Node, found: Statements) -> None:
    variable: Expr | None = None
    iterable: Expr | None = None
    if node.type == "for_in_statement":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None:
            variable = params.lower_pattern(context, left)
            iterable = expressions.lower_expression(context, right)
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type == "in":
                iterable = _keys(iterable, context.span(right))
    elif node.type == "for_statement":
        start = node.child_by_field_name("initializer")
        if start is not None:
            lower_statement(context, start, found)
        variable, iterable = _index_loop(context, node)
    body = node.child_by_field_name("body")
    block: Statements = []
    if body is not None:
        lower_statement(context, body, block)
    if node.type == "do_statement" and not any(isinstance(n, Jump) for n in nodes_of(tuple(block))):
        found.extend(block)  # which runs once at the least
    found.append(
        Loop(body=tuple(block), variable=variable, iterable=iterable, span=context.span(node))
    )


def _loop_of_each(context: Lowering, node: Node) -> Loop | None:
    """`rows.forEach((row) => { … })` as the loop that it is; None for other calls, and where the
    function returns, or is one of its own (`async`)."""
    callee, args = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    given = list(named_children(args)) if args is not None else []
    if callee is None or len(given) != 1 or given[0].type not in _FUNCTIONS:
        return None
    walked = callee.child_by_field_name("object") if callee.type == "member_expression" else None
    called = callee.child_by_field_name("property")
    function = given[0]
    if walked is None or called is None or context.text(called) != "forEach":
        return None
    if "async" in tokens(function) or "?." in tokens(callee):
        return None
    pattern, body = (function.child_by_field_name(name) for name in ("parameter", "body"))
    listed = function.child_by_field_name("parameters")
    if listed is not None:
        parameters = list(named_children(listed))
        pattern = parameters[0].child_by_field_name("pattern") if len(parameters) == 1 else None
    if pattern is None or body is None or "return" in context.text(body):
        return None
    if _hides_variable(context, function, _WORD.findall(context.text(pattern))):
        return None
    inside: Statements = []
    if body.type == "statement_block":
        lower_statement(context, body, inside)
    else:
        effects.lower_effect(context, body, inside)
    return Loop(
        variable=params.lower_pattern(context, pattern),
        iterable=expressions.lower_expression(context, walked),
        body=tuple(inside),
        span=context.span(node),
    )


def _hides_variable(context: Lowering, function: Node, names: list[str]) -> bool:
    """Whether a function may give one of the names to another variable than what is around it: as a
    loop it would not."""
    heads, outside = "", ""
    around = function.parent
    while around is not None:
        if around.type in _ENTERED:
            outside = context.text(around).replace(context.text(function), "", 1)
            heads += outside.partition("{")[0] + ";"
        elif around.parent is None and not outside:
            outside = context.text(around)
        around = around.parent
    declared = " ".join(_DECLARED.findall(outside))
    return not {*_WORD.findall(heads), *_WORD.findall(declared)}.isdisjoint(names)


def _index_loop(context: Lowering, node: Node) -> tuple[Expr | None, Expr | None]:
    """`for (let i = 0; i < rows.length; i++)` walks `rows.keys()`."""
    test, step = node.child_by_field_name("condition"), node.child_by_field_name("increment")
    condition = (
        next(named_children(test), None) if test is not None and "statement" in test.type else test
    )
    if condition is None or step is None or condition.type != "binary_expression":
        return None, None
    left, right = (condition.child_by_field_name(field) for field in ("left", "right"))
    operator = condition.child_by_field_name("operator")
    if left is None or right is None or operator is None or context.text(operator) != "<":
        return None, None
    index, until = (expressions.lower_expression(context, side) for side in (left, right))
    if not isinstance(index, Name) or not isinstance(until, Attribute) or until.name != "length":
        return None, None
    if context.text(step).replace(" ", "") not in (f"{index.id}++", f"++{index.id}"):
        return None, None
    keys = Attribute(value=until.value, name="keys", span=until.span)
    return index, Call(callee=keys, span=until.span)


def _keys(value: Expr, span: Span) -> Expr:
    """`for (k in value)` walks `Object.keys(value)`."""
    keys = Attribute(value=Name(id="Object", span=span), name="keys", span=span)
    return Call(callee=keys, args=(Argument(value=value),), span=span)


def lower_returned(context: Lowering, value: Node | None, span: Span) -> tuple[Statement, ...]:
    """`return value`; `return void call()` is the call and a return of nothing, and
    `return context.body = value` the assignment and a return of the value."""
    assignment = value
    while assignment is not None and assignment.type == "parenthesized_expression":
        assignment = next(named_children(assignment), None)
    if assignment is not None and assignment.type == "assignment_expression":
        made: list[Statement] = []
        effects.lower_effect(context, assignment, made)
        right = assignment.child_by_field_name("right")
        given = expressions.lower_expression(context, right) if right is not None else None
        return (*made, Return(value=given, span=span))
    unused = void_argument(value) if value is not None else None
    if unused is not None:
        done: list[Statement] = []
        effects.lower_effect(context, unused, done)
        return (*done, Return(value=None, span=span))
    lowered = expressions.lower_expression(context, value) if value is not None else None
    return (Return(value=lowered, span=span),)
