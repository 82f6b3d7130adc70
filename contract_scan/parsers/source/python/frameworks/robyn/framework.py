"""Robyn: routes of applications and of the routers that they include."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.values import Constant, FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.robyn.handlers import (
    RequestInputs,
    Route,
    responses,
)
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    DeclaredFunction,
    argument,
    call_argument,
    functions,
    likely_text,
    place,
    text,
)
from contract_scan.parsers.source.python.web.mounts import (
    Reached,
    Router,
    all_calls,
    mount,
    note,
    receivers,
    route_graph,
)
from contract_scan.parsers.source.python.web.queries import with_queries
from contract_scan.parsers.source.web.route_graph import application_of

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_NAMES = (b"import robyn", b"from robyn")
_CALLS = (b".include_router(", b"Robyn(", b"SubRouter(", b".add_view(", b".inject")
_DECORATORS = tuple(f".{verb}(".encode() for verb in ("get", "post", "put", "patch", "head"))
"""In files that are given their application."""
_MAKERS = frozenset({"robyn.Robyn", "robyn.SubRouter"})
_METHODS = tuple(verb for verb in VERBS if verb != "trace")
_FIELD = re.compile(r"(?<=/):(\w+)")
_REST = re.compile(r"(?<=/)\*(\w*)")

_QUERIES = frozenset({"query_params"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route at every place that its router is included at."""
    if not program.holding(*_NAMES):
        return
    reader = _Reader(program)
    for path in program.holding(*_NAMES, *_CALLS, *_DECORATORS):
        reader.file(path)
    for route in reader.routes:
        for reached in reader.graph.places(route.router):
            yield from _operations(program, framework, reader, route, reached)


class _Reader:
    def __init__(self, program: Program) -> None:
        self._program = program
        self.graph = route_graph(program)
        self.routes: list[Route] = []
        self.injected: set[str] = set()
        """Names that handlers are given by injection."""

    def file(self, path: str) -> None:
        """Everything that one file declares."""
        program = self._program
        for call, scope in all_calls(program, path):
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                self._call(call, call.callee, scope)
        for declared in functions(program, program.facts(path)):
            for annotation in declared.function.annotations:
                if isinstance(annotation.callee, Attribute) and annotation.has_parentheses:
                    self._add_decorated_route(declared, annotation, annotation.callee)

    def _routers(self, expr: Expr, scope: Scope) -> list[Router]:
        found = receivers(self._program, expr, scope, _MAKERS)
        for router in found:
            is_application = router.maker == "robyn.Robyn"
            prefix = "" if is_application else self._prefix(router)
            note(self.graph, router, prefix, application=is_application)
        return found

    def _prefix(self, router: Router) -> str | None:
        """`SubRouter("/x")`, `SubRouter(prefix="/x")`, `SubRouter(__name__, "/x")`."""
        positional = [a.value for a in router.site.args if not a.name and not a.spread]
        expr = call_argument(router.site.args, "prefix")
        if expr is None and positional:
            expr = positional[1] if len(positional) > 1 else positional[0]
            if getattr(expr, "id", "") in ("__name__", "__file__"):
                expr = None
        return "" if expr is None else _normal(text(self._program, expr, router.scope))

    def _call(self, call: Call, callee: Attribute, scope: Scope) -> None:
        match callee.name:
            case "include_router":
                child = argument(call, 0, "router")
                parents = self._routers(callee.value, scope)
                for router in self._routers(child, scope) if child is not None else ():
                    for parent in parents:
                        mount(self.graph, parent.id, router.id, "", call, scope)
            case "add_route":
                self._add_route(call, callee, scope)
            case "add_view":
                view = argument(call, 1, "view")
                value = self._program.evaluate(view, scope) if view is not None else None
                if isinstance(value, FunctionValue):
                    self._view(value, self._routers(callee.value, scope), call, scope)
            case "inject" | "inject_global" if self._routers(callee.value, scope):
                self.injected.update(a.name for a in call.args if a.name)
            case _:
                return

    def _add_route(self, call: Call, callee: Attribute, scope: Scope) -> None:
        """`app.add_route("GET", "/x", handler)`."""
        handler = argument(call, 2, "handler")
        method = argument(call, 0, "route_type")
        routers = self._routers(callee.value, scope) if handler is not None else []
        if handler is None or not routers:
            return
        name = self._program.text(method, scope) if method is not None else None
        if name is None and isinstance(method, Attribute):
            name = method.name  # `HttpMethod.GET`
        value = self._program.evaluate(handler, scope)
        known = value if isinstance(value, FunctionValue) else None
        for router in routers:
            origin = place(scope, call.span)
            self.routes.append(Route(router.id, call, (name or "").upper(), scope, known, origin))

    def _add_decorated_route(
        self, declared: DeclaredFunction, annotation: Annotation, callee: Attribute
    ) -> None:
        if callee.name not in _METHODS and callee.name != "view":
            return
        routers = self._routers(callee.value, declared.scope)
        if callee.name == "view":
            self._view(declared.value, routers, annotation, declared.scope)
            return
        for router in routers:
            self.routes.append(
                Route(
                    router.id,
                    annotation,
                    callee.name.upper(),
                    declared.scope,
                    declared.value,
                    place(declared.scope, annotation.span),
                )
            )

    def _view(
        self,
        view: FunctionValue,
        routers: list[Router],
        site: Annotation | Call,
        scope: Scope,
    ) -> None:
        """A function whose inner functions answer the methods they are named after."""
        inside = self._program.function_scope(view.function, view.scope)
        for verb in _METHODS:
            inner = self._program.names.lookup(verb, inside) if inside.statements else None
            if not isinstance(inner, FunctionValue) or inner.scope.function is not view.function:
                continue
            for router in routers:
                origin = place(scope, site.span)
                route = Route(router.id, site, verb.upper(), scope, inner, origin)
                self.routes.append(route)


