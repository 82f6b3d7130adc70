"""Routes that decorators and calls register on applications and routers, as a record of the library
says them: `@app.get("/x")`, `app.add_route("GET", "/x", f)`, `app.include_router(r)`, classes of
handlers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, DeferredAnswers, Operation, RouteTraits
from contract_scan.ir.origin import NO_SPAN
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    LibrarySymbol,
    Scope,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.bodies import with_queries
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    DeclaredFunction,
    argument,
    call_argument,
    functions,
    likely_text,
    method_called,
    route_methods,
    text,
)
from contract_scan.parsers.source.python.web.known_parameters import as_routed
from contract_scan.parsers.source.python.web.mounts import (
    Graph,
    Reached,
    Router,
    mount,
    note,
    receivers,
    route_graph,
)
from contract_scan.parsers.source.python.web.path_syntax import path_names
from contract_scan.parsers.source.python.web.typed_handlers import (
    HandlerLibrary,
    RequestInputs,
    Responses,
    Route,
)
from contract_scan.parsers.source.web.route_graph import RouterId, application_of

METHODS = tuple(verb for verb in VERBS if verb != "trace")
_DECORATORS = tuple(f".{verb}(".encode() for verb in ("get", "post", "put", "patch", "head"))
"""In files that are given their application."""


class MountCall(Struct, frozen=True):
    """A method that puts a router below the one it is called on; arguments by position."""

    child: int = 0
    child_name: str = "router"
    prefix: int | None = None


class AddRoute(Struct, frozen=True):
    """A method that registers a handler; arguments by position and name."""

    method: tuple[int, str]
    path: tuple[int, str]
    handler: tuple[int, str]


class RoutingLibrary(Struct, frozen=True, kw_only=True):
    """How routes of a library are written."""

    name: str
    imports: tuple[bytes, ...]
    """A program of which no file holds one of these does not use the library."""
    calls: tuple[bytes, ...]
    applications: frozenset[str]
    """Qualified names of what makes an application."""
    routers: frozenset[str]
    prefix: str = "prefix"
    """The argument of a router that its paths begin with."""
    prefix_position: int | None = None
    """Where it may stand without its name; `__name__` and `__file__` before it do not count."""
    children: tuple[str, ...] = ()
    """Arguments of applications and routers that hold those below them."""
    mounts: Mapping[str, MountCall] = {}
    added: Mapping[str, AddRoute] = {}
    default_router: str = ""
    """The package whose functions register routes of the application that there is."""
    controllers: Mapping[str, str] = {}
    """Qualified names of classes whose subclasses hold handlers, with the prefix of those: what is
    in braces is what the class method or attribute of that name gives. `route` replaces all."""
    with_methods: str = ""
    """The decorator whose argument `methods` lists the methods."""
    views: frozenset[str] = frozenset()
    """Methods that register a function whose inner functions are named after methods."""
    injects: frozenset[str] = frozenset()
    """Methods that register what handlers are given otherwise: by the names of their arguments, or
    the classes in them."""
    path_syntax: tuple[tuple[str, str], ...]
    """Regular expressions with what replaces them, which make a template of a path."""
    handlers: HandlerLibrary
    traits: RouteTraits = RouteTraits()


def framework(library: RoutingLibrary) -> Framework:
    """A described library as the engine has it."""
    return Framework(
        name=library.name,
        markers=(*library.imports, *library.calls),
        calls=library.calls,
        operations=partial(operations, library=library),
        traits=library.traits,
    )


def operations(
    program: Program, framework: Framework, library: RoutingLibrary
) -> Iterator[Operation]:
    """Every route at every place that its router is mounted at."""
    if not program_files(program, *library.imports):
        return
    reader = _Reader(program, library)
    for path in program_files(program, *library.imports, *library.calls, *_DECORATORS):
        reader.file(path)
    for route in reader.routes:
        for reached in reader.graph.places(route.router):
            yield _operation(program, framework, reader, route, reached)


class _Reader:
    def __init__(self, program: Program, library: RoutingLibrary) -> None:
        self._program, self.library = program, library
        self.graph: Graph = route_graph(program)
        self.routes: list[Route] = []
        self.injected: set[str] = set()
        """Names of parameters and classes that handlers are given by injection."""

    def file(self, path: str) -> None:
        """Everything that one file declares."""
        program = self._program
        for call, scope in all_calls(program, path):
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                self._call(call, call.callee, scope)
        for declared in functions(program, program.facts(path)):
            for annotation in declared.function.annotations:
                if annotation.has_parentheses:
                    self._add_decorated_route(declared, annotation)

    # ------------------------------------------------------------------ routers

    def _routers(self, expr: Expr, scope: Scope) -> list[Router]:
        library = self.library
        makers = library.applications | library.routers
        found = receivers(self._program, expr, scope, makers)
        if not found and isinstance(expr, Attribute) and expr.name == "router":
            found = receivers(self._program, expr.value, scope, makers)
        for router in found:
            is_application = router.maker in library.applications
            prefix = "" if is_application else self._prefix(router)
            note(self.graph, router, prefix, application=is_application)
            self._note_children(router)
        return found

    def _prefix(self, router: Router) -> str | None:
        """`SubRouter("/x")`, `SubRouter(prefix="/x")`, `SubRouter(__name__, "/x")`."""
        positional = [a.value for a in router.site.args if not a.name and not a.spread]
        expr = call_argument(router.site.args, self.library.prefix)
        position = self.library.prefix_position
        if expr is None and position is not None and positional:
            named = getattr(positional[0], "id", "") in ("__name__", "__file__")
            given = positional[1:] if named else positional
            expr = given[position] if position < len(given) else None
        return "" if expr is None else _normal(text(self._program, expr, router.scope))

    def _note_children(self, router: Router) -> None:
        for name in self.library.children:
            held = call_argument(router.site.args, name)
            if held is None or not isinstance(router.site, Call):
                continue
            for child in self._routers(held, router.scope):
                mount(self.graph, router.id, child.id, "", router.site, router.scope)

    def _default_routers(self, callee: Expr, scope: Scope) -> list[RouterId]:
        """The application that a function of the library registers routes on (`@get("/x")`): the
        one that there is, or whichever."""
        value = self._program.evaluate(callee, scope)
        is_function = isinstance(value, LibrarySymbol) and value.receiver is None
        package = self._program.evaluator.qualified_name(value).partition(".")[0]
        if not is_function or package != self.library.default_router:
            return []
        default = RouterId("", NO_SPAN, self.library.name)
        self.graph.add(default, "application")
        return [default]

    # ------------------------------------------------------------------ calls

    def _call(self, call: Call, callee: Attribute, scope: Scope) -> None:
        library, name = self.library, callee.name
        if name in library.mounts:
            self._mount(library.mounts[name], call, callee, scope)
        elif name in library.added:
            self._add_route(library.added[name], call, callee, scope)
        elif name in library.views:
            view = argument(call, 1, "view")
            value = self._program.evaluate(view, scope) if view is not None else None
            if isinstance(value, FunctionValue):
                self._view(value, self._routers(callee.value, scope), call, scope)
        elif name in library.injects:
            self.injected.update(a.name for a in call.args if a.name)
            self.injected.update(
                a.value.id for a in call.args if not a.name and hasattr(a.value, "id")
            )

    def _mount(self, described: MountCall, call: Call, callee: Attribute, scope: Scope) -> None:
        child = argument(call, described.child, described.child_name)
        prefix: str | None = ""
        if described.prefix is not None:
            given = argument(call, described.prefix, "path", "prefix")
            prefix = None if given is None else _normal(text(self._program, given, scope))
        parents = self._routers(callee.value, scope)
        for router in self._routers(child, scope) if child is not None else ():
            for parent in parents:
                mount(self.graph, parent.id, router.id, prefix, call, scope)

    def _add_route(self, described: AddRoute, call: Call, callee: Attribute, scope: Scope) -> None:
        """`app.add_route("GET", "/x", handler)`."""
        handler = argument(call, *described.handler)
        method = argument(call, *described.method)
        routers = self._routers(callee.value, scope) if handler is not None else []
        if handler is None or not routers:
            return
        name = self._program.text(method, scope) if method is not None else None
        if name is None and isinstance(method, Attribute):
            name = method.name  # `HttpMethod.GET`
        value = self._program.evaluate(handler, scope)
        known = value if isinstance(value, FunctionValue) else None
        path = argument(call, *described.path)
        self._note(routers, call, path, (name or "").upper(), scope, known)

    def _add_decorated_route(self, declared: DeclaredFunction, annotation: Annotation) -> None:
        scope = declared.scope
        callee = method_called(self._program, annotation.callee, scope)
        name = callee.name if callee is not None else getattr(annotation.callee, "id", "")
        is_view = name in self.library.views or (name == "view" and bool(self.library.views))
        methods: tuple[str, ...] | None = (name.upper(),)
        if name and name == self.library.with_methods:
            methods = route_methods(self._program, annotation.args, scope)
        elif name not in METHODS and not is_view:
            return
        if annotation.callee is None:
            return
        ids = self._default_routers(annotation.callee, scope)
        if callee is not None and not ids:
            routers = self._routers(callee.value, scope)
            if is_view:
                self._view(declared.value, routers, annotation, scope)
                return
            ids = [router.id for router in routers]
        path = argument(annotation, 0, "endpoint", "path", "pattern")
        prefix = self._controller_prefix(declared.owner)
        origin = origin_at(scope, annotation.span)
        self.routes += [
            Route(id, annotation, path, prefix, method, scope, declared.value, origin)
            for id in ids
            for method in methods or ("",)
        ]

    def _note(
        self,
        routers: list[Router],
        site: Annotation | Call,
        path: Expr | None,
        method: str,
        scope: Scope,
        handler: FunctionValue | None,
    ) -> None:
        origin = origin_at(scope, site.span)
        for router in routers:
            self.routes.append(Route(router.id, site, path, "", method, scope, handler, origin))

    def _view(
        self, view: FunctionValue, routers: list[Router], site: Annotation | Call, scope: Scope
    ) -> None:
        """A function whose inner functions answer the methods they are named after."""
        inside = self._program.function_scope(view.function, view.scope)
        for verb in METHODS:
            inner = self._program.names.lookup(verb, inside) if inside.statements else None
            if isinstance(inner, FunctionValue) and inner.scope.function is view.function:
                self._note(routers, site, argument(site, 0, "endpoint"), verb.upper(), scope, inner)

    # ------------------------------------------------------------------ controllers

    def _controller_prefix(self, owner: ClassSymbol | None) -> str | None:
        """What the paths of a class of handlers begin with; None where it is not constant."""
        if owner is None:
            return ""
        described = next(
            (
                self.library.controllers[base.name]
                for base in library_bases(self._program, owner)
                if base.name in self.library.controllers
            ),
            "",
        )
        own = self._class_attribute_text(owner, "route")
        if own != "":
            return None if own is None else _normal(own)
        version, name = (
            self._class_attribute_text(owner, "version"),
            self._class_attribute_text(owner, "class_name"),
        )
        if version is None or name is None:
            return None
        name = name or owner.decl.name.lower()
        known = {"version": version, "class_name": name.removesuffix(version.lower())}
        return _normal(re.sub(r"/{2,}", "/", described.format_map(known)))

    def _class_attribute_text(self, owner: ClassSymbol, name: str) -> str | None:
        """What a class attribute or method of a class of the project gives; empty: it has none."""
        for symbol in (owner, *self._program.bases(owner)):
            scope = self._program.class_scope(symbol)
            for member in symbol.decl.members:
                if member.name == name and member.value is not None:
                    return self._program.text(member.value, scope)
            for method in symbol.decl.methods:
                if method.name == name:
                    function = FunctionValue(method, scope, symbol)
                    exits = [e for e in self._program.function_exits(function) if e.value]
                    given = {
                        self._program.text(e.value, e.scope) for e in exits if e.value is not None
                    }
                    return given.pop() if len(given) == 1 else None
        return ""


def _normal(path: str | None) -> str | None:
    if path is None:
        return None
    inner = path.strip().rstrip("/")
    return inner if not inner or inner.startswith("/") else f"/{inner}"


# --------------------------------------------------------------------------- operations


def _operation(
    program: Program, framework: Framework, reader: _Reader, route: Route, reached: Reached
) -> Operation:
    library, unresolved = reader.library, reached.unresolved
    written = "" if route.path is None else text(program, route.path, route.scope)
    shown = written if written is not None else likely_text(program, route.path, route.scope)
    path = _template(
        library,
        reached.prefix + (route.prefix or "") + (_normal(shown or "{path*}") or "")
        if written is None
        else reached.prefix + (route.prefix or "") + (_normal(written) or ""),
    )
    if written is None or route.prefix is None:
        unresolved = unresolved or Reason("route-path-computed")
    if not route.method:
        unresolved = unresolved or Reason("route-method-computed")
    inputs = RequestInputs(program, library.handlers, route, path, frozenset(reader.injected))
    listed = call_argument(route.site.args, "include_in_schema")
    shown_in = None if listed is None else program.evaluate(listed, route.scope)
    return Operation(
        method=route.method or "*",
        path=path,
        parameters=with_queries(
            program, route.handler, inputs.parameters(), library.handlers.queries, route.method
        ),
        parameters_complete=inputs.is_complete(),
        request=inputs.bodies(),
        deferred=DeferredAnswers(
            partial(_answers, program, library, _as_routed(program, route, path))
        ),
        origin=route.origin,
        handler="" if route.handler is None else route.handler.function.name,
        framework=framework.name,
        application=application_of(reached),
        excluded_from_docs=isinstance(shown_in, Constant) and shown_in.value is False,
        unresolved=unresolved,
    )


def _template(library: RoutingLibrary, path: str) -> str:
    for pattern, replacement in library.path_syntax:
        path = re.sub(pattern, replacement, path)
    return path or "/"


def _as_routed(program: Program, route: Route, path: str) -> Route:
    if route.handler is None:
        return route
    return replace(route, handler=as_routed(program, route.handler, path_names(path)))


def _answers(program: Program, library: RoutingLibrary, route: Route) -> Answers:
    reader = Responses(program, library.handlers, route)
    responses, complete = reader.all()
    return Answers(responses, complete, reader.undetermined_status)
