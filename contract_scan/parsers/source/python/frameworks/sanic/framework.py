"""Sanic: routes at the places of their blueprints, which are in `applications`, and web sockets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import DYNAMIC_PREFIX, Body, Operation, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Object
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    LibraryResult,
    OneOf,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Argument, Attribute, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.sanic.applications import (
    BLUEPRINTS,
    CALLS,
    GROUPS,
    MARKERS,
    Route,
    SanicApp,
    sanic_app,
)
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.modes import LOAD
from contract_scan.parsers.source.python.web import sockets
from contract_scan.parsers.source.python.web.bodies import as_parameters, read_body, with_queries
from contract_scan.parsers.source.python.web.common import (
    argument,
    call_argument,
    is_empty,
    merge_responses,
    status_of,
    text,
    undetermined_response,
)
from contract_scan.parsers.source.python.web.dispatch_by_method import exits_for, view_for
from contract_scan.parsers.source.python.web.handler_uses import RequestLibrary, handler_uses
from contract_scan.parsers.source.python.web.known_parameters import (
    as_routed,
    with_path_types,
)
from contract_scan.parsers.source.python.web.mounts import Graph, Reached, unread_routes
from contract_scan.parsers.source.python.web.path_syntax import PathSyntax, path_names
from contract_scan.parsers.source.python.web.raised_errors import only_raised, with_raised
from contract_scan.parsers.source.python.web.returns import (
    ReturnedResponse,
    as_assigned,
    as_response,
)
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
)
from contract_scan.parsers.source.web.route_graph import RouterId, application_of

_QUERIES = frozenset({"args"})
_READERS = frozenset({"json", "load_json", "body"})
_REQUESTS = RequestLibrary(
    members=RequestMembers(
        queries=_QUERIES,
        query_methods=frozenset({"get", "getlist"}),
        bodies=_READERS | {"form", "files", "stream", "receive_body", "get_form"},
        addresses=frozenset({"query_string", "url", "query_args", "get_args", "get_query_args"}),
        others=frozenset(
            {"method", "path", "headers", "cookies", "match_info", "app", "ip", "remote_addr"}
            | {"host", "scheme", "id", "token", "credentials", "endpoint", "name", "route"}
            | {"content_type", "server_name", "server_port", "forwarded", "version", "uri_template"}
        ),
    ),
    unseen=(b"middleware", b".on_request", b".on_response", b".signal("),
    decorators=("sanic.",),
)
"""https://sanic.dev/en/guide/basics/request.html"""
_FORM = "application/x-www-form-urlencoded"
_OTHERS = {
    "text": "text/plain",
    "html": "text/html",
    "raw": "application/octet-stream",
    "file": "application/octet-stream",
    "file_stream": "application/octet-stream",
    "ResponseStream": "application/octet-stream",
    "render": "text/html",
}


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route at every place that its blueprint is registered at."""
    app = sanic_app(program)
    for route in app.routes:
        for reached in app.graph.places(route.router):
            yield _operation(program, framework, app, route, reached)
    for lost in app.unresolved_registrations:
        for reached in app.graph.places(lost.parent):
            prefix, _ = _full_path(program, app.graph, lost.parent, reached, None)
            yield unread_routes(
                framework,
                prefix.rstrip("/") + "/{rest*}",
                lost.origin,
                Reason("blueprint-unreadable"),
                reached,
            )


def _operation(
    program: Program, framework: Framework, app: SanicApp, route: Route, reached: Reached
) -> Operation:
    path, reason = _full_path(program, app.graph, route.router, reached, route)
    unresolved = reached.unresolved or reason
    if not route.path_known:
        unresolved = unresolved or Reason("route-path-computed")
    if not route.method:
        unresolved = unresolved or Reason("methods-not-constant")
    operation = Operation(
        method=route.method or "*",
        path=_PATHS.template(path),
        parameters=_PATHS.parameters(path, route.origin),
        parameters_complete=False,
        origin=route.origin,
        handler=route.name,
        framework=framework.name,
        application=application_of(reached),
        unresolved=unresolved,
    )
    handler = route.handler
    if handler is None:
        return replace(
            operation,
            responses=(undetermined_response(Reason("route-handler-not-found"), route.origin),),
        )
    handler = with_path_types(handler, operation.parameters)
    handler = as_routed(program, handler, path_names(operation.path), by_path_alone=True)
    found, complete = _responses(program, handler, route.method)
    parameters, bodies = _validated_inputs(program, handler)
    if not bodies and route.method not in ("GET", "HEAD", "OPTIONS", "DELETE"):
        running = view_for(program, handler, route.method)
        bodies = read_body(program, running, _READERS, "application/json") or read_body(
            program, running, frozenset({"form", "files"}), _FORM
        )
    raised = only_raised(program, handler, route.method)
    whole = replace(
        operation,
        parameters=with_queries(
            program, handler, (*operation.parameters, *parameters), _QUERIES, route.method
        ),
        request=bodies,
        responses=raised or with_raised(program, handler, found, route.method),
        statuses_complete=complete or bool(raised),
    )
    return handler_uses(program, _REQUESTS, handler).apply(whole)


def _validated_inputs(
    program: Program, handler: FunctionValue
) -> tuple[tuple[Parameter, ...], tuple[Body, ...]]:
    """`@validate(json=Order, query=Filters)` of Sanic Extensions."""
    parameters: list[Parameter] = []
    bodies: list[Body] = []
    for annotation in handler.function.annotations:
        if annotation.callee is None:
            continue
        name = program.qualified_name(annotation.callee, handler.scope)
        if not name.startswith("sanic_ext") or not name.endswith("validate"):
            continue
        origin = origin_at(handler.scope, annotation.span)
        for where, media in (("json", "application/json"), ("form", _FORM), ("query", "")):
            model = argument(annotation, -1, where)
            type = None if model is None else as_type(model)
            if type is None:
                continue
            schema = program.schema(type, handler.scope, LOAD)
            if where == "query" and isinstance(program.types.flat(schema), Object):
                parameters.extend(as_parameters(program, schema, "query", origin))
            elif media:
                body = Body(schema=schema, content_type=media, required=True, origin=origin)
                bodies.append(body)
    return tuple(parameters), tuple(bodies)


# --------------------------------------------------------------------------- responses


def _responses(
    program: Program, handler: FunctionValue, method: str
) -> tuple[tuple[Response, ...], bool]:
    """What a handler returns, by status, and whether every status is told."""
    found: list[ReturnedResponse] = []
    thrown = False
    for result in exits_for(program, handler, method):
        thrown = thrown or result.thrown
        if result.thrown or result.value is None:
            continue
        origin = origin_at(result.scope, result.span)
        value = program.evaluate(result.value, result.scope)
        options = value.options if isinstance(value, OneOf) else (value,)
        for option in options:
            answers = _library_response(program, option, origin)
            if answers is not None and isinstance(option, LibraryResult):
                found.extend(as_assigned(program, option, [answers]))
            else:
                found.append(answers or _undetermined_response(origin))
    if not found and thrown:
        return (), False
    if not found:
        found = [_undetermined_response(origin_at(handler.scope, handler.function.name_span))]
    known = [item for item in found if not item.unclear_status]
    complete = len(known) == len(found)
    return merge_responses([as_response(program, item) for item in known or found[:1]]), complete


def _undetermined_response(origin: Origin) -> ReturnedResponse:
    why = Reason("no-response-found")
    return ReturnedResponse(None, None, origin, opaque=why, unclear_status=True)


def _library_response(program: Program, value: Value, origin: Origin) -> ReturnedResponse | None:
    """A response that a function of the library makes."""
    if not isinstance(value, LibraryResult) or value.name.partition(".")[0] not in (
        "sanic",
        "sanic_ext",
    ):
        return None
    kind = value.name.rpartition(".")[2]
    named = {a.name: a.value for a in value.site.args if a.name}
    positional = [a.value for a in value.site.args if not a.name and not a.spread]
    status_expr = named.get("status")
    position = 0 if kind == "empty" else 1
    if status_expr is None and kind != "redirect" and len(positional) > position:
        status_expr = positional[position]
    status: str | None = None
    unclear = False
    if status_expr is not None:
        status = status_of(program.evaluate(status_expr, value.scope))
        unclear = status is None
    if kind == "redirect":
        return ReturnedResponse(status or "302", None, origin, "", NO_REASON, unclear)
    if kind == "empty":
        return ReturnedResponse(status or "204", None, origin, "", NO_REASON, unclear)
    content: Expr | None = named.get("body", positional[0] if positional else None)
    if content is not None and kind not in ("json", "JSONResponse"):
        content = None if is_empty(program.evaluate(content, value.scope)) else content
    media = program.text(named.get("content_type"), value.scope)
    if kind in ("json", "JSONResponse"):
        body = None if content is None else program.evaluate(content, value.scope)
        return ReturnedResponse(
            status, body, origin, media or "application/json", NO_REASON, unclear
        )
    if content is None and kind in ("HTTPResponse", "text", "html", "raw"):
        return ReturnedResponse(status, None, origin, "", NO_REASON, unclear)
    if kind in _OTHERS:
        return ReturnedResponse(
            status, None, origin, media or _OTHERS[kind], Reason("response-not-json"), unclear
        )
    if kind == "HTTPResponse":
        return ReturnedResponse(
            status, None, origin, media or "text/plain", Reason("text-not-read"), unclear
        )
    return None


# ----------------------------------------------------------------------------------- web sockets
# Web sockets of Sanic; how their use is read is in `web.sockets`.
#
# Its sockets have methods of plain names (`send`, `recv`) that those of other libraries have too:
# a name alone tells a socket only where the program opens no sockets as a client.


_SORT = sockets.SocketLibrary(
    types=("sanic.Websocket", "sanic.server.websockets.*", "sanic.websocket.*"),
    usual_names=("ws", "websocket"),
    sends=frozenset({"send"}),
    receive_methods=frozenset({"recv"}),
    is_iterated=True,
)
_SOCKET_CALLS = (b".add_websocket_route(", *_SORT.send_markers(), *_SORT.receive_markers())
_CLIENTS = (b"import websockets", b"from websockets", b"websockets.connect", b"ws_connect(")
_SOCKET_AT = 1
"""A handler is given the request, then the socket."""


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that sockets of the library take and send."""
    app = sanic_app(program)
    routes = [_route(program, app, route) for route in app.sockets]
    has_clients = any(program.any_file_contains(text) for text in _CLIENTS)
    sort = replace(_SORT, usual_names=()) if has_clients else _SORT
    yield from sockets.socket_events(program, framework, sort, routes)


