"""Applications and routers of FastAPI and Starlette, and the routes that are added to them."""

from __future__ import annotations

import re

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    LibraryResult,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Name,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import called_name
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import (
    DECORATED,
    VERBS,
    DeclaredFunction,
    call_argument,
    flatten_values,
    functions,
    method_called,
    prefix_argument,
    route_methods,
    text,
)
from contract_scan.parsers.source.python.web.mounts import (
    Graph,
    Router,
    mount,
    note,
    receivers,
    route_graph,
)

_APPLICATIONS = frozenset(
    {
        "fastapi.FastAPI",
        "fastapi.applications.FastAPI",
        "starlette.applications.Starlette",
    }
)
_MAKERS = _APPLICATIONS | {
    "fastapi.APIRouter",
    "fastapi.routing.APIRouter",
    "fastapi_utils.inferring_router.InferringRouter",
    "fastapi_restful.inferring_router.InferringRouter",
    "starlette.routing.Router",
}
_ROUTES_AT = {"Router": 0, "Starlette": 1}
"""Where the list of routes stands among the positional arguments."""
_ADDERS = frozenset({"add_api_route", "add_route"})
_SOCKETS = frozenset({"websocket", "websocket_route"})
_SOCKET_ADDERS = frozenset({"add_api_websocket_route", "add_websocket_route"})
_KEPT_METHOD = re.compile(rb"\.(?:add_api_route|add_route|include_router)[ \t]*[\r\n]")
"""A method of a router that is given a name: `add = router.add_api_route`."""
_DEEPEST = 6

MARKERS = (
    b"fastapi",
    b"starlette",
    b"APIRouter",
    b"include_router",
    b".api_route(",
    *DECORATED,
)
CALLS = (
    b".include_router",
    b".mount(",
    b".add_api_route",
    b".add_route",
    b"websocket_route(",
    b".routes.",
    b".host(",
    b"FastAPI(",
    b"APIRouter(",
    b"Starlette(",
)


class UnresolvedRegistration(Struct, frozen=True, eq=False):
    """Routes, or a router, that could not be read."""

    parent: Router
    prefix: str | None
    origin: Origin
    reason: Reason


# ---------------------------------------------------------------------------------------- routes
# Routes of FastAPI and Starlette as they are written: decorators, calls, objects in a list.


class Route(Struct, frozen=True, eq=False):
    """One use of a verb on a router: decorator, or a call that adds a route."""

    router: Router
    methods: tuple[str, ...] | None
    """None: they are undetermined."""
    args: tuple[Argument, ...]
    scope: Scope
    handler: FunctionValue | None
    name: str
    origin: Origin
    mount_path: str = ""
    """Path of the mounts that the route is listed in."""

    def argument(self, name: str, position: int = -1) -> Expr | None:
        """An argument by name or position."""
        positional = [a.value for a in self.args if not a.name and not a.spread]
        for item in self.args:
            if item.name == name:
                return item.value
        return positional[position] if 0 <= position < len(positional) else None


def argument(call: Call, position: int, *names: str) -> Expr | None:
    """An argument of a call by name or position."""
    for item in call.args:
        if item.name and item.name in names:
            return item.value
    return call_argument(call.args, "*", position)


def _route_object(program: Program, value: Value) -> LibraryResult | None:
    """A value as the route of a library, also where the project derives a class from one."""
    if isinstance(value, LibraryResult):
        return value
    if isinstance(value, Instance) and isinstance(value.site, Call) and value.scope is not None:
        if program.find_method(value.symbol, "__init__") is not None:
            return None
        for base in library_bases(program, value.symbol):
            if base.name.startswith(("starlette.routing.", "fastapi.routing.")):
                return LibraryResult(base.name, value.site, value.scope)
    return None


def _partially_applied(program: Program, value: Value) -> Value:
    """The function in `functools.partial(function, …)`."""
    if isinstance(value, LibraryResult) and value.name == "functools.partial" and value.site.args:
        return program.evaluate(value.site.args[0].value, value.scope)
    return value


