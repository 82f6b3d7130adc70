"""Bottle: routes of the default application and of applications that are made, mounted, merged."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Response, RouteTraits
from contract_scan.ir.origin import NO_SPAN, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Call, Expr, Name
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.web.bodies import read_body, with_queries
from contract_scan.parsers.source.python.web.common import (
    DECORATED,
    argument,
    functions,
    likely_text,
    merge_responses,
    response,
    status_of,
    text,
    undetermined_response,
    unknown,
    unpacked_argument,
)
from contract_scan.parsers.source.python.web.current_status import statuses_in_force
from contract_scan.parsers.source.python.web.dispatch_by_method import view_for
from contract_scan.parsers.source.python.web.error_statuses import status_of_value
from contract_scan.parsers.source.python.web.handler_uses import RequestLibrary, handler_uses
from contract_scan.parsers.source.python.web.known_parameters import (
    as_routed,
    with_path_types,
)
from contract_scan.parsers.source.python.web.mounts import (
    Graph,
    Router,
    mount,
    note,
    receivers,
    route_graph,
    routers,
)
from contract_scan.parsers.source.python.web.path_syntax import PathSyntax, join_path, path_names
from contract_scan.parsers.source.python.web.raised_errors import with_raised
from contract_scan.parsers.source.python.web.returns import ReturnedResponse, as_response, sent_by
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
)
from contract_scan.parsers.source.web.route_graph import RouterId, application_of

_NAMES = (b"import bottle", b"from bottle")

_CALLS = (b".mount(", b".merge(", b".route(", b"bottle.route(")
_VERBS = frozenset({"get", "post", "put", "delete", "patch"})
_MAKERS = frozenset({"bottle.Bottle"})
_DEFAULTS = frozenset({"bottle.default_app", "bottle.app", "bottle.app.push"})
_DEFAULT = RouterId("bottle", NO_SPAN)
"""The application that is there without being made."""
_QUERIES = frozenset({"query", "GET"})
_READERS = frozenset({"json", "forms", "body", "POST", "files", "params"})
_REQUESTS = RequestLibrary(
    members=RequestMembers(
        global_names=frozenset({"bottle.request"}),
        queries=_QUERIES,
        query_methods=frozenset({"get", "getall"}),
        bodies=(_READERS - {"params"}) | {"forms", "chunked"},
        addresses=frozenset({"url", "query_string", "urlparts"}),
        both=frozenset({"params", "environ", "copy"}),
        others=frozenset(
            {"method", "path", "fullpath", "headers", "cookies", "get_header", "get_cookie", "app"}
            | {"route", "url_args", "script_name", "content_type", "content_length", "is_xhr"}
            | {"auth", "remote_route", "remote_addr"}
        ),
    ),
    hooks=("hook", "add_hook"),
    unseen=(b".install(", b"QUERY_STRING", b"add_hook"),
    decorators=("bottle.", "functools."),
)
"""https://bottlepy.org/docs/stable/api.html#bottle.BaseRequest"""
_PATHS = PathSyntax(
    re.compile(r"<(?P<name>\w+)(?::(?P<type>\w+)(?::(?:[^<>\\]|\\.)*)?)?>"),
    {"int": ("integer", ""), "float": ("number", "")},
)