def _normal(path: str | None) -> str | None:
    if path is None:
        return None
    inner = path.strip().rstrip("/")
    return inner if not inner or inner.startswith("/") else f"/{inner}"


# --------------------------------------------------------------------------- operations


def _operations(
    program: Program,
    framework: Framework,
    reader: _Reader,
    route: Route,
    reached: Reached,
) -> Iterator[Operation]:
    prefix, unresolved = reached.prefix, reached.unresolved
    position = 1 if isinstance(route.site, Call) and _is_added(route.site) else 0
    expr = argument(route.site, position, "endpoint")
    written = text(program, expr, route.scope)
    shown = written if written is not None else likely_text(program, expr, route.scope) or "{path*}"
    path = _template(prefix + (_normal(shown) or "")) or "/"
    if written is None:
        unresolved = unresolved or "its path is not constant"
    if not route.method:
        unresolved = unresolved or "its method is not constant"
    taken = RequestInputs(program, route, path, frozenset(reader.injected))
    sent, complete = responses(program, route)
    listed = call_argument(route.site.args, "include_in_schema")
    shown_in = None if listed is None else program.evaluate(listed, route.scope)
    hidden = isinstance(shown_in, Constant) and shown_in.value is False
    yield Operation(
        method=route.method or "*",
        path=path,
        parameters=with_queries(program, route.handler, taken.parameters(), _QUERIES),
        parameters_complete=taken.is_complete(),
        request=taken.bodies(),
        responses=sent,
        statuses_complete=complete,
        origin=route.origin,
        handler="" if route.handler is None else route.handler.function.name,
        framework=framework.name,
        application=application_of(reached),
        excluded_from_docs=hidden,
        unresolved=unresolved,
    )


def _is_added(call: Call) -> bool:
    return isinstance(call.callee, Attribute) and call.callee.name == "add_route"


def _template(path: str) -> str:
    """`/orders/:id/*rest` -> `/orders/{id}/{rest*}`."""
    return _REST.sub(lambda m: f"{{{m[1] or 'rest'}*}}", _FIELD.sub(r"{\1}", path))


FRAMEWORK = Framework(name="Robyn", markers=(*_NAMES, *_CALLS), calls=_CALLS, operations=operations)