def _call_of(made: LibraryResult) -> Call:
    """The call that makes a route."""
    site = made.site
    assert isinstance(site, Call)
    return Call(site.callee, site.args, span=site.span)


class AsgiApp(Struct, frozen=True, eq=False):
    """Everything of the two libraries that a program declares."""

    graph: Graph
    routes: list[Route]
    unresolved_registrations: list[UnresolvedRegistration]
    sockets: list[Route]
    """Routes of web sockets."""


@memoised
def asgi_app(program: Program) -> AsgiApp:
    """The routers and routes of a program, read once."""
    app = AsgiApp(route_graph(program), [], [], [])
    reader = _Reader(program, app)
    for path in program_files(program, *MARKERS):
        reader.file(program.facts(path))
    return app


class _Reader:
    def __init__(self, program: Program, app: AsgiApp) -> None:
        self._program = program
        self._graph = app.graph
        self._routes = app.routes
        self._lost = app.unresolved_registrations
        self._sockets = app.sockets

    def file(self, file: FileFacts) -> None:
        """Everything that one file declares."""
        for call, scope in self._program.calls(file):
            if isinstance(call, Call):
                self._call(call, scope)
        for declared in functions(self._program, file):
            self._add_decorated_routes(declared)

    # ------------------------------------------------------------------ routers

    def _routers(self, expr: Expr, scope: Scope) -> list[Router]:
        found = receivers(self._program, expr, scope, _MAKERS)
        if not found and isinstance(expr, Attribute) and expr.name == "router":
            # `app.router` is what the application itself adds routes to.
            owners = receivers(self._program, expr.value, scope, _MAKERS)
            found = [owner for owner in owners if owner.maker in _APPLICATIONS]
        for router in found:
            self._note(router)
        return found

    def _note(self, router: Router) -> None:
        if router.id in self._graph.routers:
            return
        named = {argument.name: argument.value for argument in router.site.args if argument.name}
        prefix: str | None = ""
        if router.maker not in _APPLICATIONS:
            given = named.get("prefix")
            prefix = prefix_argument(self._program, router.site.args, given, "prefix", router.scope)
        note(self._graph, router, prefix, application=router.maker in _APPLICATIONS)
        position = _ROUTES_AT.get(router.maker.rpartition(".")[2], -1)
        listed = call_argument(router.site.args, "routes", position)
        if listed is not None:
            self._add_route_list(router, listed, router.scope, "", 0)

    def _add_route_list(
        self, router: Router, expr: Expr, scope: Scope, prefix: str, depth: int
    ) -> None:
        """`routes=[Route("/x", handler), Mount("/y", routes=[…])]`."""
        value = self._program.evaluate(expr, scope)
        for item in flatten_values(value):
            made = _route_object(self._program, item)
            kind = "" if made is None else made.name.rpartition(".")[2]
            if depth > _DEEPEST:  # below any prefix: not every way that is as deep is looked at
                self._add_unresolved(
                    router, None, origin_at(scope, expr.span), "a route that is mounted deeply"
                )
                return
            if made is None:
                self._add_unresolved(
                    router, prefix, origin_at(scope, expr.span), "a route that is listed here"
                )
                continue
            call = _call_of(made)
            if kind in ("Route", "APIRoute"):
                self._add(router, call, made.scope, prefix)
            elif kind in ("Mount", "Host"):
                self._inner(router, call, made.scope, kind == "Mount", prefix, depth)
            elif kind in ("WebSocketRoute", "APIWebSocketRoute"):
                self._socket(router, call, made.scope, prefix)
            else:
                origin = origin_at(made.scope, made.site.span)
                self._add_unresolved(router, prefix, origin, "a route that is listed here")

    def _inner(
        self, router: Router, call: Call, scope: Scope, has_path: bool, below: str, depth: int
    ) -> None:
        """`Mount("/x", routes=[…])`, `Mount("/x", app)`, `Host("api.example.org", app)`."""
        path = argument(call, 0, "path") if has_path else None
        inner = "" if path is None else text(self._program, path, scope)
        prefix = None if inner is None else below + inner
        nested = argument(call, 2, "routes")
        target = argument(call, 1, "app")
        if nested is not None and prefix is not None:
            self._add_route_list(router, nested, scope, prefix, depth + 1)
        elif nested is not None:
            origin = origin_at(scope, call.span)
            self._add_unresolved(router, None, origin, "the path that its routes are mounted at")
        elif target is not None:
            self._mount_application(router, target, prefix, call, scope)

    def _mount_application(
        self, parent: Router, target: Expr, prefix: str | None, call: Call, scope: Scope
    ) -> None:
        """Mount an application: a router, or one that the scan cannot read."""
        children = self._routers(target, scope)
        for child in children:
            mount(self._graph, parent.id, child.id, prefix, call, scope)
        if not children and not _serves_files(self._program, target, scope):
            self._add_unresolved(
                parent, prefix, origin_at(scope, call.span), "the application mounted here"
            )

    def _add_unresolved(
        self, parent: Router, prefix: str | None, origin: Origin, what: str
    ) -> None:
        known = {(lost.parent.id, lost.origin) for lost in self._lost}
        if (parent.id, origin) not in known:
            self._lost.append(
                UnresolvedRegistration(parent, prefix, origin, Reason("part-unreadable", what=what))
            )

    # ------------------------------------------------------------------ calls

    def _call(self, call: Call, scope: Scope) -> None:
        callee = call.callee
        if isinstance(callee, Name) and self._program.files.find(scope.file.path, _KEPT_METHOD):
            callee = method_called(self._program, callee, scope) or callee
        if isinstance(callee, Attribute) and callee.name in ("include_router", "mount"):
            self._mount(call, callee, scope)
        elif isinstance(callee, Attribute) and callee.name == "host":
            target = argument(call, 1, "app")
            if target is not None:
                for router in self._routers(callee.value, scope):
                    self._mount_application(router, target, "", call, scope)
        elif isinstance(callee, Attribute) and _adds_to_routes(callee) and call.args:
            assert isinstance(callee.value, Attribute)
            added = call.args[1 if callee.name == "insert" and call.args[1:] else 0].value
            for router in self._routers(callee.value.value, scope):
                self._add_route_list(router, added, scope, "", 0)
        elif isinstance(callee, Attribute) and callee.name in _SOCKET_ADDERS:
            for router in self._routers(callee.value, scope):
                self._socket(router, call, scope, "")
        elif isinstance(callee, Attribute) and callee.name in _ADDERS:
            for router in self._routers(callee.value, scope):
                self._add(router, call, scope, "")
        elif isinstance(callee, Call) and isinstance(callee.callee, Attribute):
            self._add_applied_decorator(call, callee, callee.callee, scope)
        elif call.args and _is_listing(call):
            self._routers(call, scope)

    def _add_applied_decorator(
        self, call: Call, decorator: Call, callee: Attribute, scope: Scope
    ) -> None:
        """`router.get("/")(handler)`: the decorator applied by hand."""
        if callee.name not in VERBS or len(call.args) != 1:
            return
        handler = self._program.function_value(call.args[0].value, scope)
        for router in self._routers(callee.value, scope):
            name = handler.function.name if handler is not None else ""
            origin = origin_at(scope, call.span)
            verb = (callee.name.upper(),)
            self._routes.append(Route(router, verb, decorator.args, scope, handler, name, origin))

    def _mount(self, call: Call, callee: Attribute, scope: Scope) -> None:
        is_mount = callee.name == "mount"
        child_expr = argument(call, 1 if is_mount else 0, "app" if is_mount else "router")
        parents = self._routers(callee.value, scope) if child_expr is not None else []
        if child_expr is None or not parents:
            return
        prefix_expr = argument(call, 0, "path") if is_mount else argument(call, -1, "prefix")
        prefix = prefix_argument(self._program, call.args, prefix_expr, "prefix", scope)
        for parent in parents:
            if is_mount:
                self._mount_application(parent, child_expr, prefix, call, scope)
                continue
            children = self._routers(child_expr, scope)
            for child in children:
                mount(self._graph, parent.id, child.id, prefix, call, scope)
            if not children:
                origin = origin_at(scope, call.span)
                self._add_unresolved(parent, prefix, origin, "the router that is included here")

    def _socket(self, router: Router, call: Call, scope: Scope, below: str) -> None:
        """A route of web sockets that is added by a call, or listed."""
        expr = argument(call, 1, "endpoint", "route")
        handler = None if expr is None else self._program.function_value(expr, scope)
        name = handler.function.name if handler is not None else ""
        origin = origin_at(scope, call.span)
        route = Route(router, ("GET",), call.args, scope, handler, name, origin, below)
        self._sockets.append(route)

    def _add(self, router: Router, call: Call, scope: Scope, below: str) -> None:
        """A route that is added by a call, or listed."""
        handler_expr = argument(call, 1, "endpoint", "route")
        if handler_expr is None:
            return
        value = _partially_applied(self._program, self._program.evaluate(handler_expr, scope))
        origin = origin_at(scope, call.span)
        if isinstance(value, ClassValue):
            self._endpoint(router, call, scope, below, value.symbol, origin)
            return
        default = "GET"
        if isinstance(value, Instance) and router.maker.startswith("starlette."):
            default = "*"  # an ASGI application as an endpoint answers every method
        methods = route_methods(self._program, call.args, scope, default=default)
        handler = value if isinstance(value, FunctionValue) else None
        name = handler.function.name if handler is not None else ""
        route = Route(router, methods, call.args, scope, handler, name, origin, below)
        self._routes.append(route)

    def _endpoint(
        self,
        router: Router,
        call: Call,
        scope: Scope,
        below: str,
        symbol: ClassSymbol,
        origin: Origin,
    ) -> None:
        """An `HTTPEndpoint`: a method of the class for each verb."""
        for verb in VERBS:
            handler = self._program.find_method(symbol, verb)
            if handler is not None:
                name = f"{symbol.decl.name}.{verb}"
                methods = (verb.upper(),)
                self._routes.append(
                    Route(router, methods, call.args, scope, handler, name, origin, below)
                )

    # ------------------------------------------------------------------ decorators

    def _add_decorated_routes(self, declared: DeclaredFunction) -> None:
        for annotation in declared.function.annotations:
            if not annotation.has_parentheses:
                continue
            callee = method_called(self._program, annotation.callee, declared.scope)
            if callee is None:
                continue
            target = self._sockets if callee.name in _SOCKETS else self._routes
            if callee.name in _SOCKETS:
                methods: tuple[str, ...] | None = ("GET",)
            elif callee.name in VERBS:
                methods = (callee.name.upper(),)
            elif callee.name in ("api_route", "route"):
                methods = route_methods(self._program, annotation.args, declared.scope)
            else:
                continue
            for router in self._routers(callee.value, declared.scope):
                target.append(
                    Route(
                        router,
                        methods,
                        annotation.args,
                        declared.scope,
                        declared.value,
                        declared.name,
                        origin_at(declared.scope, annotation.span),
                    )
                )


def _adds_to_routes(callee: Attribute) -> bool:
    """`app.routes.append(…)`."""
    return (
        callee.name in ("append", "extend", "insert")
        and isinstance(callee.value, Attribute)
        and callee.value.name == "routes"
    )


def _is_listing(call: Call) -> bool:
    """Whether a call may make a router of a list of routes."""
    named = any(item.name == "routes" for item in call.args)
    return named or (called_name(call) in _ROUTES_AT and any(not a.name for a in call.args))


def _serves_files(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether an application only serves files: no contract speaks of them."""
    value = program.evaluate(expr, scope)
    if isinstance(value, Instance):
        return any(b.simple_name == "StaticFiles" for b in library_bases(program, value.symbol))
    return isinstance(value, LibraryResult) and value.name.rpartition(".")[2] == "StaticFiles"
