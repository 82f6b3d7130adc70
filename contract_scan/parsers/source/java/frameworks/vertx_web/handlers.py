"""What handlers of Vert.x Web take and send: `RoutingContext`, its request and its response."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Call,
    Expr,
    New,
)
from contract_scan.parsers.source.java.frameworks.vertx_web.json_objects import (
    JSON_CLASSES,
    is_json,
    json_value,
)
from contract_scan.parsers.source.java.resolution.annotations import constant_name, type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.web.branch_results import BranchResult, statuses_of
from contract_scan.parsers.source.java.web.chains import chain, method
from contract_scan.parsers.source.java.web.endpoints import Library, handler_name
from contract_scan.parsers.source.java.web.header_names import content_type_given
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.outcomes import returned_outcomes
from contract_scan.parsers.source.java.web.reading import (
    RequestArgument,
    RequestReader,
    by_kind,
    methods_from_mark,
)
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.request_method import handler_for
from contract_scan.parsers.source.java.web.responses import ResponseShapes
from contract_scan.parsers.source.java.web.states import Effect

_ENCODED = frozenset({"encode", "encodePrettily", "toString", "toBuffer"})
_ENCODERS = ("Json.encode", "Json.encodePrettily", "Json.encodeToBuffer")
_READS = by_kind(
    path="pathParam",
    query="queryParam request().getParam",
    header="request().getHeader",
    cookie="getCookie request().getCookie",
    form="request().getFormAttribute",
    body="body().asPojo body().asJsonObject().mapTo getBodyAsJson().mapTo",
    raw=(
        "request().body request().bodyHandler getBody getBodyAsJson getBodyAsJsonArray "
        "getBodyAsString body().asJsonObject body().asJsonArray body().asString body().buffer"
    ),
    anything="queryParams request().params request().formAttributes request().query fileUploads",
    nothing=(
        "pathParams request().headers request body response json end fail next redirect user get "
        "put data session vertx statusCode failure attachment addCookie remove reroute "
        "currentRoute normalizedPath setUser failed acceptableLocales preferredLanguage "
        "addEndHandler addHeadersEndHandler addBodyEndHandler clearUser getAcceptableContentType "
        "parsedHeaders mountPoint"
    ),
)


_FAILED = Effect(passed_on=True)
_RUN_AT_ONCE = ("AndForget", "AndAwait")
"""What Mutiny's variants of methods end with that need no subscriber."""
_READS.update(
    {
        f"{name}{ending}": "nothing"
        for name in ("json", "end", "redirect", "reroute")
        for ending in _RUN_AT_ONCE
    }
)


def _without_blocking_suffix(name: str) -> str:
    for ending in _RUN_AT_ONCE:
        name = name.removesuffix(ending)
    return name


def _effect(program: Program, name: str, call: Call, scope: Scope) -> Effect | None:
    """What a call on the context or its response does."""
    given = [argument.value for argument in call.args]
    match _without_blocking_suffix(name.rpartition(".")[2]):
        case "setStatusCode" if given:
            return Effect(statuses=statuses_of(program, program.evaluate(given[0], scope)))
        case "json" if given:
            return Effect(body=json_value(program, given[0], scope), content_type=JSON)
        case "putHeader" if len(given) > 1:
            return _header(program, given, scope)
        case "end" | "send" | "write" if given:
            return _text(program, given[0], scope)
        case "end" | "send":
            return Effect()
        case "fail" if given:
            # An exception goes to the handlers of failures, which answer as they like.
            statuses = statuses_of(program, program.evaluate(given[0], scope))
            return Effect(statuses=statuses, body=Constant(None)) if all(statuses) else _FAILED
        case "redirect":
            return Effect(statuses=("302",))
        case "sendFile" | "attachment":
            return Effect(unknown=Reason("file-sent"), content_type="application/octet-stream")
        case "reroute":
            return Effect(unknown=Reason("request-rerouted"))
        case _:
            return None


def _header(program: Program, given: list[Expr], scope: Scope) -> Effect | None:
    kind = content_type_given(program, given, scope)
    if kind == "" and "json" in constant_name(given[1]).lower():
        kind = JSON
    return Effect(content_type=kind or "")


def _text(program: Program, expr: Expr, scope: Scope) -> Effect:
    """The body that text stands for: JSON where it is seen to be encoded from a value."""
    links = chain(expr)
    if links.calls:
        last = links.calls[-1]
        name = program.qualified_name(last.callee, scope)
        if name.endswith(_ENCODERS) and last.args:
            return Effect(body=json_value(program, last.args[0].value, scope), content_type=JSON)
        inner = getattr(last.callee, "value", None)
        if method(last) in _ENCODED and inner is not None and _is_json(program, inner, scope):
            return Effect(body=json_value(program, inner, scope), content_type=JSON)
    return Effect(body=program.evaluate(expr, scope))


def _is_json(program: Program, expr: Expr, scope: Scope) -> bool:
    base = chain(expr).base
    if isinstance(base, New):
        return type_name(base.type) in JSON_CLASSES
    return is_json(program.evaluate(expr, scope)) or is_json(program.evaluate(base, scope))


_METHOD_CALLS = ("request().method", "request().rawMethod")
LIBRARY = Library(reads=_READS, effect_of=_effect, must_send=True, method_calls=_METHOD_CALLS)


def answers(program: Program, handler: FunctionValue) -> bool:
    """Whether a handler may answer itself, rather than pass every request on (`ctx.next()`)."""
    params = handler.function.params
    if not params:
        return True
    bound: dict[str, Value] = {params[0].name: LibrarySymbol("<request>")}
    scope = program.function_scope(handler.function, handler.scope, bound)
    passes = False
    for call, place in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call):
            continue
        before = methods_from_mark(program, chain(call).base, place)
        if before == () and chain(call).names == ("next",):
            passes = True
    return not passes


def responds(program: Program, base: Operation, handler: FunctionValue) -> Operation:
    """The operation of a `respond` handler: what it returns is sent as JSON."""
    variant = wire_variant(program, base.origin.path)
    handler = handler_for(program, handler, base.method, {0: _METHOD_CALLS})
    name = handler_name(handler, "the handler")
    inputs = RequestReader(program, _READS, variant).request_inputs(RequestArgument(handler, 0))
    sending = ResponseShapes(program, handler.scope, base.origin, name, variant)

    def read_outcome(program: Program, value: Value) -> Iterator[BranchResult]:
        del program
        yield BranchResult(body=value, is_status_known=not isinstance(value, Unresolved))

    outcomes = returned_outcomes(program, handler, read_outcome)
    responses, complete = sending.open_responses(outcomes, None, "200", JSON)
    return replace(
        base,
        parameters=with_path_variables(inputs.parameters, base.path, base.origin),
        parameters_complete=inputs.complete,
        request=tuple(inputs.bodies) if base.method not in ("GET", "HEAD") else (),
        responses=responses,
        statuses_complete=complete,
    )
