"""Express: `app.get("/x", …)`, routers and their mounts across files, `route()`, route tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.facts import (
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    Index,
    Spread,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.link.program import symbol_name
from contract_scan.parsers.source.link.values import (
    FunctionValue,
    Items,
    Made,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.typescript.lower_params import dotted
from contract_scan.parsers.source.typescript.models import zod
from contract_scan.parsers.source.typescript.web import express_validator, schemas
from contract_scan.parsers.source.typescript.web.collector import Collector, Route, paths
from contract_scan.parsers.source.typescript.web.endpoints import handler_name, operation
from contract_scan.parsers.source.typescript.web.handlers import Handled, read_handler
from contract_scan.parsers.source.typescript.web.middleware import (
    Middleware,
    behind,
)
from contract_scan.parsers.source.typescript.web.own_routers import OWN, own_router
from contract_scan.parsers.source.typescript.web.passing import router_value
from contract_scan.parsers.source.typescript.web.paths import join, templates
from contract_scan.parsers.source.typescript.web.requests import RequestReader
from contract_scan.parsers.source.typescript.web.routers import (
    Mount,
    Node,
    RouterKind,
    call_of,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

VERBS = ("get", "post", "put", "patch", "delete", "head", "options")
_METHODS = {**{verb: verb.upper() for verb in VERBS}, "all": "*", "del": "DELETE"}
_MAKERS = frozenset(
    {"express", "express.default", "express.Router", "express.express", "express-promise-router"}
)
_APPS = frozenset({"express", "express.default", "express.express"})
_TYPES = frozenset(
    {
        "express.Router",
        "express.IRouter",
        "express.Express",
        "express.Application",
        "express.core.Express",
        "express.IExpress",
        "express-serve-static-core.Express",
        "express-serve-static-core.Application",
        "express-serve-static-core.Router",
    }
)
_CHAINABLE = frozenset({*_METHODS, "use", "param", "set", "enable", "disable", "engine", "ws"})
_KIND = RouterKind(
    makers=_MAKERS,
    apps=_APPS,
    types=_TYPES,
    chainable=_CHAINABLE,
    parameters=frozenset({"app", "router"}),
)


_DEPENDS = Unknown(reason="the handler serves several routes and may read each one's body its way")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route, once for each place its router is mounted at."""
    collector = _Collector(program)
    collector.collect(framework)
    # A function that is read for each of its calls registers nothing as it stands.
    routes = [route for route in collector.routes if collector.graph.places(route.node)]
    shared = _shared_handlers(routes)
    for route in routes:
        yield from _operations(program, collector, route, shared)


def _shared_handlers(routes: list[Route]) -> frozenset[tuple[str, str]]:
    """Handlers (by the expression that names them) of several routes: which status is sent depends
    on the route that is asked for."""
    counted = Counter(_key(route.handlers[-1], route.scope) for route in routes if route.handlers)
    return frozenset(key for key, count in counted.items() if count > 1)


def _key(expr: Expr, scope: Scope) -> tuple[str, str]:
    name = dotted(expr)
    place = f"{expr.span.line}:{expr.span.column}"
    return (scope.file.path + call_of(scope), name or place)


