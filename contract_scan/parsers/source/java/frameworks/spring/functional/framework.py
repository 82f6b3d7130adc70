"""Spring's functional routes: `RouterFunction` beans of WebFlux.fn and WebMvc.fn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    Instance,
    LibraryResult,
    OneOf,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Function
from contract_scan.parsers.source.java.frameworks.spring.functional.predicates import (
    AcceptedRequest,
)
from contract_scan.parsers.source.java.frameworks.spring.functional.responses import (
    content_type_of,
    read_server_response,
)
from contract_scan.parsers.source.java.frameworks.spring.functional.routes import Route, Routes
from contract_scan.parsers.source.java.frameworks.spring.prefixes import configured_prefix
from contract_scan.parsers.source.java.resolution.annotations import has, type_name
from contract_scan.parsers.source.java.resolution.properties import (
    resolve_placeholders,
    settings,
    with_undetermined,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.outcomes import returned_outcomes
from contract_scan.parsers.source.java.web.reading import Kind, RequestArgument, RequestReader
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.responses import ResponseShapes
from contract_scan.parsers.source.java.web.routes import join_paths, template
from contract_scan.parsers.source.language import Framework

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_ROUTERS = "RouterFunction"
_READS: dict[str, Kind] = {
    "pathVariable": "path",
    "pathVariables": "nothing",
    "queryParam": "query",
    "param": "query",
    "queryParams": "anything",
    "params": "anything",
    "headers().header": "header",
    "headers().firstHeader": "header",
    "headers": "nothing",
    "cookies": "anything",
    "body": "body",
    "bodyToMono": "body",
    "bodyToFlux": "list",
    "bind": "anything",
    "formData": "anything",
    "multipartData": "anything",
    "exchange": "anything",
    "servletRequest": "anything",
    **dict.fromkeys(("method", "uri", "path", "principal", "session", "attribute"), "nothing"),
    **dict.fromkeys(("attributes", "uriBuilder", "remoteAddress", "methodName"), "nothing"),
    **dict.fromkeys(("checkNotModified", "requestPath", "messageReaders"), "nothing"),
}


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every router function that the application serves, then of those of which it
    is undetermined where they are served."""
    routes = Routes(program)
    served, others = _router_functions(program, framework)
    for function in served if served else others:
        for route in routes.of_function(function, AcceptedRequest(), 0):
            yield _operation(program, route)
    for function in others if served else []:
        key = (function.scope.file.path, function.function.span)
        if key not in routes.reached:
            reason = Reason("served-at-undetermined", function=function.function.name)
            for route in routes.of_function(function, AcceptedRequest(reason=reason), 0):
                yield _operation(program, route)


def _router_functions(
    program: Program, framework: Framework
) -> tuple[list[FunctionValue], list[FunctionValue]]:
    """Functions that return router functions: beans, and others."""
    served: list[FunctionValue] = []
    others: list[FunctionValue] = []
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                if type_name(method.returns) != _ROUTERS or "abstract" in method.modifiers:
                    continue
                value = FunctionValue(method, inside, symbol, Instance(symbol, {}))
                (served if _is_bean(method) else others).append(value)
    return served, others


def _is_bean(method: Function) -> bool:
    return has(method.annotations, "Bean")


def _operation(program: Program, route: Route) -> Operation:
    path = route.origin.path
    context, context_why = configured_prefix(program, path)
    text, unset = resolve_placeholders(route.accepted.path, settings(program, path))
    why = route.accepted.reason or context_why
    if unset:
        why = why or Reason("path-property-not-set", unset=unset)
    whole = template(join_paths(context, with_undetermined(text)))
    handler = _handler(program, route)
    base = Operation(
        method=route.accepted.method,
        path=whole,
        parameters_complete=False,
        origin=route.origin,
        handler=_name(handler) or route.origin.symbol,
        framework=FRAMEWORK.name,
        unresolved=why,
    )
    if why:
        return base
    return _with_handler(program, base, route, handler)


def _handler(program: Program, route: Route) -> FunctionValue | None:
    """The handler function: a lambda, a method reference, or an object with `handle`."""
    if route.handler is None:
        return None
    value: Value = program.evaluate(route.handler, route.scope)
    if isinstance(value, OneOf):
        value = value.options[0]
    if isinstance(value, Instance | ByType):
        member = program.evaluator.member(value, "handle")
        return member if isinstance(member, FunctionValue) else None
    return value if isinstance(value, FunctionValue) else None


def _name(handler: FunctionValue | None) -> str:
    if handler is None or not handler.function.name:
        return ""
    owner = f"{handler.owner.qualified_name}." if handler.owner is not None else ""
    return f"{owner}{handler.function.name}"


def _with_handler(
    program: Program, base: Operation, route: Route, handler: FunctionValue | None
) -> Operation:
    variant = wire_variant(program, route.origin.path)
    name = _name(handler) or "the handler"
    if handler is None:
        sending = ResponseShapes(program, route.scope, route.origin, "the handler", variant)
        responses, complete = sending.open_responses([], None, "200", JSON)
        parameters = with_path_variables((), base.path, route.origin)
        return replace(base, parameters=parameters, responses=responses)
    span = handler.function.name_span
    place = handler.scope.file.path
    origin = Origin(place, span, "", name) if handler.function.name else route.origin
    inputs = RequestReader(program, _READS, variant).request_inputs(
        RequestArgument(handler, 0), route.accepted.consumes or JSON
    )
    sending = ResponseShapes(program, handler.scope, origin, name, variant)
    outcomes = returned_outcomes(program, handler, read_server_response)
    responses, complete = sending.open_responses(
        outcomes, None, "200", _content_type(program, handler)
    )
    return replace(
        base,
        parameters=with_path_variables(inputs.parameters, base.path, route.origin),
        parameters_complete=inputs.complete,
        request=tuple(inputs.bodies),
        responses=responses,
        statuses_complete=complete,
        origin=origin,
        excluded_from_docs=_is_page(program, handler),
    )


def _is_page(program: Program, handler: FunctionValue) -> bool:
    """Whether a handler renders a page, which no contract of an API lists."""
    values = [
        program.evaluate(returned.value, returned.scope)
        for returned in program.function_exits(handler)
        if returned.value is not None and not returned.thrown
    ]
    return bool(values) and all(
        isinstance(v, LibraryResult) and v.name.endswith(".render") for v in values
    )


def _content_type(program: Program, handler: FunctionValue) -> str:
    """The content type that the responses of a handler are given, where they agree."""
    found: set[str] = set()
    for returned in program.function_exits(handler):
        if returned.value is None or returned.thrown:
            continue
        value = program.evaluate(returned.value, returned.scope)
        for option in value.options if isinstance(value, OneOf) else (value,):
            found.add(content_type_of(program, option))
    found.discard("")
    return found.pop() if len(found) == 1 else JSON


FRAMEWORK = Framework(
    name="Spring functional routes",
    markers=(b"web.reactive.function.server", b"web.servlet.function"),
    operations=operations,
)
