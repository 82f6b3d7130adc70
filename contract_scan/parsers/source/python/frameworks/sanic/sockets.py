"""Web sockets of Sanic; how their use is read is in `web.sockets`.

Its sockets have methods of plain names (`send`, `recv`) that those of other libraries have too: a
name alone tells a socket only where the program opens no sockets as a client.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.sanic.applications import (
    Route,
    SanicApp,
    sanic_app,
)
from contract_scan.parsers.source.python.frameworks.sanic.paths import full_path, template
from contract_scan.parsers.source.python.web import sockets

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_SORT = sockets.SocketLibrary(
    types=("sanic.Websocket", "sanic.server.websockets.*", "sanic.websocket.*"),
    usual_names=("ws", "websocket"),
    sends=frozenset({"send"}),
    receive_methods=frozenset({"recv"}),
    is_iterated=True,
)
CALLS = (b".add_websocket_route(", *_SORT.send_markers(), *_SORT.receive_markers())
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
        path, reason = full_path(program, app.graph, route.router, reached, route)
        is_known = route.path_known and not reason and not reached.unresolved
        paths.append(template(path) if is_known else "")
    params = route.handler.function.params if route.handler is not None else ()
    named = [param.name for param in params if param.name != "this" and param.name != "self"]
    parameter = named[_SOCKET_AT] if len(named) > _SOCKET_AT else ""
    return sockets.SocketRoute(tuple(paths), route.handler, route.origin, parameter)
