"""aiohttp's server: handlers at the places of their applications (`applications`), web sockets."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Body, Location, Operation, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.aiohttp.applications import (
    CALLS,
    MARKERS,
    AiohttpApp,
    Route,
    aiohttp_app,
)
from contract_scan.parsers.source.python.messaging.uses import made_by
from contract_scan.parsers.source.python.serialization.marshmallow import schemas as marshmallow
from contract_scan.parsers.source.python.web import response_hooks, sockets
from contract_scan.parsers.source.python.web.bodies import (
    as_parameters,
    read_body,
    with_queries,
)
from contract_scan.parsers.source.python.web.common import (
    argument,
    concatenate_path,
    is_empty,
    merge_responses,
    response,
    status_of,
    undetermined_response,
)
from contract_scan.parsers.source.python.web.dispatch_by_method import exits_for, view_for
from contract_scan.parsers.source.python.web.dumped_texts import json_source
from contract_scan.parsers.source.python.web.handler_uses import RequestLibrary, handler_uses
from contract_scan.parsers.source.python.web.mounts import Reached, unread_routes
from contract_scan.parsers.source.python.web.path_syntax import path_names, path_parameter
from contract_scan.parsers.source.python.web.raised_errors import only_raised, with_raised
from contract_scan.parsers.source.python.web.response_classes import is_json
from contract_scan.parsers.source.python.web.returns import (
    ReturnedResponse,
    as_assigned,
    as_response,
)
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
)
from contract_scan.parsers.source.web.route_graph import application_of
from contract_scan.parsers.source.web.status_names import status_named

_QUERIES = frozenset({"query"})
_REQUESTS = RequestLibrary(
    members=RequestMembers(
        queries=frozenset({"query", "rel_url.query"}),
        query_methods=frozenset({"get", "getone", "getall"}),
        bodies=frozenset(
            {"json", "text", "read", "post", "multipart", "content", "body_exists", "has_body"}
            | {"can_read_body"}
        ),
        addresses=frozenset({"query_string", "url", "raw_path", "path_qs"}),
        others=frozenset(
            {
                "match_info",
                "headers",
                "cookies",
                "app",
                "path",
                "method",
                "host",
                "remote",
                "scheme",
            }
            | {"content_type", "charset", "config_dict", "secure", "version", "if_modified_since"}
            | {"if_match", "if_none_match", "keep_alive", "content_length"}
        ),
    ),
    unseen=(b"middleware", b"on_response_prepare"),
    decorators=("aiohttp.web.", "aiohttp_apispec."),
)
"""https://docs.aiohttp.org/en/stable/web_reference.html#aiohttp.web.BaseRequest"""


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every application at every place that it is mounted at."""
    found = _handler_operations(program, framework)
    yield from response_hooks.behind_hooks(program, found, response_hooks.AIOHTTP)


def _handler_operations(program: Program, framework: Framework) -> Iterator[Operation]:
    app = aiohttp_app(program)
    for route in app.routes:
        for reached in app.graph.places(route.router):
            yield _operation(program, framework, route, reached)
    for lost in app.unresolved_registrations:
        for reached in app.graph.places(lost.parent):
            yield unread_routes(
                framework,
                concatenate_path(reached.prefix, lost.prefix or "", "/{rest*}"),
                lost.origin,
                Reason("added-route-unreadable"),
                reached,
            )


def _operation(program: Program, framework: Framework, route: Route, reached: Reached) -> Operation:
    unresolved = reached.unresolved
    if not route.path_known:
        unresolved = unresolved or Reason("route-path-computed")
    if not route.method:
        unresolved = unresolved or Reason("route-method-computed")
    path, expressions = template(concatenate_path(reached.prefix, route.path))
    operation = Operation(
        method=route.method or "*",
        path=path,
        path_expressions=tuple((name, each) for name, each in expressions.items() if each),
        parameters=_path_parameters(path, expressions, route.origin),
        parameters_complete=False,
        origin=route.origin,
        handler=route.name,
        framework=framework.name,
        application=application_of(reached),
        excluded_from_docs=route.excluded_from_docs,
        unresolved=unresolved,
    )
    if route.handler is None:
        return replace(
            operation,
            responses=(undetermined_response(Reason("route-handler-not-found"), route.origin),),
        )
    takes_body = route.method not in ("GET", "HEAD", "OPTIONS")
    running = view_for(program, route.handler, route.method)
    parameters, bodies = _request_inputs(program, running, takes_body=takes_body)
    declared = {item.name for item in parameters if item.location == "path"}
    own = tuple(item for item in operation.parameters if item.name not in declared)
    found, complete = _responses(program, route.handler, route.method)
    raised = only_raised(program, route.handler, route.method)
    whole = replace(
        operation,
        parameters=with_queries(
            program, route.handler, (*own, *parameters), _QUERIES, route.method
        ),
        request=bodies,
        responses=raised or with_raised(program, route.handler, found, route.method),
        statuses_complete=complete or bool(raised),
    )
    return handler_uses(program, _REQUESTS, route.handler).apply(whole)


def _path_parameters(
    path: str, expressions: dict[str, str], origin: Origin
) -> tuple[Parameter, ...]:
    integers = {name for name, each in expressions.items() if each in (r"\d+", "[0-9]+")}
    return tuple(
        path_parameter(name, origin, "integer" if name in integers else "string")
        for name in path_names(path)
    )


# -------------------------------------------------------------------------------------- handlers
# What handlers of aiohttp take and send.


_JSON_READERS = frozenset({"json", "read", "text", "content"})
_FORM_READERS = frozenset({"post", "multipart"})
_OTHERS = {
    "FileResponse": "application/octet-stream",
    "StreamResponse": "application/octet-stream",
    "EventSourceResponse": "text/event-stream",
    "sse_response": "text/event-stream",
}
_PLACES: dict[str, Location] = {
    "querystring_schema": "query",
    "match_info_schema": "path",
    "headers_schema": "header",
    "cookies_schema": "cookie",
}
_BODIES = {
    "request_schema": "application/json",
    "json_schema": "application/json",
    "form_schema": "application/x-www-form-urlencoded",
}


def _sent_by(
    program: Program, handler: FunctionValue, method: str = ""
) -> Iterator[ReturnedResponse]:
    """Everything that a handler returns, and the successes that it raises; for one method alone,
    where it answers several."""
    for result in exits_for(program, handler, method):
        if result.value is None:
            continue
        origin = origin_at(result.scope, result.span)
        value = program.evaluate(result.value, result.scope)
        for option in value.options if isinstance(value, OneOf) else (value,):
            returned = _library_response(program, option, origin)
            if not result.thrown:
                why = Reason("no-response-found")
                unseen = ReturnedResponse(None, None, origin, opaque=why, unclear_status=True)
                if returned is not None and isinstance(option, LibraryResult):
                    yield from as_assigned(program, option, [returned])
                else:
                    yield returned or unseen
            elif returned is not None and (returned.status or "").startswith("2"):
                yield returned


def _library_response(program: Program, value: Value, origin: Origin) -> ReturnedResponse | None:
    """A response object of the library; None for anything else."""
    if isinstance(value, LibrarySymbol) and value.name.startswith("aiohttp.web"):
        status = _status_of_class(value.name)  # `raise web.HTTPNoContent`
        return ReturnedResponse(status, None, origin, "") if status is not None else None
    if not isinstance(value, LibraryResult) or not value.name.startswith(
        ("aiohttp.web", "aiohttp_sse")
    ):
        return None
    kind = value.name.rpartition(".")[2]
    if kind == "json_response":
        return _json(program, value, origin)
    if kind in _OTHERS:
        return ReturnedResponse(None, None, origin, _OTHERS[kind], Reason("response-not-json"))
    if kind == "WebSocketResponse":
        return ReturnedResponse("101", None, origin, "")
    status = _status_of_class(value.name)
    if kind == "Response" or status is not None:
        return _response_of_construction(program, value, status, origin)
    return None


def _status_of_class(name: str) -> str | None:
    last = name.rpartition(".")[2]
    return status_named(last.removeprefix("HTTP")) if last.startswith("HTTP") else None


def _json(program: Program, made: LibraryResult, origin: Origin) -> ReturnedResponse:
    """`web.json_response(data, text=, body=, status=)`."""
    named = {a.name: a.value for a in made.site.args if a.name}
    positional = [a.value for a in made.site.args if not a.name and not a.spread]
    status, unclear = _status(program, named.get("status"), made.scope)
    content_type = program.text(named.get("content_type"), made.scope) or "application/json"
    data = positional[0] if positional else named.get("data")
    if data is not None:
        value = program.evaluate(data, made.scope)
        return ReturnedResponse(status, value, origin, content_type, NO_REASON, unclear)
    written = named.get("text", named.get("body"))
    if written is None:
        return ReturnedResponse(status, None, origin, content_type, NO_REASON, unclear)
    return _text_response(
        program,
        written,
        made.scope,
        ReturnedResponse(status, None, origin, content_type, NO_REASON, unclear),
    )


def _response_of_construction(
    program: Program, made: LibraryResult, own: str | None, origin: Origin
) -> ReturnedResponse:
    """`web.Response(…)` and the classes that are named by their status."""
    named = {a.name: a.value for a in made.site.args if a.name}
    positional = [a.value for a in made.site.args if not a.name and not a.spread]
    status, unclear = _status(program, named.get("status"), made.scope)
    status = own or status
    written = named.get("text", named.get("body"))
    if written is None and own is None and positional:
        written = positional[0]
    given = program.text(named.get("content_type"), made.scope)
    if written is None and given is not None:  # it is written later
        why = Reason("text-not-read")
        return ReturnedResponse(status, None, origin, given, why, unclear)
    if written is None or is_empty(program.evaluate(written, made.scope)):
        return ReturnedResponse(status, None, origin, "", NO_REASON, unclear)
    default = "application/octet-stream" if "text" not in named else "text/plain"
    return _text_response(
        program,
        written,
        made.scope,
        ReturnedResponse(status, None, origin, given or default, NO_REASON, unclear),
    )


def _text_response(
    program: Program, expr: Expr, scope: Scope, returned: ReturnedResponse
) -> ReturnedResponse:
    """A response with a text: JSON where `dumps` makes the text."""
    dumped_value = json_source(program, expr, scope)
    if dumped_value is not None:
        content_type = (
            returned.content_type if is_json(returned.content_type) else "application/json"
        )
        if returned.content_type not in ("text/plain", "application/octet-stream"):
            content_type = returned.content_type
        return ReturnedResponse(
            returned.status,
            dumped_value,
            returned.origin,
            content_type,
            NO_REASON,
            returned.unclear_status,
        )
    return ReturnedResponse(
        returned.status,
        None,
        returned.origin,
        returned.content_type,
        Reason("text-not-read"),
        returned.unclear_status,
    )


def _status(program: Program, expr: Expr | None, scope: Scope) -> tuple[str | None, bool]:
    """A status, and whether there is one that is undetermined."""
    if expr is None:
        return None, False
    found = status_of(program.evaluate(expr, scope))
    return found, found is None


# --------------------------------------------------------------------------- whole handlers


def _responses(
    program: Program, handler: FunctionValue, method: str = ""
) -> tuple[tuple[Response, ...], bool]:
    """What a handler sends for a method, and whether every status is told; what aiohttp-apispec
    documents stands where the code does not tell."""
    returned = list(_sent_by(program, handler, method))
    documented = {r.status: r for r in _declared_responses(program, handler)}
    complete = not any(item.unclear_status for item in returned)
    determined = merge_responses(
        [as_response(program, item) for item in returned if not item.unclear_status]
    )
    found: list[Response] = []
    for item in determined:
        known = documented.pop(item.status, None)
        undetermined = any(
            isinstance(program.types.flat(body.schema), Unknown) for body in item.bodies
        )
        found.append(known if known is not None and known.bodies and undetermined else item)
    if not complete or not returned:
        found.extend(documented.values())
    if not found and any(item.unclear_status for item in returned):
        found = [as_response(program, item) for item in returned][:1]
    elif not found and not returned:
        origin = origin_at(handler.scope, handler.function.name_span)
        results = program.function_exits(handler)
        if results and all(result.thrown for result in results):
            return (), False
        return (undetermined_response(Reason("no-response-found"), origin),), False
    return merge_responses(found), complete and bool(returned)


def _declared_responses(program: Program, handler: FunctionValue) -> Iterator[Response]:
    """`@response_schema(OrderSchema(), 201)` of aiohttp-apispec."""
    for annotation in handler.function.annotations:
        if annotation.callee is None:
            continue
        name = program.qualified_name(annotation.callee, handler.scope)
        if not name.startswith("aiohttp_apispec") or not name.endswith("response_schema"):
            continue
        schema_expr = argument(annotation, 0, "schema")
        code_expr = argument(annotation, 1, "code")
        status: str | None = "200"
        if code_expr is not None:
            status = status_of(program.evaluate(code_expr, handler.scope))
        if schema_expr is None or status is None:
            continue
        value = program.evaluate(schema_expr, handler.scope)
        origin = origin_at(handler.scope, annotation.span)
        returned = response(status, marshmallow.dump_schema(program, value), origin)
        yield replace(returned, documented=True)


def _request_inputs(
    program: Program, handler: FunctionValue, *, takes_body: bool
) -> tuple[tuple[Parameter, ...], tuple[Body, ...]]:
    """Parameters and bodies: declared by aiohttp-apispec, else read in the handler."""
    parameters: list[Parameter] = []
    bodies: list[Body] = []
    for annotation in handler.function.annotations:
        if annotation.callee is None:
            continue
        name = program.qualified_name(annotation.callee, handler.scope)
        word = name.rpartition(".")[2]
        schema_expr = argument(annotation, 0, "schema")
        if not name.startswith("aiohttp_apispec") or schema_expr is None:
            continue
        schema: Schema = marshmallow.load_schema(
            program, program.evaluate(schema_expr, handler.scope)
        )
        origin = origin_at(handler.scope, annotation.span)
        if word in _PLACES:
            parameters.extend(as_parameters(program, schema, _PLACES[word], origin))
        elif word in _BODIES:
            media = _BODIES[word]
            bodies.append(Body(schema=schema, content_type=media, required=None, origin=origin))
    if takes_body and not bodies:
        bodies.extend(read_body(program, handler, _JSON_READERS, "application/json"))
    if takes_body and not bodies:
        bodies.extend(
            read_body(program, handler, _FORM_READERS, "application/x-www-form-urlencoded")
        )
    return tuple(parameters), tuple(bodies) if takes_body else ()


# ----------------------------------------------------------------------------------- web sockets
# Web sockets of aiohttp's server; how their use is read is in `web.sockets`.
#
# A route is one of sockets where its handler makes or answers a `WebSocketResponse`. The sockets
# of aiohttp's client have the same methods: in a program that opens such ones a name tells
# nothing.


_SORT = sockets.SocketLibrary(
    types=("aiohttp.web.WebSocketResponse", "aiohttp.web_ws.WebSocketResponse"),
    usual_names=("ws", "websocket", "socket"),
    sends=frozenset({"send_json", "send_str", "send_bytes"}),
    receive_methods=frozenset({"receive", "receive_json", "receive_str", "receive_bytes"}),
    parsed=frozenset({"receive_json"}),
    is_iterated=True,
    parses="json",
)
_SOCKET_CALLS = (b"WebSocketResponse(", *_SORT.send_markers(), *_SORT.receive_markers())
_CLIENTS = (b"ws_connect(",)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that the server's sockets take and send."""
    if not program.any_file_contains(b"WebSocketResponse"):
        return
    app = aiohttp_app(program)
    routes = [
        sockets.SocketRoute(_paths(app, route), route.handler, route.origin)
        for route in app.routes
        if route.handler is not None and _is_socket(program, route.handler)
    ]
    has_clients = any(program.any_file_contains(text) for text in _CLIENTS)
    sort = replace(_SORT, usual_names=()) if has_clients else _SORT
    yield from sockets.socket_events(program, framework, sort, routes)


