"""Routers of Koa and of what is like it (Oak): prefixes, routers below routers, what handlers set
on a context."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, DeferredAnswers, Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.path_facts import Fact, Facts, Path
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.koa import responses as koa_answers
from contract_scan.parsers.source.typescript.frameworks.koa.responses import CONTEXT, Layer
from contract_scan.parsers.source.typescript.web.collector import (
    Collector,
    Route,
    paths,
    route_methods,
)
from contract_scan.parsers.source.typescript.web.dispatch_by_method import OTHER
from contract_scan.parsers.source.typescript.web.endpoints import (
    bind_parameters,
    handler_name,
    handler_of,
    operation,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.header_guards import without_header_branches
from contract_scan.parsers.source.typescript.web.middleware import UsedFunction, hands_on
from contract_scan.parsers.source.typescript.web.optional_parameters import (
    as_asked,
    path_parameter_facts,
)
from contract_scan.parsers.source.typescript.web.paths import join, templates
from contract_scan.parsers.source.typescript.web.preceding_uses import (
    PrecedingUses,
    RequestLibrary,
    asked_first,
)
from contract_scan.parsers.source.typescript.web.routers import (
    Node,
    RouterKind,
    method_of,
    mount_below,
)
from contract_scan.parsers.source.typescript.web.taint_marks import MarkedReader, TaintMarks
from contract_scan.parsers.source.web.request_members import (
    RequestUses,
)
from contract_scan.parsers.source.web.route_graph import application_of

VERBS = ("get", "post", "put", "patch", "delete", "head", "options")
METHODS = {**{verb: verb.upper() for verb in VERBS}, "all": "*", "del": "DELETE"}
_GIVEN = (CONTEXT, LibrarySymbol("<next>"))


class KoaLibrary(Struct, frozen=True, kw_only=True):
    """What tells one library of this kind from another."""

    name: str
    kind: RouterKind
    marks: TaintMarks
    composers: frozenset[str] = frozenset()
    """Calls that make one middleware of several."""
    mounts: frozenset[str] = frozenset()
    """Calls `(prefix, middleware)`."""
    requests: RequestLibrary | None = None
    """What the members of a context hold, where it is told."""


def operations(program: Program, framework: Framework, flavor: KoaLibrary) -> Iterator[Operation]:
    """Every route, once for each place its router is mounted at."""
    collector = _Collector(program, flavor)
    collector.collect(framework)
    collector.settle()
    found = [
        each
        for route in collector.routes
        if collector.graph.places(route.node)
        for each in _operations(program, collector, route, flavor)
    ]
    yield from found
    yield from collector.of_libraries.operations(flavor.name, found)


class _Collector(Collector):
    """Reads calls into routes and mounts."""

    def __init__(self, program: Program, flavor: KoaLibrary) -> None:
        super().__init__(program, flavor.kind)
        self._flavor = flavor
        self._used: list[UsedFunction] = []
        """Functions that routers use for all of their routes, or for those below a prefix."""
        self._mounted: list[tuple[Node, tuple[Node, ...], str, Span]] = []
        """Routers, the routers that they are mounted on, and where."""
        self.preceding: PrecedingUses | None = None
        if flavor.requests is not None:
            self.preceding = PrecedingUses(program, self.graph, flavor.requests)

    def nodes(self, value: Value) -> Iterator[Node]:
        """The routers that a value may be, those that are composed one by one."""
        if (
            isinstance(value, LibraryResult)
            and value.name.removesuffix("()") in self._flavor.composers
        ):
            for argument in value.site.args:
                given = self._program.evaluate(argument.value, value.scope)
                for item in given.values if isinstance(given, Items) else (given,):
                    yield from self.nodes(item)
            return
        yield from super().nodes(value)

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call registers or mounts."""
        method = method_of(self._program, call.callee, scope)
        receiver, name = method if method is not None else (call.callee, "")
        if method is not None and not name and self.add_computed_route(call, receiver, scope):
            return
        known = name in METHODS or name in ("use", "prefix", "register")
        if not known or not call.args:
            self.passed_on(call, scope)
            return
        found = self.routers(receiver, scope)
        if not found:
            if self.preceding is not None and name == "use":
                self.preceding.note_unseen(self._program.evaluate(receiver, scope))
            self.passed_on(call, scope)
        elif name == "prefix":
            ((path, reason), *_) = paths(self._program, call.args[0].value, scope)
            self.put_below(found, path, reason)
        elif name == "use":
            self._use(call, found, scope)
        elif name == "register":
            self._register(call, found, scope)
        else:
            self._verb(METHODS[name], call, found, scope)

    # ------------------------------------------------------------------ routes

    def _verb(self, method: str, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`router.get([name], path, …handlers)`."""
        values = [argument.value for argument in call.args]
        if len(values) > 2 and self._is_text(values[0], scope) and self._is_text(values[1], scope):
            values = values[1:]
        if len(values) < 2:
            return
        first, *rest = values
        self.add(found, method, paths(self._program, first, scope), tuple(rest), scope, first.span)

    def _is_text(self, expr: Expr, scope: Scope) -> bool:
        value = self._program.evaluate(expr, scope)
        return isinstance(value, Constant) and isinstance(value.value, str)

    def _register(self, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`router.register(path, ["GET"], handler)`."""
        if len(call.args) < 3:
            return
        path, methods, *rest = (argument.value for argument in call.args)
        for text in self._program.texts(methods, scope) or (None,):
            ways = paths(self._program, path, scope)
            if text is None:
                ways = [(way, reason or Reason("method-not-constant")) for way, reason in ways]
            method = (text or "*").upper()
            self.add(found, method, ways, tuple(rest[:1]), scope, path.span)

    # ------------------------------------------------------------------ mounts

    def _use(self, call: Call, parents: tuple[Node, ...], scope: Scope) -> None:
        """`app.use(router.routes())`, `router.use("/x", …)`, `app.use(mount("/x", …))`."""
        values = [argument.value for argument in call.args]
        prefixes = [("", NO_REASON)]
        if len(values) > 1 and not self.routers(values[0], scope):
            first = self._program.evaluate(values[0], scope)
            if not isinstance(first, FunctionValue | LibraryResult):
                prefixes = paths(self._program, values[0], scope)
                values = values[1:]
        for expr in values:
            value = self._program.evaluate(expr, scope)
            self._mount(value, expr, parents, prefixes, scope)

    def _mount(
        self,
        value: Value,
        expr: Expr,
        parents: tuple[Node, ...],
        prefixes: list[tuple[str, Reason]],
        scope: Scope,
    ) -> None:
        if (
            isinstance(value, LibraryResult)
            and value.name in self._flavor.mounts
            and value.site.args
        ):
            *path, inner = (argument.value for argument in value.site.args)
            if path:
                prefixes = paths(self._program, path[0], value.scope)
            value = self._program.evaluate(inner, value.scope)
        children = tuple(self.nodes(value))
        for child in children:
            self._mounted.append((child, parents, scope.file.path, expr.span))
            for prefix, reason in prefixes:
                for parent in parents:
                    self.graph.mount(child, mount_below(parent, prefix, reason))
        if not children and isinstance(value, Unresolved) and _is_routes(expr):
            self.graph.loose_ends = Reason("router-mount-not-visible", reason=value.reason)
        if not children:
            at = Origin(scope.file.path, expr.span)
            self.note_library_function(value, parents, prefixes, at)
            if self.preceding is not None:
                self.preceding.note(value, expr, scope, parents)
        if not isinstance(value, FunctionValue):
            return
        for prefix, _ in prefixes:
            self._used.append(UsedFunction(value, parents, scope.file.path, expr.span, prefix))

    def used_before(self, route: Route) -> tuple[FunctionValue, ...]:
        """The functions that routers use before a route."""
        places = self.graph.places(route.node)
        paths = [join(place.prefix, route.path) for place in places]
        return tuple(
            used.function
            for used in self._used
            if any(used.pattern in path for path in paths)
            and any(self._stands_before(used, router, route) for router in used.routers)
        )

    def uses_of(self, route: Route) -> RequestUses | None:
        """What a route reads, where it is told what a context holds."""
        if self.preceding is None:
            return None
        return self.preceding.of_route(route, asked_first(route, self.routes))

    def _stands_before(self, used: UsedFunction, router: Node, route: Route) -> bool:
        """Whether a router uses a function before a route of its own, or before it mounts the
        router of the route."""
        if router == route.node:
            return not used.stands_behind(route.scope.file.path, route.span)
        node = route.node
        if not self.graph.is_below(node, router):
            return False
        mounts = [
            (path, span)
            for child, parents, path, span in self._mounted
            if router in parents and (child == node or self.graph.is_below(node, child))
        ]
        return not mounts or any(not used.stands_behind(path, span) for path, span in mounts)


def _is_routes(expr: Expr) -> bool:
    callee = expr.callee if isinstance(expr, Call) else None
    return isinstance(callee, Attribute) and callee.name in ("routes", "middleware")


# ---------------------------------------------------------------------- operations


def _operations(
    program: Program, collector: _Collector, route: Route, flavor: KoaLibrary
) -> Iterator[Operation]:
    origin = origin_at(route.scope, route.span)
    known: dict[tuple[str, frozenset[tuple[Path, Fact]]], tuple[HandlerSummary, str]] = {}
    methods = route_methods(program, route)
    read = collector.uses_of(route)
    for place in collector.graph.places(route.node):
        paths = templates(join(place.prefix, route.path))
        for template in paths:
            given = path_parameter_facts(template, paths)
            for method in methods:
                key = (method, frozenset(given.items()))
                if key not in known:
                    used, asked = collector.used_before(route), replace(route, method=method)
                    known[key] = _route_signature(program, asked, origin, flavor, given, used)
                handled, name = known[key]
                found = operation(
                    "*" if method == OTHER else method,
                    template,
                    handled,
                    origin,
                    framework=flavor.name,
                    handler=name,
                    unresolved=route.unresolved or place.unresolved,
                    application=application_of(place),
                )
                yield found if read is None else read.apply(found)


def _route_signature(
    program: Program,
    route: Route,
    origin: Origin,
    flavor: KoaLibrary,
    given: Facts,
    used: tuple[FunctionValue, ...],
) -> tuple[HandlerSummary, str]:
    """The responses of the last function of a route, with what those before it set on the context
    (`used` by its routers or its own), and the inputs of all its functions, where optional
    parameters of the path are present or absent."""
    reader = MarkedReader(program, flavor.marks)
    values = [program.evaluate(expr, route.scope) for expr in route.handlers]
    layers: list[Layer] = []
    for before in used:
        if hands_on(program, before):
            scope = scope_of(program, before, bind_parameters(program, before, _GIVEN))
            layers.append(Layer(before, scope))
    for value in values[:-1]:
        if isinstance(value, FunctionValue):
            bound = bind_parameters(program, value, _GIVEN)
            reader.read_function(without_header_branches(program, value), bound)
            if hands_on(program, value):
                scope = scope_of(program, value, bound)
                layers.append(Layer(value, scope))
    handler = handler_of(program, values[-1])
    if handler.function is None:
        return undetermined_summary(handler.reason, origin), ""
    function = as_asked(program, handler.function, given, route.method)
    scope = reader.read_function(function, bind_parameters(program, function, _GIVEN))

    def answers() -> Answers:
        found = koa_answers.answers(program, (*layers, Layer(function, scope)))
        complete = found.statuses_complete and not handler.wrapped
        return Answers(found.responses, complete, found.undetermined_status)

    handled = HandlerSummary(DeferredAnswers(answers), reader.bodies(), reader.parameters())
    return handled, handler_name(handler.function)
