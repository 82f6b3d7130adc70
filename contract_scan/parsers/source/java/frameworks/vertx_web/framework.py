"""Vert.x Web: routers, what is mounted below them, and routers made of an OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation, RouteTraits
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    LibraryResult,
    OneOf,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Evaluate, Expr, Name
from contract_scan.parsers.source.java.frameworks.vertx_web.handlers import (
    LIBRARY,
    answers,
    responds,
)
from contract_scan.parsers.source.java.resolution.annotations import constant_name
from contract_scan.parsers.source.java.web.chains import (
    Chain,
    chain,
    function_called,
    library_type,
    method,
)
from contract_scan.parsers.source.java.web.endpoints import (
    handler_name,
    handler_of,
    with_handler,
)
from contract_scan.parsers.source.java.web.path_text import path_of_route
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.java.web.walker import CallWalker, Visit
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.web.mount_limits import TOO_DEEP, TOO_MANY, Steps, first_places

VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace"})
_HANDLERS = frozenset({"handler", "blockingHandler", "respond"})
_MOUNTS = frozenset({"subRouter", "mountSubRouter"})
_SETUP_CALLS = tuple(f".{name}(".encode() for name in sorted(_HANDLERS | _MOUNTS))
_BY_ID = frozenset({"operation", "getRoute", "addHandlerByOperationId"})
MAX_MOUNTS = 8
"""How deep routers may be mounted below each other."""

Identity: TypeAlias = object


class _Route(Struct, frozen=True, eq=False):
    """One route of a router, or (with `child`) a router mounted below it."""

    router: Identity
    verb: str
    path: str
    scope: Scope
    site: Expr
    handlers: tuple[tuple[str, Expr, Scope], ...] = ()
    reason: Reason = NO_REASON
    child: Identity = None
    operation_id: str = ""


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every router, below whatever it is mounted."""
    reading = _VertxCalls(program)
    walker: CallWalker[None, _Route] = CallWalker(
        program, reading.visit, None, _plausible, _SETUP_CALLS
    )
    found = list(walker.all(framework))
    mounts: dict[Identity, list[_Route]] = {}
    for route in found:
        if route.child is not None:
            mounts.setdefault(route.child, []).append(route)
    seen: set[tuple[str, str, str, object]] = set()
    for route in found:
        if route.child is not None:
            continue
        steps = Steps()
        places = _prefixes(route.router, mounts, 0, steps)
        for prefix, why in first_places(places, lambda: (DYNAMIC_PREFIX, TOO_MANY), steps):
            for operation in _operations(program, framework, route, prefix, why):
                key = (operation.method, operation.path, route.operation_id, route.site.span)
                if key not in seen:
                    seen.add(key)
                    yield operation


def _prefixes(
    router: Identity, mounts: dict[Identity, list[_Route]], depth: int, steps: Steps
) -> Iterator[tuple[str, Reason]]:
    """The paths below which a router is mounted, and why they are undetermined."""
    above = mounts.get(router, [])
    if not above:
        yield "", NO_REASON
        return
    if depth > MAX_MOUNTS:
        yield DYNAMIC_PREFIX, TOO_DEEP
        return
    for mount in above:
        if not steps.take():
            return
        for prefix, why in _prefixes(mount.router, mounts, depth + 1, steps):
            yield join_paths(prefix, mount.path.removesuffix("*")), why or mount.reason


def _plausible(call: Call) -> bool:
    return method(call) in _HANDLERS | _MOUNTS | _BY_ID


def template(path: str) -> str:
    """A path in the common form: `:id` and `*`."""
    path = re.sub(r":([A-Za-z][A-Za-z0-9_]*)", r"{\1}", path)
    return re.sub(r"\*$", "{path*}", path)


