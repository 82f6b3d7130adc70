"""Spring's functional routes: `RouterFunction` beans of WebFlux.fn and WebMvc.fn."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr, Function, NamedType
from contract_scan.parsers.source.java.frameworks.spring.functional.predicates import (
    AcceptedRequest,
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
from contract_scan.parsers.source.java.web.branch_results import BranchResult, with_statuses
from contract_scan.parsers.source.java.web.chains import class_given
from contract_scan.parsers.source.java.web.media import JSON, media_type
from contract_scan.parsers.source.java.web.outcomes import (
    argument_of,
    chain_call,
    chain_root,
    returned_outcomes,
)
from contract_scan.parsers.source.java.web.reading import (
    RequestArgument,
    RequestReader,
    by_kind,
)
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.request_method import handler_for
from contract_scan.parsers.source.java.web.responses import ResponseShapes
from contract_scan.parsers.source.java.web.routes import join_paths, template
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.web.status_names import status_named

_ROUTERS = "RouterFunction"
_READS = by_kind(
    path="pathVariable",
    query="queryParam param",
    header="headers().header headers().firstHeader",
    body="body bodyToMono",
    list="bodyToFlux",
    anything="queryParams params cookies bind formData multipartData exchange servletRequest",
    nothing=(
        "pathVariables headers method uri path principal session attribute attributes uriBuilder "
        "remoteAddress methodName checkNotModified requestPath messageReaders"
    ),
)
_REDIRECTS = {"seeOther": "303", "temporaryRedirect": "307", "permanentRedirect": "308"}
_INSERTERS = frozenset({"fromValue", "fromObject", "fromPublisher", "fromProducer"})
_MANY = frozenset({"Flux", "Publisher", "Flow", "ParallelFlux"})


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
    if handler is not None and "abstract" in handler.function.modifiers:
        handler = program.evaluator.only_implementation(handler)
    if handler is not None:
        handler = handler_for(program, handler, base.method, {0: ("method", "methodName")})
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
    outcomes = returned_outcomes(program, handler, _read_server_response)
    responses, complete = sending.open_responses(
        outcomes, None, "200", _content_type(program, handler)
    )
    return replace(
        base,
        parameters=with_path_variables(inputs.parameters, base.path, route.origin),
        parameters_complete=inputs.complete,
        reads_no_body=inputs.reads_no_body,
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
            found.add(_content_type_of(program, option))
    found.discard("")
    return found.pop() if len(found) == 1 else JSON


def _read_server_response(program: Program, value: Value) -> Iterator[BranchResult]:
    """The outcome that returning a value makes."""
    if not isinstance(value, LibraryResult):
        yield BranchResult(is_status_known=False)
        return
    root = chain_root(value, "ServerResponse")
    if root is None:
        yield BranchResult(is_status_known=False)
        return
    first, method = root
    if method in ("from", "async", "sse") or chain_call(value, "render") is not None:
        yield BranchResult(is_status_known=False)
        return
    if method == "status":
        yield from with_statuses(program, argument_of(program, first, 0), _body(program, value))
        return
    status = _REDIRECTS.get(method) or status_named(method) or ""
    yield BranchResult(status, _body(program, value), is_status_known=bool(status))


def _content_type_of(program: Program, value: Value) -> str:
    """The content type that a response is given; empty where it is given none."""
    typed = chain_call(value, "contentType") if isinstance(value, LibraryResult) else None
    if typed is None or not typed.site.args:
        return ""
    return media_type(program, typed.site.args[0].value, typed.scope)


def _body(program: Program, value: LibraryResult) -> Value | None:
    for name in ("bodyValue", "syncBody"):
        ended = chain_call(value, name)
        if ended is not None:
            return argument_of(program, ended, 0)
    ended = chain_call(value, "body")
    if ended is None or not ended.site.args:
        return None
    args = [a.value for a in ended.site.args]
    inserted = args[0]
    if isinstance(inserted, Call) and len(args) == 1:
        given = program.evaluate(inserted, ended.scope)
        if isinstance(given, LibraryResult) and given.name.rpartition(".")[2] in _INSERTERS:
            args = [a.value for a in inserted.args]
    if len(args) < 2:
        return program.evaluate(args[0], ended.scope) if args else None
    return _publisher_value(program, args[0], args[1], ended.scope)


def _publisher_value(program: Program, publisher: Expr, element: Expr, scope: Scope) -> Value:
    """A publisher with its element class: a single element or many."""
    value = program.evaluate(publisher, scope)
    type = class_given(element)
    if type is None:
        return value
    many = _is_many(value)
    if many is None:
        return Unresolved(
            Reason("one-or-many-undetermined", type=type_name(type)),
            publisher.span,
            scope.file.path,
        )
    if not many:
        return ByType(type, scope, publisher.span)
    items = program.schema(type, scope)
    return BySchema(Array(items=items, origin=program.origin(publisher, scope)))


def _is_many(value: Value) -> bool | None:
    """Whether a publisher gives many values; None where that is undetermined."""
    match value:
        case Items():
            return True
        case ByType(type=NamedType() as type):
            if type_name(type) in _MANY:
                return True
            return False if type_name(type) == "Mono" else None
        case LibraryResult(name=name):
            parts = name.replace("()", "").split(".")
            known = [p for p in parts if p in ("Mono", "Flux")]
            if known:
                return known[-1] == "Flux" and not {"collectList", "next", "single"} & set(parts)
            return None
        case BySchema() | LibrarySymbol() | Unresolved():
            return None
        case _:
            return False


FRAMEWORK = Framework(
    name="Spring functional routes",
    markers=(b"web.reactive.function.server", b"web.servlet.function"),
    operations=operations,
)