def _route(program: Program, app: SanicApp, route: Route) -> sockets.SocketRoute:
    paths = []
    for reached in app.graph.places(route.router):
        path, reason = _full_path(program, app.graph, route.router, reached, route)
        is_known = route.path_known and not reason and not reached.unresolved
        paths.append(_PATHS.template(path) if is_known else "")
    params = route.handler.function.params if route.handler is not None else ()
    named = [param.name for param in params if param.name != "this" and param.name != "self"]
    parameter = named[_SOCKET_AT] if len(named) > _SOCKET_AT else ""
    return sockets.SocketRoute(tuple(paths), route.handler, route.origin, parameter)


# ----------------------------------------------------------------------------------------- paths
# Paths of Sanic's routes: versions and prefixes of every level.


_PATHS = PathSyntax(
    re.compile(r"<(?P<name>\w+)(?::(?P<type>(?:[^<>]|<[^<>]*>)*))?>"),
    {
        "int": ("integer", ""),
        "float": ("number", ""),
        "number": ("number", ""),
        "uuid": ("string", "uuid"),
        "ymd": ("string", "date"),
    },
)


def _full_path(
    program: Program, graph: Graph, router: RouterId, reached: Reached, route: Route | None
) -> tuple[str, Reason]:
    """Version, prefixes and path of a route, and why one of them is undetermined."""
    levels = _levels(graph, router, reached)
    prefixes: list[str | None] = []
    versions: list[_Setting] = []
    if route is not None:
        versions.append(_Setting(program, route.args, route.scope))
    inside_group = any(maker in GROUPS for maker, _, _ in levels)
    for maker, args, scope in levels:
        named = call_argument(args, "url_prefix", 1 if maker in BLUEPRINTS else -1)
        literal = "" if named is None else text(program, named, scope)
        if maker == "" and named is not None and not inside_group:
            prefixes = []  # a prefix of the registration stands instead of the blueprint's own
        prefixes.append(literal)
        versions.append(_Setting(program, args, scope))
    reason = Reason("blueprint-prefix-not-constant") if None in prefixes else NO_REASON
    shown = (DYNAMIC_PREFIX if prefix is None else prefix for prefix in reversed(prefixes))
    parts = [prefix.strip("/") for prefix in shown if prefix]
    version, prefix = _version(versions, direct=not inside_group)
    if version is None or prefix is None:
        reason = reason or Reason("route-version-not-constant")
    path = "".join(f"/{part}" for part in parts if part)
    own = route.path if route is not None else ""
    path += own if own.startswith("/") or not own else f"/{own}"
    if version:
        path = f"/{(prefix or '').strip('/')}{version}{path}" if prefix else f"/{version}{path}"
    return reached.prefix + path or "/", reason


