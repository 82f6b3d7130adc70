"""The JDK's own server: contexts of `com.sun.net.httpserver.HttpServer` and their handlers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr
from contract_scan.parsers.source.java.web.branch_results import statuses_of
from contract_scan.parsers.source.java.web.chains import library_type, method
from contract_scan.parsers.source.java.web.dispatch.conditions import Subjects
from contract_scan.parsers.source.java.web.dispatch.routes import routes_by_path
from contract_scan.parsers.source.java.web.endpoints import Library, handler_name, handler_of
from contract_scan.parsers.source.java.web.groups import Group, Route, nested_group
from contract_scan.parsers.source.java.web.header_names import content_type_given
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.reading import by_kind
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.java.web.states import Effect
from contract_scan.parsers.source.java.web.walker import CallWalker, Visit
from contract_scan.parsers.source.language import Framework

_CONTEXT = "createContext"
_SERVERS = frozenset({"HttpServer", "HttpsServer", "HttpContext"})
_BODY = ("getResponseBody",)
_SUBJECTS = Subjects(frozenset({"getRequestMethod"}), frozenset({"getRequestURI"}))
_READS = by_kind(
    header="getRequestHeaders().getFirst getRequestHeaders().get getRequestHeaders().containsKey",
    raw="getRequestBody",
    anything="getRequestURI",
    nothing=(
        "getRequestHeaders getRequestURI().getPath getRequestMethod getResponseHeaders "
        "getResponseBody sendResponseHeaders close getRemoteAddress getLocalAddress getProtocol "
        "getHttpContext getAttribute setAttribute getPrincipal getResponseCode setStreams"
    ),
)


def _effect(program: Program, name: str, call: Call, scope: Scope) -> Effect | None:
    """What a call on the exchange does to the response."""
    given = [argument.value for argument in call.args]
    match name.split("()."):
        case ["sendResponseHeaders"] if given:
            statuses = statuses_of(program, program.evaluate(given[0], scope))
            length = program.evaluate(given[1], scope) if len(given) > 1 else None
            is_empty = isinstance(length, Constant) and length.value == -1
            return Effect(statuses=statuses, body=Constant(None) if is_empty else None)
        case ["getResponseBody", "write"] if given:
            return Effect(body=_text(program, given[0], scope), piece=True)
        case ["getResponseHeaders", "set" | "add" | "put"] if kind := content_type_given(
            program, given, scope
        ):
            return Effect(content_type=kind)
        case _:
            return None


def _text(program: Program, expr: Expr, scope: Scope) -> Value:
    """The text that bytes are made of."""
    if isinstance(expr, Call) and isinstance(expr.callee, Attribute) and method(expr) == "getBytes":
        return program.evaluate(expr.callee.value, scope)
    value = program.evaluate(expr, scope)
    if isinstance(value, LibraryResult) and value.name.rpartition(".")[2] == "getBytes":
        return value.receiver or value
    return value


def _effect_of_argument(
    program: Program, call: Call, given: Mapping[int, tuple[str, ...]], scope: Scope
) -> Effect | None:
    """The effect of a call that gets the stream of the response as an argument."""
    if _BODY not in given.values():
        return None
    name, args = method(call), [argument.value for argument in call.args]
    if name in ("writeValue", "toJson", "serialize") and len(args) > 1:
        value = args[1] if given.get(0) == _BODY else args[0]
        return Effect(body=program.evaluate(value, scope), content_type=JSON)
    return Effect(unknown=Reason("given-stream", name=name))


LIBRARY = Library(
    reads=_READS,
    effect_of=_effect,
    handed_of=_effect_of_argument,
    must_send=True,
    method_calls=("getRequestMethod",),
)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every context."""
    contexts = _Contexts(program)
    walker: CallWalker[Group, Route] = CallWalker(program, contexts.visit, Group(), _plausible)
    seen: set[object] = set()
    for route in walker.all(framework):
        origin = program.origin(route.site, route.scope)
        if (route.path, origin) in seen:
            continue
        seen.add((route.path, origin))
        handler = route.handler
        if handler is not None and not isinstance(handler, FunctionValue):
            handler = handler_of(program, handler, route.scope, LIBRARY.method)
        base = Operation(
            method="*",
            path=route.path,
            parameters_complete=False,
            origin=origin,
            handler=handler_name(handler, origin.symbol),
            framework=framework.name,
            unresolved=route.reason,
            excluded_from_docs=route.site in contexts.at_free_ports,
        )
        yield from routes_by_path(program, base, handler, LIBRARY, _SUBJECTS)


def _plausible(call: Call) -> bool:
    return method(call) == _CONTEXT and bool(call.args)


class _Contexts:
    """What calls of the server do."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.at_free_ports: set[Expr] = set()
        """Paths of contexts whose server listens at whatever port is free: only what the program
        tells the port can reach them, such as a test or a container that it starts itself."""

    def visit(self, call: Call, scope: Scope, group: Group) -> Visit[Group, Route] | None:
        """The context that a call makes."""
        if not _plausible(call) or not isinstance(call.callee, Attribute):
            return None
        if not self._is_server(call.callee.value, scope):
            return None
        given = [argument.value for argument in call.args]
        handler = given[1] if len(given) > 1 else self._set_later(call, scope)
        whole = nested_group(self.program, group, given[0], scope)
        path = join_paths(whole.path)
        if self._is_at_free_port(call.callee.value, scope):
            self.at_free_ports.add(given[0])
        return Visit(results=(Route("*", path, handler, scope, given[0], whole.reason),))

    def _is_server(self, expr: Expr, scope: Scope) -> bool:
        value = self.program.evaluate(expr, scope)
        if isinstance(value, LibrarySymbol):
            return False
        return library_type(self.program, value) in _SERVERS

    def _is_at_free_port(self, expr: Expr, scope: Scope) -> bool:
        """Whether a server is made with `HttpServer.create(new InetSocketAddress(0), …)`."""
        server = self.program.evaluate(expr, scope)
        if not isinstance(server, LibraryResult) or not server.site.args:
            return False
        address = self.program.evaluate(server.site.args[0].value, server.scope)
        if not isinstance(address, LibraryResult) or not address.site.args:
            return False
        port = self.program.evaluate(address.site.args[-1].value, address.scope)
        return isinstance(port, Constant) and port.value == 0 and port.value is not False

    def _set_later(self, call: Call, scope: Scope) -> Expr | None:
        """The handler of `server.createContext("/x").setHandler(handler)`, also through a
        variable."""
        for other, place in calls_in(self.program, scope.statements or (), scope):
            if not isinstance(other, Call) or method(other) != "setHandler" or not other.args:
                continue
            if isinstance(other.callee, Attribute):
                value = self.program.evaluate(other.callee.value, place)
                if isinstance(value, LibraryResult) and value.site is call:
                    return other.args[0].value
        return None


FRAMEWORK = Framework(
    name="JDK HttpServer",
    markers=(b"com.sun.net.httpserver",),
    operations=operations,
)
