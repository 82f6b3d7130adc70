"""FastEndpoints: a class for each endpoint, `Configure()` with verbs, routes and groups."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.application import application_of
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.classes import (
    EndpointClass,
    endpoint_class,
)
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.requests import (
    Reader,
    read_inputs,
)
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.responses import responses_of
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.setup import (
    Route,
    as_configured,
    setup_of,
    templates,
)
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.web.route_shadowing import with_shorter, without_shadowed
from contract_scan.parsers.source.csharp.web.templates import parse
from contract_scan.parsers.source.csharp.web.traits import DOTNET
from contract_scan.parsers.source.language import Framework


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every endpoint."""
    yield from without_shadowed(_operations_of_framework(program, framework))


def _operations_of_framework(program: Program, framework: Framework) -> Iterator[Operation]:
    seen: set[str] = set()
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if symbol.key in seen:
                continue
            endpoint = endpoint_class(program, symbol)
            if endpoint is not None:
                seen.update(part.key for part in parts(program, symbol))
                yield from _operations(program, framework, endpoint)


def _operations(
    program: Program, framework: Framework, endpoint: EndpointClass
) -> Iterator[Operation]:
    path = endpoint.symbol.file.path
    variant = variant_for(program, "http", path)
    setup = setup_of(program, endpoint, variant)
    application = application_of(program, path)
    setup = as_configured(program, setup, application, variant)
    responses, complete = responses_of(program, endpoint, setup, application, variant)
    handler = endpoint.method("ExecuteAsync") or endpoint.method("HandleAsync")
    name = handler.function.name if handler is not None else "HandleAsync"
    if not setup.routes:
        reason = setup.unresolved or Reason("configure-without-route")
        setup = replace(setup, routes=(Route(unresolved=reason),))
    for template, route, unresolved in templates(setup, application):
        parsed = parse(template)
        for method in setup.verbs or ("*",):
            reader = Reader(
                program=program, variant=variant, template=parsed, method=method, setup=setup
            )
            reading = read_inputs(reader, endpoint.request, handler)
            operation = Operation(
                method=method,
                path=parsed.path,
                parameters=reading.parameters,
                parameters_complete=reading.complete,
                request=reading.bodies,
                responses=responses,
                statuses_complete=complete,
                origin=_route_origin(program, endpoint, route),
                operation_id=setup.name,
                handler=f"{endpoint.symbol.qualified_name}.{name}",
                framework=framework.name,
                excluded_from_docs=setup.excluded_from_docs,
                unresolved=unresolved or (NO_REASON if setup.verbs else Reason("verbs-not-found")),
            )
            yield from with_shorter(operation, parsed)


def _route_origin(program: Program, endpoint: EndpointClass, route: Route) -> Origin:
    if route.call is not None and route.scope is not None:
        return program.origin(route.call, route.scope)
    return endpoint.symbol.origin


FRAMEWORK = Framework(
    name="FastEndpoints",
    markers=(
        b"Endpoint<",
        b"EndpointWithoutRequest",
        b"EndpointWithMapper<",
        b"EndpointWithMapping<",
        b"Ep.Req<",
        b"Ep.NoReq",
        b"override void Configure()",
    ),
    calls=(b"override void Configure()",),
    operations=operations,
    traits=DOTNET,
)
