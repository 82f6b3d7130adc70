"""Web sockets of aiohttp's server; how their use is read is in `web.sockets`.

A route is one of sockets where its handler makes or answers a `WebSocketResponse`. The sockets of
aiohttp's client have the same methods: in a program that opens such ones a name tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.aiohttp.applications import (
    AiohttpApp,
    Route,
    aiohttp_app,
)
from contract_scan.parsers.source.python.frameworks.aiohttp.paths import template
from contract_scan.parsers.source.python.messaging.uses import made_by
from contract_scan.parsers.source.python.web import sockets
from contract_scan.parsers.source.python.web.common import concatenate_path

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_SORT = sockets.SocketLibrary(
    types=("aiohttp.web.WebSocketResponse", "aiohttp.web_ws.WebSocketResponse"),
    usual_names=("ws", "websocket", "socket"),
    sends=frozenset({"send_json", "send_str", "send_bytes"}),
    receive_methods=frozenset({"receive", "receive_json", "receive_str", "receive_bytes"}),
    parsed=frozenset({"receive_json"}),
    is_iterated=True,
    parses="json",
)
CALLS = (b"WebSocketResponse(", *_SORT.send_markers(), *_SORT.receive_markers())
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