def _is_socket(program: Program, handler: FunctionValue) -> bool:
    """Whether a handler makes a socket, or answers one that something else has made."""
    scope = program.function_scope(handler.function, handler.scope)
    for call, place in calls_in(program, scope.statements or (), scope):
        if isinstance(call, Call) and program.qualified_name(call.callee, place) in _SORT.types:
            return True
    return any(
        result.value is not None
        and made_by(program, program.evaluate(result.value, result.scope), *_SORT.types)
        for result in program.function_exits(handler)
        if not result.thrown
    )


def _paths(app: AiohttpApp, route: Route) -> tuple[str, ...]:
    """Every path at which a route is reached; empty where one is undetermined."""
    found = []
    for reached in app.graph.places(route.router):
        is_known = route.path_known and not reached.unresolved
        found.append(template(concatenate_path(reached.prefix, route.path))[0] if is_known else "")
    return tuple(found)


FRAMEWORK = Framework(
    name="aiohttp",
    markers=MARKERS,
    calls=(*CALLS, *_SOCKET_CALLS),
    operations=operations,
    events=events,
    protocols=sockets.PROTOCOLS,
)


def template(path: str) -> tuple[str, dict[str, str]]:
    r"""`/orders/{id:\d+}/{rest:.*}` as a plain template, and the expression of each parameter."""
    found: list[str] = []
    expressions: dict[str, str] = {}
    position = 0
    while position < len(path):
        start = path.find("{", position)
        if start < 0:
            break
        end = _closing_brace(path, start)
        name, _, expression = path[start + 1 : end].partition(":")
        found.append(path[position:start])
        found.append(f"{{{name}*}}" if expression.startswith((".*", ".+")) else f"{{{name}}}")
        expressions[name] = expression
        position = end + 1
    found.append(path[position:])
    return "".join(found), expressions


def _closing_brace(path: str, start: int) -> int:
    """Where the brace at `start` closes; expressions may hold braces of their own."""
    depth = 0
    for position in range(start, len(path)):
        depth += {"{": 1, "}": -1}.get(path[position], 0)
        if depth == 0:
            return position
    return len(path)
