"""One call of something well known, as an intrinsic sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.parsers.source.facts import (
    Call,
    Expr,
    New,
)
from contract_scan.parsers.source.link.values import (
    BoundType,
    Scope,
    Value,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program


class CallSite(Struct, frozen=True, eq=False):
    """One call of something well known, as an intrinsic sees it."""

    program: Program
    call: Call | New
    scope: Scope
    name: str
    """Qualified name or `.method`."""
    receiver: Value | None = None

    def argument(self, position: int, name: str = "") -> Expr | None:
        """The expression passed at a position or under a name."""
        positional = [a for a in self.call.args if not a.name and a.spread != "**"]
        for argument in self.call.args:
            if name and argument.name == name:
                return argument.value
        if 0 <= position < len(positional):
            return positional[position].value
        return None

    def value(self, position: int, name: str = "") -> Value | None:
        """What is passed at a position or under a name."""
        expr = self.argument(position, name)
        return None if expr is None else self.program.evaluate(expr, self.scope)

    def type_argument(self, position: int = 0) -> BoundType | None:
        """An explicit type argument of the call."""
        types = self.call.type_args if isinstance(self.call, Call) else ()
        return BoundType(types[position], self.scope) if position < len(types) else None

    def apply(self, function: Value | None, *args: Value) -> Value:
        """What calling a function value with these arguments gives."""
        return self.program.evaluator.apply(function, args, self.scope)

    def item(self, value: Value | None) -> Value:
        """An item of a list value."""
        return self.program.evaluator.item(value)

    def unwrapped(self, value: Value | None) -> Value:
        """The value inside promises, tasks and the like."""
        return self.program.evaluator.unwrapped(value)
