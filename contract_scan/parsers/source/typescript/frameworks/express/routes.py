"""Apps and routers of Express: what calls register and mount, for every library on top of it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    Spread,
)
from contract_scan.parsers.source.typescript.web.collector import (
    Collector,
    Route,
    mount_prefixes,
    paths,
)
from contract_scan.parsers.source.typescript.web.handlers import sends
from contract_scan.parsers.source.typescript.web.middleware import Middleware, hands_on
from contract_scan.parsers.source.typescript.web.openapi_controllers import (
    MARKERS as CONTROLLER_LIBRARIES,
)
from contract_scan.parsers.source.typescript.web.openapi_controllers import (
    RoutedDocument,
    document_of_call,
    document_of_middleware,
    is_metadata,
)
from contract_scan.parsers.source.typescript.web.paths import join
from contract_scan.parsers.source.typescript.web.preceding_uses import (
    PrecedingUses,
    RequestLibrary,
)
from contract_scan.parsers.source.typescript.web.response_calls import ResponseFunction
from contract_scan.parsers.source.typescript.web.router_arguments import router_value
from contract_scan.parsers.source.typescript.web.routers import (
    ALTERNATIVE,
    Node,
    RouterKind,
    method_of,
    mount_below,
)
from contract_scan.parsers.source.typescript.web.url_rewrites import url_prefixes
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
)

VERBS = ("get", "post", "put", "patch", "delete", "head", "options")
_COMMON_VERBS = (b"get", b"post")
"""Verbs that tell a file of routes from others: hardly one has neither."""
MARKERS = (
    *(b"'express", b'"express', b"express(", b"express."),
    b"outer.",
    b"app.use(",
    b"app.route(",
    *(b"app.%s(" % verb for verb in _COMMON_VERBS),
    *CONTROLLER_LIBRARIES,
    *(b".%s('/" % verb for verb in _COMMON_VERBS),
    *(b'.%s("/' % verb for verb in _COMMON_VERBS),
)
CALLS = (
    *(b".%s(" % verb.encode() for verb in (*VERBS, "use", "all", "route")),
    b"Router(",
    b"express(",
    b"(app",
    b"outer)",
)
_METHODS = {**{verb: verb.upper() for verb in VERBS}, "all": "*", "del": "DELETE"}
_MAKERS = frozenset(
    {"express", "express.default", "express.Router", "express.express", "express-promise-router"}
    | {"express/lib/router", "express/lib/router.default"}
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
_OWN = Node("<own router>", NO_SPAN)
"""Stands for all routers of a project's own."""
_OF_CALLER = frozenset({"parameter-untyped", "parameter-part-untyped"})
"""Why a router is not known in a function that is read by its calls as well."""
_NEEDED = ("get", "post")
_FURTHER = ("put", "delete", "del", "patch", "use", "all", "route")


class Dialect(Struct, frozen=True, kw_only=True):
    """A library whose routes are written as Express's are."""

    name: str
    kind: RouterKind
    senders: tuple[ResponseFunction, ...] = ()
    """Functions of the library that are given the response."""
    requests: RequestLibrary
    is_extended: bool = False
    """Whether projects write routers of their own on top of it, which are named where they are
    met."""


_NODE = frozenset(
    {"headers", "rawHeaders", "method", "httpVersion", "socket", "connection", "aborted"}
    | {"complete", "destroyed", "destroy", "setTimeout", "trailers"}
)
"""Members of requests of Node.js that have nothing to do with query or body."""
_STREAM = frozenset(
    {"on", "once", "addListener", "pipe", "read", "resume", "setEncoding", "unpipe", "rawBody"}
)
"""What reads a body as it comes."""
REQUEST = RequestMembers(
    queries=frozenset({"query"}),
    bodies=frozenset({"body", "file", "files"}) | _STREAM,
    addresses=frozenset({"url", "originalUrl", "_parsedUrl", "parsedUrl", "search"}),
    others=_NODE
    | {"params", "path", "baseUrl", "hostname", "host", "ip", "ips", "protocol", "secure"}
    | {"subdomains", "xhr", "fresh", "stale", "cookies", "signedCookies", "get", "header", "is"}
    | {"accepts", "acceptsCharsets", "acceptsEncodings", "acceptsLanguages", "range", "route"}
    | {"session", "sessionID", "isAuthenticated", "isUnauthenticated", "login", "logIn"}
    | {"logout", "logOut", "user", "csrfToken", "flash", "log", "id"},
)
"""https://expressjs.com/en/4x/api.html#req, with what the middleware of libraries adds."""
MIDDLEWARE = frozenset(
    {"express.json", "express.urlencoded", "express.raw", "express.text", "express.static"}
    | {"express.default.json", "express.default.urlencoded", "express.default.static"}
    | {"express.default.raw", "express.default.text", "body-parser", "cors", "helmet"}
    | {"compression", "morgan", "cookie-parser", "cookie-session", "express-session", "csurf"}
    | {"express-rate-limit", "rate-limiter-flexible", "express-slow-down", "passport", "pino-http"}
    | {"express-winston", "express-pino-logger", "serve-static", "serve-favicon", "response-time"}
    | {"express-request-id", "connect-timeout", "connect-flash", "express-jwt"}
    | {"express-openapi-validator", "express-oauth2-jwt-bearer", "express-prom-bundle", "sirv"}
    | {"swagger-ui-express", "express-status-monitor"}
)


