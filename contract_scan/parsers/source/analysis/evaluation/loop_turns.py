"""How often the bodies of loops within each other are gone through, once for each item.

Three loops over forty items each stand for 64,000 turns. Where there would be more than are
followed, the inner loop is gone through once, with a variable whose value is not known.
"""

from __future__ import annotations

from collections.abc import Mapping

from contract_scan.parsers.source.analysis.domain.values import Constant, Scope, Value

MAX_TURNS = 2_000
"""Turns of a loop within others that are told apart. A loop in no other one has all of its own."""
_TURNS = "<turns>"


def turns_bound(scope: Scope, items: int) -> Mapping[str, Value] | None:
    """What a loop over so many items binds besides its variable, for the loops within it to know
    how often they are gone through; None where those are more turns than are followed."""
    around = scope.bindings_around(_TURNS)
    outer = around.value if isinstance(around, Constant) and isinstance(around.value, int) else 1
    if outer > 1 and outer * items > MAX_TURNS:
        return None
    return {_TURNS: Constant(outer * items)}
