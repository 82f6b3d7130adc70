"""FastAPI and Starlette: routes as operations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Answers, Body, DeferredAnswers, Operation, RouteTraits
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import ScalarType
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, Call, Expr, LiteralExpr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.fastapi.applications import (
    CALLS,
    MARKERS,
    AsgiApp,
    Route,
    UnresolvedRegistration,
    asgi_app,
)
from contract_scan.parsers.source.python.frameworks.fastapi.responses import Responses
from contract_scan.parsers.source.python.frameworks.fastapi.signature import Signature, signature
from contract_scan.parsers.source.python.web import response_hooks, sockets
from contract_scan.parsers.source.python.web.bodies import read_body, with_queries
from contract_scan.parsers.source.python.web.common import concatenate_path, response, text, unknown
from contract_scan.parsers.source.python.web.dispatch_by_method import view_for
from contract_scan.parsers.source.python.web.known_parameters import as_routed
from contract_scan.parsers.source.python.web.mounts import Graph, Reached, Router, unread_routes
from contract_scan.parsers.source.python.web.path_syntax import (
    STARLETTE,
    path_names,
    path_parameter,
)
from contract_scan.parsers.source.python.web.raised_errors import only_raised, with_raised
from contract_scan.parsers.source.web.route_graph import application_of


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route that one of the two libraries answers for."""
    found = _handler_operations(program, framework)
    yield from response_hooks.behind_hooks(program, found, response_hooks.STARLETTE)


def _handler_operations(program: Program, framework: Framework) -> Iterator[Operation]:
    app: AsgiApp = asgi_app(program)
    for route in app.routes:
        if _library(route.router) == framework.name:
            for reached in app.graph.places(route.router.id):
                yield from _operations(program, framework, route, reached, app.graph)
    for lost in app.unresolved_registrations:
        if _library(lost.parent) == framework.name:
            for reached in app.graph.places(lost.parent.id):
                yield _unresolved_operation(framework, lost, reached)


def _library(router: Router) -> str:
    return "Starlette" if router.maker.startswith("starlette.") else "FastAPI"


def _unresolved_operation(
    framework: Framework, lost: UnresolvedRegistration, reached: Reached
) -> Operation:
    """An operation that stands in for unresolved routes: any path below their prefix."""
    return unread_routes(
        framework,
        STARLETTE.template(concatenate_path(reached.prefix, lost.prefix or "", "/{rest:path}")),
        lost.origin,
        lost.reason,
        reached,
    )


def _operations(
    program: Program, framework: Framework, route: Route, reached: Reached, graph: Graph
) -> Iterator[Operation]:
    path = text(program, route.argument("path", 0), route.scope)
    unresolved = reached.unresolved
    if path is None:
        expr = route.argument("path", 0)
        known = None if expr is None else program.template(expr, route.scope)
        unresolved = unresolved or Reason("route-path-computed")
        path = known or NO_REASON
    full = STARLETTE.template(concatenate_path(reached.prefix, route.mount_path, path))
    methods = route.methods
    if methods is None:
        unresolved = unresolved or Reason("methods-not-constant")
        methods = ("*",)
    hidden = _is_hidden(program, route, reached, graph)
    handler = route.handler
    dependencies = list(_dependencies(route, reached, graph))
    for method in methods:
        takes_body = method not in _BODILESS
        operation = Operation(
            method=method,
            path=full,
            origin=route.origin,
            operation_id=text(program, route.argument("operation_id"), route.scope) or "",
            handler=route.name,
            framework=framework.name,
            application=application_of(reached),
            also_below=_also_below(program, reached, graph),
            excluded_from_docs=hidden,
            unresolved=unresolved,
        )
        if handler is None:
            why = unknown(Reason("route-handler-not-found"), route.origin)
            yield replace(
                operation,
                parameters_complete=False,
                responses=(response("200", why, route.origin, explicit=False),),
            )
            continue
        by_request = framework.name == "Starlette"
        if by_request:
            below = concatenate_path(reached.prefix, route.mount_path, path)
            inputs = _from_request(
                program, route, view_for(program, handler, method), below, method
            )
        else:
            inputs = signature(
                program, handler, path_names(full), dependencies, takes_body=takes_body
            )
        routed = as_routed(program, handler, path_names(full))
        reader = Responses(program, route, routed, graph, method, inputs.injected_responses)
        answers = partial(_answers, program, routed, reader, method, by_request=by_request)
        yield replace(
            operation,
            parameters=inputs.parameters,
            parameters_complete=inputs.complete,
            reads_no_body=inputs.reads_no_body and not by_request,
            request=inputs.bodies,
            deferred=DeferredAnswers(answers),
        )


def _answers(
    program: Program, handler: FunctionValue, reader: Responses, method: str, *, by_request: bool
) -> Answers:
    raised = only_raised(program, handler, method)
    if raised:
        return Answers(raised, statuses_complete=True)
    responses = reader.read_returned() if by_request else reader.responses()
    raised = with_raised(program, handler, responses, method)
    return Answers(raised, reader.complete, reader.undetermined_status)


_BODILESS = ("GET", "HEAD", "OPTIONS", "TRACE")
"""Methods of requests of which no body is read."""
_CONVERTERS: dict[str, tuple[ScalarType, str]] = {
    "int": ("integer", ""),
    "float": ("number", ""),
    "uuid": ("string", "uuid"),
}


