"""What HTTP functions answer: results, values, and responses that are written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.operation import Response
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.csharp.frameworks.azure_functions.manual_writing import (
    messages,
    one_of_outputs,
    written_outcomes,
)
from contract_scan.parsers.source.csharp.frameworks.azure_functions.triggers import Trigger
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find, find_all
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.actions import respond
from contract_scan.parsers.source.csharp.web.responses import AnnotatedResponse, merge_responses
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.facts.nodes import Annotation, NamedType, TypeExpr, TypeValue

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


def variant_of(program: Program, trigger: Trigger, type: TypeExpr | None, path: str) -> str:
    """How bodies of a function are written: the host's own serializer, ASP.NET Core's, or that of
    the worker process."""
    if not trigger.isolated:
        return variant_for(program, "functions", path)
    name = unqualified_name(_inner(type).name) if type is not None else ""
    results = ("IActionResult", "ActionResult", "IResult", "Results")
    return variant_for(program, "mvc" if name in results else "worker", path)


def _inner(type: TypeExpr) -> NamedType:
    """`T` of `Task<T>`."""
    if isinstance(type, NamedType):
        if unqualified_name(type.name) in ("Task", "ValueTask") and type.args:
            return _inner(type.args[0])
        return type
    return NamedType(name="")


def responses_of(
    program: Program, function: FunctionValue, trigger: Trigger, variant: str
) -> tuple[tuple[Response, ...], bool]:
    """(responses, whether they are all the successes there are)."""
    method = function.function
    announced = _declared_responses(program, method.annotations, function.scope, variant)
    name = unqualified_name(_inner(method.returns).name) if method.returns is not None else ""
    if name == "HttpResponseData":
        found = written_outcomes(program, function, variant)
        return merge_responses(found, announced, ()), found is not None
    if name == "HttpResponseMessage":
        found = messages(program, function, variant)
        return merge_responses(found, announced, ()), found is not None
    outputs = _several_outputs(program, method.returns, function.scope)
    if outputs is not None:
        found = one_of_outputs(program, function, variant, _answer_of(outputs))
        return merge_responses(found, announced, ()), found is not None
    return respond(program, function, None, (), variant, tuple(announced))


def _several_outputs(program: Program, type: TypeExpr | None, scope: Scope) -> ClassSymbol | None:
    """The class of an object of which one member is the response, the others further outputs."""
    found = program.names.lookup_type(_inner(type).name, scope) if type is not None else None
    if not isinstance(found, ClassValue):
        return None
    several = any(
        find(m.annotations, "HttpResult") is not None
        or any(a.name.endswith(("Output", "OutputAttribute")) for a in m.annotations)
        or _is_response(m.type)
        for m in found.symbol.decl.members
    )
    return found.symbol if several else None


def _is_response(type: TypeExpr | None) -> bool:
    return isinstance(type, NamedType) and unqualified_name(type.name) == "HttpResponseData"


def _answer_of(outputs: ClassSymbol) -> str:
    """The name of the member that is the response; empty where that is undetermined."""
    members = outputs.decl.members
    marked = [m.name for m in members if find(m.annotations, "HttpResult") is not None]
    found = marked or [m.name for m in members if _is_response(m.type)]
    return found[0] if len(found) == 1 else ""


# --------------------------------------------------------------------------- announced


def _declared_responses(
    program: Program, annotations: tuple[Annotation, ...], scope: Scope, variant: str
) -> list[AnnotatedResponse]:
    """`[OpenApiResponseWithBody(statusCode: …, contentType: …, bodyType: typeof(T))]`."""
    found: list[AnnotatedResponse] = []
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
        found.append(
            AnnotatedResponse(status=status, schema=schema, content_type=kind, origin=origin)
        )
    return found


def reads_by_hand(program: Program, function: FunctionValue) -> bool:
    """Whether a function looks into the query or headers of the request."""
    text = function_text(program, function.scope.file.path, function.function)
    words = (b".Query[", b".Query.", b".Headers", b"GetQuery", b".Form")
    return any(word in text for word in words)
