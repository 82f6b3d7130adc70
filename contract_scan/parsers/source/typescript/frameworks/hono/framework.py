"""Hono: `app.get("/x", …)`, chains, `on`, `route`, `basePath`, `createRoute` of zod-openapi."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.path_facts import Fact, Facts, Path
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    OneOf,
    Scope,
    Unresolved,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    Lambda,
    Name,
    Spread,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.hono.endpoints import (
    REQUESTS,
    RouteDeclaration,
    declared_route,
    handler_signature,
    with_declared,
)
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution.walker import entries
from contract_scan.parsers.source.typescript.web.collector import (
    Collector,
    Route,
    paths,
    route_methods,
)
from contract_scan.parsers.source.typescript.web.dispatch_by_method import OTHER
from contract_scan.parsers.source.typescript.web.endpoints import (
    handler_name,
    handler_of,
    operation,
)
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.middleware import UsedFunction, hands_on
from contract_scan.parsers.source.typescript.web.optional_parameters import (
    path_parameter_facts,
)
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX, join, templates
from contract_scan.parsers.source.typescript.web.preceding_uses import (
    PrecedingUses,
    asked_first,
)
from contract_scan.parsers.source.typescript.web.router_arguments import RoutersHandedOn
from contract_scan.parsers.source.typescript.web.routers import (
    Node,
    RouterKind,
    call_of,
    method_of,
    mount_below,
)
from contract_scan.parsers.source.web.request_members import (
    ANYTHING,
)
from contract_scan.parsers.source.web.response_rewriters import (
    AfterHandler,
    rewrites_bodies,
    with_rewritten_bodies,
)
from contract_scan.parsers.source.web.route_graph import application_of

NAME = "Hono"
VERBS = ("get", "post", "put", "patch", "delete", "options")
_METHODS = {**{verb: verb.upper() for verb in VERBS}, "all": "*"}
_MODULES = ("hono", "hono/tiny", "hono/quick", "@hono/hono")
_FACTORY = "hono/factory.createFactory"
_NAMES = frozenset({*(f"{m}.Hono" for m in _MODULES), "@hono/zod-openapi.OpenAPIHono"})
_KIND = RouterKind(
    makers=frozenset({*_NAMES, _FACTORY, f"{_FACTORY}().createApp"}),
    apps=frozenset({*_NAMES, _FACTORY, f"{_FACTORY}().createApp"}),
    types=_NAMES,
    chainable=frozenset(
        {*_METHODS, "on", "use", "route", "openapi", "mount", "onError", "notFound", "doc"}
    ),
    parameters=frozenset(),
    registers=frozenset({*_METHODS, "on", "route", "openapi", "mount", "use"}),
)

_PATTERN = re.compile(r"(:[A-Za-z_]\w*)\{((?:[^{}]|\{[^{}]*\})*)\}")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route, once for each place its router is mounted at."""
    if not program.files_containing(*_OWN):
        return
    collector = _Collector(program)
    collector.collect(framework)
    for route in collector.routes:
        if collector.graph.places(route.node):
            yield from _operations(program, collector, route)


