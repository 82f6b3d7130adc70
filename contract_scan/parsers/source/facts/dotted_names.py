"""Names and members as they are written."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Index, Name


def is_name(expr: object, name: str) -> bool:
    """Whether an expression is a name alone, and this one."""
    return isinstance(expr, Name) and expr.id == name


def dotted_name_of(expr: Expr) -> str:
    """`a.b.c` of an expression that is names and attributes; empty for any other."""
    parts: list[str] = []
    while isinstance(expr, Attribute):
        parts.append(expr.name)
        expr = expr.value
    return ".".join((expr.id, *reversed(parts))) if isinstance(expr, Name) else ""


def links(expr: Expr) -> Iterator[Expr]:
    """An expression and what its members, items and calls are read from, outermost first."""
    link: Expr | None = expr
    while link is not None:
        yield link
        match link:
            case Attribute(value=inner) | Index(value=inner) | Call(callee=inner):
                link = inner
            case _:
                link = None


def first_name(expr: Expr) -> str:
    """The name that a chain of members, items and calls begins with; empty where it is none."""
    (*_, first) = links(expr)
    return first.id if isinstance(first, Name) else ""
