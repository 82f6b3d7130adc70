"""Calls on a response object: `res.status(201).json(x)`, and what `JSON.stringify` is given."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, OneOf, Scope, is_null
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Cast, Expr, Name


class ResponseFunction(Struct, frozen=True):
    """A function of a library that sends: `send(res, 201, body)`. Arguments by position; the first
    one is the response object."""

    name: str
    """Its qualified name."""
    status: int = 1
    body: int = 2


def chain_of(call: Call, names: frozenset[str]) -> list[Call] | None:
    """The calls of `res.a(…).b(…)`, innermost first; None for what does not begin with the
    response object."""
    links: list[Call] = []
    current: Expr = call
    while True:
        if isinstance(current, Call) and isinstance(current.callee, Attribute):
            links.append(current)
            current = current.callee.value
        elif isinstance(current, Attribute) or (isinstance(current, Cast) and links):
            current = current.value
        else:
            break
    return links[::-1] if links and name_of(current) in names else None


def name_of(expr: Expr | None) -> str:
    """The name that an expression reads, also under a cast: `res as Response<Body>`."""
    while isinstance(expr, Cast):
        expr = expr.value
    return expr.id if isinstance(expr, Name) else ""


def stringified_value(program: Program, expr: Expr, scope: Scope) -> tuple[Expr, Scope] | None:
    """`x` of `JSON.stringify(x)` with its scope: the text may be made before it is sent."""
    value = program.evaluate(expr, scope)
    if isinstance(value, OneOf):
        # `data === undefined ? undefined : JSON.stringify(data)`: where there is a body, that one.
        there = [option for option in value.options if not is_null(option)]
        value = there[0] if len(there) == 1 else value
    if isinstance(value, LibraryResult) and value.name == "JSON.stringify" and value.site.args:
        return value.site.args[0].value, value.scope
    return None