class _Route(Struct, frozen=True, eq=False):
    application: RouterId
    site: Annotation | Call
    verb: str
    """Empty: `method=` says."""
    scope: Scope
    view: FunctionValue | None
    origin: Origin
    name: str


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every application."""
    if not program_files(program, *_NAMES):
        return
    graph = route_graph(program)
    graph.add(_DEFAULT, "application")
    routes: list[_Route] = []
    for path in program_files(program, *_NAMES, *_CALLS, *DECORATED):
        for call, scope in all_calls(program, path):
            if isinstance(call, Call):
                _add_mounts(program, graph, call, scope)
                routes.extend(_route_call_routes(program, graph, call, scope))
        for declared in functions(program, program.facts(path)):
            for annotation in declared.function.annotations:
                if annotation.callee is None or not annotation.has_parentheses:
                    continue
                for verb, app in _applications(program, graph, annotation.callee, declared.scope):
                    origin = origin_at(declared.scope, annotation.span)
                    routes.append(
                        _Route(
                            app,
                            annotation,
                            verb,
                            declared.scope,
                            declared.value,
                            origin,
                            declared.name,
                        )
                    )
    for route in routes:
        yield from _operations(program, framework, graph, route)


def _applications(
    program: Program, graph: Graph, callee: Expr, scope: Scope
) -> list[tuple[str, RouterId]]:
    """The verb and the applications of `@route(…)`, `@app.get(…)`; empty for anything else."""
    name = callee.id if isinstance(callee, Name) else getattr(callee, "name", "")
    value = program.evaluate(callee, scope)
    if isinstance(value, LibrarySymbol) and value.name.startswith("bottle."):
        last = value.name.rpartition(".")[2]
        if value.name == f"bottle.{last}" and (last == "route" or last in _VERBS):
            return [("" if last == "route" else last.upper(), _DEFAULT)]
    if isinstance(callee, Name) and isinstance(value, LibrarySymbol) and value.receiver is not None:
        # `get = app.get`
        last = value.name.rpartition(".")[2]
        if last != "route" and last not in _VERBS:
            return []
        verb = "" if last == "route" else last.upper()
        return [(verb, app) for app in _of_value(program, graph, value.receiver)]
    if not isinstance(callee, Attribute) or (name != "route" and name not in _VERBS):
        return []
    verb = "" if name == "route" else name.upper()
    return [(verb, app) for app in _identities(program, graph, callee.value, scope)]


def _identities(program: Program, graph: Graph, expr: Expr, scope: Scope) -> list[RouterId]:
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult) and value.name in _DEFAULTS:
        return [_DEFAULT]
    return _note_applications(graph, receivers(program, expr, scope, _MAKERS))


def _of_value(program: Program, graph: Graph, value: Value) -> list[RouterId]:
    if isinstance(value, LibraryResult) and value.name in _DEFAULTS:
        return [_DEFAULT]
    return _note_applications(graph, list(routers(program, value, _MAKERS)))


def _note_applications(graph: Graph, found: list[Router]) -> list[RouterId]:
    for router in found:
        note(graph, router, "", application=True)  # unless it is mounted
    return [router.id for router in found]


def _route_call_routes(
    program: Program, graph: Graph, call: Call, scope: Scope
) -> Iterator[_Route]:
    """`app.route("/x", "GET", view)`."""
    view = argument(call, 2, "callback")
    if view is None:
        return
    for verb, app in _applications(program, graph, call.callee, scope):
        value = program.evaluate(view, scope)
        known = value if isinstance(value, FunctionValue) else None
        name = known.function.name if known is not None else ""
        yield _Route(app, call, verb, scope, known, origin_at(scope, call.span), name)


def _add_mounts(program: Program, graph: Graph, call: Call, scope: Scope) -> None:
    """`app.mount("/api", other)`, `app.merge(other)`."""
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name not in ("mount", "merge"):
        return
    parents = _identities(program, graph, callee.value, scope)
    if not parents:
        return
    merges = callee.name == "merge"
    child = argument(call, 0 if merges else 1, "routes" if merges else "app")
    prefix_expr = None if merges else argument(call, 0, "prefix")
    prefix = "" if prefix_expr is None else text(program, prefix_expr, scope)
    prefix = None if prefix is None else prefix.rstrip("/")
    for identity in _identities(program, graph, child, scope) if child is not None else ():
        for parent in parents:
            mount(graph, parent, identity, prefix, call, scope)


# --------------------------------------------------------------------------- operations


def _operations(
    program: Program, framework: Framework, graph: Graph, route: _Route
) -> Iterator[Operation]:
    scope = route.scope
    expr = argument(route.site, 0, "path")
    written = program.texts(expr, scope) if expr is not None else ()
    known = [item for item in written if item is not None]
    paths: list[tuple[str, Reason]] = [(item, NO_REASON) for item in known]
    if not known or len(known) < len(written):
        setting = text(program, expr, scope)
        shown = likely_text(program, expr, scope)
        paths = (
            [(setting, NO_REASON)] if setting else [*paths, (shown, Reason("route-path-computed"))]
        )
    methods: tuple[str | None, ...] = (route.verb,)
    if not route.verb:
        method = argument(route.site, 1, "method")
        if method is not None:
            methods = program.texts(method, scope)
        else:
            unpacked = unpacked_argument(program, route.site.args, "method", scope)
            methods = ("GET",) if unpacked is None else program.evaluator.texts(unpacked)
    for reached in graph.places(route.application):
        for rule, why in paths:
            path = join_path(reached.prefix, rule)
            for verb in methods or (None,):
                in_path = _PATHS.parameters(path, route.origin)
                view = route.view and with_path_types(route.view, in_path)
                names = path_names(_PATHS.template(path))
                view = view and as_routed(program, view, names, by_path_alone=True)
                typed_route = replace(route, view=view)
                responses, complete = _responses(program, typed_route, (verb or "").upper())
                unresolved = reached.unresolved or why
                verb_unknown = NO_REASON if verb else Reason("methods-not-constant")
                operation = Operation(
                    method=verb.upper() if verb else "*",
                    path=_PATHS.template(path),
                    parameters=with_queries(program, view, in_path, _QUERIES, (verb or "").upper()),
                    parameters_complete=False,
                    request=_request(program, route, verb or ""),
                    responses=responses,
                    statuses_complete=complete,
                    origin=route.origin,
                    handler=route.name,
                    framework=framework.name,
                    application=application_of(reached),
                    unresolved=unresolved or verb_unknown,
                )
                yield handler_uses(program, _REQUESTS, route.view).apply(operation)


def _request(program: Program, route: _Route, method: str) -> tuple[Body, ...]:
    if route.view is None or method.upper() in ("GET", "HEAD", "DELETE"):
        return ()
    return read_body(program, view_for(program, route.view, method), _READERS, "application/json")


# --------------------------------------------------------------------------- responses


def _responses(program: Program, route: _Route, method: str) -> tuple[tuple[Response, ...], bool]:
    if route.view is None:
        return (undetermined_response(Reason("view-not-found"), route.origin),), False
    view = route.view
    scope = program.function_scope(view.function, view.scope)
    statuses = statuses_in_force(program, scope, _is_status)
    found: list[Response] = []
    complete = True
    for returned in sent_by(program, view, method):
        status = statuses.get(returned.origin.span, "")
        item = _response_of(program, returned, status)
        if item is None:
            complete = False
        else:
            found.append(item)
    return with_raised(program, view, merge_responses(found), method), complete


def _response_of(
    program: Program, returned: ReturnedResponse, status: str | None
) -> Response | None:
    made = returned.value
    if isinstance(made, LibraryResult) and made.name in ("bottle.HTTPResponse", "bottle.Response"):
        return _http_response(program, made, returned.origin)
    if isinstance(made, LibraryResult) and made.name.startswith("bottle."):
        last = made.name.rpartition(".")[2]
        if last in ("HTTPError", "abort", "redirect"):
            raised_status = None if last == "redirect" else status_of_value(program, made)
            return None if raised_status is None else response(raised_status, None, returned.origin)
        non_json = unknown(
            Reason("body-is-file") if last == "static_file" else Reason("body-is-page"),
            returned.origin,
        )
        media = "application/octet-stream" if last == "static_file" else "text/html"
        return response("200", non_json, returned.origin, content_type=media, explicit=False)
    if status is None or returned.unclear_status:
        return None
    shown_response = ReturnedResponse(
        status or None, returned.value, returned.origin, returned.content_type, returned.opaque
    )
    return as_response(program, shown_response)


def _http_response(program: Program, made: LibraryResult, origin: Origin) -> Response | None:
    """`HTTPResponse(status=201, body={…})`."""
    body_expr = argument(made.site, 0, "body")
    status_expr = argument(made.site, 1, "status")
    status = "200" if status_expr is None else status_of(program.evaluate(status_expr, made.scope))
    if status is None:
        return None
    if body_expr is None:
        return response(status, None, origin, explicit=status_expr is not None)
    value = program.evaluate(body_expr, made.scope)
    if isinstance(value, LibraryResult) and value.name.endswith("dumps") and value.site.args:
        value = program.evaluate(value.site.args[0].value, value.scope)
    explicit = status_expr is not None
    return response(status, program.schema_of(value), origin, explicit=explicit)


def _is_status(target: Expr) -> bool:
    match target:
        case Attribute(value=Name(id="response"), name="status"):
            return True
        case _:
            return False


FRAMEWORK = Framework(
    name="Bottle",
    markers=(*_NAMES, *_CALLS),
    calls=_CALLS,
    operations=operations,
    traits=RouteTraits(form_fields_as_query=True),
)