class _Collector(Collector):
    """Reads calls into routes and mounts."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, _KIND)
        self.declared: dict[tuple[str, Span], RouteDeclaration] = {}
        """By file and place: the routes that are declared before they are registered."""
        self.used: list[UsedFunction] = []
        """Functions that routers use."""
        self.preceding = PrecedingUses(program, self.graph, REQUESTS)
        self.parents: set[Node] = set()
        """Routers that others are mounted on."""

    def nodes(self, value: Value) -> Iterator[Node]:
        """The routers that a value may be; `app.basePath("/api")` is one below `app`."""
        if isinstance(value, OneOf):
            for option in value.options:
                yield from self.nodes(option)
            return
        based = self._base_path_call(value)
        if based is None:
            yield from super().nodes(value)
            return
        site = based.site
        child = Node(based.scope.file.path, site.span, call_of(based.scope))
        parents = tuple(self.nodes(based.receiver)) if based.receiver is not None else ()
        if not parents or not site.args:
            return
        for prefix, reason in paths(self._program, site.args[0].value, based.scope):
            for parent in parents:
                self.graph.mount(child, mount_below(parent, _without_patterns(prefix), reason))
        yield child

    def _mounted_routers(self, value: Value) -> Iterator[Node]:
        """The routers that are mounted with a value: with `users.basePath("/users")` all of
        `users`, whose routes say their base paths."""
        options = value.options if isinstance(value, OneOf) else (value,)
        for option in options:
            based = self._base_path_call(option)
            while based is not None and based.receiver is not None:
                option, based = based.receiver, self._base_path_call(based.receiver)
            yield from self.nodes(option)

    def _base_path_call(self, value: Value) -> LibraryResult | None:
        """The `basePath` call that a value, or the chain that ends in it, begins with."""
        while isinstance(value, LibraryResult) and value.receiver is not None:
            last = value.name.rsplit(".", 1)[-1]
            if last == "basePath":
                return value
            if last not in _KIND.chainable:
                return None
            value = value.receiver
        return None

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call registers or mounts."""
        if isinstance(call.callee, Name) and self._factory(call, scope):
            return
        method = method_of(self._program, call.callee, scope)
        receiver, name = method if method is not None else (call.callee, "")
        if method is not None and not name and self.add_computed_route(call, receiver, scope):
            return
        if name not in _KIND.registers:
            self.passed_on(call, scope)
            return
        found = self.routers(receiver, scope)
        if not found:
            if name == "use":
                self.preceding.note_unseen(self._program.evaluate(receiver, scope))
            self.passed_on(call, scope)
        elif name == "route":
            self._route(call, found, scope)
        elif name == "openapi":
            self._openapi(call, found, scope)
        elif name == "use":
            self._use(call, found, scope)
        elif name == "on":
            self._register_on(call, found, scope)
        elif name in _METHODS and call.args:
            self._verb(_METHODS[name], call, receiver, found, scope)

    # ------------------------------------------------------------------ routes

    def _verb(
        self, method: str, call: Call, receiver: Expr, found: tuple[Node, ...], scope: Scope
    ) -> None:
        """`app.get("/x", …handlers)`; without a path, that of the call before in the chain."""
        first, *rest = call.args
        path: Expr | None = first.value
        if self._is_handler(first, scope):
            rest = [first, *rest]
            path = _path_before(receiver)
        span = first.value.span
        if path is None:
            self._add(found, method, [("/", NO_REASON)], tuple(rest), scope, span)
        elif rest:
            self._add(found, method, paths(self._program, path, scope), tuple(rest), scope, span)

    def _is_handler(self, argument: Argument, scope: Scope) -> bool:
        if argument.spread or isinstance(argument.value, Lambda):
            return True
        value = self._program.evaluate(argument.value, scope)
        return isinstance(value, FunctionValue | LibraryResult)

    def _register_on(self, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`app.on(["PUT", "DELETE"], ["/x", "/y"], …handlers)`."""
        if len(call.args) < 3:
            return
        first, second, *rest = call.args
        for text in self._program.texts(first.value, scope) or (None,):
            ways = paths(self._program, second.value, scope)
            if text is None:
                ways = [(path, reason or Reason("method-not-constant")) for path, reason in ways]
            method = (text or "*").upper()
            self._add(found, method, ways, tuple(rest), scope, second.value.span)

    def _openapi(self, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`app.openapi(createRoute({…}), handler)`."""
        if len(call.args) < 2:
            return
        first, second = call.args[:2]
        span = first.value.span
        value = self._program.evaluate(first.value, scope)
        route = declared_route(self._program, value)
        if route is None:
            reason = Reason("declared-route-not-visible")
            self._add(found, "*", [(DYNAMIC_PREFIX, reason)], (second,), scope, span)
            return
        path = re.sub(r"\{([^{}]+)\}", r":\1", route.path)
        self.declared[scope.file.path, span] = route
        self._add(found, route.method, [(path, route.unresolved)], (second,), scope, span)

    def _add(
        self,
        found: tuple[Node, ...],
        method: str,
        ways: list[tuple[str, Reason]],
        handlers: tuple[Argument, ...],
        scope: Scope,
        span: Span,
    ) -> None:
        plain = [(_without_patterns(path), reason) for path, reason in ways]
        given = tuple(Spread(value=a.value) if a.spread else a.value for a in handlers)
        self.add(found, method, plain, given, scope, span)

    def _use(self, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`app.use("/orders/*", …)`: what runs before the routes that are registered after it."""
        pattern = self._program.text(call.args[0].value, scope) if call.args else None
        for argument in call.args:
            value = self._program.evaluate(argument.value, scope)
            if self._program.evaluator.text(value) is None:
                self.preceding.note(value, argument.value, scope, found)
            if isinstance(value, FunctionValue):
                self.used.append(
                    UsedFunction(value, found, scope.file.path, argument.value.span, pattern or "*")
                )

    def used_before(self, route: Route) -> tuple[FunctionValue, ...]:
        """The functions that are used before a route, for its path."""
        path, span = route.scope.file.path, route.span
        return tuple(
            used.function
            for used in self.used
            if not used.stands_behind(path, span)
            and any(
                (route.node == node and _matches(used.pattern, route.path))
                or (used.pattern == "*" and self.graph.is_below(route.node, node))
                for node in used.routers
            )
        )

    # ------------------------------------------------------------------ mounts

    def _factory(self, call: Call, scope: Scope) -> bool:
        """`createFactory({ initApp(app) { … } })`: what every app that it makes begins with."""
        if self._program.qualified_name(call.callee, scope) != _FACTORY:
            return False
        made = self._program.evaluate(call, scope)
        options = self._program.evaluate(call.args[0].value, scope) if call.args else made
        entry = entries(options).get("initApp")
        started = entry.value if entry is not None else None
        if isinstance(started, FunctionValue) and started.function.params:
            self._bind_routers(RoutersHandedOn(started, {0: made}, True), call, scope)
        return True

    def _route(self, call: Call, parents: tuple[Node, ...], scope: Scope) -> None:
        """`app.route("/users", users)`."""
        if len(call.args) < 2:
            return
        first, second = call.args[:2]
        value = self._program.evaluate(second.value, scope)
        self.parents.update(parents)
        children = tuple(self._mounted_routers(value))
        if not children and isinstance(value, Unresolved):
            self.graph.loose_ends = Reason("router-mount-not-visible", reason=value.reason)
        for prefix, reason in paths(self._program, first.value, scope):
            for child in children:
                for parent in parents:
                    self.graph.mount(child, mount_below(parent, _without_patterns(prefix), reason))


def _matches(pattern: str, path: str) -> bool:
    """Whether the pattern of `use` stands for a route: `*`, `/orders/*`, or the path itself."""
    start = pattern.removesuffix("*").rstrip("/")
    return path == pattern or (pattern.endswith("*") and f"{path}/".startswith(f"{start}/"))


def _path_before(receiver: Expr) -> Expr | None:
    """The path of the last call of a chain that has one."""
    while isinstance(receiver, Call) and isinstance(receiver.callee, Attribute):
        if receiver.callee.name in _METHODS and receiver.args:
            first = receiver.args[0].value
            if not isinstance(first, Lambda) and len(receiver.args) > 1:
                return first
        receiver = receiver.callee.value
    return None


def _without_patterns(path: str) -> str:
    """Patterns of parameters (`:id{[0-9]+}`) as others write them."""
    return _PATTERN.sub(_parameter, path)


def _parameter(match: re.Match[str]) -> str:
    several = match[2].startswith((".*", ".+"))
    return match[1] + ("+" if several else "")


# ---------------------------------------------------------------------- operations


def _operations(program: Program, collector: _Collector, route: Route) -> Iterator[Operation]:
    graph = collector.graph
    loose = NO_REASON
    if not graph.is_mounted(route.node) and route.node not in collector.parents:
        loose = graph.loose_ends
    known: dict[tuple[str, frozenset[tuple[Path, Fact]]], _RouteAnswer] = {}
    methods = route_methods(program, route, key="req")
    declared = collector.declared.get((route.scope.file.path, route.span))
    read = ANYTHING
    if declared is None or declared.entry("middleware") is None:
        read = collector.preceding.of_route(route, asked_first(route, collector.routes))
    for place in graph.places(route.node):
        paths = templates(join(place.prefix, route.path))
        for template in paths:
            given = path_parameter_facts(template, paths)
            rewriter = _rewriting_middleware(program, collector.used_before(route))
            for method in methods:
                key = (method, frozenset(given.items()))
                if key not in known:
                    asked = replace(route, method=method)
                    known[key] = _answer(program, collector, asked, given)
                answer = known[key]
                found = operation(
                    "*" if method == OTHER else method,
                    template,
                    answer.handled,
                    origin_at(route.scope, route.span),
                    framework=NAME,
                    handler=answer.name,
                    unresolved=route.unresolved or place.unresolved or loose,
                    application=application_of(place),
                    hidden=answer.excluded_from_docs,
                )
                found = read.apply(found)
                yield with_rewritten_bodies(found, rewriter) if rewriter else found


_AFTER = AfterHandler(response=0, contents=frozenset({"res"}))
"""Middleware replaces `c.res` (https://hono.dev/docs/api/context#res)."""


def _rewriting_middleware(program: Program, used: Iterable[FunctionValue]) -> str:
    """The middleware before a route that sends another body than its handler; empty where there is
    none."""
    found = (each for each in used if rewrites_bodies(program, each, _AFTER))
    first = next(found, None)
    return "" if first is None else first.function.name or "c.res = …"


class _RouteAnswer(Struct, frozen=True):
    """What answers a route."""

    handled: HandlerSummary
    name: str
    excluded_from_docs: bool


def _answer(program: Program, collector: _Collector, route: Route, given: Facts) -> _RouteAnswer:
    """What a route does where optional parameters of its path are given or not."""
    origin = origin_at(route.scope, route.span)
    used = collector.used_before(route)
    found, value = handler_signature(program, route, origin, given, used)
    name, function = "", None
    if value is not None:
        function = handler_of(program, value).function
        name = handler_name(function)
        if function is not None and not function.function.name:
            name = dotted_name_of(route.handlers[-1]) or name
    # `router.all(auth)` and `router.post("*", auth)` are written where `use` is meant: they may
    # answer, but are nothing to document.
    is_open = route.method == "*" or "*" in route.path
    middleware = is_open and function is not None and hands_on(program, function)
    declared = collector.declared.get((route.scope.file.path, route.span))
    if declared is not None:
        found = with_declared(program, declared, found)
    return _RouteAnswer(
        found, name, middleware or (declared is not None and declared.excluded_from_docs)
    )


_OWN = (b"Hono", b"'hono", b'"hono', b"@hono/")
"""What a project that uses Hono holds somewhere. Routers may come from a function of the project,
so that files of routes need not name it."""

FRAMEWORK = Framework(
    name=NAME,
    markers=(
        *_OWN,
        b".openapi(",
        b'.route("',
        b".route('",
        *(b".%s(%s/" % (verb, quote) for verb in (b"get", b"post") for quote in (b"'", b'"')),
    ),
    calls=(
        *(b".%s(" % verb.encode() for verb in (*VERBS, "all", "on", "route", "openapi")),
        b"Hono(",
        b"Hono<",
        b"app[",
        b".basePath(",
    ),
    operations=operations,
)
