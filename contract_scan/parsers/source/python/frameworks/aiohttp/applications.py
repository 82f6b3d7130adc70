"""Applications and route tables of aiohttp, and the routes that are added to them."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
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
    Attribute,
    Call,
    Expr,
    FileFacts,
    Loop,
    Name,
    Text,
)
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.web.common import (
    DECORATED,
    VERBS,
    DeclaredFunction,
    call_argument,
    flatten_values,
    functions,
    likely_text,
    method_called,
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

_APPLICATIONS = frozenset({"aiohttp.web.Application", "aiohttp.web_app.Application"})
_TABLES = frozenset({"aiohttp.web.RouteTableDef", "aiohttp.web_routedef.RouteTableDef"})
_MAKERS = _APPLICATIONS | _TABLES
MARKERS = (
    b"aiohttp.web",
    b"web.Application",
    b"web.View",
    b"WebSocketResponse",
    b"RouteTableDef",
    b".router",
    *(b".add_%s(" % verb.encode() for verb in VERBS),
    b".add_routes(",
    b".add_subapp(",
    *(f"web.{verb}(".encode() for verb in ("get", "post", "put", "patch", "delete", "route")),
    *(f"@routes.{verb}(".encode() for verb in ("get", "post", "put", "patch", "delete", "view")),
)
"""Most projects that use aiohttp use its client alone: the name of the library is no marker."""
CALLS = (
    b".add_routes(",
    b".add_subapp(",
    b".router",
    *(b".add_%s(" % verb.encode() for verb in VERBS),
    b".add_route(",
    b".add_resource(",
    b"web.Application(",
)
_ADDERS = {f"add_{verb}": verb for verb in VERBS}
_FILES = frozenset({"static", "StaticDef"})


class Route(Struct, frozen=True, eq=False):
    """One handler under one method of a path."""

    router: RouterId
    method: str
    """Empty: it is undetermined."""
    path: str
    path_known: bool
    handler: FunctionValue | None
    name: str
    origin: Origin
    excluded_from_docs: bool = False


class AiohttpApp(Struct, frozen=True, eq=False):
    """Everything of aiohttp's server that a program declares."""

    graph: Graph
    routes: list[Route]
    unresolved_registrations: list[UnresolvedRegistration]


@memoised
def aiohttp_app(program: Program) -> AiohttpApp:
    """The applications and routes of a program, read once."""
    app = AiohttpApp(route_graph(program), [], [])
    paths = (
        program_files(program, *MARKERS, *DECORATED) if program_files(program, b"aiohttp") else ()
    )
    reader = _Reader(program, app)
    for path in paths:
        reader.file(program.facts(path))
    return app


