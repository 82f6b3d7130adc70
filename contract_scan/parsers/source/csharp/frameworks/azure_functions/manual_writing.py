"""Responses that HTTP functions make and fill by hand, or that functions of the project give."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.extensions import extension_for
from contract_scan.parsers.source.csharp.resolution.source_text import lines_of
from contract_scan.parsers.source.csharp.resolution.value_classes import called_scopes
from contract_scan.parsers.source.csharp.serialization.json_texts import written_schema
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult, Handler, outcome
from contract_scan.parsers.source.csharp.web.results import branch_results
from contract_scan.parsers.source.csharp.web.statuses import WEB_API_HELPERS, status_of
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Choice,
    Expr,
    Name,
    New,
    Return,
)

_JSON_WRITES = frozenset({"WriteAsJsonAsync"})
_TEXT_WRITES = frozenset({"WriteString", "WriteStringAsync"})
_OTHER_WRITES = frozenset({"WriteBytes", "WriteBytesAsync", "CopyToAsync"})
_MAX_FOLLOWED = 4


def _returned_outcomes(
    program: Program,
    function: FunctionValue,
    answers: Callable[[Expr, Scope], list[BranchResult] | None],
) -> list[BranchResult] | None:
    """The outcomes of everything that a function returns; None if one is undetermined."""
    found: list[BranchResult] = []
    returned = [r for r in program.function_exits(function) if not r.thrown]
    for one in returned:
        result = None if one.value is None else answers(one.value, one.scope)
        if result is None:
            return None
        found.extend(result)
    return found if returned else None


def messages(program: Program, function: FunctionValue, variant: str) -> list[BranchResult] | None:
    """`req.CreateResponse(HttpStatusCode.OK, order)` of the first release."""
    handler = Handler(program=program, variant=variant, helpers=WEB_API_HELPERS)
    return _returned_outcomes(
        program, function, lambda value, scope: branch_results(handler, value, scope)
    )


def written_outcomes(
    program: Program, function: FunctionValue, variant: str
) -> list[BranchResult] | None:
    """`var response = req.CreateResponse(status); await response.WriteAsJsonAsync(order);`."""
    handler = Handler(program=program, variant=variant)
    return _returned_outcomes(
        program, function, lambda value, scope: _responses(handler, value, scope, 0)
    )


def one_of_outputs(
    program: Program, function: FunctionValue, variant: str, member: str
) -> list[BranchResult] | None:
    """`return new Outputs { Response = response, Message = … }`: what the member is given. Results
    are written by ASP.NET Core."""
    handler = Handler(program=program, variant=variant)
    results = replace(handler, variant=variant_for(program, "mvc", function.scope.file.path))

    def answers(value: Expr, scope: Scope) -> list[BranchResult] | None:
        entries = value.entries if isinstance(value, New) else ()
        given = [entry.value for entry in entries if entry.key == member]
        if len(given) != 1 or not member:
            return None
        by_hand = _responses(handler, given[0], scope, 0)
        return branch_results(results, given[0], scope) if by_hand is None else by_hand

    return _returned_outcomes(program, function, answers)


def _responses(
    handler: Handler, value: Expr, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """The answers that an expression stands for; None where one of them is undetermined."""
    value = _without_await(value)
    if isinstance(value, Choice):
        return _responses_of_all(handler, [(option, scope) for option in value.options], depth)
    if isinstance(value, Call):
        return _call_outcomes(handler, value, scope, depth)
    if not isinstance(value, Name):
        return None
    definitions = definitions_of(value, scope)
    if len(definitions) != 1 or not isinstance(definitions[0].statement, Assign):
        return None
    statement = definitions[0].statement
    made = _without_await(statement.value) if statement.value is not None else None
    if not isinstance(made, Call):
        return None
    found: list[BranchResult] = []
    for begun in _call_outcomes(handler, made, scope, depth) or ():
        filled = _filled_response(handler, value, statement.span, begun, scope)
        if filled is None:
            return None
        found.append(filled)
    return found or None


def _call_outcomes(
    handler: Handler, call: Call, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """`req.CreateResponse(status)`, or a function of the project that gives a response."""
    program = handler.program
    if _create_response_call(call) is not None:
        status = _status(program, call, scope)
        origin = program.origin(call, scope)
        return None if status is None else [BranchResult(status=status, origin=origin)]
    function, given = _function(program, call, scope)
    if function is None or depth >= _MAX_FOLLOWED:
        return None
    (inside, *_) = called_scopes(program, function, given, scope)
    left_out = {
        param.name: program.evaluate(param.default, function.scope)
        for param in function.function.params
        if param.default is not None and param.name not in inside.bindings
    }
    if left_out:
        inside = replace(inside, bindings={**inside.bindings, **left_out})
    returned = reaching_definitions.returns(inside.statements or ())
    values = [(one.value, inside) for one in returned if isinstance(one, Return)]
    known = [(value, place) for value, place in values if value is not None]
    return _responses_of_all(handler, known, depth + 1) if len(known) == len(values) else None


def _function(program: Program, call: Call, scope: Scope) -> tuple[FunctionValue | None, Call]:
    """The project's function that is called, an extension method too, with its arguments."""
    direct = called_function(program, call, scope)
    if direct is not None or not isinstance(call.callee, Attribute):
        return direct, call
    receiver = program.evaluator.unwrap(program.evaluate(call.callee.value, scope))
    found = extension_for(program, call.callee.name, receiver, len(call.args), scope.file)
    return found, replace(call, args=(Argument(value=call.callee.value), *call.args))


