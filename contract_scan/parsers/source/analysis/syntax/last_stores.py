"""What a member of an object was given just before a place in the same function."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import fields

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.span_order import contains
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    Index,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    ObjectLiteral,
    Statement,
)

_MAX_NODES = 2000
"""How much code between the two is looked through."""


def just_assigned(statements: tuple[Statement, ...], name: str, use: Span) -> Expr | None:
    """The object literal or constant that `this.name` was given, where nothing in between may have
    changed it: no call, no other assignment."""
    given: Expr | None = None
    while statements:
        inner: tuple[Statement, ...] = ()
        for statement in statements:
            if contains(statement, use):
                if isinstance(statement, Loop):
                    return None
                blocks = statement.blocks if isinstance(statement, Branch) else ()
                inner = next((b for b in blocks if any(contains(s, use) for s in b)), ())
                break
            if isinstance(statement, Assign) and _is_member(statement.target, name):
                plain = isinstance(statement.value, ObjectLiteral | LiteralExpr)
                given = statement.value if plain and not statement.operator else None
            elif given is not None and _may_change(statement, name):
                given = None
        statements = inner
    return given


def _is_member(expr: Expr, name: str) -> bool:
    return (
        isinstance(expr, Attribute)
        and expr.name == name
        and isinstance(expr.value, Name)
        and expr.value.id == "this"
    )


def _may_change(statement: Statement, name: str) -> bool:
    pending: list[object] = [statement]
    for _ in range(_MAX_NODES):
        if not pending:
            return False
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Call | Lambda):
            return True
        elif isinstance(node, Struct):
            if isinstance(node, Assign):
                target = node.target
                while isinstance(target, Attribute | Index):
                    if _is_member(target, name):
                        return True
                    target = target.value
            pending.extend(getattr(node, field.name) for field in fields(type(node)))
    return True
