"""Paths of members that lambdas name: `o => o.Lines.Where(l => l.Sold)`, `x => x.Links.Select(y =>
y.Unit)`."""

from __future__ import annotations

from contract_scan.parsers.source.csharp.lowering.expressions import NOT_NULL
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
    Return,
)

_SAME_ITEMS = frozenset(
    {"Where", "OrderBy", "OrderByDescending", "ThenBy", "ThenByDescending", "Take", "Skip"}
    | {"AsQueryable", "AsEnumerable", "ToList", "ToArray", "Distinct"}
)
_PICKED = frozenset({"Select", "SelectMany"})


def lambda_path(expr: Expr | None) -> str | None:
    """The members that a lambda goes through from its parameter, with dots between them; None where
    it gives anything else."""
    return _path_of_function(expr.function) if isinstance(expr, Lambda) else None


def _path_of_function(function: Function) -> str | None:
    match function.params, function.body:
        case (parameter,), (Return(value=value),) if value is not None:
            return _path(value, parameter.name)
        case _:
            return None


def _path(expr: Expr, start: str) -> str | None:
    match expr:
        case Name(id=id):
            return "" if id == start else None
        case Attribute(value=value, name=name):
            return _joined_path(_path(value, start), name)
        case Call(callee=Name(id=id), args=(Argument(value=value),)) if id == NOT_NULL:
            return _path(value, start)
        case Call(callee=Attribute(value=value, name=name)) if name in _SAME_ITEMS:
            return _path(value, start)
        case Call(
            callee=Attribute(value=value, name=name), args=(Argument(value=Lambda(function=inner)),)
        ) if name in _PICKED:
            return _joined_path(_path(value, start), _path_of_function(inner))
        case _:
            return None


def _joined_path(first: str | None, then: str | None) -> str | None:
    if first is None or then is None:
        return None
    return f"{first}.{then}".strip(".")
