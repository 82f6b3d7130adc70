"""What surely runs in a function before anything is decided: calls, and what throws at null."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Comprehension,
    Evaluate,
    Expr,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import children

_SHORT = frozenset({"&&", "||", "and", "or"})


def unconditional_calls(statements: tuple[Statement, ...]) -> Iterator[Call]:
    """The calls that are made on every way through statements. What stands behind the first
    branch or loop may be decided by it, and what stands inside `try` may be caught."""
    for statement in statements:
        match statement:
            case Branch() | Loop():
                return
            case (
                Assign(value=value)
                | Return(value=value)
                | Evaluate(value=value)
                | Throw(value=value)
            ):
                if value is not None:
                    yield from (node for node in _evaluated_parts(value) if isinstance(node, Call))
            case _:
                pass
        if isinstance(statement, Return | Throw):
            return


_MAX_KNOWN = 20_000
"""Statements of which it is kept what they unwrap: they are asked for each variable again."""
_known: dict[int, tuple[Statement, tuple[tuple[str, Expr], ...]]] = {}


def unwrapped_members(statement: Statement) -> tuple[tuple[str, Expr], ...]:
    """The members that a statement surely reads as values, which throws where they are null, as
    tests that have held, each with the name that it is a member of: `row.At.Value`,
    `(DateTime)row.At`."""
    known = _known.get(id(statement))
    if known is None or known[0] is not statement:
        if len(_known) > _MAX_KNOWN:
            _known.clear()
        value = statement.value if isinstance(statement, Assign | Evaluate) else None
        found = () if value is None else tuple(_unwrapped_reads(value))
        known = _known[id(statement)] = (statement, found)
    return known[1]


def _unwrapped_reads(expr: Expr) -> Iterator[tuple[str, Expr]]:
    for node in _evaluated_parts(expr):
        match node:
            case Cast(value=Attribute(value=Name(id=name))):
                yield name, node
            case Attribute(value=Attribute(value=Name(id=name)) as member, name="Value") if (
                not node.optional
            ):
                null = LiteralExpr(None, span=node.span)
                yield name, OperationExpr("!=", (member, null), span=node.span)
            case _:
                pass


def _evaluated_parts(expr: Expr) -> Iterator[Struct]:
    """The expressions that are evaluated wherever one is."""
    pending: list[object] = [expr]
    while pending:
        node = pending.pop()
        match node:
            case tuple():
                pending.extend(node)
                continue
            case Lambda() | Choice() | Comprehension():
                continue
            case OperationExpr(operator=operator, operands=(first, *_)) if operator in _SHORT:
                pending.append(first)
                continue
            case _:
                pass
        if isinstance(node, Struct):
            yield node
            pending.extend(children(node))
