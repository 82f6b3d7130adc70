"""The order in which Python looks for a member in the classes that one inherits from (C3).

https://docs.python.org/3/howto/mro.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def linear_order(name: str, bases: Mapping[str, Sequence[str]]) -> list[str] | None:
    """A class and everything that it inherits from, in that order; `bases` are the direct ones of
    each. None where there is no such order: Python refuses the class."""
    return _Linearization(bases).of(name)


class _Linearization:
    def __init__(self, bases: Mapping[str, Sequence[str]]) -> None:
        self._bases = bases
        self._known: dict[str, list[str] | None] = {}

    def of(self, name: str) -> list[str] | None:
        if name not in self._known:
            self._known[name] = None  # a ring ends here
            self._known[name] = self._order_of(name)
        return self._known[name]

    def _order_of(self, name: str) -> list[str] | None:
        direct = list(self._bases.get(name, ()))
        orders = [self.of(base) for base in direct]
        waiting = [list(order) for order in orders if order is not None]
        if len(waiting) < len(orders):
            return None
        waiting.append(direct)
        result = [name]
        while waiting := [order for order in waiting if order]:
            later = {each for order in waiting for each in order[1:]}
            first = next((order[0] for order in waiting if order[0] not in later), None)
            if first is None:
                return None
            result.append(first)
            waiting = [[each for each in order if each != first] for order in waiting]
        return result
