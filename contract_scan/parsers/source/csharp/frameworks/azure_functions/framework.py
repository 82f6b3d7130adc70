"""Azure Functions: `[HttpTrigger(…, Route = "orders/{id}")]`, in-process and isolated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Parameter
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.frameworks.azure_functions.responses import (
    reads_by_hand,
    responses_of,
    variant_of,
)
from contract_scan.parsers.source.csharp.frameworks.azure_functions.triggers import (
    Trigger,
    trigger_of,
)
from contract_scan.parsers.source.csharp.resolution.annotations import (
    argument,
    find,
    find_all,
    text,
)
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING, Switch
from contract_scan.parsers.source.csharp.web.binding import Binder, RequestInputs, read_inputs
from contract_scan.parsers.source.csharp.web.route_shadowing import with_shorter, without_shadowed
from contract_scan.parsers.source.csharp.web.templates import Template, parse
from contract_scan.parsers.source.csharp.web.traits import DOTNET
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Function,
    LiteralExpr,
    NamedType,
    TypeExpr,
    TypeValue,
)
from contract_scan.parsers.source.language import Framework

if TYPE_CHECKING:
    from contract_scan.ir.operation import Location
    from contract_scan.parsers.source.analysis.domain.program import Program

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
    variant = variant_of(program, trigger, method.returns, scope.file.path)
    responses, complete = responses_of(program, function, trigger, variant)
    parsed = parse(trigger.template)
    named = find(method.annotations, "OpenApiOperation")
    for verb in trigger.methods:
        reading = _request_inputs(program, function, trigger, parsed, verb)
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
        complete=found.complete and not reads_by_hand(program, function),
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
    for marked in find_all(function.function.annotations, "OpenApiRequestBody"):
        body = argument(marked, 1, "bodyType")
        kind = text(program, marked, scope, 0, "contentType") or "application/json"
        if isinstance(body, TypeValue):
            schema = program.schema(body.type, scope, READING + variant)
            origin = program.origin(marked, scope)
            yield Body(schema=schema, content_type=kind, required=None, origin=origin)


FRAMEWORK = Framework(
    name="Azure Functions",
    markers=(b"HttpTrigger(",),
    operations=operations,
    traits=DOTNET,
)
