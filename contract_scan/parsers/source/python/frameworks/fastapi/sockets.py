"""Web sockets of FastAPI and Starlette; how their use is read is in `web.sockets`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.event import EventUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.fastapi.applications import (
    AsgiApp,
    Route,
    asgi_app,
)
from contract_scan.parsers.source.python.web import sockets
from contract_scan.parsers.source.python.web.common import concatenate_path, text
from contract_scan.parsers.source.python.web.path_syntax import STARLETTE

PROTOCOLS = sockets.PROTOCOLS
_SORT = sockets.SocketLibrary(
    types=("fastapi.*", "starlette.*"),
    usual_names=("websocket", "ws", "socket", "connection"),
    sends=frozenset({"send_json", "send_text", "send_bytes"}),
    receive_methods=frozenset({"receive_json", "receive_text", "receive_bytes"}),
    iterated_methods=frozenset({"iter_json", "iter_text", "iter_bytes"}),
    parsed=frozenset({"receive_json", "iter_json"}),
)
CALLS = (*_SORT.send_markers(), *_SORT.receive_markers())


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that sockets of the library take and send."""
    app = asgi_app(program)
    routes = [
        sockets.SocketRoute(_paths(program, route, app), route.handler, route.origin)
        for route in app.sockets
        if _library(route) == framework.name
    ]
    yield from sockets.socket_events(program, framework, _SORT, routes)


def _library(route: Route) -> str:
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
