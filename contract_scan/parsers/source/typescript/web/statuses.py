"""HTTP statuses as code writes them: numbers, and the constants of well-known libraries."""

from __future__ import annotations

import re

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Constant,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    CAUGHT,
    Attribute,
    ClassDecl,
    Expr,
    NamedType,
    OperationExpr,
)
from contract_scan.parsers.source.web.status_names import status_named

_MAX_OPTIONS = 10
_FALLBACKS = frozenset({"||", "??"})
_ERRORS = ("Error", "Exception")
OF_ERROR = 0
"""Stands for the status that an error carries: it is no success, whichever it is."""
_NUMBER_OF_MEMBER = re.compile(r"\.(?:code|CODE)$")
"""The end of `Http.ReturnCodes.ACCEPTED.CODE`, where a member holds a number and a text."""


def statuses(program: Program, expr: Expr, scope: Scope) -> tuple[int, ...]:
    """The statuses an expression may give; none where they are undetermined."""
    return find_statuses(program, expr, scope) or ()


def find_statuses(program: Program, expr: Expr, scope: Scope) -> tuple[int, ...] | None:
    """The statuses an expression may give beside those that errors carry (`error.status ?? 500`),
    which are no success, whichever they are; None where they are undetermined."""
    found = _codes_of_value(program.evaluate(expr, scope))
    if found is None and isinstance(expr, OperationExpr) and expr.operator in _FALLBACKS:
        options = [find_statuses(program, each, scope) for each in expr.operands[:_MAX_OPTIONS]]
        found = [code for option in options for code in option or ()]
        return None if None in options else tuple(dict.fromkeys(found))
    if found is None and isinstance(expr, Attribute):
        holder = program.evaluator.without_null(program.evaluate(expr.value, scope))
        return () if program.evaluator.qualified_name(holder).endswith(_ERRORS) else None
    return None if found is None else tuple(c for c in dict.fromkeys(found) if c != OF_ERROR)


def of_value(value: Value) -> tuple[int, ...]:
    """The statuses that a value may be, `OF_ERROR` among them; none where they are
    undetermined."""
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
        case LibrarySymbol(name=name) if name.startswith(f"{CAUGHT}."):
            return [OF_ERROR]
        case ByType(scope=Scope(owner=ClassSymbol() as owner)) if _is_error(owner.decl):
            return [OF_ERROR]
        case LibrarySymbol(name=name):
            known = status_named(_NUMBER_OF_MEMBER.sub("", name).rsplit(".", 1)[-1])
            return [int(known)] if known is not None else None
        case OneOf(options=options):
            parts = [_codes_of_value(option) for option in options]
            if any(part is None for part in parts):
                return None
            return [status for part in parts if part is not None for status in part]
        case _:
            return None


def _is_error(decl: ClassDecl) -> bool:
    """Whether a class of the project is one of errors: by its name, or by what it extends."""
    bases = (base.name for base in decl.bases if isinstance(base, NamedType))
    return any(name.endswith(_ERRORS) for name in (decl.name, *bases))
