"""Helidon SE: routing builders of versions 1 to 4, and the services that are registered there.

Helidon MP is JAX-RS.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    Instance,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Argument, Assign, Attribute, Call, Expr, Name
from contract_scan.parsers.source.java.resolution.annotations import constant_name, items, type_name
from contract_scan.parsers.source.java.web.chains import library_type, method
from contract_scan.parsers.source.java.web.effects import Effects, ResponseCall, ResponseCalls
from contract_scan.parsers.source.java.web.endpoints import Library, handler_of
from contract_scan.parsers.source.java.web.groups import Group, Route, nested_group, operations_of
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.reading import by_kind
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.java.web.routes import template as common
from contract_scan.parsers.source.java.web.walker import CallEntry, CallWalker, Visit
from contract_scan.parsers.source.language import Framework

_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace", "any"})
_GROUPS = frozenset({"routing", "addRouting"})
_SERVICES = frozenset({"HttpRules", "Rules"})
"""What a service is given to add its routes to."""
_ROOTS = frozenset({"HttpRouting", "Routing", "Builder", "HttpRouting.Builder"})
_ROUTER = "<helidon>"
_SETUP = ("routing", "update")
"""Methods of services that add their routes."""
_UNSEEN = Reason("service-registration-not-found")
_READS = by_kind(
    path="path().pathParameters().get path().pathParameters().first path().param",
    query=(
        "query().get query().first query().all query().contains queryParams().first "
        "queryParams().all"
    ),
    header="headers().first headers().value headers().get",
    body="content().as content().asOptional",
    raw="content().inputStream content().asReader",
    nothing=(
        "path headers context prologue requestedUri path().pathParameters path().absolute "
        "path().path next remotePeer localPeer authority uri method tracer spanContext security "
        "id listenerContext"
    ),
)


_EFFECTS = ResponseCalls(
    {
        "status": ResponseCall(status_at=0),
        "send": ResponseCall(body_at=0, sends=True),
        "next": ResponseCall(passed_on=True),
        "contentType": ResponseCall(content_type_at=0),
        "outputStream": ResponseCall(unknown=Reason("handler-writes-response-itself")),
    },
    {"JSON_UTF_8": JSON, "JSON_PREDICATE": JSON},
)
_LIBRARY = Library(
    reads=_READS,
    effect_of=_EFFECTS,
    object_type=JSON,
    responses=(1,),
    must_send=True,
    method_calls=("prologue().method", "method"),
)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every routing."""
    reading = _HelidonCalls(program)
    start = Group(DYNAMIC_PREFIX, _UNSEEN)
    walker: CallWalker[Group, Route] = CallWalker(program, reading.visit, start, _plausible)
    yield from operations_of(
        program,
        framework.name,
        (route for route in walker.all(framework) if not _lets_go_on(program, route)),
        lambda route: (template(route.path), _wildcard_reason(route.path)),
        _library,
    )


def _wildcard_reason(path: str) -> Reason:
    """Why a path is undetermined: `/order*` takes more than whole segments."""
    parts = [part for part in path.split("/") if "*" in part and "{" not in part]
    return Reason("path-wildcard", path=path) if any(len(part) > 1 for part in parts) else NO_REASON


def _lets_go_on(program: Program, route: Route) -> bool:
    """Whether a handler answers nothing: it lets every request go on to the next one."""
    if not isinstance(route.handler, FunctionValue):
        return False
    library = _library(route)
    effects = Effects(program, library.effect_of, must_send=True)
    effects.states(route.handler, library.responses)
    return effects.passes_on


def _library(route: Route) -> Library:
    """What a handler does: the request and the response stand where their types say."""
    handler = route.handler
    if not isinstance(handler, FunctionValue):
        return _LIBRARY
    names = [type_name(param.type) for param in handler.function.params]
    if "ServerResponse" in names and names.index("ServerResponse") != 1:
        request = names.index("ServerRequest") if "ServerRequest" in names else len(names)
        return replace(_LIBRARY, responses=(names.index("ServerResponse"),), request=request)
    return _LIBRARY


def template(path: str) -> str:
    """A path in the common form: `{+rest}`, `{id:\\\\d+}`, `*`."""
    return common(path.replace("{+", "{*").replace("{*}", "{*path}").replace("/*", "/**"))


def _variants(path: str) -> list[str]:
    """A path with and without its optional end in brackets."""
    start, end = path.find("["), path.rfind("]")
    if not 0 <= start < end:
        return [path]
    return [path[:start] + path[end + 1 :], path[:start] + path[start + 1 : end] + path[end + 1 :]]


def _plausible(call: Call) -> bool:
    name = method(call)
    return bool(call.args) and name in _VERBS | _GROUPS | {"register", "route", "anyOf"}


