"""Results of one call that differ only in the calls that came before."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Value,
)

_DETOURS = 16
"""How many results of one call are told apart by the calls that came before."""


def without_detours(results: list[Value]) -> tuple[Value, ...]:
    """Results of one call on each of several receivers. Where there are many, those that a library
    made of the same thing by way of other calls count once: `q = q.filter(x)` under ten conditions
    has a thousand ways to one query."""
    if len(results) <= _DETOURS:
        return tuple(results)
    distinct: dict[object, Value] = {}
    for result in results:
        distinct.setdefault(_start(result), result)
    return tuple(distinct.values())


def _start(value: Value) -> object:
    """What tells a value from others; for what a library made, what it was made of at first."""
    start: Value = value
    while isinstance(start, LibraryResult | LibrarySymbol) and start.receiver is not None:
        start = start.receiver
    match start:
        case LibraryResult():
            return start.identity
        case ClassValue(symbol=symbol) | Instance(symbol=symbol, site=None):
            return type(start), symbol.key
        case LibrarySymbol(name=name):
            return name
        case _:
            return id(start)