class _Collector(Collector):
    """Reads calls into routes and mounts."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, _KIND)
        self.middleware = Middleware(program, self.graph)

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call registers or mounts."""
        callee = call.callee
        name = self._method_name(callee, scope)
        if name is None or not isinstance(callee, Attribute | Index):
            self.passed_on(call, scope)
            return
        if name == "use":
            self._use(call, callee.value, scope)
        elif name in _METHODS or not name:
            self._route(call, callee.value, name, scope)
        else:
            self.passed_on(call, scope)

    def _method_name(self, callee: Expr, scope: Scope) -> str | None:
        """`get` of `router.get` and `router["get"]`; empty where the method is computed."""
        if isinstance(callee, Attribute):
            return callee.name
        if isinstance(callee, Index):
            return self._program.text(callee.index, scope) or ""
        return None

    # ------------------------------------------------------------------ routes

    def _route(self, call: Call, receiver: Expr, name: str, scope: Scope) -> None:
        if not call.args:
            return
        value = router_value(self._program, receiver, scope, _KIND)
        method = _METHODS.get(name, "")
        of_route = self._route_object(value)
        if of_route is not None:
            nodes, path, path_scope = of_route
            self._add(nodes, method, path, path_scope, tuple(_values(call)), scope, call.span)
            return
        if len(call.args) < 2:
            return
        nodes = tuple(self.nodes(value))
        first, *rest = _values(call)
        own = "" if nodes else own_router(self._program, value)
        if own and self._program.function_value(rest[-1], scope) is not None:
            reason = f"`{own}` of the project registers the route, which is not followed"
            ways = [(path, why or reason) for path, why in paths(self._program, first, scope)]
            self.add((OWN,), method or "*", ways, tuple(rest), scope, first.span)
        self._add(nodes, method, first, scope, tuple(rest), scope, first.span)

    def _add(
        self,
        nodes: tuple[Node, ...],
        method: str,
        path: Expr,
        path_scope: Scope,
        handlers: tuple[Expr, ...],
        scope: Scope,
        span: Span,
    ) -> None:
        if not nodes:
            return
        ways = paths(self._program, path, path_scope)
        if not method:
            ways = [(text, reason or "the method is computed") for text, reason in ways]
        self.add(nodes, method, ways, handlers, scope, span)

    def _route_object(self, value: Value) -> tuple[tuple[Node, ...], Expr, Scope] | None:
        """The router and path of `router.route("/x")`, and of what its methods give."""
        while isinstance(value, Made):
            last = value.name.rsplit(".", 1)[-1]
            if last == "route" and isinstance(value.site, Call) and value.site.args:
                nodes = tuple(self.nodes(value.receiver)) if value.receiver is not None else ()
                return (nodes, value.site.args[0].value, value.scope) if nodes else None
            if last not in _METHODS or value.receiver is None:
                return None
            value = value.receiver
        return None

    # ------------------------------------------------------------------ mounts

    def _use(self, call: Call, receiver: Expr, scope: Scope) -> None:
        parents = tuple(self.nodes(router_value(self._program, receiver, scope, _KIND)))
        if not parents or not call.args:
            self.passed_on(call, scope)
            return
        first, *rest = _values(call)
        prefixes: list[tuple[str, str]] = [("", "")]
        children = [first, *rest]
        if rest and not self._is_handler(first, scope):
            prefixes = paths(self._program, first, scope)
            children = rest
        handlers: list[Expr] = []
        for child in children:
            found = self._children(child, scope)
            if found is None:
                handlers.append(child)
                value = self._program.evaluate(child, scope)
                function = handler_function(self._program, child, value, scope)
                if function is not None:
                    self.middleware.note(function, parents)
                continue
            for node in found:
                for prefix, reason in prefixes:
                    for parent in parents:
                        self.graph.mount(node, Mount(parent, prefix, reason))
        if handlers and children is rest:
            self._function_mounts(parents, prefixes, handlers, scope, first.span)

    def _function_mounts(
        self,
        parents: tuple[Node, ...],
        prefixes: list[tuple[str, str]],
        handlers: list[Expr],
        scope: Scope,
        span: Span,
    ) -> None:
        """`app.use("/health", (req, res) => …)`: a function that answers by itself, of any
        method."""
        last = self._program.evaluate(handlers[-1], scope)
        if not isinstance(last, FunctionValue) or len(last.function.params) != 2:
            return
        for text, reason in prefixes:
            for node in parents:
                self.routes.append(Route(node, "*", text, reason, tuple(handlers), scope, span))

    def _is_handler(self, expr: Expr, scope: Scope) -> bool:
        """Whether the first argument of `use` is already something to mount."""
        value = self._program.evaluate(expr, scope)
        return isinstance(value, FunctionValue) or any(True for _ in self.nodes(value))

    def _children(self, expr: Expr, scope: Scope) -> list[Node] | None:
        """Routers that an argument of `use` gives; None where it is a mere function."""
        value = self._program.evaluate(expr, scope)
        found = list(self.nodes(value))
        if found:
            return found
        if isinstance(value, Items):
            inner = [node for item in value.values for node in self.nodes(item)]
            return inner or None
        if isinstance(value, Unresolved):
            self.graph.loose_ends = f"a router is mounted in a way that is not seen: {value.reason}"
        return None


def _values(call: Call) -> list[Expr]:
    """The arguments of a call, written lists among them opened."""
    found: list[Expr] = []
    for position, argument in enumerate(call.args):
        value = argument.value
        if isinstance(value, ArrayLiteral) and position > 0:
            found.extend(i.value if isinstance(i, Spread) else i for i in value.items)
        else:
            found.append(value)
    return found


# ---------------------------------------------------------------------- operations


