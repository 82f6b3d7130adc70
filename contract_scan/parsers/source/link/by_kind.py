"""Functions that give a list for a list and an object for an object."""

from __future__ import annotations

from collections.abc import Sequence

from contract_scan.parsers.source.facts import ArrayLiteral, Branch, Call, Expr, Name
from contract_scan.parsers.source.link import flow
from contract_scan.parsers.source.link.values import Items, Record, Scope, Value

_LISTS = frozenset({"list", "tuple", "set", "Sequence", "Iterable"})


def depends_on_kind(results: Sequence[Value], scope: Scope) -> bool:
    """Whether a function gives either a list or an object, and what it is given tells which:
    `if (Array.isArray(x)) return x.map(renamed);` before an object whose keys are those of `x`, or
    `if isinstance(x, list): …` before any object. `scope`: inside the function."""
    objects = [value for value in results if isinstance(value, Record)]
    if not objects or not any(isinstance(value, Items) for value in results):
        return False
    copied = any(value.values is not None and not value.entries for value in objects)
    return copied or _asks_for_list(scope)


def _asks_for_list(scope: Scope) -> bool:
    names = {p.name for p in scope.function.params} if scope.function is not None else set()
    return any(
        isinstance(statement, Branch)
        and statement.condition is not None
        and _is_list_test(statement.condition, names)
        for statement in flow.nested(scope.statements or ())
    )


def _is_list_test(test: Expr, names: set[str]) -> bool:
    match test:
        case Call(callee=Name(id="isinstance"), args=(first, second)):
            kinds = second.value
        case _:
            return False
    listed = kinds.items if isinstance(kinds, ArrayLiteral) else (kinds,)
    return (
        isinstance(first.value, Name)
        and first.value.id in names
        and any(isinstance(kind, Name) and kind.id in _LISTS for kind in listed)
    )