class _Setting:
    """The version that one level gives."""

    def __init__(self, program: Program, args: tuple[Argument, ...], scope: Scope) -> None:
        self.version = _option_text(program, args, "version", scope)
        self.prefix = _option_text(program, args, "version_prefix", scope)


def _option_text(
    program: Program, args: tuple[Argument, ...], name: str, scope: Scope
) -> str | None:
    """The text of an option; empty if the option is missing, None if it is not constant."""
    expr = call_argument(args, name, -1)
    if expr is None:
        return ""
    value = program.evaluate(expr, scope)
    if isinstance(value, Constant):
        return "" if value.value is None else str(value.value)
    return program.evaluator.text(value)


def _version(levels: list[_Setting], *, direct: bool) -> tuple[str | None, str | None]:
    """The version that the nearest level gives, without the letter it is written with."""
    ordered = levels
    if direct and len(levels) == 3:
        # The registration of a blueprint goes before what the blueprint says itself.
        ordered = [levels[0], levels[2], levels[1]]
    version = next((level.version for level in ordered if level.version != ""), "")
    prefix = next((level.prefix for level in ordered if level.prefix not in ("", "/v")), "/v")
    return (None if version is None else version.strip("/").lstrip("v")), prefix


def _levels(
    graph: Graph, router: RouterId, reached: Reached
) -> list[tuple[str, tuple[Argument, ...], Scope]]:
    """Everything that may give a prefix, from the route's blueprint out: what was made, and (with
    an empty maker) what registered it with the application."""
    found: list[tuple[str, tuple[Argument, ...], Scope]] = []
    below = graph.routers[router]
    found.append((below.maker, below.site.args, below.scope))
    for mount in reversed(reached.mounts):
        holder = next(
            (r for r in graph.routers.values() if r.site is mount.call and r.maker in GROUPS),
            None,
        )
        if holder is not None:
            found.append((holder.maker, holder.site.args, holder.scope))
        elif isinstance(mount.call.callee, Attribute) and mount.call.callee.name == "blueprint":
            found.append(("", mount.call.args, mount.scope))
    return found


FRAMEWORK = Framework(
    name="Sanic",
    markers=MARKERS,
    calls=(*CALLS, *_SOCKET_CALLS),
    operations=operations,
    events=events,
    protocols=sockets.PROTOCOLS,
)
