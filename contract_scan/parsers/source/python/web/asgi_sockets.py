"""Web sockets of FastAPI and Starlette as events: what their handlers send and take.

A socket has no topics: the address is the path of its route. What is sent and taken outside of
handlers (by a manager of connections, by what a handler gives its socket to) goes to the sockets of
the only route, where there is but one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts import Attribute, Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.link.values import FunctionValue, Scope
from contract_scan.parsers.source.link.walk import calls_in
from contract_scan.parsers.source.python.messaging import reads
from contract_scan.parsers.source.python.messaging.payloads import Payload, around, handled
from contract_scan.parsers.source.python.messaging.uses import (
    is_of,
    made_by,
    method_calls,
    receive,
    sends,
)
from contract_scan.parsers.source.python.web.asgi import AsgiApp, asgi_app
from contract_scan.parsers.source.python.web.common import concatenated, template, text
from contract_scan.parsers.source.python.web.fastapi_responses import Route

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

PROTOCOLS = ("ws", "http")
_SENT = (b".send_json(", b".send_text(", b".send_bytes(")
_RECEIVED = (
    *(b".receive_json(", b".receive_text(", b".receive_bytes("),
    *(b".iter_json(", b".iter_text(", b".iter_bytes("),
)
CALLS = _SENT + _RECEIVED
_TAKES = frozenset({"receive_json", "receive_text", "receive_bytes"})
_WALKS = frozenset({"iter_json", "iter_text", "iter_bytes"})
_PARSED = frozenset({"receive_json", "iter_json"})
_SENDS = frozenset({"send_json", "send_text", "send_bytes"})
_SOCKETS = ("fastapi.*", "starlette.*")
Place: TypeAlias = tuple[str, Span]
_CALLED = ("websocket", "ws", "socket", "connection")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that sockets of the library take and send."""
    app = asgi_app(program)
    routes = [route for route in app.sockets if _library(route) == framework.name]
    paths = {id(route): _paths(program, route, app) for route in routes}
    silent: list[Route] = []
    for route in routes:
        content = _taken(program, route.handler) if route.handler is not None else None
        if content is None:
            silent.append(route)
            continue
        for path in paths[id(route)]:
            yield receive(framework, path, content, route.origin, unresolved=_why(path))
    if silent:
        yield from _taken_elsewhere(program, framework, routes, silent, paths)
    if routes:
        yield from _sent(program, framework, routes, paths)


def _library(route: Route) -> str:
    return "Starlette" if route.router.maker.startswith("starlette.") else "FastAPI"


def _why(path: str) -> str:
    return "" if path else "the path of the socket could not be told"


def _paths(program: Program, route: Route, app: AsgiApp) -> list[str]:
    """Every path at which a route is reached; empty where one could not be told."""
    own = text(program, route.argument("path", 0), route.scope)
    found = []
    for reached in app.mounts.places(route.router.identity):
        told = own is not None and not reached.unresolved
        found.append(template(concatenated(reached.prefix, route.below, own or "")) if told else "")
    return found


# --------------------------------------------------------------------------- taking


def _taken(program: Program, handler: FunctionValue) -> Payload | None:
    """What a handler takes messages for; None where it takes none."""
    scope = program.function_scope(handler.function, handler.scope)
    names = {
        call.callee.name
        for call, _ in calls_in(program, scope.statements or (), scope)
        if isinstance(call, Call) and isinstance(call.callee, Attribute)
    }
    if not names & (_TAKES | _WALKS):
        return None
    content = handled(program, handler)
    if not content.name and names & _PARSED:
        read = reads.of_request(program, handler, _is_parsed)
        return Payload(read) if read is not None else content
    return content


def _taken_elsewhere(
    program: Program,
    framework: Framework,
    routes: list[Route],
    silent: list[Route],
    paths: dict[int, list[str]],
) -> Iterator[EventUse]:
    """What functions take that are no handlers: a handler has handed its socket on."""
    seen = set(_by_function(routes, paths))
    addresses = paths[id(silent[0])] if len(silent) == 1 else [""]
    for _, callee, scope in method_calls(program, *_RECEIVED):
        function = around(scope)
        if callee.name not in _TAKES | _WALKS or function is None:
            continue
        key = (function.scope.file.path, function.function.span)
        if key in seen or not _is_socket(program, callee.value, scope):
            continue
        seen.add(key)
        content = _taken(program, function)
        if content is None:
            continue
        origin = program.origin(callee, scope)
        for path in addresses:
            unresolved = "" if path else "which socket it is taken from could not be told"
            yield receive(framework, path, content, origin, unresolved=unresolved)


def _by_function(routes: list[Route], paths: dict[int, list[str]]) -> dict[Place, list[str]]:
    """The paths of the route that a function handles."""
    return {
        (route.handler.scope.file.path, route.handler.function.span): paths[id(route)]
        for route in routes
        if route.handler is not None
    }


def _is_parsed(expr: Expr, scope: Scope) -> bool:
    """Whether an expression is a message that the library has parsed."""
    del scope
    return (
        isinstance(expr, Call)
        and isinstance(expr.callee, Attribute)
        and expr.callee.name in _PARSED
    )


# --------------------------------------------------------------------------- sending


def _sent(
    program: Program, framework: Framework, routes: list[Route], paths: dict[int, list[str]]
) -> Iterator[EventUse]:
    by_function = _by_function(routes, paths)
    only = paths[id(routes[0])] if len(routes) == 1 else [""]
    for call, callee, scope in method_calls(program, *_SENT):
        if callee.name not in _SENDS or not call.args:
            continue
        if not _is_socket(program, callee.value, scope):
            continue
        message = call.args[0].value
        function = scope.function
        key = (scope.file.path, function.span) if function is not None else None
        addresses = by_function.get(key, only) if key is not None else only
        for use in sends(program, framework, scope, call, None, message):
            for path in addresses:
                unresolved = "" if path else "which socket it is sent to could not be told"
                yield replace(use, address=path, unresolved=unresolved)


def _is_socket(program: Program, expr: Expr, scope: Scope) -> bool:
    value = program.evaluate(expr, scope)
    return made_by(program, value, *_SOCKETS) or is_of(program, expr, scope, _SOCKETS, _CALLED)
