"""What a handler of several methods does for one of them: `if request.method == "POST"`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Branch,
    Define,
    Expr,
    Loop,
    Name,
    Statement,
)
from contract_scan.parsers.source.link import flow
from contract_scan.parsers.source.link.values import Constant, FunctionValue, Scope, Value
from contract_scan.parsers.source.python.web.common import asks_request
from contract_scan.parsers.source.python.web.decide import Known, reachable

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program


def statements_for(
    program: Program, view: FunctionValue, method: str
) -> tuple[Statement, ...] | None:
    """The statements of a view that may run for a method; None where it does not ask for the
    method, so that all of them may."""
    if method in ("", "*") or not _asks(program, view):
        return None
    scope = program.function_scope(view.function, view.scope)
    return tuple(reachable(program, scope.statements or (), scope, _knowing(method, scope)))


def spans_for(program: Program, view: FunctionValue, method: str) -> frozenset[Span] | None:
    """The places of the single statements that may run for a method; None: all of them."""
    found = statements_for(program, view, method)
    if found is None:
        return None
    return frozenset(s.span for s in found if not isinstance(s, Branch | Loop | Define))


def _asks(program: Program, view: FunctionValue) -> bool:
    span = view.function.span
    key = f"python.asks:{view.scope.file.path}:{span.line}:{span.column}"
    if key not in program.memory:
        program.memory[key] = asks_request(program, view, "method")
    return program.memory[key] is True


def _knowing(method: str, scope: Scope) -> Known:
    def known(expr: Expr) -> Value | None:
        return Constant(method) if _is_method(expr, scope) else None

    return known


def _is_method(expr: Expr, scope: Scope) -> bool:
    match expr:
        case Attribute(value=Name(id="request") | Attribute(name="request"), name="method"):
            return True
        case Name(id=id):
            definitions = flow.reaching(scope.statements or (), id, expr.span)
            if len(definitions) != 1:
                return False
            statement = definitions[0].statement
            value = statement.value if isinstance(statement, Assign) else None
            return isinstance(value, Attribute) and _is_method(value, scope)
        case _:
            return False
