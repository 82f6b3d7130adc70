"""HTTP statuses as code writes them: numbers, and the constants of well-known libraries."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Expr
from contract_scan.parsers.source.web.status_names import status_named


def statuses(program: Program, expr: Expr, scope: Scope) -> tuple[int, ...]:
    """The statuses an expression may give; none where they are undetermined."""
    return of_value(program.evaluate(expr, scope))


def of_value(value: Value) -> tuple[int, ...]:
    """The statuses that a value may be; none where they are undetermined."""
    found = _codes_of_value(value)
    return tuple(dict.fromkeys(found)) if found is not None else ()


def _codes_of_value(value: Value) -> list[int] | None:
    match value:
        case Constant(value=bool()):
            return None
        case Constant(value=int(status)) if 100 <= status <= 599:
            return [status]
        case Constant(value=str(text)):
            known = status_named(text)
            return [int(known)] if known is not None else None
        case LibrarySymbol(name=name):
            known = status_named(name.rsplit(".", 1)[-1])
            return [int(known)] if known is not None else None
        case OneOf(options=options):
            parts = [_codes_of_value(option) for option in options]
            if any(part is None for part in parts):
                return None
            return [status for part in parts if part is not None for status in part]
        case _:
            return None
