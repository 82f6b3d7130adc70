"""Pyramid: views under the routes of configurators (`configuration`, `views`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Body, Operation, Parameter, RouteTraits
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.pyramid.configuration import (
    Configuration,
    Route,
    join_pattern,
)
from contract_scan.parsers.source.python.frameworks.pyramid.responses import responses
from contract_scan.parsers.source.python.frameworks.pyramid.views import View, configured_views
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.web.bodies import read_body, with_queries
from contract_scan.parsers.source.python.web.common import merge_responses, response, unknown
from contract_scan.parsers.source.python.web.dispatch_by_method import view_for
from contract_scan.parsers.source.python.web.path_syntax import path_parameter

_NAMES = (b"pyramid",)
_MARKERS = (b"pyramid", b".add_route(", b"route_name")
_CALLS = (b".add_route(", b".add_view(", b".include(", b".add_renderer(", b"Configurator(")
_QUERIES = frozenset({"GET"})
_ALL = _QUERIES | {"params"}
"""`params` holds what a form sends as well."""
_READERS = frozenset({"json_body", "json", "body", "POST", "params"})
_FIELD = re.compile(r"\{(\w+)(?::((?:[^{}]|\{[^{}]*\})*))?\}")
_OLD_FIELD = re.compile(r"(?<=/):(\w+)")
_REST = re.compile(r"\*(\w+)$")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every view under every place of its route; routes whose views are not seen as well."""
    if not program_files(program, *_NAMES):
        return
    configuration = Configuration(program)
    by_name: dict[str, list[Route]] = {}
    for route in configuration.routes:
        by_name.setdefault(route.name or "", []).append(route)
    found: dict[tuple[str, str, str], Operation] = {}
    viewed: set[str] = set()
    for view in configured_views(program, configuration):
        viewed.add(view.route or "")
        for operation in _operations(program, framework, configuration, by_name, view):
            key = (operation.method, operation.path, operation.unresolved)
            known = found.get(key)
            found[key] = operation if known is None else _merged_operations(known, operation)
    yield from found.values()
    for route in configuration.routes:
        if route.name is None or route.name not in viewed:
            yield from _without_view(framework, configuration, route)


def _operations(
    program: Program,
    framework: Framework,
    configuration: Configuration,
    by_name: dict[str, list[Route]],
    view: View,
) -> Iterator[Operation]:
    routes = by_name.get(view.route, []) if view.route else []
    found, complete = responses(program, configuration, view)
    places: list[tuple[str, Reason, tuple[str, ...]]] = []
    for route in routes:
        methods = view.methods or route.methods
        if view.methods and route.methods:
            methods = tuple(m for m in view.methods if m in route.methods)
            if not methods:
                continue
        for prefix in configuration.prefixes(route):
            undetermined = Reason("prefix-computed") if prefix is None else NO_REASON
            undetermined = undetermined or (
                Reason("path-by-traversal") if route.traversed else NO_REASON
            )
            path = join_pattern(prefix, route.pattern)
            places.append(
                (_with_match_params(path, view), route.unresolved or undetermined, methods)
            )
    if not routes:
        why = (
            Reason("named-route-not-found", route=view.route)
            if view.route
            else Reason("route-not-constant")
        )
        why = Reason("path-by-traversal") if view.route == "" else why
        places.append((f"{DYNAMIC_PREFIX}/{{rest*}}", why, view.methods))
    for path, unresolved, methods in places:
        for method in methods or ("*",):
            queries = _ALL if method in ("GET", "HEAD", "DELETE") else _QUERIES
            yield Operation(
                method=method,
                path=_template(path),
                parameters=with_queries(
                    program, view.view, _parameters(path, view.origin), queries, method
                ),
                parameters_complete=False,
                request=_request(program, view, method),
                responses=found,
                statuses_complete=complete,
                origin=view.origin,
                handler=view.name,
                framework=framework.name,
                excluded_from_docs=view.route == "",
                unresolved=unresolved or view.unresolved,
            )


def _merged_operations(one: Operation, other: Operation) -> Operation:
    """Two views that differ in what else they ask of a request (`accept`, `request_param`)."""
    return replace(
        one,
        responses=merge_responses([*one.responses, *other.responses]),
        request=one.request or other.request,
        statuses_complete=one.statuses_complete and other.statuses_complete,
        unresolved=one.unresolved or other.unresolved,
    )


def _without_view(
    framework: Framework, configuration: Configuration, route: Route
) -> Iterator[Operation]:
    """A route whose view is configured in a way that is not read."""
    undetermined = unknown(Reason("view-of-route-not-found"), route.origin)
    for prefix in configuration.prefixes(route):
        path = join_pattern(prefix, route.pattern)
        why = Reason("prefix-computed") if prefix is None else NO_REASON
        for method in route.methods or ("*",):
            yield Operation(
                method=method,
                path=_template(path),
                parameters=tuple(_parameters(path, route.origin)),
                parameters_complete=False,
                responses=(response("200", undetermined, route.origin, explicit=False),),
                origin=route.origin,
                framework=framework.name,
                excluded_from_docs=True,
                unresolved=route.unresolved or why,
            )


def _request(program: Program, view: View, method: str) -> tuple[Body, ...]:
    if view.view is None or method in ("GET", "HEAD", "DELETE"):
        return ()
    return read_body(program, view_for(program, view.view, method), _READERS, "application/json")


def _with_match_params(path: str, view: View) -> str:
    """The pattern with the values that the view requires of its parameters."""
    for name, value in view.matched:
        path = re.sub(rf"\{{{re.escape(name)}(?::[^{{}}]*)?\}}", re.escape(value), path)
    return path


def _template(path: str) -> str:
    """`/orders/{id:\\d+}/*rest` -> `/orders/{id}/{rest*}`."""
    path = _REST.sub(r"{\1:.*}", path)
    if "{" not in path:
        path = _OLD_FIELD.sub(r"{\1}", path)
    return _FIELD.sub(lambda m: f"{{{m[1]}{'*' if _is_long(m[2]) else ''}}}", path)


def _is_long(expression: str | None) -> bool:
    """Whether a part may hold slashes."""
    return expression is not None and expression.startswith((".*", ".+"))


def _parameters(path: str, origin: Origin) -> Iterator[Parameter]:
    for name in re.findall(r"\{(\w+)\*?\}", _template(path)):
        yield path_parameter(name, origin)


FRAMEWORK = Framework(
    name="Pyramid",
    markers=_MARKERS,
    calls=_CALLS,
    operations=operations,
    traits=RouteTraits(form_fields_as_query=True),
)
