"""Which status is in force at each return of a view that sets it on the response beforehand."""

from __future__ import annotations

from collections.abc import Callable

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    Expr,
    Loop,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.python.web.common import status_code


def statuses_in_force(
    program: Program, scope: Scope, is_status: Callable[[Expr], bool]
) -> dict[Span, str | None]:
    """For each return of the function of a scope: the status that is set by then, empty where none
    is, None where it is undetermined; under NO_SPAN the one at its end, where that is reached.
    `is_status` knows what is assigned to (`response.status`)."""
    found: dict[Span, str | None] = {}
    last, ended = _walk(program, scope.statements or (), scope, "", is_status, found)
    if not ended:
        found[NO_SPAN] = last
    return found


def _walk(
    program: Program,
    statements: tuple[Statement, ...],
    scope: Scope,
    status: str | None,
    is_status: Callable[[Expr], bool],
    found: dict[Span, str | None],
) -> tuple[str | None, bool]:
    """The status after the statements, and whether they end the function."""
    for statement in statements:
        match statement:
            case Return(span=span):
                found[span] = status
                return status, True
            case Throw():
                return status, True
            case Assign(target=target, value=value) if is_status(target):
                status = status_code(program, value, scope)
            case Branch(blocks=blocks):
                after = {status} if not statement.exhaustive or statement.kind == "try" else set()
                for block in blocks:
                    then, ended = _walk(program, block, scope, status, is_status, found)
                    if not ended:
                        after.add(then)
                status = after.pop() if len(after) == 1 else None if after else status
            case Loop(body=body):
                then, _ = _walk(program, body, scope, status, is_status, found)
                status = status if then == status else None
            case _:
                continue
    return status, False
