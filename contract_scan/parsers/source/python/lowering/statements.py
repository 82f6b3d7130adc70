"""Statements -> neutral statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Comprehension,
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
    Spread,
    Statement,
    Throw,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.lowering import types
from contract_scan.parsers.source.python.lowering.expressions import decorators, expression
from contract_scan.parsers.source.python.lowering.operators import aborts
from contract_scan.parsers.source.python.lowering.scope import (
    DEEPEST,
    Scope,
    first_child,
    named_children,
)

_SWALLOWING = frozenset({"suppress", "contextlib.suppress"})
"""Functions that make context managers which swallow errors."""
_NOTHING: tuple[Statement, ...] = ()
_LONGEST_LADDER = 20
"""How many `elif`s are kept with their conditions."""


def block(scope: Scope, nodes: Iterable[Node]) -> tuple[Statement, ...]:
    """The statements of a sequence of nodes (blocks and unparsable stretches are looked into)."""
    result: list[Statement] = []
    for node in nodes:
        result.extend(statement(scope, node))
    return tuple(result)


def statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """The neutral form of one statement: none, one or several."""
    read = _READERS.get(node.type)
    if read is None or scope.depth >= DEEPEST:
        return _NOTHING
    outer, scope.pending = scope.pending, []
    scope.depth += 1
    try:
        lowered = read(scope, node)
        return (*scope.pending, *lowered) if scope.pending else lowered
    finally:
        scope.depth -= 1
        scope.pending = outer


def _body(scope: Scope, node: Node | None) -> tuple[Statement, ...]:
    return block(scope, named_children(node)) if node is not None else _NOTHING


def _field_body(scope: Scope, node: Node, name: str) -> tuple[Statement, ...]:
    return _body(scope, node.child_by_field_name(name))


def _last_block(node: Node) -> Node | None:
    """The block of a clause, which some clauses hold without naming it."""
    for child in reversed(node.named_children):
        if child.type == "block":
            return child
    return None


# --------------------------------------------------------------------------- compound statements


def _if(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`if` with its `elif`s inside each other's `else`, so that each condition is kept; a long
    ladder is one flat branch."""
    tests = [node]
    otherwise = _NOTHING
    exhaustive = False
    for clause in node.children_by_field_name("alternative"):
        if clause.type == "elif_clause":
            tests.append(clause)
        else:
            otherwise, exhaustive = _field_body(scope, clause, "body"), True
    blocks = [_field_body(scope, test, "consequence") for test in tests]
    if len(tests) > _LONGEST_LADDER:
        ends = (otherwise,) if exhaustive else ()
        condition = scope.field(node, "condition")
        return (Branch((*blocks, *ends), condition, exhaustive, span=scope.span(node)),)
    end = scope.span(node)
    for test, block in zip(reversed(tests), reversed(blocks), strict=True):
        start = scope.span(test)
        span = Span(start.line, start.column, end.end_line, end.end_column)
        condition = scope.field(test, "condition")
        inner = (block, otherwise) if exhaustive else (block,)
        otherwise, exhaustive = (Branch(inner, condition, exhaustive, span=span),), True
    return otherwise


def _try(scope: Scope, node: Node) -> tuple[Statement, ...]:
    main = _field_body(scope, node, "body")
    blocks: list[tuple[Statement, ...]] = []
    after = _NOTHING
    span = scope.span(node)
    for clause in named_children(node):
        match clause.type:
            case "except_clause" | "except_group_clause":
                blocks.append(_body(scope, _last_block(clause)))
            case "else_clause":
                main += _field_body(scope, clause, "body")
            case "finally_clause":
                after = _body(scope, _last_block(clause))
                start = scope.span(clause)
                span = Span(span.line, span.column, start.line, start.column)
            case _:
                continue
    return (
        Branch((main, *blocks), exhaustive=True, kind="try", span=span),
        *after,
    )


