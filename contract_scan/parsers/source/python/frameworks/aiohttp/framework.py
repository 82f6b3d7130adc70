"""aiohttp's server: applications are in `web.aiohttp_app`, handlers in `web.aiohttp_handlers`, web
sockets in `web.aiohttp_sockets`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Operation, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.aiohttp import sockets as aiohttp_sockets
from contract_scan.parsers.source.python.frameworks.aiohttp.applications import (
    CALLS,
    MARKERS,
    Route,
    aiohttp_app,
)
from contract_scan.parsers.source.python.frameworks.aiohttp.handlers import (
    request_inputs,
    responses,
)
from contract_scan.parsers.source.python.frameworks.aiohttp.paths import template
from contract_scan.parsers.source.python.web import sockets
from contract_scan.parsers.source.python.web.common import (
    concatenate_path,
    parameter,
    path_names,
    response,
    unknown,
)
from contract_scan.parsers.source.python.web.mounts import Reached
from contract_scan.parsers.source.python.web.queries import with_queries
from contract_scan.parsers.source.python.web.raised_errors import with_raised
from contract_scan.parsers.source.web.route_graph import application_of

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_QUERIES = frozenset({"query"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every application at every place that it is mounted at."""
    app = aiohttp_app(program)
    for route in app.routes:
        for reached in app.graph.places(route.router):
            yield _operation(program, framework, route, reached)
    for lost in app.unresolved_registrations:
        for reached in app.graph.places(lost.parent):
            yield Operation(
                method="*",
                path=concatenate_path(reached.prefix, lost.prefix or "", "/{rest*}"),
                parameters_complete=False,
                origin=lost.origin,
                framework=framework.name,
                application=application_of(reached),
                excluded_from_docs=True,
                unresolved=Reason("added-route-unreadable"),
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
        why = unknown(Reason("route-handler-not-found"), route.origin)
        return replace(operation, responses=(response("200", why, route.origin, explicit=False),))
    takes_body = route.method not in ("GET", "HEAD", "OPTIONS")
    parameters, bodies = request_inputs(program, route.handler, takes_body=takes_body)
    declared = {item.name for item in parameters if item.location == "path"}
    own = tuple(item for item in operation.parameters if item.name not in declared)
    found, complete = responses(program, route.handler, route.method)
    return replace(
        operation,
        parameters=with_queries(program, route.handler, (*own, *parameters), _QUERIES),
        request=bodies,
        responses=with_raised(program, route.handler, found, route.method),
        statuses_complete=complete,
    )


def _path_parameters(
    path: str, expressions: dict[str, str], origin: Origin
) -> tuple[Parameter, ...]:
    return tuple(
        parameter(
            name,
            "path",
            Scalar(
                type="integer" if expressions.get(name) in (r"\d+", "[0-9]+") else "string",
                origin=origin,
            ),
            required=True,
            origin=origin,
        )
        for name in path_names(path)
    )


FRAMEWORK = Framework(
    name="aiohttp",
    markers=MARKERS,
    calls=(*CALLS, *aiohttp_sockets.CALLS),
    operations=operations,
    events=aiohttp_sockets.events,
    protocols=sockets.PROTOCOLS,
)
