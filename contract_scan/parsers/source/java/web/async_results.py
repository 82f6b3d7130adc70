"""What a result comes to hold that is handed out before it is there.

DeferredResult<ResponseEntity<Order>> result = new DeferredResult<>();
executor.submit(() -> result.setResult(ResponseEntity.status(201).body(order)));
return result;
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, Typed, Value
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
    NamedType,
    New,
    Statement,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_RESULTS = frozenset({"DeferredResult", "CompletableFuture", "SettableFuture"})
_SETTERS = frozenset({"setResult", "complete", "set", "resume"})
_GIVING = frozenset(
    {
        *("thenAccept", "thenAcceptAsync", "subscribe", "with", "ifPresent"),
        *("whenComplete", "whenCompleteAsync", "handle"),
    }
)
"""Methods that hand a function what their receiver comes to hold."""
_MAX_DEPTH = 5
"""How many of them stand in each other."""


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
    made = [
        d.statement for d in reaching_definitions.reaching(statements, returned.id, returned.span)
    ]
    if not made or not all(isinstance(s, Assign) and _is_result(s.value) for s in made):
        return None
    return _settled(program, returned.id, statements, scope)


def settled_later(program: Program, handler: FunctionValue, name: str) -> Settled:
    """What a handler gives the result that it is handed as a parameter: `later.resume(order)`."""
    function, file = handler.function, handler.scope.file
    inside = program.function_scope(function, handler.scope)
    return _settled(program, name, program.body(function, file), inside)


def _settled(
    program: Program, result: str, statements: tuple[Statement, ...], scope: Scope
) -> Settled:
    values: dict[Span, Value] = {}
    handed_over = _gather(program, result, statements, scope, values, 0)
    return Settled(tuple(values.values()), bool(values) and not handed_over)


def _gather(
    program: Program,
    result: str,
    statements: tuple[Statement, ...],
    scope: Scope,
    values: dict[Span, Value],
    depth: int,
) -> bool:
    """Adds what statements give a result, by the place of the call; whether they hand the result to
    anybody else."""
    handed_over = False
    for call, place in calls_in(program, statements, scope):
        match call:
            case Call(callee=Attribute(value=Name(id=id), name=name)) if id == result:
                if name in _SETTERS and call.args and call.span not in values:
                    values[call.span] = program.evaluate(call.args[0].value, place)
            case Call(callee=Attribute(value=giver, name=name), args=(only,)) if name in _GIVING:
                if _is_setter(only.value, result):
                    values[call.span] = _held(program, giver, place)
                elif isinstance(only.value, Lambda) and depth < _MAX_DEPTH:
                    function = only.value.function
                    given = _given(program, function, giver, place)
                    inside = program.function_scope(function, place, given)
                    _gather(program, result, function.body or (), inside, values, depth + 1)
            case _:
                pass
        handed_over |= any(
            isinstance(argument.value, Name) and argument.value.id == result
            for argument in call.args
        )
    return handed_over


def _given(program: Program, function: Function, giver: Expr, scope: Scope) -> dict[str, Value]:
    """What a function is called with once its result is there: the result, and what went wrong."""
    names = [param.name for param in function.params if param.type is None]
    values = (_held(program, giver, scope), Typed(NamedType(name="Throwable"), scope))
    return dict(zip(names, values, strict=False))


def _held(program: Program, giver: Expr, scope: Scope) -> Value:
    return program.evaluator.unwrapped(program.evaluate(giver, scope))


def _is_setter(expr: Expr, result: str) -> bool:
    """Whether a method reference settles a result: `later::resume`."""
    return (
        isinstance(expr, Attribute)
        and expr.name in _SETTERS
        and isinstance(expr.value, Name)
        and expr.value.id == result
    )


def _is_result(value: Expr | None) -> bool:
    return isinstance(value, New) and type_name(value.type) in _RESULTS and not value.members