class _Reader:
    def __init__(self, program: Program, app: AiohttpApp) -> None:
        self._program = program
        self._app = app
        self._graph = app.graph

    def file(self, file: FileFacts) -> None:
        """Everything that one file declares."""
        program = self._program
        for call, scope in program.calls(file):
            if not isinstance(call, Call):
                continue
            if isinstance(call.callee, Call):
                self._add_decorated(call, call.callee, scope)
            elif (method := method_called(program, call.callee, scope)) is not None:
                self._call(call, method, scope)
        for declared in functions(program, file):
            if declared.owner is None:
                self._add_decorated_routes(declared)
        for symbol in program.classes(file):
            self._decorated_class(symbol)

    # ------------------------------------------------------------------ routers

    def _routers(self, expr: Expr, scope: Scope) -> list[Router]:
        """What an expression adds routes to: an application, its `router`, or a route table."""
        found = receivers(self._program, expr, scope, _MAKERS)
        member = method_called(self._program, expr, scope) if not found else None
        if member is not None and member.name == "router":
            found = self._routers(member.value, scope)
        if not found and isinstance(expr, Name | Attribute):
            found = self._injected_applications(expr, scope)
        for router in found:
            note(self._graph, router, "", application=router.maker in _APPLICATIONS)
        return found

    def _injected_applications(self, expr: Expr, scope: Scope) -> list[Router]:
        """An application that code outside the scan passes in, known by its declared type."""
        value = self._program.evaluate(expr, scope)
        if not isinstance(value, ByType):
            return []
        name = self._program.evaluator.qualified_name(value)
        function = scope.function
        if name not in _APPLICATIONS or function is None:
            return []
        site = Call(Name(function.name, span=function.span), span=function.span)
        return [Router(RouterId(scope.file.path, function.span), name, site, scope)]

    def _add_route_list(self, parent: Router, expr: Expr, scope: Scope) -> None:
        """Add the routes of a list, or mount a route table."""
        value = self._program.evaluate(expr, scope)
        for item in flatten_values(value):
            tables = list(routers(self._program, item, _TABLES))
            for table in tables:
                note(self._graph, table, "", application=False)
                call = Call(expr, span=expr.span)
                mount(self._graph, parent.id, table.id, "", call, scope)
            if tables:
                continue
            kind = item.name.rpartition(".")[2] if isinstance(item, LibraryResult) else ""
            if not isinstance(item, LibraryResult) or not item.name.startswith("aiohttp."):
                self._app.unresolved_registrations.append(
                    UnresolvedRegistration(parent.id, "", origin_at(scope, expr.span))
                )
            elif kind not in _FILES and isinstance(item.site, Call):
                self._route(parent, item.site, kind, item.scope)

    # ------------------------------------------------------------------ calls

    def _call(self, call: Call, callee: Attribute, scope: Scope) -> None:
        name = callee.name
        if name == "add_routes" and call.args:
            for parent in self._routers(callee.value, scope):
                self._add_route_list(parent, call.args[0].value, scope)
        elif name in ("add_subapp", "add_domain"):
            self._mount(call, callee, scope)
        elif name in _ADDERS or name in ("add_view", "add_route"):
            word = _ADDERS.get(name, name.removeprefix("add_"))
            resource = self._resource(callee.value, scope) if name == "add_route" else None
            if resource is not None:
                path, inside, owners = resource
                for parent in owners:
                    self._add(
                        parent, path, inside, call_argument(call.args, "method", 0), call, scope
                    )
                return
            for parent in self._routers(callee.value, scope):
                self._route(parent, call, word, scope)

    def _resource(self, expr: Expr, scope: Scope) -> tuple[Expr, Scope, list[Router]] | None:
        """The path of `app.router.add_resource("/x")`, also inside `cors.add(…)`."""
        value = self._program.evaluate(expr, scope)
        for _ in range(2):
            if not isinstance(value, LibraryResult) or not value.site.args:
                return None
            site, inside = value.site, value.scope
            first = site.args[0].value
            called = site.callee if isinstance(site, Call) else None
            if isinstance(called, Attribute) and called.name == "add_resource":
                return first, inside, self._routers(called.value, inside)
            value = self._program.evaluate(first, inside)
        return None

    def _mount(self, call: Call, callee: Attribute, scope: Scope) -> None:
        child_expr = call_argument(call.args, "subapp", 1)
        parents = self._routers(callee.value, scope) if child_expr is not None else []
        if child_expr is None or not parents:
            return
        prefix: str | None = ""
        if callee.name == "add_subapp":
            prefix = text(self._program, call_argument(call.args, "prefix", 0), scope)
        children = self._routers(child_expr, scope)
        for parent in parents:
            for child in children:
                mount(self._graph, parent.id, child.id, prefix, call, scope)
            if not children:
                self._app.unresolved_registrations.append(
                    UnresolvedRegistration(parent.id, prefix, origin_at(scope, call.span))
                )

    def _route(self, parent: Router, call: Call, word: str, scope: Scope) -> None:
        """`web.get(path, handler)`, `web.view(path, View)`, `web.route(method, path, handler)`."""
        if word == "route":
            path, method = (
                call_argument(call.args, "path", 1),
                call_argument(call.args, "method", 0),
            )
            self._add_call_route(
                parent, path, scope, method, call_argument(call.args, "handler", 2), call, scope
            )
        elif word in VERBS or word == "view":
            path = call_argument(call.args, "path", 0)
            handler = call_argument(call.args, "handler", 1)
            verb = "" if word == "view" else word.upper()
            self._add_call_route(parent, path, scope, verb, handler, call, scope)

    def _add(
        self,
        parent: Router,
        path: Expr,
        inside: Scope,
        method: Expr | None,
        call: Call,
        scope: Scope,
    ) -> None:
        handler = call_argument(call.args, "handler", 1)
        self._add_call_route(parent, path, inside, method, handler, call, scope)

    def _add_call_route(
        self,
        parent: Router,
        path: Expr | None,
        path_scope: Scope,
        method: Expr | str | None,
        handler: Expr | None,
        call: Call,
        scope: Scope,
    ) -> None:
        value = None if handler is None else self._program.evaluate(handler, scope)
        verb = method if isinstance(method, str) else text(self._program, method, scope)
        origin = origin_at(scope, call.span)
        self._add_route(parent, path, path_scope, verb, value, origin)

    def _add_route(
        self,
        parent: Router,
        path: Expr | None,
        scope: Scope,
        verb: str | None,
        value: Value | None,
        origin: Origin,
    ) -> None:
        """Add a route; a class of methods adds one for each of them."""
        known = text(self._program, path, scope)
        shown = known if known is not None else likely_text(self._program, path, scope)
        symbol = value.symbol if isinstance(value, ClassValue) else None
        if symbol is not None and verb in ("", "*"):
            for name in VERBS:
                method = self._program.find_method(symbol, name)
                if method is not None:
                    self._app.routes.append(
                        Route(
                            parent.id,
                            name.upper(),
                            shown,
                            known is not None,
                            method,
                            f"{symbol.decl.name}.{name}",
                            origin,
                        )
                    )
            return
        view = value if isinstance(value, FunctionValue) else None
        if isinstance(value, Instance):
            view = self._program.find_method(value.symbol, "__call__")
        if (
            isinstance(value, LibraryResult)
            and value.name == "functools.partial"
            and value.site.args
        ):
            view = self._program.function_value(value.site.args[0].value, value.scope)
        name = view.function.name if view is not None else ""
        if verb == "" and symbol is None:
            verb = "*"  # a view that could not be found answers some methods
        self._app.routes.append(
            Route(
                parent.id,
                (verb or "").upper(),
                shown,
                known is not None,
                view,
                name,
                origin,
            )
        )

    # ------------------------------------------------------------------ decorators

    def _add_decorated_routes(self, declared: DeclaredFunction) -> None:
        for annotation in declared.function.annotations:
            if not annotation.has_parentheses:
                continue
            callee = method_called(self._program, annotation.callee, declared.scope)
            if callee is None:
                continue
            verb: str | None
            if callee.name in VERBS:
                verb, position = callee.name.upper(), 0
            elif callee.name == "route":
                verb = text(
                    self._program, call_argument(annotation.args, "method", 0), declared.scope
                )
                position = 1
            else:
                continue
            path = call_argument(annotation.args, "path", position)
            origin = origin_at(declared.scope, annotation.span)
            for router in self._tables(callee.value, declared.scope):
                self._add_route(router, path, declared.scope, verb, declared.value, origin)

    def _add_decorated(self, call: Call, made: Call, scope: Scope) -> None:
        """`table.get("/x")(handler)`; in a loop over the routes of another table, all of these."""
        callee = made.callee
        if not isinstance(callee, Attribute) or callee.name not in (*VERBS, "route", "view"):
            return
        tables = self._tables(callee.value, scope)
        if not tables:
            return
        path = call_argument(made.args, "path", 1 if callee.name == "route" else 0)
        others, prefix = self._copied_tables(path, scope)
        for table in tables:
            for other in others:
                mount(self._graph, table.id, other.id, prefix, call, scope)
            if others:
                continue
            if text(self._program, path, scope) is None:
                self._app.unresolved_registrations.append(
                    UnresolvedRegistration(table.id, "", origin_at(scope, call.span))
                )
                continue
            handler = call_argument(call.args, "handler", 0)
            verb: Expr | str | None = "" if callee.name == "view" else callee.name.upper()
            if callee.name == "route":
                verb = call_argument(made.args, "method", 0)
            self._add_call_route(table, path, scope, verb, handler, call, scope)

    def _copied_tables(self, path: Expr | None, scope: Scope) -> tuple[list[Router], str | None]:
        """The route tables that a loop iterates over, where a path is made of their paths, and
        the prefix that the loop adds: `for route in routes: … "/api" + route.path`."""
        match path:
            case Attribute(value=Name() as name, name="path"):
                prefix_parts: tuple[Expr, ...] = ()
            case Text(parts=[*first, Attribute(value=Name() as name, name="path")]):
                prefix_parts = tuple(first)
            case _:
                return [], None
        found: list[Router] = []
        for definition in definitions_of(name, scope):
            loop = definition.statement
            if isinstance(loop, Loop) and loop.iterable is not None:
                found += self._tables(loop.iterable, scope)
        texts = [text(self._program, part, scope) for part in prefix_parts]
        known = [part for part in texts if part is not None]
        return found, "".join(known) if len(known) == len(texts) else None

    def _decorated_class(self, symbol: ClassSymbol) -> None:
        scope = self._program.class_scope(symbol)
        outside = scope.parent or scope
        for annotation in symbol.decl.annotations:
            callee = annotation.callee
            if isinstance(callee, Attribute) and callee.name == "view":
                path = call_argument(annotation.args, "path", 0)
                origin = origin_at(outside, annotation.span)
                for router in self._tables(callee.value, outside):
                    self._add_route(router, path, outside, "", ClassValue(symbol), origin)

    def _tables(self, expr: Expr, scope: Scope) -> list[Router]:
        return [r for r in self._routers(expr, scope) if r.maker in _TABLES]