class _VertxCalls:
    """What calls of Vert.x Web do."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def visit(self, call: Call, scope: Scope, context: None) -> Visit[None, _Route] | None:
        """The route or the mount that a chain of calls makes."""
        del context
        links = chain(call)
        for position, link in enumerate(links.calls):
            name = method(link)
            if not isinstance(link.callee, Attribute):
                continue
            on = link.callee.value
            if name in VERBS or name in ("route", "routeWithRegex") or name.endswith("WithRegex"):
                if self._is_a(on, scope, "Router"):
                    rest = [(each, scope) for each in links.calls[position + 1 :]]
                    return self._route(link, rest, on, scope)
            elif name in ("mountSubRouter", "mount") and len(link.args) == 2:
                if self._is_a(on, scope, "Router"):
                    return self._visit_mount(link, on, scope)
            elif name in _BY_ID and link.args and self._is_builder(on, scope):
                return self._by_id(link, links.calls[position + 1 :], scope)
        return self._visit_stored_route(links, scope)

    def _is_a(self, expr: Expr, scope: Scope, *names: str) -> bool:
        value = self.program.evaluate(expr, scope)
        options = value.options if isinstance(value, OneOf) else (value,)
        return any(library_type(self.program, option) in names for option in options)

    def _is_builder(self, expr: Expr, scope: Scope) -> bool:
        names = ("RouterBuilder", "OpenAPI3RouterFactory", "RouterFactory")
        return any(self._is_a(expr, scope, name) for name in names) or not isinstance(
            self.program.evaluate(expr, scope), ByType | LibraryResult
        )

    def _visit_stored_route(self, links: Chain, scope: Scope) -> Visit[None, _Route] | None:
        """A route in a variable that gets its handlers in a statement of its own: `Route
        route = router.get("/x"); route.handler(…)`."""
        adds = {"subRouter", *_HANDLERS}.intersection(links.names)
        if not adds or not self._is_a(links.base, scope, "Route", "Router"):
            return None
        value = self.program.evaluate(links.base, scope)
        found: list[Visit[None, _Route]] = []
        for made in value.options if isinstance(value, OneOf) else (value,):
            visit = None
            if isinstance(made, LibraryResult) and isinstance(made.site, Call):
                visit = self._visit_route_start(made.site, made.scope, links, scope)
            if visit is None and self._is_a(links.base, scope, "Router"):
                continue
            found.append(visit or self._undetermined_visit(links, scope))
        deeper = tuple(expr for visit in found for expr in visit.deeper)
        return Visit(results=tuple(r for visit in found for r in visit.results), deeper=deeper)

    def _visit_route_start(
        self, made: Call, where: Scope, links: Chain, scope: Scope
    ) -> Visit[None, _Route] | None:
        before = chain(made)
        for position, link in enumerate(before.calls):
            if not isinstance(link.callee, Attribute):
                continue
            name = method(link)
            begins = name in VERBS or name.startswith("route") or name.endswith("WithRegex")
            if begins and self._is_a(link.callee.value, where, "Router"):
                rest = [(each, where) for each in before.calls[position + 1 :]]
                rest.extend((each, scope) for each in self._calls_on_variable(links, scope))
                return self._route(link, rest, link.callee.value, where)
        return None

    def _calls_on_variable(self, links: Chain, scope: Scope) -> list[Call]:
        """The calls on a variable in all statements of the function, in order."""
        if not isinstance(links.base, Name):
            return list(links.calls)
        found: list[Call] = []
        for statement in scope.statements or ():
            if isinstance(statement, Evaluate):
                other = chain(statement.value)
                if isinstance(other.base, Name) and other.base.id == links.base.id:
                    found.extend(other.calls)
        return found if links.calls[-1] in found else list(links.calls)

    def _undetermined_visit(self, links: Chain, scope: Scope) -> Visit[None, _Route]:
        """A route whose handlers alone are visible."""
        handlers = tuple(
            (method(link), link.args[0].value, scope)
            for link in links.calls
            if method(link) in _HANDLERS and link.args
        )
        why = Reason("route-created-elsewhere")
        at = links.calls[0]
        found = (_Route(None, "*", "/", scope, at, handlers, why),) if handlers else ()
        return Visit(results=found)

    def _route(
        self, first: Call, rest: list[tuple[Call, Scope]], on: Expr, scope: Scope
    ) -> Visit[None, _Route]:
        name = method(first)
        verbs = [name.removesuffix("WithRegex").upper()] if not name.startswith("route") else []
        given = [a.value for a in first.args]
        if not verbs and len(given) == 2:
            verbs = [constant_name(given.pop(0)).upper() or "*"]
        path, why = "/*", NO_REASON
        if given:
            path, why = path_of_route(self.program, given[0], scope)
        if name.endswith("WithRegex"):
            path, why = "/", Reason("path-is-regular-expression")
        handlers: list[tuple[str, Expr, Scope]] = []
        children: list[tuple[Expr, Scope]] = []
        for link, where in rest:
            args = [a.value for a in link.args]
            match method(link):
                case "method" if args:
                    verbs.append(constant_name(args[0]).upper() or "*")
                case "path" if args:
                    path, why = path_of_route(self.program, args[0], where)
                case "pathRegex":
                    path, why = "/", Reason("path-is-regular-expression")
                case "subRouter" if args:
                    children.append((args[0], where))
                case other if other in _HANDLERS and args:
                    handlers.append((other, args[0], where))
                case _:
                    pass
        router = self._identity(on, scope)
        at = first.args[0].value if first.args else first
        base = _Route(router, "*", path, scope, at, tuple(handlers), why)
        found = [replace(base, verb=verb) for verb in verbs or ["*"]] if handlers else []
        found.extend(self._child(base, child, where) for child, where in children)
        deeper = (on, *(e for _, e, _ in handlers), *(e for e, _ in children))
        return Visit(results=tuple(found), deeper=deeper if children else (on,))

    def _visit_mount(self, call: Call, on: Expr, scope: Scope) -> Visit[None, _Route]:
        path, why = path_of_route(self.program, call.args[0].value, scope)
        child = call.args[1].value
        base = _Route(self._identity(on, scope), "*", path, scope, call.args[0].value, (), why)
        return Visit(results=(self._child(base, child, scope),), deeper=(child,))

    def _child(self, base: _Route, child: Expr, scope: Scope) -> _Route:
        return replace(base, handlers=(), child=self._identity(child, scope))

    def _by_id(
        self, first: Call, rest: tuple[Call, ...], scope: Scope
    ) -> Visit[None, _Route] | None:
        """A handler for an operation of the contract that the router is made of."""
        name = self.program.text(first.args[0].value, scope)
        handlers = [("handler", a.value, scope) for a in first.args[1:2]]
        handlers.extend(
            ("handler", link.args[0].value, scope)
            for link in rest
            if method(link) in ("handler", "addHandler") and link.args
        )
        if not handlers:
            return None
        why = Reason("path-given-by-contract")
        if name is None:
            why = Reason("handled-operation-not-constant")
        at = first.args[0].value
        route = _Route(None, "*", "", scope, at, tuple(handlers), why, None, name or "")
        return Visit(results=(route,))

    # ------------------------------------------------------------------ which router

    def _identity(self, expr: Expr, scope: Scope, depth: int = 0) -> Identity:
        """Equal for one router seen from two places."""
        value = self.program.evaluate(expr, scope)
        if isinstance(value, OneOf):
            value = next(
                (o for o in value.options if isinstance(o, LibraryResult)), value.options[0]
            )
        if isinstance(value, LibraryResult):
            root = _root(value)
            return root.identity
        if depth > MAX_MOUNTS:
            return None
        if isinstance(expr, Call):
            function = function_called(self.program, expr, scope)
            for returned in self.program.function_exits(function) if function is not None else ():
                if returned.value is not None and not returned.thrown:
                    return self._identity(returned.value, returned.scope, depth + 1)
        name = constant_name(expr)
        owner = scope.owner
        if owner is not None and name:
            assigned = self._assigned_router(name, scope)
            return assigned if assigned is not None else ("field", owner.key, name)
        return ("elsewhere", scope.file.path, expr.span)

    def _assigned_router(self, name: str, scope: Scope) -> Identity:
        """The router that some method of a class assigns to its field."""
        if scope.owner is None or not any(m.name == name for m in scope.owner.decl.members):
            return None
        inside = self.program.class_scope(scope.owner)
        for function in scope.owner.decl.methods:
            within = self.program.function_scope(function, inside)
            for statement in within.statements or ():
                if (
                    isinstance(statement, Assign)
                    and isinstance(statement.target, Name | Attribute)
                    and constant_name(statement.target) == name
                    and statement.value is not None
                ):
                    value = self.program.evaluate(statement.value, within)
                    if isinstance(value, LibraryResult):
                        return _root(value).identity
        return None


def _root(made: LibraryResult) -> LibraryResult:
    """The call that made a router, below the calls on it that give it back."""
    for _ in range(100):
        if not isinstance(made.receiver, LibraryResult):
            break
        made = made.receiver
    return made


def _operations(
    program: Program, framework: Framework, route: _Route, prefix: str, why: Reason
) -> Iterator[Operation]:
    origin = program.origin(route.site, route.scope)
    handler, kind, is_passing = _handler(program, route)
    if is_passing:
        return
    base = Operation(
        method=route.verb,
        path=template(join_paths(prefix, route.path)) if not route.operation_id else "",
        parameters_complete=False,
        operation_id=route.operation_id,
        origin=Origin(origin.path, origin.span, "", origin.symbol),
        handler=handler_name(handler, origin.symbol),
        framework=framework.name,
    )
    if kind == "respond" and handler is not None:
        operation = responds(program, base, handler)
    else:
        operation = with_handler(program, base, handler, LIBRARY)
    yield replace(operation, unresolved=route.reason or why)


def _handler(program: Program, route: _Route) -> tuple[FunctionValue | None, str, bool]:
    """The handler that answers, how it does, and whether all only pass requests on."""
    found: list[tuple[FunctionValue | None, str]] = []
    for kind, expr, scope in route.handlers:
        handler = handler_of(program, expr, scope, LIBRARY.method)
        if handler is None or kind == "respond" or answers(program, handler):
            found.append((handler, kind))
    handlers = [(handler, kind) for handler, kind in found if handler is not None]
    if handlers:
        return *handlers[-1], False
    # What a library makes for every request (`BodyHandler.create()`) answers none itself.
    is_passing = route.verb == "*" and not route.operation_id
    return None, "", is_passing or not found


FRAMEWORK = Framework(
    name="Vert.x Web",
    markers=(b".ext.web",),
    operations=operations,
    # Its `MultiMap` of parameters and of form attributes compares names without case.
    traits=RouteTraits(names_case_insensitive=True),
)
