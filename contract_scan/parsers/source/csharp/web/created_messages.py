"""Responses that actions of Web API 2 make themselves: `Request.CreateResponse(status, value)`."""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, Scope
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult, Handler, outcome
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    NamedType,
    New,
)

_CREATES = frozenset({"CreateResponse", "CreateErrorResponse"})
_CHANGES = (b".Content =", b".Content=", b".StatusCode =", b".StatusCode=")


def is_message(expr: Expr) -> bool:
    """Whether an expression makes a response by hand."""
    match expr:
        case Call(callee=Attribute(name=name)):
            return name in _CREATES
        case New(type=NamedType(name=name)):
            return unqualified_name(name) == "HttpResponseMessage"
        case _:
            return False


def message(handler: Handler, expr: Call | New, scope: Scope) -> list[BranchResult] | None:
    """What a response made by hand answers; None where it is undetermined."""
    program = handler.program
    origin = program.origin(expr, scope)
    if _is_changed(program, scope):
        return None
    if isinstance(expr, New):
        status = "200"
        for value in (*_positional(expr.args)[:1], *_entries(expr, "StatusCode")):
            known = status_of(program, value, scope)
            if known is None:
                return None
            status = known
        schema = None
        if _entries(expr, "Content"):
            schema = Unknown(reason=Reason("message-content-handwritten"), origin=origin)
        return [BranchResult(status=status, schema=schema, origin=origin)]
    name = getattr(expr.callee, "name", "")
    args = _positional(expr.args)
    first = status_of(program, args[0], scope) if args else "200"
    if first is None:
        return None if _may_be_status(program, args[0], scope) else _ok(handler, args[0], scope)
    if name == "CreateErrorResponse":
        schema = Unknown(reason=Reason("web-api-error-settings"), origin=origin)
        return [BranchResult(status=first, schema=schema, origin=origin)]
    return [outcome(handler, first, args[1] if len(args) > 1 else None, origin, scope)]


def _ok(handler: Handler, body: Expr, scope: Scope) -> list[BranchResult]:
    origin = handler.program.origin(body, scope)
    return [outcome(handler, "200", body, origin, scope)]


def _may_be_status(program: Program, expr: Expr, scope: Scope) -> bool:
    value = program.evaluate(expr, scope)
    if isinstance(value, ByType) and isinstance(value.type, NamedType):
        return unqualified_name(value.type.name) in ("HttpStatusCode", "int")
    return not isinstance(value, ByType) and not hasattr(value, "symbol")


def _is_changed(program: Program, scope: Scope) -> bool:
    """Whether the function around a message goes on to change it."""
    current: Scope | None = scope
    while current is not None and (current.function is None or not current.function.name):
        current = current.parent
    if current is None or current.function is None:
        return False
    text = function_text(program, current.file.path, current.function)
    return any(change in text for change in _CHANGES)


def _positional(args: tuple[Argument, ...]) -> list[Expr]:
    return [argument.value for argument in args]


def _entries(made: New, key: str) -> list[Expr]:
    return [entry.value for entry in made.entries if entry.key == key]