def _operations(
    program: Program, collector: _Collector, route: Route, shared: frozenset[tuple[str, str]]
) -> Iterator[Operation]:
    handler, handled = _handled(program, route)
    handled = collector.middleware.seen(route.node, handled)
    if route.handlers and _key(route.handlers[-1], route.scope) in shared:
        handled = replace(
            handled,
            statuses_complete=False,
            responses=tuple(replace(r, explicit=False) for r in handled.responses),
            request=tuple(replace(b, schema=_DEPENDS, required=None) for b in handled.request),
        )
    origin = Origin(route.scope.file.path, route.span, "", symbol_name(route.scope))
    for place in collector.graph.places(route.node):
        for template in templates(join(place.prefix, route.path)):
            yield operation(
                route.method or "*",
                template,
                handled,
                origin,
                framework="Express",
                handler=handler,
                unresolved=route.unresolved or place.unresolved,
            )


def _handled(program: Program, route: Route) -> tuple[str, Handled]:
    """What the last function of a route does, and what those before it check."""
    functions: list[FunctionValue | None] = []
    requests = RequestReader(program)
    for expr in route.handlers:
        value = program.evaluate(expr, route.scope)
        functions.append(handler_function(program, expr, value, route.scope))
        _validated(program, expr, route.scope, requests)
    express_validator.note(program, route.method, route.handlers, route.scope, requests)
    for function in functions[:-1]:
        if function is not None:
            requests.handler(function, function_scope(program, function), 0)
    last = functions[-1] if functions else None
    if last is None:
        return "", Handled((), False, requests.bodies(), requests.parameters())
    handled = read_handler(program, last)
    handled = behind(program, [f for f in functions[:-1] if f is not None], handled)
    bodies = requests.bodies()
    if bodies and not (handled.request and not isinstance(handled.request[0].schema, Unknown)):
        handled = replace(handled, request=bodies)
    names = {parameter.name for parameter in handled.parameters}
    more = tuple(p for p in requests.parameters() if p.name not in names)
    name = (
        handler_name(last)
        if last.function.name
        else dotted(route.handlers[-1]) or handler_name(last)
    )
    return name, replace(handled, parameters=(*handled.parameters, *more))


def function_scope(program: Program, function: FunctionValue) -> Scope:
    """Inside a handler."""
    scope = program.function_scope(function.function, function.scope)
    return replace(scope, receiver=function.receiver or scope.receiver)


def handler_function(
    program: Program, expr: Expr, value: Value, scope: Scope
) -> FunctionValue | None:
    """The function that answers: the value itself, what a wrapper is given (`asyncHandler(f)`), or
    what a factory returns."""
    if isinstance(value, FunctionValue) and not isinstance(expr, Call):
        return value
    if isinstance(value, Made) and isinstance(value.site, Call) and not isinstance(expr, Call):
        # `const list = asyncHandler(async (req, res) => …)`, named where the route is.
        expr, scope = value.site, value.scope
    if not isinstance(expr, Call):
        return None
    if isinstance(expr.callee, Attribute) and expr.callee.name == "bind":
        return program.function_value(expr.callee.value, scope)
    for argument in reversed(expr.args):
        inner = program.evaluate(argument.value, scope)
        found = handler_function(program, argument.value, inner, scope)
        if found is not None and len(found.function.params) in (1, 2, 3):
            return found
    return value if isinstance(value, FunctionValue) else None


def _validated(program: Program, expr: Expr, scope: Scope, requests: RequestReader) -> None:
    """`validate(schema)`, `celebrate({ body: schema })`: a schema given to a middleware that is no
    function of the project's own, or whose use of it is not seen."""
    if not isinstance(expr, Call):
        return
    for argument in expr.args:
        value = program.evaluate(argument.value, scope)
        for part, shape in schemas.parts(program, argument.value, scope):
            if part == "body":
                requests.check_body(shape, scope, argument.value)
            else:
                requests.fields(shape, "query" if part == "query" else "path")
        if not isinstance(value, Made) or not schemas.checks(value):
            continue
        schema = program.types.flat(program.schema_of(value, zod.INPUT))
        if schemas.is_envelope(program, schema):
            requests.envelope(schema, scope, argument.value)


_COMMON_VERBS = (b"get", b"post")
"""Verbs that tell a file of routes from others: hardly one has neither."""

FRAMEWORK = Framework(
    name="Express",
    markers=(
        *(b"'express", b'"express', b"express(", b"express."),
        b"outer.",
        b"app.use(",
        b"app.route(",
        *(b"app.%s(" % verb for verb in _COMMON_VERBS),
        *(b".%s('/" % verb for verb in _COMMON_VERBS),
        *(b'.%s("/' % verb for verb in _COMMON_VERBS),
    ),
    calls=(
        *(b".%s(" % verb.encode() for verb in (*VERBS, "use", "all", "route")),
        b"Router(",
        b"express(",
        b"(app",
        b"outer)",
    ),
    operations=operations,
)
