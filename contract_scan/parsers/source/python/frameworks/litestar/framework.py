"""Litestar (and Starlite, as it was called): the tree of handlers is in `applications`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import BySchema, Constant, OneOf, origin_at
from contract_scan.parsers.source.facts.nodes import Expr, NamedType, NullType
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.litestar.applications import (
    CALLS,
    LISTENER,
    MARKERS,
    STREAM,
    Handler,
    dto_of_handler,
    join_path,
    litestar_app,
    prefers_aliases,
)
from contract_scan.parsers.source.python.frameworks.litestar.dto import transferred_schema
from contract_scan.parsers.source.python.frameworks.litestar.requests import PATHS, request_inputs
from contract_scan.parsers.source.python.frameworks.litestar.responses import Responses
from contract_scan.parsers.source.python.messaging.payloads import Payload, of_value
from contract_scan.parsers.source.python.messaging.uses import use
from contract_scan.parsers.source.python.serialization.modes import BY_NAME
from contract_scan.parsers.source.python.web import sockets
from contract_scan.parsers.source.python.web.common import unknown
from contract_scan.parsers.source.python.web.known_parameters import as_routed
from contract_scan.parsers.source.python.web.mounts import unread_routes
from contract_scan.parsers.source.python.web.path_syntax import path_names
from contract_scan.parsers.source.python.web.raised_errors import with_raised


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every handler at every place that it is registered at."""
    app = litestar_app(program)
    for handler in app.handlers:
        for path, unresolved in _paths(program, handler):
            yield from _operations(program, framework, handler, path, unresolved)
    for lost in app.unresolved_registrations:
        yield unread_routes(
            framework,
            PATHS.template(join_path(iter((lost.prefix, "/{rest:path}")))),
            lost.origin,
            Reason("registration-unreadable"),
        )


def _operations(
    program: Program, framework: Framework, handler: Handler, path: str, unresolved: Reason
) -> Iterator[Operation]:
    methods = handler.methods
    if methods is None:
        unresolved = unresolved or Reason("methods-not-constant")
    full = PATHS.template(path)
    routed = as_routed(program, handler.function, path_names(full))
    for method in methods or ("*",):
        received = request_inputs(program, handler, path)
        reader = Responses(program, replace(handler, function=routed), method)
        responses = reader.responses()
        yield Operation(
            method=method,
            path=full,
            parameters=received.parameters,
            parameters_complete=received.complete,
            reads_no_body=received.reads_no_body,
            request=received.bodies,
            responses=with_raised(program, routed, responses),
            statuses_complete=reader.complete,
            origin=origin_at(handler.scope, handler.annotation.span),
            operation_id=_operation_id(program, handler),
            handler=handler.name,
            framework=framework.name,
            excluded_from_docs=_is_hidden(program, handler),
            unresolved=unresolved,
        )


def _operation_id(program: Program, handler: Handler) -> str:
    option = handler.option("operation_id")
    return "" if option is None else program.text(*option) or ""


def _is_hidden(program: Program, handler: Handler) -> bool:
    """Whether the nearest layer that says so keeps it out of the documentation."""
    for expr, scope in handler.options("include_in_schema"):
        value = program.evaluate(expr, scope)
        return isinstance(value, Constant) and value.value is False
    return False


# ----------------------------------------------------------------------------------- web sockets
# Web sockets of Litestar. Handlers that are given the socket are read as in `web.sockets`;
# listeners and streams declare what they take and send.