def _responses_of_all(
    handler: Handler, values: list[tuple[Expr, Scope]], depth: int
) -> list[BranchResult] | None:
    found: list[BranchResult] = []
    for value, scope in values:
        responses = _responses(handler, value, scope, depth)
        if responses is None:
            return None
        found.extend(responses)
    return found or None


def _filled_response(
    handler: Handler, value: Name, made: Span, begun: BranchResult, scope: Scope
) -> BranchResult | None:
    """The response in a variable, with what the function writes to it before it returns it."""
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
        elif between and any(is_name(a.value, value.id) for a in call.args):
            return None
    text = _text_between(program, scope, made, value.span)
    if f"{value.id}.StatusCode".encode() in text or f"{value.id}.Body =".encode() in text:
        return None
    if not writes:
        return replace(begun, origin=program.origin(value, scope))
    if len(writes) > 1 or begun.schema is not None:
        return None
    return _written_once(handler, writes, begun.status, text, scope)


def _written_once(
    handler: Handler, writes: list[Call], status: str, text: bytes, scope: Scope
) -> BranchResult | None:
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
            schema = written_schema(program, call.args[0].value, scope) if call.args else None
            unknown = Unknown(reason=Reason("json-handwritten"), origin=origin)
            return BranchResult(status=status, schema=schema or unknown, origin=origin)
        plain_text = Scalar(type="string")
        return BranchResult(
            status=status, schema=plain_text, content_type="text/plain", origin=origin
        )
    if name in _OTHER_WRITES:
        binary = Scalar(type="string", format="binary")
        kind = "application/octet-stream"
        return BranchResult(status=status, schema=binary, content_type=kind, origin=origin)
    return None


def _text_between(program: Program, scope: Scope, start: Span, end: Span) -> bytes:
    span = Span(start.line, start.column, end.end_line, end.end_column)
    return lines_of(program, scope.file.path, span)


def _without_await(expr: Expr) -> Expr:
    while isinstance(expr, Call) and is_name(expr.callee, AWAIT) and expr.args:
        expr = expr.args[0].value
    return expr


def _create_response_call(expr: Expr) -> Call | None:
    match expr:
        case Call(callee=Attribute(name="CreateResponse")):
            return expr
        case _:
            return None


def _status(program: Program, made: Call, scope: Scope) -> str | None:
    return status_of(program, made.args[0].value, scope) if made.args else "200"
