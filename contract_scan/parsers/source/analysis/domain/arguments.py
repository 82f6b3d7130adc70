"""What a call gives the parameters of a function, found out when it is asked for.

Most arguments are never looked at: a declared type says more about a parameter. Evaluating them all
would follow every chain of calls to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from contract_scan.parsers.source.analysis.domain.values import Scope, Value
from contract_scan.parsers.source.facts.nodes import Expr

Later: TypeAlias = "Callable[[], Value | None]"
"""Evaluates one argument; None: the parameter's declared type says more."""


class Arguments(Mapping[str, Value]):
    """Name of a parameter -> value of its argument, evaluated once, on demand."""

    __slots__ = ("_expressions", "_later", "_values", "asked", "is_caller_read")

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}
        self._later: dict[str, Later] = {}
        self.asked: dict[str, Value | None] = {}
        """The names that were asked for, in order, with what was answered."""
        self._expressions: dict[str, tuple[Expr, Scope]] = {}
        self.is_caller_read = False
        """Whether the text of an argument was asked for: what was answered then holds for this
        call alone."""

    @property
    def names(self) -> frozenset[str]:
        """The names of all parameters that the call gives something."""
        return frozenset((*self.asked, *self._values, *self._later))

    def give(self, values: Mapping[str, Value]) -> None:
        """Bind values that are known, in the place of arguments that were not asked for yet."""
        self._values.update(values)
        for name in values:
            self._later.pop(name, None)

    def give_later(self, name: str, later: Later) -> None:
        """Bind an argument that is evaluated when it is asked for."""
        self._later[name] = later

    def give_expression(self, name: str, argument: Expr, scope: Scope) -> None:
        """Say which expression an argument is, and where it stands."""
        self._expressions[name] = (argument, scope)

    def expression(self, name: str) -> tuple[Expr, Scope] | None:
        """The expression that a call gives a parameter, with the scope it stands in."""
        self.is_caller_read = True
        return self._expressions.get(name)

    def __getitem__(self, name: str) -> Value:
        later = self._later.pop(name, None)
        if later is not None:
            value = self.asked[name] = later()
            if value is not None:
                self._values[name] = value
        held = self._values[name]
        self.asked[name] = held
        return held

    def __contains__(self, name: object) -> bool:
        if name in self._later or name in self._values:
            assert isinstance(name, str)
            return self.get(name) is not None
        return False

    def __bool__(self) -> bool:
        return bool(self._values or self._later)

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in {**self._values, **self._later} if name in self])

    def __len__(self) -> int:
        return len(list(iter(self)))
