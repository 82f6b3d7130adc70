"""Restify: `server.get("/x", …)`, `res.send(201, x)`, routers of `restify-router`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Record,
    Scope,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.collector import Collector, Route, paths
from contract_scan.parsers.source.typescript.web.endpoints import (
    handler_name,
    handler_of,
    operation,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary, read_handler
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_SEGMENT, join, templates
from contract_scan.parsers.source.typescript.web.requests import RequestReader
from contract_scan.parsers.source.typescript.web.routers import (
    Node,
    RouterKind,
    method_of,
    mount_below,
)
from contract_scan.parsers.source.web.route_graph import application_of

NAME = "Restify"
VERBS = ("get", "post", "put", "patch", "head")
_METHODS = {
    **{verb: verb.upper() for verb in VERBS},
    "del": "DELETE",
    "delete": "DELETE",
    "opts": "OPTIONS",
}
_SERVERS = frozenset({"restify.createServer", "restify.default.createServer"})
_ROUTERS = frozenset({"restify-router.Router", "restify-router.default.Router"})
_KIND = RouterKind(
    makers=_SERVERS | _ROUTERS,
    apps=_SERVERS,
    types=frozenset({"restify.Server", "restify-router.Router"}),
    chainable=frozenset({"pre", "use"}),
    parameters=frozenset({"server"}),
    registers=frozenset({*_METHODS, "add", "applyRoutes"}),
)


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

    def call(self, call: Call, scope: Scope) -> None:
        """Note what one call registers or mounts."""
        method = method_of(self._program, call.callee, scope)
        receiver, name = method if method is not None else (call.callee, "")
        if method is not None and not name and self.add_computed_route(call, receiver, scope):
            return
        if name not in _KIND.registers or not call.args:
            self.passed_on(call, scope)
            return
        found = self.routers(receiver, scope)
        if not found:
            self.passed_on(call, scope)
        elif name in _METHODS:
            self._verb(_METHODS[name], call, found, scope)
        elif name == "applyRoutes":
            second = call.args[1].value if len(call.args) > 1 else None
            self._mount(found, call.args[0].value, second, scope)
        elif len(call.args) > 1:
            for prefix, reason in paths(self._program, call.args[0].value, scope):
                for child in self.routers(call.args[1].value, scope):
                    for parent in found:
                        self.graph.mount(child, mount_below(parent, prefix, reason))

    def _mount(
        self, found: tuple[Node, ...], server: Expr, prefix: Expr | None, scope: Scope
    ) -> None:
        """`router.applyRoutes(server, "/prefix")`."""
        prefixes = [("", NO_REASON)]
        if prefix is not None:
            prefixes = paths(self._program, prefix, scope)
        for parent in self.routers(server, scope):
            for text, reason in prefixes:
                for child in found:
                    self.graph.mount(child, mount_below(parent, text, reason))

    def _verb(self, method: str, call: Call, found: tuple[Node, ...], scope: Scope) -> None:
        """`server.get("/x", …)`, `server.get({ path: "/x", version: "1.0.0" }, …)`."""
        values = [argument.value for argument in call.args]
        if len(values) < 2:
            return
        first = values[0]
        value = self._program.evaluate(first, scope)
        if isinstance(value, Record):
            entry = walker.entries(value).get("path") or walker.entries(value).get("url")
            text = self._program.evaluator.text(entry.value) if entry is not None else None
            ways: list[tuple[str, Reason]] = (
                [(text, NO_REASON)]
                if text is not None
                else [(DYNAMIC_SEGMENT, Reason("path-not-constant"))]
            )
        else:
            ways = paths(self._program, first, scope)
        self.add(found, method, ways, tuple(values[1:]), scope, first.span)


def _operations(program: Program, collector: _Collector, route: Route) -> Iterator[Operation]:
    origin = origin_at(route.scope, route.span)
    handled, name = _route_signature(program, route, origin)
    for place in collector.graph.places(route.node):
        for template in templates(join(place.prefix, route.path)):
            yield operation(
                route.method,
                template,
                handled,
                origin,
                framework=NAME,
                handler=name,
                unresolved=route.unresolved or place.unresolved,
                application=application_of(place),
            )


def _route_signature(program: Program, route: Route, origin: Origin) -> tuple[HandlerSummary, str]:
    """The responses of the last function of a route, and the inputs of all its functions."""
    requests = RequestReader(program)
    values = [program.evaluate(expr, route.scope) for expr in route.handlers]
    for value in values[:-1]:
        if isinstance(value, FunctionValue):
            requests.handler(value, scope_of(program, value), 0)
    handler = handler_of(program, values[-1])
    if handler.function is None:
        return undetermined_summary(handler.reason, origin), ""
    handled = read_handler(program, handler.function, status_first=True)
    if not handled.request:
        handled = replace(handled, request=requests.bodies())
    if handler.wrapped:
        handled = handled.with_changed_answers(Answers.left_open)
    function = handler.function.function
    name = "" if function.name else dotted_name_of(route.handlers[-1])
    return handled, name or handler_name(handler.function)


_OWN = (b"'restify'", b'"restify"')
"""What a project that uses Restify holds somewhere."""

FRAMEWORK = Framework(
    name=NAME,
    markers=(
        *_OWN,
        b"restify-router",
        b"applyRoutes(",
        *(b"server.%s(" % verb.encode() for verb in (*_METHODS,)),
    ),
    calls=(
        *(b".%s(" % verb.encode() for verb in (*_METHODS, "applyRoutes")),
        b"createServer(",
    ),
    operations=operations,
)