EXPRESS = Dialect(
    name="Express",
    requests=RequestLibrary(members=REQUEST, middleware=MIDDLEWARE),
    is_extended=True,
    kind=RouterKind(
        makers=_MAKERS,
        apps=_APPS,
        types=_TYPES,
        chainable=_CHAINABLE,
        parameters=frozenset({"app", "router"}),
    ),
)


_ERRORS = frozenset({"err", "error"})
"""Names of parameters that are errors."""


class ExpressCollector(Collector):
    """Reads calls into routes and mounts."""

    registering = frozenset({*_METHODS, "use", "route"})

    def __init__(
        self,
        program: Program,
        dialect: Dialect = EXPRESS,
        reads_first: Callable[[Call, Scope], bool] | None = None,
    ) -> None:
        """`reads_first`: reads what a call means to a library on top; whether it did."""
        super().__init__(program, dialect.kind)
        self._reads_first = reads_first
        self.dialect = dialect
        self.middleware = Middleware(program, self.graph)
        self.preceding = PrecedingUses(program, self.graph, dialect.requests)

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call registers or mounts."""
        if self._reads_first is not None and self._reads_first(call, scope):
            return
        if routed := document_of_call(self._program, call, scope):
            self._route_document(call, *routed, scope)
            return
        method = method_of(self._program, call.callee, scope)
        if method is None:
            self.passed_on(call, scope)
            return
        receiver, name = method
        if name == "use":
            self._use(call, receiver, scope)
        elif name in _METHODS or not name:
            self._route(call, receiver, name, scope)
        elif name == "add" and "add" in self._kind.registers and len(call.args) > 2:
            self._added_route(call, receiver, scope)
        else:
            self.passed_on(call, scope)

    # ------------------------------------------------------------------ routes

    def _route(self, call: Call, receiver: Expr, name: str, scope: Scope) -> None:
        if not call.args:
            return
        value = router_value(self._program, receiver, scope, self._kind)
        method = _METHODS.get(name, "")
        of_route = self._route_object(value) or self._chained_route(receiver, scope)
        if of_route is not None:
            nodes, path, path_scope = of_route
            nodes = self.routers_by_holder(receiver, scope, nodes)
            self._add(nodes, method, path, path_scope, tuple(_values(call)), scope, call.span)
            return
        nodes = self.routers_by_holder(receiver, scope, tuple(self.nodes(value)))
        if not nodes:
            self.passed_on(call, scope)
        if len(call.args) < 2:
            return
        first, *rest = _values(call)
        if name == "all" and nodes and self._mounted_whole(tuple(rest), nodes, scope):
            return
        reason = self._why_not_seen(value, rest[-1], scope) if not nodes else NO_REASON
        if reason:
            ways = [(path, why or reason) for path, why in paths(self._program, first, scope)]
            self.add((_OWN,), method or "*", ways, tuple(rest), scope, first.span)
        self._add(nodes, method, first, scope, tuple(rest), scope, first.span)

    def _why_not_seen(self, router: Value, handler: Expr, scope: Scope) -> Reason:
        """Why a route stands at no router that is seen, though it is one: it is registered with a
        router of the project's own, or with what is not known, by a function that answers."""
        function = self._program.function_value(handler, scope)
        if function is None or not self.dialect.is_extended:
            return NO_REASON
        if own := _own_router(self._program, router):
            return Reason("custom-route-registration", own=own)
        if not isinstance(router, Unresolved) or router.reason.cause.code in _OF_CALLER:
            return NO_REASON
        is_route = sends(self._program, function)
        return Reason("router-mount-not-visible", reason=router.reason) if is_route else NO_REASON

    def _mounted_whole(
        self, handlers: tuple[Expr, ...], nodes: tuple[Node, ...], scope: Scope
    ) -> bool:
        """Note routers among the handlers of `app.all("/orders*", router)`; whether there are any.
        Nothing is taken off the path before such a router sees it, unlike with `use`."""
        found = [
            node
            for handler in handlers
            for node in self.nodes(self._program.evaluate(handler, scope))
        ]
        for node in found:
            for parent in nodes:
                self.graph.mount(node, mount_below(parent, ""))
        return bool(found)

    def _added_route(self, call: Call, receiver: Expr, scope: Scope) -> None:
        """`app.add("GET", "/x", …)`."""
        nodes = tuple(self.nodes(router_value(self._program, receiver, scope, self._kind)))
        verb, path, *handlers = _values(call)
        method = (self._program.text(verb, scope) or "").upper()
        self._add(nodes, method, path, scope, tuple(handlers), scope, path.span)

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
            ways = [(text, reason or Reason("method-computed")) for text, reason in ways]
        self.add(nodes, method, ways, handlers, scope, span)

    def _route_object(self, value: Value) -> tuple[tuple[Node, ...], Expr, Scope] | None:
        """The router and path of `router.route("/x")`, and of what its methods give."""
        while isinstance(value, LibraryResult):
            last = value.name.rsplit(".", 1)[-1]
            if last == "route" and isinstance(value.site, Call) and value.site.args:
                nodes = tuple(self.nodes(value.receiver)) if value.receiver is not None else ()
                return (nodes, value.site.args[0].value, value.scope) if nodes else None
            if last not in _METHODS or value.receiver is None:
                return None
            value = value.receiver
        return None

    def _chained_route(
        self, expr: Expr, scope: Scope
    ) -> tuple[tuple[Node, ...], Expr, Scope] | None:
        """The router and path of `app.route("/x").get(…)` as it is written, where no type says what
        `app` is."""
        while isinstance(expr, Call) and isinstance(expr.callee, Attribute):
            name, receiver = expr.callee.name, expr.callee.value
            if name == "route" and expr.args:
                value = router_value(self._program, receiver, scope, self._kind)
                nodes = tuple(self.nodes(value))
                return (nodes, expr.args[0].value, scope) if nodes else None
            if name not in _METHODS:
                return None
            expr = receiver
        return None

    # ------------------------------------------------------------------ mounts

    def _use(self, call: Call, receiver: Expr, scope: Scope) -> None:
        value = router_value(self._program, receiver, scope, self._kind)
        parents = self.routers_by_holder(receiver, scope, tuple(self.nodes(value)))
        if not parents or not call.args:
            if not parents:
                self.preceding.note_unseen(value)
            self.passed_on(call, scope)
            return
        first, *rest = _values(call)
        prefixes: list[tuple[str, Reason]] = [("", NO_REASON)]
        spellings: tuple[str, ...] = ()
        children = [first, *rest]
        if rest and not self._is_handler(first, scope):
            spellings = mount_prefixes(first)
            prefixes = [(s, NO_REASON) for s in spellings] or paths(self._program, first, scope)
            children = rest
        handlers: list[Expr] = []
        for child in children:
            value = self._program.evaluate(child, scope)
            routed = document_of_middleware(self._program, child, value, scope)
            if routed is not None:
                self._add_document(routed, parents, prefixes)
            if routed is not None or is_metadata(self._program, child, scope):
                continue
            found = self._children(child, scope)
            if found is None:
                handlers.append(child)
                self.preceding.note(value, child, scope, parents)
                function = handler_function(self._program, child, value, scope)
                if function is not None:
                    self.middleware.note(function, parents)
                    if prefixes == [("", "")]:
                        self._note_rewrite(function, parents)
                        self.middleware.note_setting(function, parents, scope.file.path, child.span)
                continue
            for node in found:
                for prefix, reason in prefixes:
                    for parent in parents:
                        several = len(spellings) > 1
                        self.graph.mount(node, mount_below(parent, prefix, reason, several=several))
        if handlers and children is rest:
            self._function_mounts(parents, prefixes, handlers, scope, first.span)
        for handler in handlers[-1:] if children is rest else handlers:
            value = self._program.evaluate(handler, scope)
            at = Origin(scope.file.path, call.span)
            self.note_library_function(value, parents, prefixes, at)

    def _route_document(
        self, call: Call, document: RoutedDocument, application: Expr | None, scope: Scope
    ) -> None:
        """A document that a call routes, for an application or one that the library makes."""
        if application is None:
            nodes: tuple[Node, ...] = (Node(scope.file.path, call.span),)
            self.graph.add(nodes[0], "application")
        else:
            nodes = self.routers(application, scope)
        self._add_document(document, nodes, [("", NO_REASON)])

    def _add_document(
        self,
        document: RoutedDocument,
        routers: tuple[Node, ...],
        prefixes: list[tuple[str, Reason]],
    ) -> None:
        for each in document.routes(self._program):
            for prefix, reason in prefixes:
                path, why = join(prefix, each.path), reason or each.unresolved
                self.routes.extend(
                    Route(
                        router,
                        each.method,
                        path,
                        why,
                        each.handlers,
                        each.scope,
                        each.span,
                        each.described,
                    )
                    for router in routers
                )

    def _note_rewrite(self, function: FunctionValue, routers: tuple[Node, ...]) -> None:
        prefixes = url_prefixes(self._program, function)
        for router in routers if prefixes else ():
            self.graph.rewrite_urls(router, prefixes, ALTERNATIVE if len(prefixes) > 1 else None)

    def _function_mounts(
        self,
        parents: tuple[Node, ...],
        prefixes: list[tuple[str, Reason]],
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

    def _handed_routers(self, made: LibraryResult) -> list[Node]:
        """The routers that a function of a library is given, to hand requests on to. Of those that
        it chooses from by a key the others stay undetermined: `versioned()({ "1.0.0": old },
        current)`."""
        given = [self._program.evaluate(a.value, made.scope) for a in made.site.args]
        return [n for v in given if isinstance(v, LibraryResult) for n in self.nodes(v)]

    def _children(self, expr: Expr, scope: Scope) -> list[Node] | None:
        """Routers that an argument of `use` gives; None where it is a mere function."""
        value = self._program.evaluate(expr, scope)
        found = list(self.held_by_any(expr, scope) or self.nodes(value))
        if found:
            return found
        if isinstance(value, Items):
            inner = [node for item in value.values for node in self.nodes(item)]
            return inner or None
        if isinstance(value, LibraryResult):
            return self._handed_routers(value) or None
        if isinstance(value, Unresolved):
            self.graph.loose_ends = Reason("router-mount-not-visible", reason=value.reason)
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


def handler_function(
    program: Program, expr: Expr, value: Value, scope: Scope
) -> FunctionValue | None:
    """The function that answers: the value itself, what a wrapper is given (`asyncHandler(f)`), or
    what a factory or a wrapper returns that sends what it is given gives it."""
    if isinstance(value, FunctionValue) and not isinstance(expr, Call):
        return value
    if (
        isinstance(value, LibraryResult)
        and isinstance(value.site, Call)
        and not isinstance(expr, Call)
    ):
        # `const list = asyncHandler(async (req, res) => …)`, named where the route is.
        expr, scope = value.site, value.scope
    if not isinstance(expr, Call):
        return None
    if isinstance(expr.callee, Attribute) and expr.callee.name == "bind":
        return program.function_value(expr.callee.value, scope)
    for argument in reversed(expr.args):
        inner = program.evaluate(argument.value, scope)
        found = handler_function(program, argument.value, inner, scope)
        if found is None or _takes_error(found):
            continue
        if len(found.function.params) in (1, 2, 3):
            wraps = isinstance(value, FunctionValue) and len(value.function.params) > 1
            if not wraps or hands_on(program, found, 2) or sends(program, found):
                return found
    return value if isinstance(value, FunctionValue) else None


def _takes_error(function: FunctionValue) -> bool:
    """Whether a wrapper calls a function with what another one throws: `(err, res) => …`."""
    params = function.function.params
    return bool(params) and params[0].name in _ERRORS


def _own_router(program: Program, value: Value) -> str:
    """The name of the class where a value is a router of the project's own; empty otherwise."""
    if not isinstance(value, Instance):
        return ""
    methods = {
        method.name
        for symbol in (value.symbol, *program.bases(value.symbol))
        for method in symbol.decl.methods
    }
    known = methods.issuperset(_NEEDED) and not methods.isdisjoint(_FURTHER)
    return value.symbol.decl.name if known else ""