_FORMS = ("json", "text", "bytes", "msgpack", "data")
_PARSED = ("json", "msgpack")
_SORT = sockets.SocketLibrary(
    types=("litestar.*", "starlite.*"),
    usual_names=("socket", "websocket", "ws", "connection"),
    sends=frozenset(f"send_{form}" for form in _FORMS),
    receive_methods=frozenset(f"receive_{form}" for form in _FORMS),
    iterated_methods=frozenset(f"iter_{form}" for form in _FORMS),
    parsed=frozenset(f"{verb}_{form}" for verb in ("receive", "iter") for form in _PARSED),
)
_SOCKET_CALLS = (*_SORT.send_markers(), *_SORT.receive_markers())
_PATH_UNDETERMINED = Reason("socket-path-undetermined")


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every message that sockets of the library take and send."""
    routes = []
    for handler in litestar_app(program).sockets:
        found = tuple("" if why else PATHS.template(path) for path, why in _paths(program, handler))
        origin = origin_at(handler.scope, handler.annotation.span)
        content = _declared_inputs(program, handler)
        routes.append(
            sockets.SocketRoute(found, handler.function, origin, "socket", payload=content)
        )
        for payload in _declared_payloads(program, handler):
            for path in found:
                yield use(
                    framework,
                    "send",
                    path,
                    payload,
                    origin,
                    NO_REASON if path else _PATH_UNDETERMINED,
                )
    yield from sockets.socket_events(program, framework, _SORT, routes)


def _declared_inputs(program: Program, handler: Handler) -> Payload | None:
    """What a listener takes: the type of its `data`."""
    if handler.socket != LISTENER:
        return None
    for body in request_inputs(program, handler, "").bodies:
        return of_value(program, BySchema(body.schema))
    origin = origin_at(handler.scope, handler.annotation.span)
    return Payload(unknown(Reason("listener-no-parameter-data"), origin))


def _declared_payloads(program: Program, handler: Handler) -> Iterator[Payload]:
    """What a listener answers, or a stream sends; what may be sent beside that by what is started
    with the connection."""
    function = handler.function.function
    origin = origin_at(handler.function.scope, function.name_span)
    if any(True for _ in handler.options("connection_lifespan")):
        yield Payload(unknown(Reason("open-connection-sends-not-followed"), origin))
    if handler.socket == STREAM:
        yield of_value(program, BySchema(_stream_schema(program, handler)))
    elif handler.socket == LISTENER and _answers(program, handler):
        yield of_value(program, BySchema(Responses(program, handler, "GET").body_schema(origin)))


def _answers(program: Program, handler: Handler) -> bool:
    """Whether a listener declares that it returns something, or does so undeclared."""
    returns = handler.function.function.returns
    if returns is not None:
        return not isinstance(returns, NullType)
    return any(result.value is not None for result in program.function_exits(handler.function))


def _stream_schema(program: Program, handler: Handler) -> Schema:
    """The schema of the items of a stream: `AsyncGenerator[Tick, None]`."""
    function = handler.function.function
    returns = function.returns
    if isinstance(returns, NamedType) and returns.args:
        dto = dto_of_handler(program, handler, "return_dto")
        variant = "" if dto is None and prefers_aliases(program) else BY_NAME
        schema = program.schema(returns.args[0], handler.function.scope, variant)
        return schema if dto is None else transferred_schema(program, dto, schema)
    origin = origin_at(handler.function.scope, function.name_span)
    return unknown(Reason("stream-untyped"), origin)


# ----------------------------------------------------------------------------------------- paths
# Paths of Litestar's handlers.


def _paths(program: Program, handler: Handler) -> Iterator[tuple[str, Reason]]:
    """The paths of a handler with all before them, and why one is undetermined."""
    unresolved = handler.unresolved
    if any(layer.path is None for layer in handler.layers):
        unresolved = unresolved or Reason("router-or-controller-path-not-constant")
    prefix = [layer.path or "" for layer in handler.layers]
    expr = _path_expr(handler)
    found: tuple[str | None, ...] = ("/",) if expr is None else program.texts(expr, handler.scope)
    if expr is not None and isinstance(program.evaluate(expr, handler.scope), OneOf):
        found = (None,)
    for path in found or (None,):
        if path is None:
            partial = program.template(expr, handler.scope) if expr is not None else None
            reason = unresolved or Reason("route-path-computed")
            yield join_path(iter((*prefix, partial or NO_REASON))), reason
        else:
            yield join_path(iter((*prefix, path))), unresolved


def _path_expr(handler: Handler) -> Expr | None:
    option = handler.option("path")
    if option is not None:
        return option[0]
    return next((a.value for a in handler.annotation.args if not a.name and not a.spread), None)


FRAMEWORK = Framework(
    name="Litestar",
    markers=MARKERS,
    calls=(*CALLS, *_SOCKET_CALLS),
    operations=operations,
    events=events,
    protocols=sockets.PROTOCOLS,
)