def _with_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`with value as name:` binds the name; its block is part of the surrounding one, or like that
    of a `try` where the value swallows errors (`contextlib.suppress`)."""
    result: list[Statement] = []
    swallows = False
    items = [child for child in named_children(node) if child.type == "with_clause"]
    for item in named_children(items[0]) if items else ():
        value = item.child_by_field_name("value")
        if value is None:
            continue
        called = value.child_by_field_name("function") if value.type == "call" else None
        swallows = swallows or (called is not None and scope.source.text(called) in _SWALLOWING)
        target = value.child_by_field_name("alias") if value.type == "as_pattern" else None
        if target is not None:
            result.append(
                Assign(expression(scope, target), expression(scope, value), span=scope.span(item))
            )
        else:
            result.append(Evaluate(expression(scope, value), span=scope.span(item)))
    body = _field_body(scope, node, "body")
    if swallows:
        blocks: tuple[tuple[Statement, ...], ...] = (body, ())
        return (*result, Branch(blocks, exhaustive=True, kind="try", span=scope.span(node)))
    return (*result, *body)


def _for_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    return (
        Loop(
            _loop_body(scope, node),
            scope.field(node, "left"),
            scope.field(node, "right"),
            span=scope.span(node),
        ),
    )


def _while(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """A loop, after which its test does not hold, unless something else leaves it."""
    loop = Loop(_loop_body(scope, node), span=scope.span(node))
    test = scope.field(node, "condition")
    is_left = any(isinstance(inner, Jump) for inner in nodes_of(loop.body))
    return (loop,) if is_left or not _asks_names(test) else (loop, _left_where(test))


def _asks_names(test: Expr) -> bool:
    """Whether a test asks of names and their members alone, whether something is there."""
    return all(
        node.value is None if isinstance(node, LiteralExpr) else not isinstance(node, Call)
        for node in nodes_of(test)
    )


def _left_where(test: Expr) -> Branch:
    """What leaves a block where a test holds."""
    return Branch(((Jump(span=test.span),),), test, span=test.span)


def _loop_body(scope: Scope, node: Node) -> tuple[Statement, ...]:
    body = _field_body(scope, node, "body")
    other = node.child_by_field_name("alternative")
    return body + _field_body(scope, other, "body") if other is not None else body


def _match(scope: Scope, node: Node) -> tuple[Statement, ...]:
    body = node.child_by_field_name("body")
    blocks: list[tuple[Statement, ...]] = []
    cases: list[Expr] = []
    exhaustive = guards = False
    for clause in named_children(body) if body is not None else ():
        if clause.type != "case_clause":
            continue
        patterns = [child for child in named_children(clause) if child.type == "case_pattern"]
        pattern = (
            _pattern(scope, patterns[0]) if len(patterns) == 1 else UnsupportedSyntax("pattern")
        )
        guarded = clause.child_by_field_name("guard") is not None
        guards = guards or guarded
        exhaustive = exhaustive or (
            not guarded and pattern == UnsupportedSyntax("any", span=pattern.span)
        )
        cases.append(pattern)
        blocks.append(_field_body(scope, clause, "consequence"))
    subject = scope.field(node, "subject")
    tests = [_test_of(subject, pattern) for pattern in cases]
    if isinstance(subject, Name) and not guards and all(tests) and any(map(_tells_kinds, cases)):
        return _ladder(tests, blocks, scope.span(node))
    return (
        Branch(
            tuple(blocks), subject, exhaustive, tuple(cases), kind="switch", span=scope.span(node)
        ),
    )


def _dotted_name(scope: Scope, node: Node, span: Span) -> Expr:
    """A name of a pattern, perhaps that of a member: `Color.RED`."""
    first, *parts = named_children(node)
    value: Expr = Name(scope.source.text(first), span=span)
    for part in parts:
        value = Attribute(value, scope.source.text(part), span=span)
    return value


def _tells_kinds(pattern: Expr) -> bool:
    """Whether a pattern asks for null, or for a class."""
    return isinstance(pattern, Call) or (isinstance(pattern, LiteralExpr) and pattern.value is None)


def _test_of(subject: Expr, pattern: Expr) -> Expr | None:
    """The test that a pattern amounts to, of one that takes everything a constant; None for one
    that asks for more."""
    span = pattern.span
    match pattern:
        case LiteralExpr(value=None):
            return OperationExpr("is", (subject, pattern), span=span)
        case LiteralExpr() | Attribute():
            return OperationExpr("==", (subject, pattern), span=span)
        case Call(callee=asked):
            args = (Argument(value=subject), Argument(value=asked))
            return Call(Name("isinstance", span=span), args, span=span)
        case UnsupportedSyntax(description="any"):
            return LiteralExpr(True, span=span)
        case _:
            return None


def _ladder(
    tests: list[Expr | None], blocks: list[tuple[Statement, ...]], span: Span
) -> tuple[Statement, ...]:
    """The cases of a `match` as tests one after another."""
    otherwise = _NOTHING
    exhaustive = False
    for test, block in zip(reversed(tests), reversed(blocks), strict=True):
        if isinstance(test, LiteralExpr):
            otherwise, exhaustive = block, True
            continue
        inner = (block, otherwise) if exhaustive else (block,)
        start = span if test is None else test.span
        place = Span(start.line, start.column, span.end_line, span.end_column)
        otherwise, exhaustive = (Branch(inner, test, exhaustive, span=place),), True
    return otherwise


def _pattern(scope: Scope, node: Node) -> Expr:
    """A pattern that is a constant, `UnsupportedSyntax("any")` for one that takes everything."""
    span = scope.span(node)
    child = first_child(node)
    if child is None:
        return UnsupportedSyntax("any" if scope.source.text(node) == "_" else "pattern", span=span)
    match child.type:
        case "union_pattern":
            return Choice(
                tuple(expression(scope, option) for option in named_children(child)), span=span
            )
        case "dotted_name":
            value = _dotted_name(scope, child, span)
            return UnsupportedSyntax("any", span=span) if isinstance(value, Name) else value
        case "string" | "concatenated_string" | "integer" | "float" | "true" | "false" | "none":
            constant = expression(scope, child)
            negative = node.children[0].type == "-"
            if negative and isinstance(constant, LiteralExpr) and isinstance(constant.value, int):
                return LiteralExpr(-constant.value, span=span)
            return constant if not negative else UnsupportedSyntax("pattern", span=span)
        case "class_pattern" if len(named_children(child)) == 1:
            return Call(_dotted_name(scope, named_children(child)[0], span), (), span=span)
        case _:
            return UnsupportedSyntax("pattern", span=span)


# --------------------------------------------------------------------------- declarations inside


def _function(scope: Scope, node: Node) -> tuple[Statement, ...]:
    if scope.top_level:
        return _NOTHING
    function = scope.function(node)
    return (Define(function, span=scope.span(node)),) if function is not None else _NOTHING


def _class(scope: Scope, node: Node) -> tuple[Statement, ...]:
    if scope.top_level:
        return _NOTHING
    declared = scope.class_declaration(node)
    return (Define(declared, span=scope.span(node)),) if declared is not None else _NOTHING


def _decorated_definition(scope: Scope, node: Node) -> tuple[Statement, ...]:
    if scope.top_level:
        return _NOTHING
    annotations = decorators(scope, node)
    inner = node.child_by_field_name("definition")
    if inner is None:
        return _NOTHING
    declared = (
        scope.class_declaration(inner, annotations)
        if inner.type == "class_definition"
        else scope.function(inner, annotations)
    )
    return (Define(declared, span=scope.span(node)),) if declared is not None else _NOTHING


def _look_inside(scope: Scope, node: Node) -> tuple[Statement, ...]:
    return block(scope, named_children(node))


_Reader: TypeAlias = Callable[[Scope, "Node"], tuple[Statement, ...]]


# ----------------------------------------------------------------------------- simple statements
# Statements that hold no others -> neutral statements.


_SAYING_NOTHING = frozenset({"string", "concatenated_string", "ellipsis", "identifier", "none"})
"""Expressions that do nothing where they stand alone."""


def expression_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """A call, an assignment or another expression as a statement."""
    children = named_children(node)
    if len(children) != 1:
        if not children:
            return _NOTHING
        items = tuple(expression(scope, child) for child in children)
        return (Evaluate(ArrayLiteral(items, is_tuple=True), span=scope.span(node)),)
    child = children[0]
    match child.type:
        case "assignment":
            return _NOTHING if child.start_byte in scope.declared else _assignment(scope, child)
        case "augmented_assignment":
            sign = child.child_by_field_name("operator")
            operator = scope.source.text(sign) if sign is not None else "+="
            target, value = scope.field(child, "left"), scope.field(child, "right")
            span = scope.span(child)
            if operator == "|=" and isinstance(target, Name):  # of maps, both have the entries
                before = Name(target.id, span=value.span)
                value = OperationExpr("|", (before, value), span=span)
                return (Assign(target, value, span=span),)
            return (Assign(target, value, operator=operator, span=span),)
        case "yield":
            return (_yield(scope, child),)
        case kind if kind in _SAYING_NOTHING:
            return _NOTHING
        case _:
            value, span = expression(scope, child), scope.span(node)
            return (_lone_expression(value, span),)


def _jump(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`break` and `continue`."""
    return (Jump(span=scope.span(node)),)


