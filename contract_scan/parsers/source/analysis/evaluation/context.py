"""What the parts of an evaluator share."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.budget import Budget
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope, Value
from contract_scan.parsers.source.facts.nodes import Expr


class Context(Struct, frozen=True, eq=False):
    """What every part of an evaluator is made with, besides the parts that it calls."""

    program: Program
    """The code. Its other members may not be there yet when a part is made."""
    budget: Budget
    """How far evaluation may go, and where it was cut short."""
    evaluate: Callable[[Expr, Scope], Value]
    """What an expression means at a place: the way back to the whole, for what stands inside of
    the expression that a part looks at."""
