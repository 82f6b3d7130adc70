"""What actions of Web API 2 and MVC 5 answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.schema import Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult, Handler
from contract_scan.parsers.source.csharp.web.responses import (
    announced_by,
    declared_result,
    is_nothing,
    merge_responses,
)
from contract_scan.parsers.source.csharp.web.results import branch_results
from contract_scan.parsers.source.csharp.web.statuses import WEB_API_HELPERS, Helper, status_of
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Call,
    Expr,
    NamedType,
    New,
    TypeValue,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_MVC_HELPERS: dict[str, Helper] = {
    "Json": Helper("200", 0),
    "View": Helper("200", "none", "text/html"),
    "PartialView": Helper("200", "none", "text/html"),
    "Content": Helper("200", "none", "text/plain"),
    "File": Helper("200", "none", "application/octet-stream"),
    "HttpNotFound": Helper("404"),
    "Redirect": Helper("302"),
    "RedirectPermanent": Helper("301"),
    "RedirectToAction": Helper("302"),
    "RedirectToRoute": Helper("302"),
    "RedirectToActionPermanent": Helper("301"),
}


def responses_of(
    program: Program,
    function: FunctionValue,
    symbol: ClassSymbol,
    annotations: tuple[Annotation, ...],
    variant: str,
    *,
    mvc: bool,
) -> tuple[tuple[Response, ...], bool]:
    """(responses, whether they are all the successes there are) of an action."""
    scope = function.scope
    announced = announced_by(program, annotations, scope, variant)
    handler = Handler(
        program=program,
        variant=variant,
        symbol=symbol,
        helpers=_MVC_HELPERS if mvc else WEB_API_HELPERS,
    )
    found = _action_outcomes(program, function, handler, mvc=mvc)
    typed = _response_type(annotations)
    if typed is not None:
        schema = program.schema(typed, scope, variant)
        if found is None:
            origin = program.origin(function.function, scope)
            results = [
                BranchResult(status="200", schema=schema, explicit_status=False, origin=origin)
            ]
            return merge_responses(results, announced, ()), False
        found = [
            replace(o, schema=schema)
            if o.status.startswith("2") and isinstance(o.schema, Unknown)
            else o
            for o in found
        ]
    return merge_responses(found, announced, ()), found is not None


def _response_type(annotations: tuple[Annotation, ...]) -> NamedType | None:
    """`[ResponseType(typeof(Order))]`."""
    marked = find(annotations, "ResponseType")
    for argument in marked.args if marked is not None else ():
        if isinstance(argument.value, TypeValue) and isinstance(argument.value.type, NamedType):
            return argument.value.type
    return None


def _action_outcomes(
    program: Program, function: FunctionValue, handler: Handler, *, mvc: bool
) -> list[BranchResult] | None:
    thrown = _thrown_outcomes(handler, function)
    says = declared_result(program, function.function.returns, function.scope)
    origin = program.origin(function.function, function.scope)
    if says.kind == "nothing":
        status = "200" if mvc else "204"
        return [BranchResult(status=status, explicit_status=False, origin=origin), *thrown]
    if says.kind == "value" and says.type is not None and says.scope is not None:
        if mvc:
            text = Scalar(type="string")
            kind = "text/html"
            one = BranchResult(
                status="200", schema=text, content_type=kind, explicit_status=False, origin=origin
            )
            return [one, *thrown]
        if not is_nothing(program, says.type, says.scope):
            schema = program.schema(says.type, says.scope, handler.variant)
            return [
                BranchResult(status="200", schema=schema, explicit_status=False, origin=origin),
                *thrown,
            ]
        handler = replace(handler, plain_values=True)
    found: list[BranchResult] = []
    returned = [r for r in program.function_exits(function) if not r.thrown]
    for one_returned in returned:
        value = one_returned.value
        result = None if value is None else branch_results(handler, value, one_returned.scope)
        if result is None:
            return None
        found.extend(result)
    return [*found, *thrown] if returned else None


def _thrown_outcomes(handler: Handler, function: FunctionValue) -> list[BranchResult]:
    """`throw new HttpResponseException(HttpStatusCode.NotFound)`."""
    found: list[BranchResult] = []
    for one in handler.program.function_exits(function):
        if one.thrown and isinstance(one.value, New) and one.value.args:
            type = one.value.type
            if isinstance(type, NamedType) and type.name.endswith("HttpResponseException"):
                found.extend(_of_exception(handler, one.value.args[0].value, one.scope))
    return found


def _of_exception(handler: Handler, given: Expr, scope: Scope) -> list[BranchResult]:
    status = status_of(handler.program, given, scope)
    if status is not None:
        return [BranchResult(status=status, origin=handler.program.origin(given, scope))]
    if isinstance(given, Call | New):
        return branch_results(handler, given, scope) or []
    return []