class _HelidonCalls:
    """What calls of Helidon do."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def visit(self, call: Call, scope: Scope, group: Group) -> Visit[Group, Route] | None:
        """The routes and services that a call adds."""
        name = method(call)
        given = [argument.value for argument in call.args]
        if not _plausible(call) or not isinstance(call.callee, Attribute):
            return None
        around = self._group(call.callee.value, scope, group)
        deeper = (call.callee.value,)
        if name in _GROUPS and around is None:
            return self._visit_routing(given[0], scope, deeper)
        if around is None:
            return None
        if name == "register":
            return Visit(
                enters=tuple(self._registered_services(given, scope, around)), deeper=deeper
            )
        verbs, rest = self._verbs(name, given, scope)
        found = tuple(
            Route(verb, path, self._handler(rest, scope), scope, given[0], why)
            for verb in verbs
            for path, why in self._paths(rest, scope, around)
        )
        return Visit(results=found, deeper=deeper)

    def _group(self, expr: Expr, scope: Scope, group: Group) -> Group | None:
        """The path before the routes that a receiver takes; None: it takes none."""
        base = expr
        while isinstance(base, Call) and isinstance(base.callee, Attribute):
            inner = base.callee.value
            if isinstance(inner, Name) and method(base) == "builder":
                break
            base = inner
        value = self.program.evaluate(base, scope)
        if isinstance(value, LibrarySymbol):
            return Group() if value.name == _ROUTER else None
        kind = library_type(self.program, value)
        if kind in _SERVICES:
            return group
        return Group() if kind in _ROOTS and not self._is_other_builder(value) else None

    def _is_other_builder(self, value: Value) -> bool:
        """Whether a builder is one of something else than routes."""
        if not isinstance(value, ByType) or library_type(self.program, value) != "Builder":
            return False
        return "Routing" not in getattr(value.type, "name", "")

    def _visit_routing(
        self, expr: Expr, scope: Scope, deeper: tuple[Expr, ...]
    ) -> Visit[Group, Route] | None:
        """`WebServer.builder().routing(routing -> …)`."""
        value = self.program.evaluate(expr, scope)
        if not isinstance(value, FunctionValue):
            return None
        params = value.function.params
        bound: dict[str, Value] = {}
        if params and params[0].type is None:
            bound = {params[0].name: LibrarySymbol(_ROUTER)}
        return Visit(enters=(CallEntry(value, Group(), bound),), deeper=deeper)

    def _verbs(self, name: str, given: list[Expr], scope: Scope) -> tuple[list[str], list[Expr]]:
        """The methods of a route, and what is given beside them."""
        if name in _VERBS:
            return ["*" if name == "any" else name.upper()], given
        inner = given[0].args if isinstance(given[0], Call) and len(given) == 1 else ()
        if len(inner) > 2:  # `route(Http1Route.route(GET, "/orders", handler))`
            given = [argument.value for argument in inner]
        verbs = []
        first = given[0].args[0].value if isinstance(given[0], Call) and given[0].args else given[0]
        args = given[0].args if isinstance(given[0], Call) else ()
        for item in [a.value for a in args] or [*items(first)]:
            verb = self.program.text(item, scope) or constant_name(item)
            verbs.append(verb.upper() if verb else "*")
        return verbs or ["*"], given[1:]

    def _paths(
        self, given: list[Expr], scope: Scope, around: Group
    ) -> Iterator[tuple[str, Reason]]:
        """The paths of a route with why they are undetermined; every path where none is given."""
        first = given[0] if given else None
        if isinstance(first, Call) and method(first) in ("create", "exact", "pattern"):
            first = first.args[0].value if first.args else None
        if first is None or (len(given) == 1 and self.program.text(first, scope) is None):
            yield join_paths(around.path, "{*path}"), around.reason
            return
        whole = nested_group(self.program, around, first, scope)
        for path in _variants(whole.path):
            yield path or "/", whole.reason

    def _handler(self, given: list[Expr], scope: Scope) -> Expr | FunctionValue | None:
        """The last handler answers; those before it let the request go on."""
        if not given:
            return None
        expr = given[-1]
        if isinstance(expr, Call) and method(expr) == "create" and len(expr.args) > 1:
            read, expr = (
                expr.args[0],
                expr.args[1].value,
            )  # `Handler.create(Order.class, this::add)`
            handler = handler_of(self.program, expr, scope, "handle") or expr
            return self._given_body(handler, read)
        return handler_of(self.program, expr, scope, "handle") or expr

    def _given_body(self, handler: Expr | FunctionValue, read: Argument) -> Expr | FunctionValue:
        """A handler that is given the body, as one that reads it first."""
        params = handler.function.params if isinstance(handler, FunctionValue) else ()
        if not isinstance(handler, FunctionValue) or len(params) != 3:
            return handler
        request, entity, span = Name(params[0].name), params[2], params[2].span
        content = Call(Attribute(request, "content", span=span), span=span)
        body = Call(Attribute(content, "as", span=span), (read,), span=span)
        type = entity.type or getattr(read.value, "type", None)
        first = Assign(Name(entity.name, span=span), body, type=type, span=span)
        statements = (first, *self.program.body(handler.function, handler.scope.file))
        function = replace(handler.function, params=params[:2], body=statements)
        return replace(handler, function=function)

    def _registered_services(
        self, given: list[Expr], scope: Scope, around: Group
    ) -> Iterator[CallEntry[Group]]:
        """The services that a call registers, below a path or at the root."""
        has_path = self.program.text(given[0], scope) is not None
        is_first_service = self._service(given[0], scope) is not None
        inner = around if is_first_service else nested_group(self.program, around, given[0], scope)
        for expr in given[1:] if has_path or not is_first_service else given:
            service = self._service(expr, scope)
            if service is not None:
                yield CallEntry(service, inner)

    def _service(self, expr: Expr, scope: Scope) -> FunctionValue | None:
        """The method of a service that adds its routes."""
        value = self.program.evaluate(expr, scope)
        if isinstance(value, FunctionValue):
            for returned in self.program.function_exits(value):
                if returned.value is not None and not value.function.params:
                    return self._service(returned.value, returned.scope)
        if not isinstance(value, Instance):
            return None
        for name in _SETUP:
            member = self.program.evaluator.member(value, name)
            if isinstance(member, FunctionValue) and _adds_routes(member):
                return member
        return None


def _adds_routes(function: FunctionValue) -> bool:
    params = function.function.params
    return len(params) == 1 and type_name(params[0].type) in _SERVICES


FRAMEWORK = Framework(
    name="Helidon SE",
    markers=(b"io.helidon.webserver",),
    operations=operations,
)
