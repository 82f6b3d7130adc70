"""What is taken out of a `Map` or a `Set`, by its type arguments or by what it is made of."""

from __future__ import annotations

from contract_scan.ir.schema import Array, Scalar
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Items,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import NamedType, New, TypeExpr
from contract_scan.parsers.source.language import CallModel

_MAPS = frozenset({"Map", "ReadonlyMap", "WeakMap"})
_SETS = frozenset({"Set", "ReadonlySet", "WeakSet"})
_UNDEFINED = LibrarySymbol("undefined")

_Held = tuple["Value", "Value"]
"""Key and value; of a set, both are its items."""


def get(site: CallSite) -> Value | None:
    """`map.get(key)`: a value, or undefined."""
    held = _entry_values(site.program, site.unwrap(site.receiver))
    return None if held is None else union_of((held[1], _UNDEFINED))


def keys(site: CallSite) -> Value | None:
    """`map.keys()`; of a list the numbers of its items."""
    held = _entry_values(site.program, site.unwrap(site.receiver))
    if held is not None:
        return Items((held[0],), repeated=True)
    types = site.program.types
    listed = isinstance(types.flat(types.schema_of(site.unwrap(site.receiver))), Array)
    return Items((BySchema(Scalar(type="integer")),), repeated=True) if listed else None


def values(site: CallSite) -> Value | None:
    """`map.values()`."""
    held = _entry_values(site.program, site.unwrap(site.receiver))
    return None if held is None else Items((held[1],), repeated=True)


def entries(site: CallSite) -> Value | None:
    """`map.entries()`."""
    held = _entry_values(site.program, site.unwrap(site.receiver))
    return None if held is None else Items((Items(held, is_tuple=True),), repeated=True)


def items_of(program: Program, value: Value) -> Value | None:
    """What a `Set` or a `Map` that the code makes gives one by one: items, or pairs."""
    if not isinstance(value, LibraryResult) or value.name not in _MAPS | _SETS:
        return None
    held = _entry_values(program, value)
    if held is None:
        return None
    return held[0] if value.name in _SETS else Items(held, is_tuple=True)


def _entry_values(program: Program, value: Value) -> _Held | None:
    match value:
        case ByType(type=NamedType() as type, scope=scope):
            found = program.names.lookup_type(type.name, scope)
            return _arguments(type, scope) if isinstance(found, LibrarySymbol) else None
        case LibraryResult(name=name, site=New(type=NamedType() as type) as made, scope=scope) if (
            name in _MAPS | _SETS
        ):
            if type.args or not made.args:
                return _arguments(type, scope)
            item = program.evaluator.item(program.evaluate(made.args[0].value, scope))
            if name in _SETS:
                return (item, item)
            pair = item.values if isinstance(item, Items) and not item.repeated else ()
            return (pair[0], pair[1]) if len(pair) == 2 else None
        case _:
            return None


def _arguments(type: NamedType, scope: Scope) -> _Held | None:
    def value_of_type(argument: TypeExpr) -> Value:
        return ByType(argument, scope, argument.span)

    if type.name in _MAPS and len(type.args) == 2:
        return value_of_type(type.args[0]), value_of_type(type.args[1])
    if type.name in _SETS and len(type.args) == 1:
        return value_of_type(type.args[0]), value_of_type(type.args[0])
    return None


CALL_MODELS: dict[str, CallModel] = {
    ".get": get,
    ".keys": keys,
    ".values": values,
    ".entries": entries,
}
