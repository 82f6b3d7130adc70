"""What an endpoint of FastEndpoints answers: what it sends, returns, or leaves to be sent."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.application import Application
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.classes import EndpointClass
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.setup import EndpointSetup
from contract_scan.parsers.source.csharp.lowering.target_types import of_target_type
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.resolution.value_classes import is_cancellation_token
from contract_scan.parsers.source.csharp.serialization.settings.application import settings_for
from contract_scan.parsers.source.csharp.serialization.settings.steps import flat
from contract_scan.parsers.source.csharp.web.actions import respond
from contract_scan.parsers.source.csharp.web.called import own_name
from contract_scan.parsers.source.csharp.web.helpers import text_or_file_results
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult, Handler, outcome
from contract_scan.parsers.source.csharp.web.responses import AnnotatedResponse, merge_responses
from contract_scan.parsers.source.csharp.web.results import branch_results
from contract_scan.parsers.source.csharp.web.statuses import Helper, status_of
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    Statement,
)
from contract_scan.parsers.source.web.response_rewriters import with_open_bodies

_BINARY = "application/octet-stream"
_SENDS: dict[str, Helper] = {
    "": Helper("200", 0, status_argument=1),
    "Response": Helper("200", 0, status_argument=1),
    "Ok": Helper("200", 0),
    "NoContent": Helper("204"),
    "NotFound": Helper("404"),
    "Unauthorized": Helper("401"),
    "Forbidden": Helper("403"),
    "NotModified": Helper("304"),
    "Headers": Helper("200", status_argument=1),
    "StatusCode": Helper("", status_argument=0),
    "String": Helper("200", "none", "text/plain", status_argument=1),
    "Bytes": Helper("200", "none", _BINARY),
    "File": Helper("200", "none", _BINARY),
    "Stream": Helper("200", "none", _BINARY),
    "EventStream": Helper("200", "none", "text/event-stream"),
}
"""Methods (`SendOkAsync`, `Send.OkAsync`) without `Send` and `Async` -> what they answer."""
_WITH_PLACE = {"CreatedAt": "201", "AcceptedAt": "202"}
_OTHERS = frozenset({"Errors", "Redirect", "Result", "EmptyJsonObject", "Intercepted"})
_FAILS = frozenset({"ThrowError", "ThrowIfAnyErrors"})
"""What ends with the answer of errors; `AddError` alone sends nothing."""
_MAX_DEPTH = 4


def responses_of(
    program: Program,
    endpoint: EndpointClass,
    setup: EndpointSetup,
    application: Application,
    variant: str,
) -> tuple[tuple[Response, ...], bool]:
    """(responses, whether they are all the successes there are)."""
    declared = endpoint.response
    schema = None
    if declared is not None:
        shape = program.schema(declared.type, declared.scope, variant)
        schema = with_nullable(shape, False)
    handler = Handler(program=program, variant=variant, plain_values=True, declared_schema=schema)
    sender = _Sender(
        program=program,
        endpoint=endpoint,
        variant=variant,
        application=application,
        handler=handler,
    )
    announced = list(setup.announced)
    failure = _failure_of_validation(sender)
    if failure is not None:
        announced.append(failure)
    executed = endpoint.method("ExecuteAsync")
    if executed is not None:
        found, complete = _of_executed(sender, executed, announced)
    else:
        found, complete = _of_handled(sender, announced)
    why = application.changes
    if setup.intercepted:
        why = Reason("endpoint-interceptor-may-change-response")
    return (tuple(with_open_bodies(r, why) for r in found) if why else found), complete


# --------------------------------------------------------------------------- two ways to answer


def _of_executed(
    sender: _Sender, method: FunctionValue, announced: list[AnnotatedResponse]
) -> tuple[tuple[Response, ...], bool]:
    """`ExecuteAsync` returns what is sent: the response, or a result."""
    results, is_complete = _sender_results(sender, method, 0)
    extra = [
        AnnotatedResponse(
            status=o.status, schema=o.schema, content_type=o.content_type, origin=o.origin
        )
        for o in results
        if not o.status.startswith("2")
    ]
    found, complete, *_ = respond(
        sender.program, method, None, (), sender.variant, (*extra, *announced)
    )
    # A text is written as JSON here, and null is never a body: it answers 204.
    return tuple(_as_json(response) for response in found), complete and is_complete


def _as_json(response: Response) -> Response:
    bodies = tuple(
        Body(
            schema=with_nullable(body.schema, False),
            content_type="application/json" if _is_value(response, body) else body.content_type,
            required=body.required,
            origin=body.origin,
        )
        for body in response.bodies
    )
    return replace(response, bodies=bodies)


def _is_value(response: Response, body: Body) -> bool:
    return body.content_type == "text/plain" and not response.explicit_status


def _of_handled(
    sender: _Sender, announced: list[AnnotatedResponse]
) -> tuple[tuple[Response, ...], bool]:
    """`HandleAsync` sends, or sets `Response`, which is then sent."""
    method = sender.endpoint.method("HandleAsync")
    if method is None:
        return merge_responses(_declared_success(sender, None), announced, ()), False
    found, complete = _sender_results(sender, method, 0)
    successes = [o for o in found if o.status[0] in "23"]
    if not successes:
        text = function_text(sender.program, method.scope.file.path, method.function)
        unseen = not complete or b"HttpContext" in text or b"Response" in text
        if unseen:
            return merge_responses(
                [*found, *_declared_success(sender, method)], announced, ()
            ), False
        origin = sender.program.origin(method.function, method.scope)
        found = [*found, BranchResult(status="204", explicit_status=False, origin=origin)]
    return merge_responses(found, announced, ()), complete


def _declared_success(sender: _Sender, method: FunctionValue | None) -> list[BranchResult]:
    """The success that the response type declares, where the code shows no response."""
    schema = sender.handler.declared_schema
    if schema is None:
        return []
    symbol = sender.endpoint.symbol
    origin = (
        symbol.origin if method is None else sender.program.origin(method.function, method.scope)
    )
    return [BranchResult(status="200", schema=schema, explicit_status=False, origin=origin)]


# --------------------------------------------------------------------------- what is sent


def _sender_results(
    sender: _Sender, method: FunctionValue, depth: int
) -> tuple[list[BranchResult], bool]:
    """(outcomes that a method and the endpoint's own helpers send, whether these are all)."""
    program = sender.program
    inside = program.function_scope(method.function, method.scope)
    statements = inside.statements or ()
    found: list[BranchResult] = []
    complete = True
    for call, scope in calls_in(program, statements, inside):
        if not isinstance(call, Call):
            continue
        name = _send_name(call)
        if name is not None:
            one = _of_send(sender, name, call, scope)
            complete = complete and one is not None
            found.extend(one or ())
        elif own_name(call.callee) in _FAILS:
            found.append(_error(sender, call, scope))
        elif depth < _MAX_DEPTH:
            helper = _own_helper(sender, call, scope)
            if helper is not None:
                more, is_complete = _sender_results(sender, helper, depth + 1)
                found.extend(more)
                complete = complete and is_complete
    found.extend(_left_to_send(sender, statements, inside))
    return found, complete


def _own_helper(sender: _Sender, call: Call, scope: Scope) -> FunctionValue | None:
    """A method of the endpoint (or a base class) that is called."""
    if not own_name(call.callee):
        return None
    function = called_function(sender.program, call, scope)
    if function is None or function.owner is None:
        return None
    keys = {owner.key for owner, _ in sender.endpoint.chain}
    return function if function.owner.key in keys else None


def _send_name(call: Call) -> str | None:
    """`Ok` of `SendOkAsync(…)`, `Send.OkAsync(…)`, `HttpContext.Response.SendOkAsync(…)`."""
    callee = call.callee
    name = callee.name if isinstance(callee, Attribute) else getattr(callee, "id", "")
    if isinstance(callee, Attribute) and _own_name(callee.value) == "Send":
        return str(name.removesuffix("Async"))
    if not name.startswith("Send") or not (name.endswith("Async") or name == "SendEmptyJsonObject"):
        return None
    short = str(name.removeprefix("Send").removesuffix("Async"))
    if short not in _SENDS and short not in _WITH_PLACE and short not in _OTHERS:
        return None
    if isinstance(callee, Attribute):
        holder = _own_name(callee.value)
        return short if holder in ("this", "Response") else None
    return short


def _own_name(expr: Expr) -> str:
    if isinstance(expr, Attribute):
        return expr.name
    return expr.id if isinstance(expr, Name) else ""


def _of_send(sender: _Sender, name: str, call: Call, scope: Scope) -> list[BranchResult] | None:
    """The answers of one call that sends; None where they are undetermined."""
    program = sender.program
    origin = program.origin(call, scope)
    if name in _WITH_PLACE:
        body = _placed_body(call)
        return [outcome(sender.handler, _WITH_PLACE[name], body, origin, scope)]
    match name:
        case "Errors":
            status = status_of(program, call.args[0].value, scope) if call.args else None
            return [_error_outcome(sender, status or "400", origin)]
        case "Redirect":
            permanent = any(
                isinstance(a.value, LiteralExpr) and a.value.value is True
                for a in call.args
                if a.name in ("", "isPermanent")
            )
            return [BranchResult(status="301" if permanent else "302", origin=origin)]
        case "Result":
            if not call.args:
                return None
            return branch_results(
                replace(sender.handler, declared_schema=None), call.args[0].value, scope
            )
        case "EmptyJsonObject":
            return [BranchResult(status="200", schema=Object(), origin=origin)]
        case "Intercepted":
            schema = Unknown(reason=Reason("response-interceptor-changes-response"), origin=origin)
            return [BranchResult(status="200", schema=schema, origin=origin)]
        case _:
            helper = _SENDS.get(name)
            return None if helper is None else _helper_outcomes(sender, helper, call, scope, origin)


def _helper_outcomes(
    sender: _Sender, helper: Helper, call: Call, scope: Scope, origin: Origin
) -> list[BranchResult] | None:
    program = sender.program
    args = tuple(
        a
        for a in call.args
        if a.name not in ("cancellation", "ct")
        and not is_cancellation_token(program, a.value, scope)
    )
    status: str | None = helper.status
    written = _status_argument(helper, replace(call, args=args))
    if written is not None:
        status = status_of(program, written, scope)
    if not status:
        return None
    if helper.content_type != "application/json":
        return text_or_file_results(
            sender.handler, (status,), helper, replace(call, args=args), scope
        )
    body = next((a.value for a in args if a.name == "response"), None)
    if body is None and isinstance(helper.body, int):
        positional = [a.value for a in args if not a.name]
        body = positional[0] if positional else None
    declared = sender.endpoint.response
    if body is not None and declared is not None:  # `new() { … }`
        body = of_target_type(body, declared.type)
    return [outcome(sender.handler, status, body, origin, scope)]


def _status_argument(helper: Helper, call: Call) -> Expr | None:
    named = next((a.value for a in call.args if a.name == "statusCode"), None)
    if named is not None:
        return named
    positional = [a.value for a in call.args if not a.name]
    if 0 <= helper.status_argument < len(positional):
        return positional[helper.status_argument]
    return None


def _placed_body(call: Call) -> Expr | None:
    """The body of `CreatedAtAsync<E>(values, body)` or `CreatedAtAsync("Name", values, body)`."""
    named = next((a.value for a in call.args if a.name == "responseBody"), None)
    if named is not None:
        return named
    positional = [a.value for a in call.args if not a.name]
    place = 1 if call.type_args else 2
    body = positional[place] if place < len(positional) else None
    return None if isinstance(body, LiteralExpr) and body.value is None else body


def _left_to_send(
    sender: _Sender, statements: tuple[Statement, ...], scope: Scope
) -> Iterator[BranchResult]:
    """`Response = order;`, `Response.Id = 1;`: sent when the handler is done."""
    program = sender.program
    status = "200"
    explicit = False
    for statement in flat(statements):
        if not isinstance(statement, Assign):
            continue
        target = statement.target
        if isinstance(target, Attribute) and target.name == "StatusCode":
            status = status_of(program, statement.value, scope) or status
            explicit = True
        elif _is_response(target):
            schema = sender.handler.declared_schema
            if schema is None:
                reason = Reason("response-type-uninformative")
                schema = Unknown(reason=reason, origin=program.origin(statement, scope))
            origin = program.origin(statement, scope)
            yield BranchResult(
                status=status, schema=schema, explicit_status=explicit, origin=origin
            )


def _is_response(target: Expr) -> bool:
    """Whether an assignment sets `Response` of the endpoint, or a member of it."""
    while isinstance(target, Attribute) and not isinstance(target.value, Name):
        target = target.value
    match target:
        case Name(id="Response"):
            return True
        case Attribute(value=Name(id="Response"), name=name):
            return name not in ("StatusCode", "ContentType", "Headers")
        case Attribute(value=Name(id="this"), name="Response"):
            return True
        case _:
            return False


class _Sender(Struct, frozen=True, kw_only=True):
    """Where answers are looked for."""

    program: Program
    endpoint: EndpointClass
    variant: str
    application: Application
    handler: Handler


def _error(sender: _Sender, call: Call, scope: Scope) -> BranchResult:
    """`ThrowError("…")`, `ThrowError("…", 404)`."""
    status = "400"
    if own_name(call.callee) != "AddError":
        for argument in call.args:
            value = sender.program.evaluate(argument.value, scope)
            if isinstance(value, Constant) and isinstance(value.value, int):
                status = status_of(sender.program, argument.value, scope) or status
    return _error_outcome(sender, status, sender.program.origin(call, scope))


def _error_outcome(sender: _Sender, status: str, origin: Origin) -> BranchResult:
    """An outcome that lists errors."""
    return BranchResult(
        status=status,
        schema=_error_shape(sender, origin),
        content_type="application/problem+json",
        origin=origin,
    )


def _failure_of_validation(sender: _Sender) -> AnnotatedResponse | None:
    """The answer to a request that a validator of the project refuses."""
    request = sender.endpoint.request
    if request is None or not isinstance(request.type, NamedType):
        return None
    name = request.type.name.rsplit(".", 1)[-1]
    if not sender.program.any_file_contains(f"Validator<{name}>".encode()):
        return None
    origin = sender.endpoint.symbol.origin
    return AnnotatedResponse(
        status="400",
        schema=_error_shape(sender, origin),
        content_type="application/problem+json",
        origin=origin,
    )


def _error_shape(sender: _Sender, origin: Origin) -> Schema:
    """`ErrorResponse` of the library, named as the application's settings say."""
    program = sender.program
    if sender.application.own_errors or program.any_file_contains(b"UseProblemDetails("):
        return Unknown(reason=Reason("application-error-format"), origin=origin)
    settings = settings_for(program, sender.variant, sender.endpoint.symbol.file.path)
    texts = Array(items=Scalar(type="string"))
    shapes: tuple[tuple[str, Schema], ...] = (
        ("StatusCode", Scalar(type="integer", format="int32")),
        ("Message", Scalar(type="string")),
        ("Errors", Object(additional=texts)),
    )
    fields = tuple(
        Field(name=settings.wire_name(name), schema=schema, origin=origin)
        for name, schema in shapes
    )
    return Object(fields=fields, origin=origin, incomplete_reason=settings.unknown_naming)
