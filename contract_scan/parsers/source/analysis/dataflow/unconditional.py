"""What surely runs in a function: the calls that are made before anything is decided."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    Call,
    Choice,
    Comprehension,
    Evaluate,
    Expr,
    Lambda,
    Loop,
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
                    yield from _calls_in(value)
            case _:
                pass
        if isinstance(statement, Return | Throw):
            return


def _calls_in(expr: Expr) -> Iterator[Call]:
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
            case Call():
                yield node
            case _:
                pass
        if isinstance(node, Struct):
            pending.extend(children(node))
