"""Which entities the code of a function hands to a context of Entity Framework Core.

A context fills the navigations of all that it tracks as soon as it knows the other end
(https://learn.microsoft.com/ef/core/change-tracking/relationship-changes): an order that is read
again after its lines were added has these lines, whatever the query includes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import possible_values
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, ClassSymbol, Instance, Scope
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.serialization.navigations import (
    class_within,
    is_entity,
    navigations,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    New,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

ANY: Final = None
"""Any entity may have been handed to the context."""
_ADDING = frozenset(
    {f"{name}{end}" for name in ("Add", "AddRange") for end in ("", "Async")}
    | {"Attach", "AttachRange", "Update", "UpdateRange"}
)
_LOADING = frozenset({"Load", "LoadAsync"})


def entities_added(program: Program, scope: Scope) -> frozenset[str] | None:
    """The entities, by the keys of their classes, that the function around a place hands to a
    context itself; None (`ANY`): any."""
    outer: Scope | None = None
    current: Scope | None = scope
    while current is not None:
        if current.function is not None and current.statements:
            outer = current
        current = current.parent
    if outer is None or outer.function is None:
        return frozenset()
    known = cast(
        "dict[int, tuple[Function, frozenset[str] | None]]",
        program.memory.setdefault("csharp.tracked_entities", {}),
    )
    found = known.get(id(outer.function))
    if found is None:  # keeps the function, so that its identity stays its own
        found = known[id(outer.function)] = (outer.function, _added_entities(program, outer))
    return found[1]


def _added_entities(program: Program, scope: Scope) -> frozenset[str] | None:
    found: set[str] = set()
    for call in nodes_of(scope.statements):
        if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            continue
        name = call.callee.name
        if name in _LOADING:
            return ANY
        if name == "Map" and len(call.args) > 1:
            filled = _class_of(program, call.args[1].value, scope)
            found |= set() if filled is None else all_reached(program, filled)
        if name in _ADDING:
            for argument in call.args[:1]:
                found |= _handed_over(program, call.callee.value, argument, scope)
    return frozenset(found)


def _handed_over(program: Program, table: Expr, given: Argument, scope: Scope) -> set[str]:
    """The entities that come into a context with the argument of `table.Add(…)`."""
    made = _making_expression(given.value, scope)
    if made is not None:
        value = program.evaluator.unwrap(program.evaluate(made, scope))
        if isinstance(value, Instance) and isinstance(value.site, New):
            return _of_construction(program, value.symbol, value.site)
        if isinstance(value, ByType) and value.view:
            symbol = symbol_of(program, value)
            return set() if symbol is None else set(_loaded_entities(program, symbol, value.view))
    symbol = _class_of(program, given.value, scope) or _class_of(program, table, scope)
    return set() if symbol is None else all_reached(program, symbol)


def _making_expression(expr: Expr, scope: Scope) -> Expr | None:
    """The expression that makes an object, where a name holds nothing else."""
    values = possible_values(expr, scope) if isinstance(expr, Name) else [expr]
    only = values[0] if len(values) == 1 else None
    match only:
        case New():
            return only
        case Call(callee=Attribute(name="Map"), args=(_,), type_args=(_, *_)):
            return only
        case _:
            return None


def _class_of(program: Program, expr: Expr, scope: Scope) -> ClassSymbol | None:
    """The entity that an expression gives one of, or a list of; None where it gives none."""
    if isinstance(expr, Call) and isinstance(expr.callee, Name) and expr.callee.id == AWAIT:
        return None
    value = program.evaluate(expr, scope) if isinstance(expr, Name | Attribute) else None
    symbol: ClassSymbol | None = None
    if isinstance(value, ByType):
        symbol = class_within(program, value.type, value.scope)
    elif isinstance(value, Instance):
        symbol = value.symbol
    return symbol if symbol is not None and is_entity(program, symbol) else None


def _of_construction(program: Program, symbol: ClassSymbol, made: New) -> set[str]:
    """`new Line { OrderId = id, Product = product }`: the line, and what `Product` leads to."""
    if not is_entity(program, symbol):
        return set()
    related = navigations(program, symbol)
    found = {symbol.key}
    for entry in made.entries:
        target = related.get(entry.key) if isinstance(entry.key, str) else None
        found |= set() if target is None else all_reached(program, target)
    return found


def _loaded_entities(program: Program, symbol: ClassSymbol, view: str) -> Iterator[str]:
    """An entity and those in its navigations that are loaded."""
    yield symbol.key
    for name, target in navigations(program, symbol).items():
        if loaded_relations.is_loaded(view, name) is False:
            continue
        inner = loaded_relations.nested_view(view, name)
        yield from (
            _loaded_entities(program, target, inner) if inner else all_reached(program, target)
        )


def all_reached(program: Program, symbol: ClassSymbol) -> set[str]:
    """An entity and all that its navigations lead to."""
    found: dict[str, ClassSymbol] = {}
    pending = [symbol]
    while pending:
        one = pending.pop()
        if one.key not in found:
            found[one.key] = one
            pending.extend(navigations(program, one).values())
    return set(found)
