"""Applications, blueprints and groups of Sanic, and the routes that are added to them."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Argument, Attribute, Call, Expr, FileFacts
from contract_scan.parsers.source.python.frameworks.flask.rules import viewed_class
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.web.common import (
    DECORATED,
    VERBS,
    DeclaredFunction,
    call_argument,
    functions,
    likely_text,
    route_methods,
    text,
)
from contract_scan.parsers.source.python.web.mounts import (
    Graph,
    Router,
    UnresolvedRegistration,
    mount,
    note,
    receivers,
    route_graph,
)
from contract_scan.parsers.source.web.route_graph import RouterId

_APPLICATIONS = frozenset({"sanic.Sanic", "sanic.app.Sanic"})
BLUEPRINTS = frozenset({"sanic.Blueprint", "sanic.blueprints.Blueprint"})
GROUPS = frozenset(
    {
        "sanic.Blueprint.group",
        "sanic.blueprints.Blueprint.group",
        "sanic.blueprint_group.BlueprintGroup",
    }
)
_MAKERS = _APPLICATIONS | BLUEPRINTS | GROUPS
MARKERS = (b"sanic", b"Sanic", b"Blueprint", b"HTTPMethodView")
CALLS = (b".blueprint(", b".add_route(", b"Sanic(", b"Blueprint(", b"Blueprint.group(")
_DECLARING = (b"@app.", b"@bp.", b"@blueprint.", b".route(", b".add_route(")
"""What files declare routes with that need not import the library: on what they are given."""
_DEEPEST = 8


class Route(Struct, frozen=True, eq=False):
    """One handler under one method of a path."""

    router: RouterId
    method: str
    """Empty: it is undetermined."""
    path: str
    path_known: bool
    args: tuple[Argument, ...]
    scope: Scope
    handler: FunctionValue | None
    name: str
    origin: Origin


class _Place(Struct, frozen=True, eq=False):
    """What is written where a route is added."""

    path: Expr | None
    args: tuple[Argument, ...]
    scope: Scope
    origin: Origin


class SanicApp(Struct, frozen=True, eq=False):
    """Everything of Sanic that a program declares."""

    graph: Graph
    routes: list[Route]
    unresolved_registrations: list[UnresolvedRegistration]
    sockets: list[Route]
    """Routes of web sockets."""


@memoised
def sanic_app(program: Program) -> SanicApp:
    """The routes of a program, read once."""
    app = SanicApp(route_graph(program), [], [], [])
    declaring = (*MARKERS, *_DECLARING, *DECORATED)
    paths = program_files(program, *declaring) if program_files(program, b"sanic") else ()
    reader = _Reader(program, app)
    for path in paths:
        reader.file(program.facts(path))
    reader.without_unbound_routes()
    return app


def _of_instance(router: Router) -> Router:
    """A router that a method of an instance makes, as that instance's own."""
    receiver, function = router.scope.receiver, router.scope.function
    if function is None or function.name == "__init__" or not isinstance(receiver, Instance):
        return router
    if receiver.site is None or receiver.scope is None:
        return router
    span = receiver.site.span
    instance = f"{receiver.scope.file.path}:{span.line}:{span.column}"
    id = RouterId(router.id.file, router.id.span, instance)
    return Router(id, router.maker, router.site, router.scope)


