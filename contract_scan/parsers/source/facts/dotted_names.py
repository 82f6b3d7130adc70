"""Names and members as they are written."""

from __future__ import annotations

from contract_scan.parsers.source.facts.nodes import Attribute, Expr, Name


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