def _from_request(
    program: Program, route: Route, handler: FunctionValue, path: str, method: str
) -> Signature:
    """What a handler takes that is given the request alone: nothing declares the rest."""
    parameters = []
    for name, converter in re.findall(r"\{(\w+)(?::(\w+))?\}", path):
        type = _CONVERTERS.get(converter, ("string", ""))
        parameters.append(path_parameter(name, route.origin, *type))
    bodies: tuple[Body, ...] = ()
    if method not in _BODILESS:
        bodies = read_body(program, handler, _JSON_READERS, "application/json")
        bodies = bodies or read_body(program, handler, _FORM_READERS, _FORM)
    inputs = with_queries(program, handler, parameters, _QUERIES, method)
    return Signature(inputs, bodies, False)


_QUERIES = frozenset({"query_params"})
_JSON_READERS = frozenset({"json", "body", "stream"})
_FORM_READERS = frozenset({"form"})
_FORM = "application/x-www-form-urlencoded"


def _is_hidden(program: Program, route: Route, reached: Reached, graph: Graph) -> bool:
    exprs = [(route.argument("include_in_schema"), route.scope)]
    exprs += [(_argument(m.call, "include_in_schema"), m.scope) for m in reached.mounts]
    exprs.append((_keyword(route.router, "include_in_schema"), route.router.scope))
    exprs += [
        (_keyword(graph.routers[m.child], "include_in_schema"), graph.routers[m.child].scope)
        for m in reached.mounts
    ]
    for expr, scope in exprs:
        if expr is not None:
            value = program.evaluate(expr, scope)
            if isinstance(value, Constant) and value.value is False:
                return True
    return False


def _also_below(program: Program, reached: Reached, graph: Graph) -> tuple[str, ...]:
    """The `root_path` of the application, which a proxy before it takes off: any where the
    environment gives it."""
    app = None if reached.application is None else graph.routers.get(reached.application)
    stated = None if app is None else _keyword(app, "root_path")
    if app is None or stated is None:
        return ()
    path = text(program, stated, app.scope)
    if not path and not isinstance(stated, LiteralExpr):
        return ("*",)
    return (path.rstrip("/"),) if path and path.startswith("/") else ()


def _argument(call: Call, name: str) -> Expr | None:
    return next((item.value for item in call.args if item.name == name), None)


def _keyword(router: Router, name: str) -> Expr | None:
    return next((a.value for a in router.site.args if a.name == name), None)


def _dependencies(route: Route, reached: Reached, graph: Graph) -> Iterator[tuple[Expr, Scope]]:
    """Dependencies that the route, its routers and their mounts declare in lists."""
    exprs = [(route.argument("dependencies"), route.scope)]
    exprs.append((_keyword(route.router, "dependencies"), route.router.scope))
    for mount in reached.mounts:
        exprs.append((_argument(mount.call, "dependencies"), mount.scope))
        child = graph.routers[mount.child]
        exprs.append((_keyword(child, "dependencies"), child.scope))
    for expr, scope in exprs:
        if isinstance(expr, ArrayLiteral):
            for item in expr.items:
                yield item, scope


# ----------------------------------------------------------------------------------- web sockets
# Web sockets of FastAPI and Starlette; how their use is read is in `web.sockets`.


_PROTOCOLS = sockets.PROTOCOLS
_SORT = sockets.SocketLibrary(
    types=("fastapi.*", "starlette.*"),
    usual_names=("websocket", "ws", "socket", "connection"),
    sends=frozenset({"send_json", "send_text", "send_bytes"}),
    receive_methods=frozenset({"receive_json", "receive_text", "receive_bytes"}),
    iterated_methods=frozenset({"iter_json", "iter_text", "iter_bytes"}),
    parsed=frozenset({"receive_json", "iter_json"}),
)
_SOCKET_CALLS = (*_SORT.send_markers(), *_SORT.receive_markers())


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that sockets of the library take and send."""
    app = asgi_app(program)
    routes = [
        sockets.SocketRoute(_paths(program, route, app), route.handler, route.origin)
        for route in app.sockets
        if _library_of_socket(route) == framework.name
    ]
    yield from sockets.socket_events(program, framework, _SORT, routes)


def _library_of_socket(route: Route) -> str:
    return "Starlette" if route.router.maker.startswith("starlette.") else "FastAPI"


def _paths(program: Program, route: Route, app: AsgiApp) -> tuple[str, ...]:
    """Every path at which a route is reached; empty where one is undetermined."""
    own = text(program, route.argument("path", 0), route.scope)
    found = []
    for reached in app.graph.places(route.router.id):
        is_known = own is not None and not reached.unresolved
        found.append(
            STARLETTE.template(concatenate_path(reached.prefix, route.mount_path, own or ""))
            if is_known
            else ""
        )
    return tuple(found)


_STARLETTE = Framework(
    name="Starlette",
    markers=MARKERS,
    calls=(*CALLS, *_SOCKET_CALLS),
    operations=operations,
    events=events,
    protocols=_PROTOCOLS,
)
FRAMEWORKS = (
    replace(_STARLETTE, name="FastAPI", sends="enforced", traits=RouteTraits(json_only=True)),
    _STARLETTE,
)