class _Reader:
    def __init__(self, program: Program, app: SanicApp) -> None:
        self._program = program
        self._app = app
        self._of_instances: set[RouterId] = set()

    def file(self, file: FileFacts) -> None:
        """Everything that one file declares."""
        program = self._program
        for call, scope in program.calls(file):
            if isinstance(call, Call) and isinstance(call.callee, Attribute) and call.args:
                self._call(call, call.callee, scope)
        for declared in functions(program, file):
            if declared.owner is None:
                self._add_decorated_routes(declared)
        for symbol in program.classes(file):
            self._add_attached_view(symbol)

    def _routers(self, expr: Expr, scope: Scope, depth: int = 0) -> list[Router]:
        found = [_of_instance(r) for r in receivers(self._program, expr, scope, _MAKERS)]
        for router in found:
            if router.id in self._app.graph.routers:
                continue
            application = router.maker in _APPLICATIONS
            note(self._app.graph, router, "", application=application)
            if router.maker in GROUPS and depth < _DEEPEST and isinstance(router.site, Call):
                for item in router.site.args:
                    if not item.name:
                        self._mount_children(
                            router, item.value, router.site, router.scope, depth + 1
                        )
            if router.id.instance and router.scope.receiver is not None:
                self._add_routes_of_instance(router)
        return found

    def _add_routes_of_instance(self, router: Router) -> None:
        """What the method that makes a blueprint adds to it, for the instance that it is made by:
        paths and handlers are those of its class."""
        self._of_instances.add(router.id)
        scope = router.scope
        for call, place_of_call in calls_in(
            self._program, scope.statements or (), scope, tables=True
        ):
            if isinstance(call, Call) and isinstance(call.callee, Attribute) and call.args:
                self._call(call, call.callee, place_of_call)

    def without_unbound_routes(self) -> None:
        """Leave out what was read of methods whose instances are known: without one."""
        bound = {(id.file, id.span) for id in self._of_instances}
        for routes in (self._app.routes, self._app.sockets):
            routes[:] = [
                route
                for route in routes
                if route.router in self._of_instances
                or (route.router.file, route.router.span) not in bound
            ]

    def _mount_children(
        self, parent: Router, child: Expr, call: Call, scope: Scope, depth: int = 0
    ) -> None:
        """Mount a blueprint, a group, or several of them, below an application or a group."""
        children = self._routers(child, scope, depth)
        for router in children:
            mount(self._app.graph, parent.id, router.id, "", call, scope)
        if not children:
            self._app.unresolved_registrations.append(
                UnresolvedRegistration(parent.id, "", origin_at(scope, call.span))
            )

    def _call(self, call: Call, callee: Attribute, scope: Scope) -> None:
        if callee.name in ("blueprint", "append", "extend"):
            wanted = _APPLICATIONS if callee.name == "blueprint" else GROUPS
            for parent in self._routers(callee.value, scope):
                if parent.maker in wanted:
                    self._mount_children(parent, call.args[0].value, call, scope)
            return
        if callee.name not in ("add_websocket_route", "add_route"):
            return
        handler = call_argument(call.args, "handler", 0)
        path = call_argument(call.args, "uri", 1)
        place = _Place(path, call.args, scope, origin_at(scope, call.span))
        if callee.name == "add_websocket_route":
            function = None if handler is None else self._program.function_value(handler, scope)
            for router in self._routers(callee.value, scope):
                self._add_socket(router, function, place)
        elif handler is not None:
            value = self._program.evaluate(handler, scope)
            symbol = viewed_class(self._program, value)
            for router in self._routers(callee.value, scope):
                if symbol is not None:
                    self._add_view(router, symbol, place)
                else:
                    methods = route_methods(self._program, call.args, scope, 2)
                    self._add_function(router, methods, value, place)

    def _add_decorated_routes(self, declared: DeclaredFunction) -> None:
        for annotation in declared.function.annotations:
            callee = annotation.callee
            if not isinstance(callee, Attribute) or not annotation.has_parentheses:
                continue
            methods: tuple[str, ...] | None
            path = call_argument(annotation.args, "uri", 0)
            origin = origin_at(declared.scope, annotation.span)
            place = _Place(path, annotation.args, declared.scope, origin)
            if callee.name == "websocket":
                for router in self._routers(callee.value, declared.scope):
                    self._add_socket(router, declared.value, place)
                continue
            if callee.name in VERBS:
                methods = (callee.name.upper(),)
            elif callee.name == "route":
                methods = route_methods(self._program, annotation.args, declared.scope, 1)
            else:
                continue
            for router in self._routers(callee.value, declared.scope):
                self._add_function(router, methods, declared.value, place)

    def _add_attached_view(self, symbol: ClassSymbol) -> None:
        """`class Orders(HTTPMethodView, attach=app, uri="/orders")`."""
        attach = call_argument(symbol.decl.keywords, "attach", -1)
        if attach is None:
            return
        scope = self._program.class_scope(symbol)
        outside = scope.parent or scope
        path = call_argument(symbol.decl.keywords, "uri", -1)
        origin = origin_at(outside, symbol.decl.name_span)
        for router in self._routers(attach, outside):
            self._add_view(router, symbol, _Place(path, symbol.decl.keywords, outside, origin))

    def _add_view(self, router: Router, symbol: ClassSymbol, place: _Place) -> None:
        for verb in VERBS:
            method = self._program.find_method(symbol, verb)
            if method is not None:
                name = f"{symbol.decl.name}.{verb}"
                self._app.routes.append(self._route(router, verb.upper(), method, name, place))

    def _add_function(
        self, router: Router, methods: tuple[str, ...] | None, value: Value, place: _Place
    ) -> None:
        handler = value if isinstance(value, FunctionValue) else None
        name = handler.function.name if handler is not None else ""
        for method in methods or ("",):
            self._app.routes.append(self._route(router, method, handler, name, place))

    def _add_socket(self, router: Router, handler: FunctionValue | None, place: _Place) -> None:
        name = handler.function.name if handler is not None else ""
        self._app.sockets.append(self._route(router, "GET", handler, name, place))

    def _route(
        self, router: Router, method: str, handler: FunctionValue | None, name: str, place: _Place
    ) -> Route:
        # `attach=` without a path stands for the blueprint's own.
        path, scope = place.path, place.scope
        known = "" if path is None else text(self._program, path, scope)
        shown = known if known is not None else likely_text(self._program, path, scope)
        is_known = known is not None
        return Route(
            router.id, method, shown, is_known, place.args, scope, handler, name, place.origin
        )
