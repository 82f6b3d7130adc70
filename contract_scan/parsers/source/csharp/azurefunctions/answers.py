"""What HTTP functions answer: results, values, and responses that are written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.csharp.annotations import argument, find_all
from contract_scan.parsers.source.csharp.aspnet.actions import respond
from contract_scan.parsers.source.csharp.aspnet.outcome import Handler, Outcome, outcome
from contract_scan.parsers.source.csharp.aspnet.responses import Announced, merged
from contract_scan.parsers.source.csharp.aspnet.results import outcomes
from contract_scan.parsers.source.csharp.aspnet.statuses import WEB_API_HELPERS, status_of
from contract_scan.parsers.source.csharp.azurefunctions.triggers import Trigger
from contract_scan.parsers.source.csharp.lower_expressions import AWAIT
from contract_scan.parsers.source.csharp.settings import variant_for
from contract_scan.parsers.source.csharp.settings_values import plain
from contract_scan.parsers.source.csharp.texts import function_text
from contract_scan.parsers.source.facts import (
    Annotation,
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    TypeExpr,
    TypeValue,
)
from contract_scan.parsers.source.link import flow
from contract_scan.parsers.source.link.values import ClassValue, FunctionValue, Scope
from contract_scan.parsers.source.link.walk import calls_in

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_JSON_WRITES = frozenset({"WriteAsJsonAsync"})
_TEXT_WRITES = frozenset({"WriteString", "WriteStringAsync"})
_OTHER_WRITES = frozenset({"WriteBytes", "WriteBytesAsync", "CopyToAsync"})


def variant_of(program: Program, trigger: Trigger, type: TypeExpr | None, path: str) -> str:
    """How bodies of a function are written: the host's own serializer, ASP.NET Core's, or that of
    the worker process."""
    if not trigger.isolated:
        return variant_for(program, "functions", path)
    name = plain(_inner(type).name) if type is not None else ""
    results = ("IActionResult", "ActionResult", "IResult", "Results")
    return variant_for(program, "mvc" if name in results else "worker", path)


def _inner(type: TypeExpr) -> NamedType:
    """`T` of `Task<T>`."""
    if isinstance(type, NamedType):
        if plain(type.name) in ("Task", "ValueTask") and type.args:
            return _inner(type.args[0])
        return type
    return NamedType(name="")


def responses_of(
    program: Program, function: FunctionValue, trigger: Trigger, variant: str
) -> tuple[tuple[Response, ...], bool]:
    """(responses, whether they are all the successes there are)."""
    method = function.function
    announced = _announced(program, method.annotations, function.scope, variant)
    name = plain(_inner(method.returns).name) if method.returns is not None else ""
    if name == "HttpResponseData":
        found = _written(program, function, variant)
        return merged(found, announced, ()), found is not None
    if name == "HttpResponseMessage":
        found = _messages(program, function, variant)
        return merged(found, announced, ()), found is not None
    if _has_several_outputs(program, method.returns, function.scope):
        return merged(None, announced, ()), False
    return respond(program, function, None, (), variant, tuple(announced))


def _has_several_outputs(program: Program, type: TypeExpr | None, scope: Scope) -> bool:
    """Whether a function returns an object of which one member is the response."""
    found = program.names.lookup_type(_inner(type).name, scope) if type is not None else None
    if not isinstance(found, ClassValue):
        return False
    return any(
        any(a.name.endswith(("HttpResult", "Output", "OutputAttribute")) for a in m.annotations)
        or (isinstance(m.type, NamedType) and plain(m.type.name) == "HttpResponseData")
        for m in found.symbol.decl.members
    )


# --------------------------------------------------------------------------- announced


def _announced(
    program: Program, annotations: tuple[Annotation, ...], scope: Scope, variant: str
) -> list[Announced]:
    """`[OpenApiResponseWithBody(statusCode: …, contentType: …, bodyType: typeof(T))]`."""
    found: list[Announced] = []
    for marked in find_all(annotations, "OpenApiResponseWithBody", "OpenApiResponseWithoutBody"):
        status = status_of(program, argument(marked, 0, "statusCode"), scope)
        if status is None:
            continue
        body = argument(marked, 2, "bodyType")
        schema: Schema | None = None
        if isinstance(body, TypeValue):
            schema = program.schema(body.type, scope, variant)
        kind = program.text(argument(marked, 1, "contentType"), scope) or "application/json"
        origin = program.origin(marked, scope)
        found.append(Announced(status=status, schema=schema, content_type=kind, origin=origin))
    return found


# --------------------------------------------------------------------------- by hand


def _returned(
    program: Program,
    function: FunctionValue,
    answers: Callable[[Expr, Scope], list[Outcome] | None],
) -> list[Outcome] | None:
    """The answers of everything that a function returns; None where one is not told."""
    found: list[Outcome] = []
    returned = [r for r in program.returned(function) if not r.thrown]
    for one in returned:
        result = None if one.value is None else answers(one.value, one.scope)
        if result is None:
            return None
        found.extend(result)
    return found if returned else None


def _messages(program: Program, function: FunctionValue, variant: str) -> list[Outcome] | None:
    """`req.CreateResponse(HttpStatusCode.OK, order)` of the first release."""
    handler = Handler(program=program, variant=variant, helpers=WEB_API_HELPERS)
    return _returned(program, function, lambda value, scope: outcomes(handler, value, scope))


def _written(program: Program, function: FunctionValue, variant: str) -> list[Outcome] | None:
    """`var response = req.CreateResponse(status); await response.WriteAsJsonAsync(order);`."""
    handler = Handler(program=program, variant=variant)

    def answers(value: Expr, scope: Scope) -> list[Outcome] | None:
        one = _response(handler, value, scope)
        return None if one is None else [one]

    return _returned(program, function, answers)


def _response(handler: Handler, value: Expr, scope: Scope) -> Outcome | None:
    program = handler.program
    value = _awaited(value)
    made = _created(value)
    if made is not None:
        status = _status(program, made, scope)
        origin = program.origin(made, scope)
        return None if status is None else Outcome(status=status, origin=origin)
    if not isinstance(value, Name):
        return None
    definitions = flow.reaching(scope.statements or (), value.id, value.span)
    if len(definitions) != 1 or not isinstance(definitions[0].statement, Assign):
        return None
    statement = definitions[0].statement
    made = _created(_awaited(statement.value)) if statement.value is not None else None
    if made is None:
        return None
    status = _status(program, made, scope)
    return None if status is None else _filled(handler, value, statement.span, status, scope)


def _filled(handler: Handler, value: Name, made: Span, status: str, scope: Scope) -> Outcome | None:
    """The response in a variable, with what is written to it between its making and its return."""
    program = handler.program
    writes: list[Call] = []
    for call, _ in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            continue
        between = made.line <= call.span.line <= value.span.line
        target = call.callee.value
        of_body = isinstance(target, Attribute) and target.name == "Body"
        target = target.value if of_body and isinstance(target, Attribute) else target
        if between and isinstance(target, Name) and target.id == value.id:
            writes.append(call)
        elif between and any(_is_name(a.value, value.id) for a in call.args):
            return None
    text = _text_between(program, scope, made, value.span)
    if f"{value.id}.StatusCode".encode() in text or f"{value.id}.Body =".encode() in text:
        return None
    if not writes:
        return Outcome(status=status, origin=program.origin(value, scope))
    return _written_once(handler, writes, status, text, scope) if len(writes) == 1 else None


def _written_once(
    handler: Handler, writes: list[Call], status: str, text: bytes, scope: Scope
) -> Outcome | None:
    program = handler.program
    call = writes[0]
    name = getattr(call.callee, "name", "")
    origin = program.origin(call, scope)
    if name in _JSON_WRITES and call.args:
        for given in call.args[1:]:
            status = status_of(program, given.value, scope) or status
        return outcome(handler, status, call.args[0].value, origin, scope)
    if name in _TEXT_WRITES:
        if b"json" in text.lower():
            schema: Schema = Unknown(reason="the JSON text is made by hand", origin=origin)
            return Outcome(status=status, schema=schema, origin=origin)
        plain_text = Scalar(type="string")
        return Outcome(status=status, schema=plain_text, content_type="text/plain", origin=origin)
    if name in _OTHER_WRITES:
        binary = Scalar(type="string", format="binary")
        kind = "application/octet-stream"
        return Outcome(status=status, schema=binary, content_type=kind, origin=origin)
    return None


def _text_between(program: Program, scope: Scope, start: Span, end: Span) -> bytes:
    from contract_scan.parsers.source.csharp.texts import lines_of

    span = Span(start.line, start.column, end.end_line, end.end_column)
    return lines_of(program, scope.file.path, span)


def _is_name(expr: Expr, name: str) -> bool:
    return isinstance(expr, Name) and expr.id == name


def _awaited(expr: Expr) -> Expr:
    while isinstance(expr, Call) and _is_name(expr.callee, AWAIT) and expr.args:
        expr = expr.args[0].value
    return expr


def _created(expr: Expr) -> Call | None:
    match expr:
        case Call(callee=Attribute(name="CreateResponse")):
            return expr
        case _:
            return None


def _status(program: Program, made: Call, scope: Scope) -> str | None:
    return status_of(program, made.args[0].value, scope) if made.args else "200"


def reads_by_hand(program: Program, function: FunctionValue) -> bool:
    """Whether a function looks into the query or headers of the request."""
    text = function_text(program, function.scope.file.path, function.function)
    words = (b".Query[", b".Query.", b".Headers", b"GetQuery", b".Form")
    return any(word in text for word in words)
