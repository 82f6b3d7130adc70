"""Functions that a statement writes down, which may change the variables around them when they run.

rows.forEach((row) => { names.push(row.name); last = row; });
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.effects import Closure
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    Call,
    Define,
    Evaluate,
    Expr,
    Function,
    Lambda,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import children, parts

_MAX_KNOWN = 20_000
"""Statements of which it is kept what they write down: they are asked for each variable again."""


_known: dict[int, tuple[Statement, tuple[Closure, ...]]] = {}


def closures(statement: Statement) -> tuple[Closure, ...]:
    """The functions that a statement itself writes down: not those in its blocks, nor in other
    functions."""
    known = _known.get(id(statement))
    if known is None or known[0] is not statement:
        if len(_known) > _MAX_KNOWN:
            _known.clear()
        known = _known[id(statement)] = (statement, tuple(_closures(statement)))
    return known[1]


def _closures(statement: Statement) -> Iterator[Closure]:
    match statement:
        case Define(declaration=Function() as function):
            if function.body is not None:
                yield Closure(function, None, False, _names(function))
            return
        case Assign(target=target, value=value):
            roots: tuple[Expr | None, ...] = (target, value)
        case Evaluate(value=value) | Return(value=value) | Throw(value=value):
            roots = (value,)
        case Branch(condition=condition):
            roots = (condition,)
        case Loop(iterable=iterable):
            roots = (iterable,)
        case _:
            return
    if not _hold_lambdas(roots):  # true of nearly all, and told faster without their calls
        return
    pending: list[tuple[object, Call | None]] = [(root, None) for root in reversed(roots)]
    while pending:
        node, call = pending.pop()
        if isinstance(node, tuple):
            pending.extend((item, call) for item in reversed(node))
        elif isinstance(node, Lambda):
            if node.function.body is not None:
                yield Closure(node.function, call, True, _names(node.function))
        elif isinstance(node, Struct):
            inner = node if isinstance(node, Call) else call
            pending.extend((child, inner) for child in reversed(children(node)))


def _hold_lambdas(roots: tuple[Expr | None, ...]) -> bool:
    pending: list[Any] = [*roots]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is Lambda:
            return True
        pending.extend(node if kind is tuple else parts(kind)(node))
    return False


def _names(function: Function) -> frozenset[str]:
    return mentioned_names(function.body or ())


def mentioned_names(syntax: object) -> frozenset[str]:
    """Every name that stands in statements or expressions and in the functions that they write
    down, those of functions and classes that are declared there included."""
    found: set[str] = set()
    pending: list[Any] = [syntax]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is tuple:
            pending.extend(node)
        elif kind is Name:
            found.add(node.id)
        elif kind is Lambda:
            pending.append(node.function.body or ())
        elif kind is Define:
            declaration = node.declaration
            found.add(declaration.name)
            if isinstance(declaration, Function):
                pending.append(declaration.body or ())
        else:
            pending.extend(parts(kind)(node))
    return frozenset(found)
