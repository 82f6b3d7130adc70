"""Functions that a handler defines and calls itself: `const send = (code, data) => …`."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Call,
    Define,
    Function,
    Lambda,
    Name,
    Statement,
)
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes


class Closures:
    """Remembers for each function which of the functions in it it calls."""

    def __init__(self) -> None:
        self._called: dict[int, tuple[Function, frozenset[str]]] = {}
        """By the identity of the function, which is kept so that it stays its own."""

    def is_called(self, name: str, scope: Scope) -> bool:
        """Whether the function of a scope defines a function of that name and calls it."""
        if not name or scope.function is None:
            return False
        key = id(scope.function)
        if key not in self._called:
            self._called[key] = (scope.function, _own_calls(scope.statements or ()))
        return name in self._called[key][1]

    def is_called_around(self, name: str, scope: Scope) -> bool:
        """Whether any function around a place calls the name itself."""
        current: Scope | None = scope
        while current is not None:
            if self.is_called(name, current):
                return True
            current = current.parent
        return False


def _own_calls(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Names of functions that are defined in some statements, and called there."""
    defined: set[str] = set()
    called: set[str] = set()
    pending: list[object] = [statements]
    while pending:
        for node in nested_nodes(pending.pop()):
            match node:
                case Define(declaration=Function() as declared):
                    defined.add(declared.name)
                    pending.append(declared.body or ())
                case Assign(target=Name(id=id), value=Lambda()):
                    defined.add(id)
                case Call(callee=Name(id=id)):
                    called.add(id)
                case Lambda():
                    pending.append(node.function.body or ())
                case _:
                    pass
    return frozenset(defined & called)
