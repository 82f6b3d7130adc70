"""Azure Functions: `[HttpTrigger(…, Route = "orders/{id}")]`, in-process and isolated."""

from __future__ import annotations

import json
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Operation, Parameter, Response
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.frameworks.azure_functions.manual_writing import (
    messages,
    one_of_outputs,
    written_outcomes,
)
from contract_scan.parsers.source.csharp.resolution.annotations import (
    argument,
    find,
    find_all,
    text,
)
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING, Switch
from contract_scan.parsers.source.csharp.web.actions import respond
from contract_scan.parsers.source.csharp.web.binding import Binder, RequestInputs, read_inputs
from contract_scan.parsers.source.csharp.web.manual_bodies import read_by_hand
from contract_scan.parsers.source.csharp.web.request_facts import handler_for
from contract_scan.parsers.source.csharp.web.responses import AnnotatedResponse, merge_responses
from contract_scan.parsers.source.csharp.web.route_shadowing import with_shorter, without_shadowed
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.csharp.web.templates import Template, parse
from contract_scan.parsers.source.csharp.web.traits import DOTNET
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    Function,
    LiteralExpr,
    NamedType,
    Param,
    TypeExpr,
    TypeValue,
)
from contract_scan.parsers.source.language import Framework

_REQUESTS = frozenset({"HttpRequest", "HttpRequestData", "HttpRequestMessage"})
_READS = frozenset(
    {
        "ReadFromJsonAsync",
        "ReadAsAsync",
        "DeserializeObject",
        "Deserialize",
        "DeserializeAsync",
        "GetJsonBody",
    }
)
_WITHOUT_BODY = ("GET", "HEAD", "DELETE", "OPTIONS")
_PROVIDED = frozenset({"FunctionContext", "ExecutionContext", "TraceWriter", "IBinder", "Binder"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every function."""
    yield from without_shadowed(_operations_of_framework(program, framework))


def _operations_of_framework(program: Program, framework: Framework) -> Iterator[Operation]:
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            scope = program.class_scope(symbol)
            for method in symbol.decl.methods:
                trigger = trigger_of(program, method, scope)
                if trigger is not None:
                    yield from _operations(program, framework, symbol, method, trigger, scope)


def _operations(
    program: Program,
    framework: Framework,
    symbol: ClassSymbol,
    method: Function,
    trigger: Trigger,
    scope: Scope,
) -> Iterator[Operation]:
    function = FunctionValue(method, scope, symbol, scope.receiver)
    variant = _variant_of(program, trigger, method.returns, scope.file.path)
    parsed = parse(trigger.template)
    named = find(method.annotations, "OpenApiOperation")
    for verb in trigger.methods:
        running = handler_for(program, function, verb, {})
        responses, complete = _responses_of(program, running, variant)
        reading = _request_inputs(program, running, trigger, parsed, verb)
        operation = Operation(
            method=verb,
            path=parsed.path,
            parameters=reading.parameters,
            parameters_complete=reading.complete,
            request=reading.bodies,
            responses=responses,
            statuses_complete=complete,
            origin=replace(program.origin(method, scope), span=method.name_span),
            operation_id=(text(program, named, scope, 0, "operationId") or "") if named else "",
            handler=f"{symbol.qualified_name}.{method.name}",
            framework=framework.name,
            excluded_from_docs=find(method.annotations, "OpenApiIgnore") is not None,
            unresolved=trigger.unresolved,
        )
        yield from with_shorter(operation, parsed)


# --------------------------------------------------------------------------- what is read


def _request_inputs(
    program: Program, function: FunctionValue, trigger: Trigger, template: Template, verb: str
) -> RequestInputs:
    switch: Switch = "worker" if trigger.isolated else "functions"
    variant = variant_for(program, switch, function.scope.file.path)
    in_path = {p.name.lower() for p in template.parameters}
    params = tuple(
        p
        for p in function.function.params
        if p is not trigger.request
        and not _is_provided(p.type)
        and (p.name.lower() in in_path or find(p.annotations, "FromBody", "FromQuery") is not None)
    )
    binder = Binder(
        program=program, variant=variant, template=template, method=verb, api_controller=True
    )
    found = read_inputs(binder, params, function.scope)
    announced = list(_announced_parameters(program, function, variant))
    known = {(p.location, p.name.lower()) for p in found.parameters}
    parameters = [
        *found.parameters,
        *(p for p in announced if (p.location, p.name.lower()) not in known),
    ]
    bodies = found.bodies
    if not bodies and verb not in _WITHOUT_BODY:
        bodies = tuple(_bodies(program, function, trigger, variant))
    return RequestInputs(
        parameters=tuple(parameters),
        bodies=bodies,
        complete=found.complete and not _reads_by_hand(program, function),
    )


def _is_provided(type: TypeExpr | None) -> bool:
    return isinstance(type, NamedType) and unqualified_name(type.name) in _PROVIDED


def _announced_parameters(
    program: Program, function: FunctionValue, variant: str
) -> Iterator[Parameter]:
    """`[OpenApiParameter("page", In = ParameterLocation.Query, Type = typeof(int))]`."""
    scope = function.scope
    for marked in find_all(function.function.annotations, "OpenApiParameter"):
        name = text(program, marked, scope, 0, "name")
        place = argument(marked, -1, "In")
        type = argument(marked, -1, "Type")
        required = argument(marked, -1, "Required")
        location = _location(place.name if isinstance(place, Attribute) else "Path")
        if name is None or location is None or location == "path":
            continue
        yield Parameter(
            name=name,
            location=location,
            schema=program.schema(
                type.type if isinstance(type, TypeValue) else NamedType(name="string"),
                scope,
                variant,
            ),
            # The function itself decides what it does without the parameter.
            required=None if getattr(required, "value", None) is True else False,
            origin=program.origin(marked, scope),
        )


def _location(name: str) -> Location | None:
    match name:
        case "Query":
            return "query"
        case "Header":
            return "header"
        case "Cookie":
            return "cookie"
        case _:
            return "path"


def _bodies(
    program: Program, function: FunctionValue, trigger: Trigger, variant: str
) -> Iterator[Body]:
    """The trigger's own type, what the function deserialises, or what an attribute says."""
    scope = function.scope
    type = trigger.request.type
    if isinstance(type, NamedType) and unqualified_name(type.name) not in _REQUESTS:
        schema = program.schema(type, scope, READING + variant)
        yield Body(schema=schema, required=None, origin=program.origin(trigger.request, scope))
        return
    inside = program.function_scope(function.function, scope)
    for call, place in calls_in(program, inside.statements or (), inside):
        if not isinstance(call, Call) or len(call.type_args) != 1:
            continue
        callee = call.callee
        if not isinstance(callee, Attribute) or callee.name not in _READS:
            continue
        if any(isinstance(a.value, LiteralExpr) for a in call.args[:1]):
            continue
        schema = program.schema(call.type_args[0], place, READING + variant)
        yield Body(schema=schema, required=None, origin=program.origin(call, place))
        return
    by_extension = read_by_hand(program, function)
    if by_extension:
        yield from by_extension
        return
    for marked in find_all(function.function.annotations, "OpenApiRequestBody"):
        body = argument(marked, 1, "bodyType")
        kind = text(program, marked, scope, 0, "contentType") or "application/json"
        if isinstance(body, TypeValue):
            schema = program.schema(body.type, scope, READING + variant)
            origin = program.origin(marked, scope)
            yield Body(schema=schema, content_type=kind, required=None, origin=origin)


def _variant_of(program: Program, trigger: Trigger, type: TypeExpr | None, path: str) -> str:
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


def _responses_of(
    program: Program, function: FunctionValue, variant: str
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
    return respond(program, function, None, (), variant, tuple(announced))[:2]


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


def _reads_by_hand(program: Program, function: FunctionValue) -> bool:
    """Whether a function looks into the query or headers of the request."""
    text = function_text(program, function.scope.file.path, function.function)
    words = (b".Query[", b".Query.", b".Headers", b"GetQuery", b".Form")
    return any(word in text for word in words)


FRAMEWORK = Framework(
    name="Azure Functions",
    markers=(b"HttpTrigger(",),
    operations=operations,
    traits=DOTNET,
)


# Which methods are HTTP functions, and under which route.


class Trigger(Struct, frozen=True, kw_only=True):
    """What a function and its trigger say."""

    name: str
    isolated: bool
    methods: tuple[str, ...]
    template: str
    unresolved: Reason
    request: Param
    """The parameter that stands for the request."""


def trigger_of(program: Program, method: Function, scope: Scope) -> Trigger | None:
    """The HTTP trigger of a method; None where it has none."""
    for param in method.params:
        marked = find(param.annotations, "HttpTrigger")
        if marked is not None:
            return _trigger(program, method, param, marked, scope)
    return None


def _trigger(
    program: Program, method: Function, param: Param, marked: Annotation, scope: Scope
) -> Trigger | None:
    named = find(method.annotations, "FunctionName", "Function")
    if named is None:
        return None
    name = text(program, named, scope, 0, "name") or ""
    isolated = named.name.rsplit(".", 1)[-1].removesuffix("Attribute") == "Function"
    prefix, unresolved = _prefix(program, scope.file.path)
    written = argument(marked, -1, "Route")
    template: str | None = name
    if written is not None and not _is_null(written):
        template = program.text(written, scope)
        if template is None:
            unresolved = unresolved or Reason("route-not-constant")
            template = program.template(written, scope)
    elif not name:
        unresolved = unresolved or Reason("name-computed")
    whole = "/".join(part.strip("/") for part in (prefix, template or "") if part.strip("/"))
    return Trigger(
        name=name,
        isolated=isolated,
        methods=_methods(program, marked, scope),
        template=whole,
        unresolved=unresolved,
        request=param,
    )


def _is_null(value: object) -> bool:
    return isinstance(value, LiteralExpr) and value.value is None


def _methods(program: Program, marked: Annotation, scope: Scope) -> tuple[str, ...]:
    """The methods listed; a trigger that lists none takes them all."""
    found: list[str] = []
    for given in marked.args:
        if given.name in ("", "Methods", "methods"):
            texts = program.texts(given.value, scope)
            found.extend(t.upper() for t in texts if t and t.isalpha())
    return tuple(dict.fromkeys(found)) or ("*",)


# --------------------------------------------------------------------------- host.json


def _prefix(program: Program, path: str) -> tuple[str, Reason]:
    """(prefix of all routes, why undetermined): what the nearest `host.json` says, or `api`."""
    hosts = _hosts(program)
    folder = path.rpartition("/")[0]
    while True:
        if folder in hosts:
            return hosts[folder]
        if not folder:
            return "api", NO_REASON
        folder = folder.rpartition("/")[0]


@memoised
def _hosts(program: Program) -> dict[str, tuple[str, Reason]]:
    """What every `host.json` says, by its folder."""
    return {
        path.rpartition("/")[0]: _parse_route_prefix(program.files.read(path) or b"")
        for path in program.files.files_named("host.json")
    }


def _parse_route_prefix(content: bytes) -> tuple[str, Reason]:
    try:
        host = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return "api", Reason("host-json-unreadable")
    for holder in (host, host.get("extensions") if isinstance(host, dict) else None):
        http = holder.get("http") if isinstance(holder, dict) else None
        prefix = http.get("routePrefix") if isinstance(http, dict) else None
        if isinstance(prefix, str):
            return prefix.strip("/"), NO_REASON
    return "api", NO_REASON