def _lone_expression(value: Expr, span: Span) -> Statement:
    """An expression that stands alone. A list that nobody takes is a loop:
    `[data.pop(key) for key in keys]`."""
    match value:
        case Comprehension(element=element, variable=variable, source=source, key=None):
            body: tuple[Statement, ...] = (Evaluate(element, span=element.span),)
            if value.given is not None:
                body = (Branch((body,), value.given, span=element.span),)
            return Loop(body, variable, source, span=span)
        case _:
            return Throw(value, span=span) if aborts(value) else Evaluate(value, span=span)


def _return_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`return`."""
    child = first_child(node)
    value = expression(scope, child) if child is not None else None
    return (Return(value, span=scope.span(node)),)


def _raise_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`raise`."""
    child = first_child(node)
    value = expression(scope, child) if child is not None else None
    return (Throw(value, span=scope.span(node)),)


def _assert_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """The expressions of an `assert`, which are evaluated; what follows is reached where the first
    holds."""
    said = tuple(
        Evaluate(expression(scope, child), span=scope.span(child))
        for child in named_children(node)
        if child.type not in _SAYING_NOTHING
    )
    if not said:
        return said
    fails = OperationExpr("not", (said[0].value,), span=said[0].span)
    return (*said, _left_where(fails))


def _delete_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`del data["x"]` as `data.pop("x")`, which leaves the same; names that go away say nothing."""
    child = first_child(node)
    targets = (
        named_children(child) if child is not None and child.type == "expression_list" else [child]
    )
    result: list[Statement] = []
    for target in targets:
        if target is None or target.type != "subscript":
            continue
        removed = expression(scope, target)
        if isinstance(removed, Index):
            span = scope.span(target)
            pop = Attribute(removed.value, "pop", span=span)
            result.append(
                Evaluate(Call(pop, (Argument(value=removed.index),), span=span), span=span)
            )
    return tuple(result)


def import_statement(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """Imports are facts of the file; only a name that means something else there is rebound."""
    return tuple(
        Assign(Name(local), Name(known), span=scope.span(node))
        for local, known in scope.aliased_imports.get(node.start_byte, ())
    )


def _assignment(scope: Scope, node: Node) -> tuple[Statement, ...]:
    """`a: T = b = value` as one assignment each, so that `a` and `b` are the same value."""
    span = scope.span(node)
    targets: list[tuple[Expr, Node | None]] = []
    current: Node | None = node
    while current is not None and current.type == "assignment":
        targets.append((scope.field(current, "left"), current.child_by_field_name("type")))
        current = current.child_by_field_name("right")
    value: Expr | None = None
    if current is not None:
        if current.type == "yield":
            value = UnsupportedSyntax("value sent to a generator", span=span)
        else:
            value = expression(scope, current)
    pairs = _apart(targets[0][0], value) if len(targets) == 1 else ()
    if pairs:
        return tuple(Assign(target, given, span=span) for target, given in pairs)
    result: list[Statement] = []
    for position, (target, annotation) in enumerate(targets):
        if position and isinstance(targets[0][0], (Name, Attribute)):
            value = targets[0][0]
        declared = types.type_expression(scope, annotation) if annotation is not None else None
        result.append(Assign(target, value, declared, span=span))
    return tuple(result)


def _apart(target: Expr, value: Expr | None) -> tuple[tuple[Expr, Expr], ...]:
    """The assignments that `low, high = x, y` stands for, where none of its values asks for a name
    that it gives; none for another one."""
    match target, value:
        case ArrayLiteral(items=names), ArrayLiteral(items=values) if len(names) == len(values):
            pass
        case _:
            return ()
    given = {name.id for name in names if isinstance(name, Name)}
    given |= {node.id for name in names for node in nodes_of(name) if isinstance(node, Name)}
    asked = {node.id for node in nodes_of(values) if isinstance(node, Name)}
    is_plain = all(isinstance(name, Name) or _is_item(name) for name in names)
    is_plain = is_plain and not any(isinstance(value, Spread) for value in values)
    return tuple(zip(names, values, strict=True)) if is_plain and not given & asked else ()


def _is_item(target: Expr) -> bool:
    """`data["a"]`."""
    return isinstance(target, Index) and isinstance(target.value, Name)


def _yield(scope: Scope, node: Node) -> Statement:
    span = scope.span(node)
    child = first_child(node)
    value = expression(scope, child) if child is not None else None
    if value is not None and any(token.type == "from" for token in node.children):
        value = Spread(value, span=span)
    return Return(value, generator=True, span=span)


_READERS: dict[str, _Reader] = {
    "expression_statement": expression_statement,
    "break_statement": _jump,
    "continue_statement": _jump,
    "return_statement": _return_statement,
    "raise_statement": _raise_statement,
    "assert_statement": _assert_statement,
    "delete_statement": _delete_statement,
    "import_statement": import_statement,
    "import_from_statement": import_statement,
    "if_statement": _if,
    "try_statement": _try,
    "with_statement": _with_statement,
    "for_statement": _for_statement,
    "while_statement": _while,
    "match_statement": _match,
    "function_definition": _function,
    "class_definition": _class,
    "decorated_definition": _decorated_definition,
    "block": _look_inside,
    "ERROR": _look_inside,
}
