"""Query expressions (`from x in xs … select value`) as the calls that they stand for."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.csharp.lowering.context import Lowering, children
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Comprehension,
    Entry,
    Expr,
    Function,
    Lambda,
    LiteralExpr,
    Name,
    ObjectLiteral,
    OperationExpr,
    Param,
    Return,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MAX_VARIABLES = 20
_MEMBER = "member"


def lower_query(low: Lowering, node: Node) -> Expr:
    """A query: each of its variables runs through a list, the last one with what is selected.

    `let`, and what a join gathers with `into`, run through a list of one; orders change nothing of
    what the items are, nor do conditions about several variables at once.
    """
    given: Expr | None = None
    name: Node | None = None
    for part in _parts(children(node)):
        if name is not None and given is not None:
            given = _part(low, node, part, ((name, given),))
        else:
            given = _part(low, node, part, ())
        if isinstance(given, UnsupportedSyntax):
            return given
        name = part[-1] if part[-1].type == "identifier" else None
    return given if given is not None else _unsupported(low, node)


def _parts(clauses: list[Node]) -> Iterator[list[Node]]:
    """The clauses up to each `into`, whose variable stands at the end."""
    current: list[Node] = []
    for clause in clauses:
        current.append(clause)
        if clause.type == "identifier":
            yield current
            current = []
    if current:
        yield current


def _part(
    low: Lowering, node: Node, clauses: list[Node], first: tuple[tuple[Node, Expr], ...]
) -> Expr:
    variables = list(first)
    tests: list[Expr] = []
    for clause in clauses:
        inner = children(clause)
        match clause.type:
            case "from_clause":
                name = clause.child_by_field_name("name")
                if name is None or not inner:
                    return _unsupported(low, node)
                variables.append((name, low.expression(inner[-1])))
            case "join_clause":
                joined = _join_clause(low, inner)
                if joined is None:
                    return _unsupported(low, node)
                variables.append(joined)
                tests.extend(_joined_keys(low, inner))
            case "where_clause" if inner:
                tests.extend(_conjuncts(low.expression(inner[0])))
            case "let_clause" if len(inner) == 2:
                variables.append(
                    (inner[0], _single_item_list(low, inner[1], low.expression(inner[1])))
                )
            case _:
                pass
    if not variables or len(variables) > _MAX_VARIABLES:
        return _unsupported(low, node)
    names = {low.identifier(name) for name, _ in variables}
    variables = [
        (name, _filtered_source(low, name, source, tests, names)) for name, source in variables
    ]
    last = next((c for c in clauses if c.type in ("select_clause", "group_clause")), None)
    chosen = children(last) if last is not None else []
    if last is None or not chosen:
        return _unsupported(low, node)
    if last.type == "select_clause":
        return _flattened_query(low, node, variables, low.expression(chosen[-1]))
    if len(chosen) != 2:
        return _unsupported(low, node)
    return _group_clause(low, node, variables, low.expression(chosen[0]), low.expression(chosen[1]))


def _join_clause(low: Lowering, inner: list[Node]) -> tuple[Node, Expr] | None:
    """`join name in source on left equals right`, `into all`."""
    gathered = inner[-1] if inner and inner[-1].type == "join_into_clause" else None
    plain = inner[:-1] if gathered is not None else inner
    if len(plain) < 4:
        return None
    source = low.expression(plain[-3])
    if gathered is None:
        return plain[-4], source
    names = children(gathered)
    return (names[-1], _single_item_list(low, gathered, source)) if names else None


def _joined_keys(low: Lowering, inner: list[Node]) -> Iterator[Expr]:
    """What an inner join says of its keys: one that is null finds nothing."""
    if inner[-1].type == "join_into_clause":
        return
    for key in map(low.expression, inner[-2:]):
        null = LiteralExpr(None, span=key.span)
        yield OperationExpr("!=", (key, null), span=key.span)


def _conjuncts(test: Expr) -> Iterator[Expr]:
    match test:
        case OperationExpr(operator="&&", operands=operands):
            for operand in operands:
                yield from _conjuncts(operand)
        case _:
            yield test


def _filtered_source(
    low: Lowering, name: Node, source: Expr, tests: list[Expr], names: set[str]
) -> Expr:
    """The list that a variable runs through, with the tests that are about this variable alone."""
    own = low.identifier(name)
    for test in tests:
        if {n.id for n in nodes_of(test) if isinstance(n, Name)} & names == {own}:
            callee = Attribute(span=test.span, value=source, name="Where")
            function = _lambda(test.span, own, test)
            source = Call(span=test.span, callee=callee, args=(Argument(value=function),))
    return source


def _single_item_list(low: Lowering, node: Node, value: Expr) -> Expr:
    return ArrayLiteral(span=low.span(node), items=(value,))


def _flattened_query(
    low: Lowering, node: Node, variables: list[tuple[Node, Expr]], element: Expr
) -> Expr:
    """One list inside the other, flattened."""
    span = low.span(node)
    name, source = variables[-1]
    variable = Name(span=low.span(name), id=low.identifier(name))
    result: Expr = Comprehension(span=span, element=element, variable=variable, source=source)
    for name, source in reversed(variables[:-1]):
        callee = Attribute(span=span, value=source, name="SelectMany")
        function = _lambda(low.span(name), low.identifier(name), result)
        result = Call(span=span, callee=callee, args=(Argument(value=function),))
    return result


def _group_clause(
    low: Lowering, node: Node, variables: list[tuple[Node, Expr]], element: Expr, key: Expr
) -> Expr:
    span = low.span(node)
    pair = ObjectLiteral(
        span=span, entries=(Entry(key="Element", value=element), Entry(key="Key", value=key))
    )
    callee = Attribute(
        span=span, value=_flattened_query(low, node, variables, pair), name="GroupBy"
    )
    picks = tuple(
        Argument(value=_lambda(part.span, _MEMBER, _member_of_pair(low, node, name)))
        for part, name in ((key, "Key"), (element, "Element"))
    )
    return Call(span=span, callee=callee, args=picks)


def _member_of_pair(low: Lowering, node: Node, name: str) -> Expr:
    span = low.span(node)
    return Attribute(span=span, value=Name(span=span, id=_MEMBER), name=name)


def _lambda(span: Span, variable: str, value: Expr) -> Lambda:
    """A function of one parameter; its place tells it apart from others around it."""
    function = Function(
        span=span,
        name="",
        params=(Param(span=span, name=variable),),
        body=(Return(span=value.span, value=value),),
    )
    return Lambda(span=span, function=function)


def _unsupported(low: Lowering, node: Node) -> UnsupportedSyntax:
    return UnsupportedSyntax(span=low.span(node), description="query expression")
