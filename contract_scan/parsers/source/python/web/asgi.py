"""Applications and routers of FastAPI and Starlette, and the routes that are added to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.facts import Argument, Attribute, Call, Expr, FileFacts
from contract_scan.parsers.source.link.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Items,
    Made,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    Declared,
    functions,
    place,
    text,
)
from contract_scan.parsers.source.python.web.fastapi_responses import Route
from contract_scan.parsers.source.python.web.mounts import (
    Mount,
    Mounts,
    Router,
    receivers,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

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
_ADDERS = frozenset({"add_api_route", "add_route"})
_DEEPEST = 6

_DECORATED = tuple(
    f".{verb}({quote}".encode()
    for verb in ("get", "post", "put", "patch", "delete")
    for quote in ('"/', "'/", '"")', "'')", '"",', "'',")
)
MARKERS = (
    b"fastapi",
    b"starlette",
    b"APIRouter",
    b"include_router",
    b".api_route(",
    *_DECORATED,
)
"""A file with routes need not name the library: it may take its router from another file."""
CALLS = (
    b".include_router(",
    b".mount(",
    b".add_api_route(",
    b".add_route(",
    b"FastAPI(",
    b"APIRouter(",
    b"Starlette(",
)


class Lost(Struct, frozen=True, eq=False):
    """An included router that could not be read: its routes are unknown."""

    parent: Router
    prefix: str | None
    origin: Origin


class AsgiApp(Struct, frozen=True, eq=False):
    """Everything of the two libraries that a program declares."""

    mounts: Mounts
    routes: list[Route]
    lost: list[Lost]


def asgi_app(program: Program) -> AsgiApp:
    """The routers and routes of a program, read once."""
    known = program.memory.get("python.asgi")
    if isinstance(known, AsgiApp):
        return known
    app = AsgiApp(Mounts(), [], [])
    reader = _Reader(program, app)
    for path in program.holding(*MARKERS):
        reader.file(program.facts(path))
    program.memory["python.asgi"] = app
    return app


class _Reader:
    def __init__(self, program: Program, app: AsgiApp) -> None:
        self._program = program
        self._mounts = app.mounts
        self._routes = app.routes
        self._lost = app.lost

    def file(self, file: FileFacts) -> None:
        """Everything that one file declares."""
        for call, scope in self._program.calls(file):
            if isinstance(call, Call):
                self._call(call, scope)
        for declared in functions(self._program, file):
            self._decorated(declared)

    # ------------------------------------------------------------------ routers

    def _routers(self, expr: Expr, scope: Scope) -> list[Router]:
        found = receivers(self._program, expr, scope, _MAKERS)
        for router in found:
            self._note(router)
        return found

    def _note(self, router: Router) -> None:
        if router.identity in self._mounts.routers:
            return
        named = {argument.name: argument.value for argument in router.site.args if argument.name}
        prefix: str | None = ""
        if "prefix" in named and router.maker not in _APPLICATIONS:
            prefix = text(self._program, named["prefix"], router.scope)
        self._mounts.add(router, prefix, application=router.maker in _APPLICATIONS)
        if "routes" in named:
            self._listed(router, named["routes"], router.scope, "", 0)

    def _listed(self, router: Router, expr: Expr, scope: Scope, below: str, depth: int) -> None:
        """`routes=[Route("/x", handler), Mount("/y", routes=[…])]`."""
        value = self._program.evaluate(expr, scope)
        for item in _items(value):
            if not isinstance(item, Made) or depth > _DEEPEST:
                continue
            call = Call(_callee(item), item.site.args, span=item.site.span)
            match item.name.rpartition(".")[2]:
                case "Route" | "APIRoute":
                    self._add(router, call, item.scope, below)
                case "Mount":
                    inner = text(self._program, argument(call, 0, "path"), item.scope) or ""
                    nested = argument(call, -1, "routes")
                    target = argument(call, 1, "app")
                    if nested is not None:
                        self._listed(router, nested, item.scope, below + inner, depth + 1)
                    elif target is not None:
                        for child in self._routers(target, item.scope):
                            mount = Mount(child.identity, below + inner, call, item.scope)
                            self._mounts.mount(router.identity, mount)
                case _:
                    continue

    # ------------------------------------------------------------------ calls

    def _call(self, call: Call, scope: Scope) -> None:
        callee = call.callee
        if isinstance(callee, Attribute) and callee.name in ("include_router", "mount"):
            self._mount(call, callee, scope)
        elif isinstance(callee, Attribute) and callee.name in _ADDERS:
            for router in self._routers(callee.value, scope):
                self._add(router, call, scope, "")
        elif isinstance(callee, Call) and isinstance(callee.callee, Attribute):
            self._applied(call, callee, callee.callee, scope)
        elif call.args and any(argument.name == "routes" for argument in call.args):
            self._routers(call, scope)

    def _applied(self, call: Call, made: Call, callee: Attribute, scope: Scope) -> None:
        """`router.get("/")(handler)`: the decorator applied by hand."""
        if callee.name not in VERBS or len(call.args) != 1:
            return
        handler = self._program.function_value(call.args[0].value, scope)
        for router in self._routers(callee.value, scope):
            name = handler.function.name if handler is not None else ""
            origin = place(scope, call.span)
            verb = (callee.name.upper(),)
            self._routes.append(Route(router, verb, made.args, scope, handler, name, origin))

    def _mount(self, call: Call, callee: Attribute, scope: Scope) -> None:
        is_mount = callee.name == "mount"
        child_expr = argument(call, 1 if is_mount else 0, "app" if is_mount else "router")
        parents = self._routers(callee.value, scope) if child_expr is not None else []
        if child_expr is None or not parents:
            return
        children = self._routers(child_expr, scope)
        prefix_expr = argument(call, 0, "path") if is_mount else argument(call, -1, "prefix")
        prefix = "" if prefix_expr is None else text(self._program, prefix_expr, scope)
        for parent in parents:
            for child in children:
                mount = Mount(child.identity, prefix, call, scope)
                self._mounts.mount(parent.identity, mount)
            if not children and not is_mount:
                self._lost.append(Lost(parent, prefix, place(scope, call.span)))

    def _add(self, router: Router, call: Call, scope: Scope, below: str) -> None:
        """A route that is added by a call, or listed."""
        handler_expr = argument(call, 1, "endpoint", "route")
        if handler_expr is None:
            return
        value = self._program.evaluate(handler_expr, scope)
        origin = place(scope, call.span)
        if isinstance(value, ClassValue):
            self._endpoint(router, call, scope, below, value.symbol, origin)
            return
        methods_expr = argument(call, -1, "methods")
        methods = self._methods(methods_expr, scope) if methods_expr is not None else ("GET",)
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

    def _decorated(self, declared: Declared) -> None:
        for annotation in declared.function.annotations:
            callee = annotation.callee
            if not isinstance(callee, Attribute) or not annotation.called:
                continue
            if callee.name in VERBS:
                methods: tuple[str, ...] | None = (callee.name.upper(),)
            elif callee.name in ("api_route", "route"):
                given = _given(annotation.args, "methods")
                methods = ("GET",) if given is None else self._methods(given, declared.scope)
            else:
                continue
            for router in self._routers(callee.value, declared.scope):
                self._routes.append(
                    Route(
                        router,
                        methods,
                        annotation.args,
                        declared.scope,
                        declared.value,
                        declared.name,
                        place(declared.scope, annotation.span),
                    )
                )

    def _methods(self, expr: Expr, scope: Scope) -> tuple[str, ...] | None:
        found = self._program.texts(expr, scope)
        known = tuple(name.upper() for name in found if name is not None)
        return known if known and len(known) == len(found) else None


def _items(value: Value) -> tuple[Value, ...]:
    match value:
        case Items(values=values):
            return tuple(inner for item in values for inner in _items(item))
        case OneOf(options=options):
            return tuple(inner for item in options for inner in _items(item))
        case _:
            return (value,)


def _callee(made: Made) -> Expr:
    site = made.site
    assert isinstance(site, Call)
    return site.callee


def _given(args: tuple[Argument, ...], name: str) -> Expr | None:
    return next((item.value for item in args if item.name == name), None)


def argument(call: Call, position: int, *names: str) -> Expr | None:
    """An argument of a call by name or position."""
    for item in call.args:
        if item.name and item.name in names:
            return item.value
    positional = [item.value for item in call.args if not item.name and not item.spread]
    return positional[position] if 0 <= position < len(positional) else None
