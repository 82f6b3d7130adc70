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
    Index,
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


_dereferencing: dict[int, tuple[Statement, frozenset[str]]] = {}


def dereferenced_names(statement: Statement) -> frozenset[str]:
    """The names of which a statement surely reads or sets a member, before any block of it runs:
    it throws where they hold null. A method counts where its name begins with a small letter: an
    extension method of C# may be called on null."""
    known = _dereferencing.get(id(statement))
    if known is None or known[0] is not statement:
        if len(_dereferencing) > _MAX_KNOWN:
            _dereferencing.clear()
        found = frozenset(
            name for expr in _leading_expressions(statement) for name in _owners_of_reads(expr)
        )
        known = _dereferencing[id(statement)] = (statement, found)
    return known[1]


def _leading_expressions(statement: Statement) -> Iterator[Expr]:
    """The expressions that a statement evaluates before any of its blocks."""
    match statement:
        case Assign(target=target, value=value):
            if value is not None:
                yield value
            if isinstance(target, Attribute):
                yield target
        case Evaluate(value=value):
            yield value
        case Branch(condition=condition) if condition is not None and statement.kind != "try":
            yield condition
        case Loop(iterable=iterable) if iterable is not None:
            yield iterable
        case _:
            pass


def _owners_of_reads(expr: Expr) -> Iterator[str]:
    asking = set()
    for node in _evaluated_parts(expr):
        match node:
            case Call(callee=Attribute(name=name) as callee) if not name[:1].islower():
                asking.add(id(callee))
            case Attribute(value=Name(id=name), optional=False, name=member) if (
                id(node) not in asking and member not in _OF_NULLABLE
            ):
                yield name
            case _:
                pass


_OF_NULLABLE = frozenset({"HasValue", "class"})
"""What may be asked of null: a member of C#'s `Nullable`, and Java's `Order.class`."""


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
            case Call(callee=callee) if _may_end_early(callee):
                yield node
                pending.append(callee)  # `found?.add(other.id)` may not come to its arguments
                continue
            case _:
                pass
        if isinstance(node, Struct):
            yield node
            pending.extend(children(node))


def _may_end_early(chain: Expr) -> bool:
    """Whether a chain of members and calls ends where one of them is null: `a?.b.c`."""
    while isinstance(chain, Attribute | Index | Call):
        if isinstance(chain, Attribute) and chain.optional:
            return True
        chain = chain.callee if isinstance(chain, Call) else chain.value
    return False
