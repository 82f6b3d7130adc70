"""APIs, routers and controllers of Django Ninja, and where a URL configuration mounts them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import NO_SPAN
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Items,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Import,
)
from contract_scan.parsers.source.python.frameworks.django.urls import url_configuration
from contract_scan.parsers.source.python.resolution.modules import find_module
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import (
    DECORATED,
    VERBS,
    DeclaredFunction,
    call_argument,
    functions,
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
    routers,
)
from contract_scan.parsers.source.web.route_graph import RouterId

APIS = frozenset(
    {
        "ninja.NinjaAPI",
        "ninja.main.NinjaAPI",
        "ninja_extra.NinjaExtraAPI",
        "ninja_extra.main.NinjaExtraAPI",
    }
)
_MAKERS = APIS | {"ninja.Router", "ninja.router.Router", "ninja_extra.Router"}
MARKERS = (b"ninja", b".add_router(", b"register_controllers", b"api_controller")
CALLS = (b".add_router(", b".register_controllers(", b".auto_discover_controllers(", b"NinjaAPI(")
_SITE = RouterId("", NO_SPAN)
"""Stands for the URL configuration, below which APIs are mounted."""


class Operation(Struct, frozen=True, eq=False):
    """One decorated view."""

    router: RouterId
    controller_path: str | None
    """Path of the controller around it; None: it is not constant."""
    methods: tuple[str, ...] | None
    annotation: Annotation
    scope: Scope
    """Where the decorator is written."""
    view: FunctionValue
    name: str

    def argument(self, name: str, position: int = -1) -> Expr | None:
        """An argument of the decorator."""
        return call_argument(self.annotation.args, name, position)


class NinjaApp(Struct, frozen=True, eq=False):
    """Everything of Django Ninja that a program declares."""

    graph: Graph
    operations: list[Operation]
    unresolved_registrations: list[UnresolvedRegistration]


@memoised
def ninja_app(program: Program) -> NinjaApp:
    """The operations of a program, read once."""
    app = NinjaApp(route_graph(program), [], [])
    paths = program_files(program, *MARKERS, *DECORATED) if program_files(program, b"ninja") else ()
    if paths:
        reader = _Reader(program, app)
        for path in paths:
            reader.file(program.facts(path))
        reader.mount_apis()
    return app


class _Reader:
    def __init__(self, program: Program, app: NinjaApp) -> None:
        self._program = program
        self._app = app
        self._graph = app.graph
        self._controllers: list[ClassSymbol] = []
        self._reached: set[str] = set()
        self._discovering: list[Router] = []

    def file(self, file: FileFacts) -> None:
        """Everything that one file declares."""
        program = self._program
        for call, scope in program.calls(file):
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                self._call(call, call.callee, scope)
        for declared in functions(program, file):
            if declared.owner is None:
                self._add_decorated_operations(declared)
        self._controllers.extend(
            symbol for symbol in program.classes(file) if self._controller(symbol) is not None
        )

    def mount_apis(self) -> None:
        """Put APIs where URL configurations mount them, and controllers where they are found."""
        for router in self._discovering:
            for symbol in self._controllers:
                self._put_controller(router.id, symbol)
        graph = self._graph
        for symbol in self._controllers:
            if symbol.key not in self._reached:
                self._put_controller(RouterId("", symbol.decl.span), symbol)
        configuration = url_configuration(self._program)
        mounted = False
        for entry in configuration.routers:
            for router in routers(self._program, entry.router, APIS):
                self._note(router)
                mounted = True
                prefix = None if entry.prefix.unresolved else entry.prefix.path
                assert isinstance(router.site, Call)
                # Each place is a parent of its own, so that one API may stand at several.
                parent = RouterId(f"urls:{entry.prefix.path}", NO_SPAN)
                graph.add(parent, "application")
                mount(graph, parent, router.id, prefix, router.site, router.scope)
        if mounted or configuration.patterns:
            graph.add(_SITE, "application")
        else:
            for id, router in graph.routers.items():
                if router.maker in APIS:
                    graph.add(id, "application")

    # ------------------------------------------------------------------ routers

    def _routers(self, expr: Expr, scope: Scope) -> list[Router]:
        found = receivers(self._program, expr, scope, _MAKERS)
        for router in found:
            self._note(router)
        return found

    def _note(self, router: Router) -> None:
        note(self._graph, router, "", application=False)

    def _call(self, call: Call, callee: Attribute, scope: Scope) -> None:
        match callee.name:
            case "auto_discover_controllers":
                self._discovering.extend(self._routers(callee.value, scope))
            case "add_router":
                self._add_router(call, callee, scope)
            case "register_controllers":
                parents = self._routers(callee.value, scope)
                for item in call.args:
                    self._register(item.value, parents, scope)
            case "add_api_operation" | "add_operation":
                for parent in self._routers(callee.value, scope):
                    self._app.unresolved_registrations.append(
                        UnresolvedRegistration(parent.id, "", origin_at(scope, call.span))
                    )
            case _:
                return

    def _add_router(self, call: Call, callee: Attribute, scope: Scope) -> None:
        parents = self._routers(callee.value, scope)
        child_expr = call_argument(call.args, "router", 1)
        if not parents or child_expr is None:
            return
        prefix = text(self._program, call_argument(call.args, "prefix", 0), scope)
        prefix = None if prefix is None else f"/{prefix}"
        children = self._routers(child_expr, scope) or self._routers_at(child_expr, scope)
        for parent in parents:
            for child in children:
                mount(self._graph, parent.id, child.id, prefix, call, scope)
            if not children:
                origin = origin_at(scope, call.span)
                self._app.unresolved_registrations.append(
                    UnresolvedRegistration(parent.id, prefix, origin)
                )

    def _routers_at(self, expr: Expr, scope: Scope) -> list[Router]:
        """The routers that a dotted name refers to: `"orders.api.router"`."""
        program = self._program
        dotted = program.text(expr, scope)
        if dotted is None or "." not in dotted:
            return []
        module, _, name = dotted.rpartition(".")
        target = find_module(program.files, scope.file.path, Import(module=module, name=name))
        if target is None:
            target = find_module(program.files, scope.file.path, Import(module=module))
        value = (
            None if target is None else program.names.modules.variable(program.facts(target), name)
        )
        found = [] if value is None else list(routers(program, value, _MAKERS))
        for router in found:
            self._note(router)
        return found

    # ------------------------------------------------------------------ controllers

    def _register(self, expr: Expr, parents: list[Router], scope: Scope) -> None:
        for value in _items(self._program.evaluate(expr, scope)):
            symbol = value.symbol if isinstance(value, ClassValue) else None
            for parent in parents:
                if symbol is not None and self._controller(symbol) is not None:
                    self._put_controller(parent.id, symbol)
                else:
                    origin = origin_at(scope, expr.span)
                    self._app.unresolved_registrations.append(
                        UnresolvedRegistration(parent.id, "", origin)
                    )

    def _controller(self, symbol: ClassSymbol) -> Annotation | None:
        """The decorator that makes a class a controller."""
        scope = self._program.class_scope(symbol)
        for annotation in symbol.decl.annotations:
            last = annotation.name.rpartition(".")[2]
            if last == "api_controller" and annotation.callee is not None:
                name = self._program.qualified_name(annotation.callee, scope.parent or scope)
                if name.startswith("ninja_extra"):
                    return annotation
        return None

    def _put_controller(self, parent: RouterId, symbol: ClassSymbol) -> None:
        program = self._program
        annotation = self._controller(symbol)
        assert annotation is not None
        self._reached.add(symbol.key)
        scope = program.class_scope(symbol)
        outside = scope.parent or scope
        expr = call_argument(annotation.args, "prefix_or_class", 0)
        below = "" if expr is None else text(program, expr, outside)
        if any("ModelController" in base.simple_name for base in library_bases(program, symbol)):
            origin = origin_at(outside, annotation.span)
            self._app.unresolved_registrations.append(
                UnresolvedRegistration(parent, None if below is None else f"/{below}", origin)
            )
        seen: set[str] = set()
        for owner in (symbol, *program.bases(symbol)):
            for method in owner.decl.methods:
                view = program.find_method(symbol, method.name)
                if method.name in seen or view is None:
                    continue
                seen.add(method.name)
                for decorator in view.function.annotations:
                    methods = self._verb(decorator, view.scope)
                    if methods == ():
                        continue
                    name = f"{symbol.decl.name}.{method.name}"
                    self._app.operations.append(
                        Operation(
                            parent,
                            None if below is None else f"/{below}",
                            methods,
                            decorator,
                            view.scope,
                            view,
                            name,
                        )
                    )

    def _verb(self, annotation: Annotation, scope: Scope) -> tuple[str, ...] | None:
        """The methods of `@http_get(…)`, `@route.get(…)`, `@http_generic(…, methods=[…])`; empty
        for other decorators."""
        callee = annotation.callee
        if callee is None or not annotation.has_parentheses:
            return ()
        word = annotation.name.rpartition(".")[2]
        name = self._program.qualified_name(callee, scope)
        if not name.startswith("ninja_extra"):
            return ()
        verb = word.removeprefix("http_")
        if verb in VERBS:
            return (verb.upper(),)
        return self._methods(annotation, "methods", scope) if verb == "generic" else ()

    def _methods(
        self, annotation: Annotation, name: str, scope: Scope, position: int = -1
    ) -> tuple[str, ...] | None:
        expr = call_argument(annotation.args, name, position)
        found = self._program.texts(expr, scope)
        known = tuple(item.upper() for item in found if item is not None)
        return known if known and len(known) == len(found) else None

    # ------------------------------------------------------------------ views

    def _add_decorated_operations(self, declared: DeclaredFunction) -> None:
        for annotation in declared.function.annotations:
            callee = annotation.callee
            if not isinstance(callee, Attribute) or not annotation.has_parentheses:
                continue
            methods: tuple[str, ...] | None
            if callee.name in VERBS:
                methods = (callee.name.upper(),)
            elif callee.name == "api_operation":
                methods = self._methods(annotation, "methods", declared.scope, 0)
            else:
                continue
            for router in self._routers(callee.value, declared.scope):
                self._app.operations.append(
                    Operation(
                        router.id,
                        "",
                        methods,
                        annotation,
                        declared.scope,
                        declared.value,
                        declared.name,
                    )
                )


def _items(value: Value) -> Iterator[Value]:
    if isinstance(value, Items):
        for item in value.values:
            yield from _items(item)
    elif not (isinstance(value, Constant) and value.value is None):
        yield value
