"""What a result comes to hold that is handed out before it is there.

DeferredResult<ResponseEntity<Order>> result = new DeferredResult<>();
executor.submit(() -> result.setResult(ResponseEntity.status(201).body(order)));
return result;
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.parsers.source.facts import Assign, Attribute, Call, Expr, Name, New
from contract_scan.parsers.source.java.annotations import type_name
from contract_scan.parsers.source.link import flow
from contract_scan.parsers.source.link.values import Scope, Value
from contract_scan.parsers.source.link.walk import calls_in

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_RESULTS = frozenset({"DeferredResult", "CompletableFuture", "SettableFuture"})
_SETTERS = frozenset({"setResult", "complete", "set"})


class Settled(Struct, frozen=True):
    """The values that statements give a result."""

    values: tuple[Value, ...]
    whole: bool
    """Whether these are all: nobody else is handed the result."""


def settled(program: Program, returned: Expr, scope: Scope) -> Settled | None:
    """What a handler gives the result that it returns; None where it returns no such one that it
    makes itself."""
    if not isinstance(returned, Name):
        return None
    statements = scope.statements or ()
    made = [d.statement for d in flow.reaching(statements, returned.id, returned.span)]
    if not made or not all(isinstance(s, Assign) and _is_result(s.value) for s in made):
        return None
    values: list[Value] = []
    handed_over = False
    for call, place in calls_in(program, statements, scope):
        match call:
            case Call(callee=Attribute(value=Name(id=id), name=name)) if id == returned.id:
                if name in _SETTERS and call.args:
                    values.append(program.evaluate(call.args[0].value, place))
            case _:
                pass
        handed_over |= any(
            isinstance(argument.value, Name) and argument.value.id == returned.id
            for argument in call.args
        )
    return Settled(tuple(values), bool(values) and not handed_over)


def _is_result(value: Expr | None) -> bool:
    return isinstance(value, New) and type_name(value.type) in _RESULTS and not value.members
