"""Calls on a response object: `res.status(201).json(x)`, and what `JSON.stringify` is given."""

from __future__ import annotations

from contract_scan.parsers.source.facts import Attribute, Call, Expr, Name


def chain_of(call: Call, names: frozenset[str]) -> list[Call] | None:
    """The calls of `res.a(…).b(…)`, innermost first; None for what does not begin with the
    response object."""
    links: list[Call] = []
    current: Expr = call
    while True:
        if isinstance(current, Call) and isinstance(current.callee, Attribute):
            links.append(current)
            current = current.callee.value
        elif isinstance(current, Attribute):
            current = current.value
        else:
            break
    if isinstance(current, Name) and current.id in names and links:
        return links[::-1]
    return None


def stringified(expr: Expr) -> Expr | None:
    """`x` of `JSON.stringify(x)`."""
    if isinstance(expr, Call) and isinstance(expr.callee, Attribute) and expr.args:
        callee = expr.callee
        if callee.name == "stringify" and isinstance(callee.value, Name):
            return expr.args[0].value if callee.value.id == "JSON" else None
    return None
