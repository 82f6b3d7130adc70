"""Which keys of a request body code reads, where the body is told by marks (see `marks`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, Call, Expr, LiteralExpr, Name
from contract_scan.parsers.source.typescript.web.body_parts import BodyPart
from contract_scan.parsers.source.typescript.web.body_uses import LEVELS, BodyUses
from contract_scan.parsers.source.typescript.web.part_reader import WalkState

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope

Marked = Callable[[Expr, "Scope"], str]
"""What an expression gives of the body: `whole`, `key` (named by its first argument), `keys`
(listed there), or nothing of it (empty)."""


class MarkedUses(BodyUses):
    """Collects what the functions of one route read of a body that is told by marks."""

    def __init__(self, program: Program, marked: Marked) -> None:
        super().__init__(program)
        self._marked = marked

    def read_function(self, function: FunctionValue, scope: Scope) -> None:
        """Read a function whose scope binds the marks."""
        self._seen.clear()
        self._function(function.function, scope, {}, 0, LEVELS)

    def _expr(self, expr: Expr, walk: WalkState, depth: int, left: int) -> BodyPart | None:
        followed = isinstance(expr, Name) and expr.id in walk.names
        kind = self._marked(expr, walk.scope) if left and not followed else ""
        if kind == "whole":
            return self.body
        if not kind or not isinstance(expr, Call):
            return super()._expr(expr, walk, depth, left)
        listed = expr.args[0].value if expr.args else None
        if kind == "keys":
            if not isinstance(listed, ArrayLiteral):
                self.body.leave_open(Reason("taken-keys-not-found"))
                return None
            made = BodyPart(made=True)
            for item in listed.items:
                name = self._program.text(item, walk.scope)
                if name is not None:
                    made.keys[name] = self._key(self.body, name, item.span, walk)
            return made
        if isinstance(listed, LiteralExpr) and isinstance(listed.value, str):
            held: BodyPart = self.body
            for name in listed.value.split("."):
                held = self._key(held, name, listed.span, walk)
            # What is given besides stands where there is none.
            return held if len(expr.args) == 1 else held.copy()
        self.body.leave_open(Reason("key-computed"))
        return None
