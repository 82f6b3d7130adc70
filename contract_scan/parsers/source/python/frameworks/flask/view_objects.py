"""The objects that Flask-RESTful and Flask-RESTX make of views: what `add_resource` is given for
their constructors (`resource_class_args`, `resource_class_kwargs`)."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import possible_values
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Instance, Scope
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Call,
    Expr,
    Name,
    ObjectLiteral,
    Spread,
)
from contract_scan.parsers.source.python.web.common import call_argument


def view_object(call: Call, scope: Scope, symbol: ClassSymbol) -> Instance:
    """The object of a view as `api.add_resource(View, …)` makes it; without a construction where
    it gives none, or one that is not written out."""
    given = [
        call_argument(call.args, name) for name in ("resource_class_args", "resource_class_kwargs")
    ]
    if given == [None, None]:
        return Instance(symbol)
    positional = _items(given[0], scope)
    named = _entries(given[1], scope)
    if positional is None or named is None:
        return Instance(symbol)
    return Instance(symbol, site=replace(call, args=(*positional, *named)), scope=scope)


def _items(expr: Expr | None, scope: Scope) -> tuple[Argument, ...] | None:
    if expr is None:
        return ()
    match _expression_of(expr, scope):
        case ArrayLiteral(items=items) if not any(isinstance(item, Spread) for item in items):
            return tuple(Argument(value=item) for item in items)
        case _:
            return None


def _entries(expr: Expr | None, scope: Scope) -> tuple[Argument, ...] | None:
    if expr is None:
        return ()
    match _expression_of(expr, scope):
        case ObjectLiteral(entries=entries) if all(entry.key for entry in entries):
            return tuple(Argument(name=entry.key or "", value=entry.value) for entry in entries)
        case _:
            return None


def _expression_of(expr: Expr, scope: Scope) -> Expr:
    """An expression, or the one value of a name."""
    if not isinstance(expr, Name):
        return expr
    values = possible_values(expr, scope)
    return values[0] if len(values) == 1 else expr
