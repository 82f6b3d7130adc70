"""Hapi: `server.route({…})`, plugins with prefixes, tables of routes across files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    origin_at,
    symbol_name,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.hapi import endpoints as hapi_endpoints
from contract_scan.parsers.source.typescript.frameworks.hapi.servers import (
    Registrations,
    Route,
    pattern_of,
    place_of,
    routes_of_record,
    tables,
)
from contract_scan.parsers.source.typescript.frameworks.hapi.validation import MARKERS as HAPI
from contract_scan.parsers.source.typescript.web.endpoints import (
    handler_name,
    handler_of,
    operation,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.openapi_backends import (
    MARKERS,
    ContractHandler,
    backends,
    hands_on,
)
from contract_scan.parsers.source.typescript.web.openapi_documents import held_against_document
from contract_scan.parsers.source.typescript.web.openapi_handlers import named_operation
from contract_scan.parsers.source.typescript.web.paths import Template, join, templates
from contract_scan.parsers.source.web.route_graph import application_of

NAME = "Hapi"


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route, once for each place its plugin is registered at."""
    if not program.files_containing(*HAPI):
        return
    collector = Registrations(program)
    collector.collect(framework)
    collector.settle()
    for route in collector.found:
        if route.node is None or collector.graph.places(route.node):
            for each in _with_contract_routes(program, collector, route):
                yield from _operations(program, collector, each)
    yield from _unregistered_operations(program, collector)
    yield from _named_operations(program, collector)
    yield from collector.of_libraries.operations(NAME)


def _operations(program: Program, collector: Registrations, route: Route) -> Iterator[Operation]:
    given = hapi_endpoints.handler_given(route.settings)
    function = handler_of(program, given).function if given is not None else None
    has_body = route.settings.document_body
    by_contract = _by_contract(program, collector, route, function)
    if by_contract is not None:
        function = by_contract.function
        has_body = by_contract.has_body if backends(program).validates else None
    answering = function if by_contract is not None else None
    handled = hapi_endpoints.handler_signature(program, route.method, route.settings, answering)
    if has_body is not None:
        request = held_against_document(handled.request, route.settings.origin, has_body=has_body)
        handled = replace(handled, request=request)
    handled = _after_extensions(handled, collector)
    name = handler_name(function) if function is not None else ""
    origin = replace(route.settings.origin, symbol=symbol_name(route.scope))
    places = collector.graph.places(route.node) if route.node is not None else ()
    if route.node is None:
        for template in templates(route.path):
            yield _operation(route, template, handled, origin, name, route.unresolved)
    for place in places:
        for template in templates(join(place.prefix, route.path)):
            reason = route.unresolved or place.unresolved
            found = _operation(route, template, handled, origin, name, reason)
            yield replace(found, application=application_of(place))


def _with_contract_routes(
    program: Program, collector: Registrations, route: Route
) -> Iterator[Route]:
    """A route; in the place of one for every path whose handler hands each request on to a backend,
    a route for each operation of its document that has a handler."""
    given = hapi_endpoints.handler_given(route.settings)
    places = collector.graph.places(route.node) if route.node is not None else ()
    is_whole = (
        _EVERY_PATH.fullmatch(route.path) is not None
        and not route.unresolved
        and bool(places)
        and not any(place.prefix.strip("/") or place.unresolved for place in places)
    )
    if not is_whole or given is None or not program.files_containing(*MARKERS):
        yield route
        return
    found, function = backends(program), handler_of(program, given).function
    is_answered = found.handlers and found.is_document_known and not found.answers_for_all
    if function is None or not is_answered or not hands_on(program, function):
        yield route
        return
    for document in found.documents:
        for each in document.operations:
            is_there = found.names is None or each.name in found.names
            if is_there and route.method in (each.method, "*"):
                yield replace(route, method=each.method, path=pattern_of(each.path))


def _by_contract(
    program: Program, collector: Registrations, route: Route, function: FunctionValue | None
) -> ContractHandler | None:
    """The function that answers a route whose own handler hands every request on to a backend that
    finds the handler by a contract."""
    if function is None or not program.files_containing(*MARKERS):
        return None
    found = backends(program)
    if not found.handlers or found.answers_for_all or not hands_on(program, function):
        return None
    if route.unresolved:
        collector.hands_on_any = True
        return None
    collector.hands_on_some = True
    template = templates(route.path)
    return found.handler(route.method, template[0].path) if len(template) == 1 else None


def _named_operations(program: Program, collector: Registrations) -> Iterator[Operation]:
    """The handlers of backends that routes of undetermined paths hand their requests on to, by the
    names of their operations."""
    found = backends(program)
    if collector.hands_on_some and not collector.hands_on_any:
        return
    for name, function in found.handlers.items():
        origin = origin_at(function.scope, function.function.span)
        handled = hapi_endpoints.contract_signature(program, function, origin)
        if found.validates:
            handled = replace(handled, request=held_against_document(handled.request, origin))
        if found.answers_for_all:
            why = undetermined_summary(Reason("response-sender-undetermined"), origin)
            handled = replace(handled, answers=why.answers)
        handled = _after_extensions(handled, collector)
        yield named_operation(NAME, name, function, handled)


def _operation(
    route: Route,
    template: Template,
    handled: HandlerSummary,
    origin: Origin,
    name: str,
    reason: Reason,
) -> Operation:
    return operation(
        route.method,
        template,
        handled,
        origin,
        framework=NAME,
        handler=name,
        unresolved=reason,
    )


def _after_extensions(handled: HandlerSummary, collector: Registrations) -> HandlerSummary:
    """The responses after an `onPreResponse` extension."""
    if not collector.changes_errors:
        return handled
    reason = Unknown(reason=Reason("pre-response-extension"))

    def change(found: Answers) -> Answers:
        return found._replace(
            responses=tuple(
                replace(
                    response,
                    bodies=tuple(
                        Body(
                            schema=replace(reason, origin=body.origin),
                            content_type=body.content_type,
                        )
                        for body in response.bodies
                    ),
                )
                if response.status >= "400" or collector.changes_bodies
                else response
                for response in found.responses
            )
        )

    return handled.with_changed_answers(change)


def _unregistered_operations(program: Program, collector: Registrations) -> Iterator[Operation]:
    """The operations of route tables that no visible call registers: something else reads
    them, by the names of their files."""
    reason = Reason("route-registration-not-found")
    for path in program.files_containing(b"handler"):
        file = program.facts(path)
        for record, scope in tables(program, file):
            if place_of(record) in collector.registered:
                continue
            collector.registered.add(place_of(record))
            for method, text, undetermined, settings in routes_of_record(
                program, record, scope, None
            ):
                route = Route(None, method, text, undetermined or reason, settings, scope)
                yield from _operations(program, collector, route)


_EVERY_PATH = re.compile(r"/:\w+\*")
"""The pattern of `/{any*}`."""

FRAMEWORK = Framework(
    name=NAME,
    markers=(*HAPI, b"server.route(", b"server.register(", b"Glue.compose("),
    calls=(b".route(", b".register(", b".ext(", b".compose("),
    operations=operations,
)
