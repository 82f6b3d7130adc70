"""Javalin: routes of the application and of `ApiBuilder`'s groups."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    Instance,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Expr, Lambda, Name
from contract_scan.parsers.source.facts.visitor import children
from contract_scan.parsers.source.java.resolution.annotations import constant_name
from contract_scan.parsers.source.java.resolution.build import module_of
from contract_scan.parsers.source.java.web.chains import (
    chain,
    function_called,
    library_type,
    method,
)
from contract_scan.parsers.source.java.web.effects import ResponseCall, ResponseCalls
from contract_scan.parsers.source.java.web.endpoints import Library, handler_of
from contract_scan.parsers.source.java.web.groups import (
    Group,
    Route,
    is_static_of,
    nested_group,
    operations_of,
)
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.reading import by_kind
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.java.web.walker import CallEntry, CallWalker, Visit
from contract_scan.parsers.source.language import Framework

VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_HANDLERS = frozenset({"addHandler", "addHttpHandler", "addEndpoint"})
_CRUD = {
    "getAll": ("GET", False),
    "getOne": ("GET", True),
    "create": ("POST", False),
    "update": ("PATCH", True),
    "delete": ("DELETE", True),
}
"""Methods of a `CrudHandler`: verb, and whether the resource's id stands in the path."""
_GROUPS = frozenset({"routes", "apiBuilder", "mount"})
_APPLICATIONS = frozenset({"Javalin", "JavalinDefaultRouting", "JavalinDefaultRoutingApi"})
_ROUTER = "<router>"
_READS = by_kind(
    path="pathParam pathParamAsClass",
    query="queryParam queryParamAsClass queryParams queryParamsAsClass",
    header="header headerAsClass",
    cookie="cookie",
    form="formParam formParamAsClass formParams uploadedFile uploadedFiles",
    body="bodyAsClass bodyStreamAsClass bodyValidator",
    raw="body bodyAsBytes bodyInputStream",
    anything="queryParamMap queryString formParamMap req",
    nothing=(
        "pathParamMap headerMap cookieMap status json jsonStream result html render redirect "
        "contentType future async removeCookie attribute sessionAttribute appAttribute appData "
        "path method url fullUrl ip host userAgent basicAuthCredentials cachedSessionAttribute "
        "matchedPath endpointHandlerPath consumeSessionAttribute res use attributeMap "
        "sessionAttributeMap cookieStore with outputStream writeSeekableStream writeJsonStream "
        "skipRemainingHandlers port scheme protocol"
    ),
)


_JSON = ResponseCall(body_at=0, content_type=JSON)
_HTML = ResponseCall(body_at=0, content_type="text/html")
_STREAM = ResponseCall(unknown=Reason("handler-writes-response-itself"))
_EFFECTS = ResponseCalls(
    {
        "status": ResponseCall(status_at=0),
        **dict.fromkeys(("json", "jsonStream", "writeJsonStream"), _JSON),
        "result": ResponseCall(body_at=0),
        **dict.fromkeys(("html", "render"), _HTML),
        "contentType": ResponseCall(content_type_at=0),
        "redirect": ResponseCall(status="302", status_at=1),
        **dict.fromkeys(("res", "outputStream", "writeSeekableStream"), _STREAM),
    }
)
LIBRARY = Library(reads=_READS, effect_of=_EFFECTS, method_calls=("method", "req().getMethod"))


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every application."""
    routes = _Routes(program)
    walker: CallWalker[Group, Route] = CallWalker(program, routes.visit, Group(), _plausible)
    found = list(walker.all(framework))
    contexts = _contexts(program, framework) if found else {}

    def mounted_path(route: Route) -> tuple[str, Reason]:
        module = module_of(program, route.scope.file.path)
        context, why = contexts.get(module, ("", NO_REASON))
        return template(join_paths(context, route.path)), why

    yield from operations_of(program, framework.name, found, mounted_path, lambda _: LIBRARY)


def _plausible(call: Call) -> bool:
    name = method(call)
    if name in VERBS:
        return len(call.args) > 1 or (isinstance(call.callee, Name) and bool(call.args))
    return name in _HANDLERS | _GROUPS | {"path", "crud"}


def template(path: str) -> str:
    """A path in the common form: `:id`, `<rest>` and `*` of Javalin."""
    path = re.sub(r"<([^<>/]+)>", r"{\1*}", path)
    path = re.sub(r"(?<=/):([^/]+)", r"{\1}", path)
    segments = path.split("/")
    last = len(segments) - 1
    for position, segment in enumerate(segments):
        if segment == "*":
            segments[position] = "{path*}" if position == last else "{any}"
    return "/".join(segments)


class _Routes:
    """What calls of Javalin do."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def visit(self, call: Call, scope: Scope, group: Group) -> Visit[Group, Route] | None:
        """The routes and groups that a call makes."""
        name = method(call)
        given = [argument.value for argument in call.args]
        if name in VERBS | _HANDLERS | _GROUPS | {"path", "crud"} and given:
            if isinstance(call.callee, Attribute) and not self._is_builder(call, scope):
                if not self._is_application(call.callee.value, scope):
                    return None
                deeper = (call.callee.value,)
                return self._of_application(name, given, call, scope, deeper)
            if self._is_builder(call, scope):
                return self._of_builder(name, given, call, scope, group)
        return None

    def _is_builder(self, call: Call, scope: Scope) -> bool:
        """Whether a call is one of `ApiBuilder`'s static methods."""
        if isinstance(call.callee, Attribute):
            value = self.program.evaluate(call.callee.value, scope)
            return isinstance(value, LibrarySymbol) and value.name.endswith("ApiBuilder")
        return is_static_of(self.program, call, scope, "ApiBuilder")

    def _is_application(self, expr: Expr, scope: Scope) -> bool:
        """Whether an expression is the application or a part of its configuration that takes
        routes."""
        links = chain(expr)
        while isinstance(expr, Call) and isinstance(expr.callee, Attribute) and links.names:
            if expr.callee.name not in VERBS | {"before", "after", "exception", "error", "start"}:
                break
            expr = expr.callee.value
        if isinstance(expr, Attribute) and expr.name in ("router", "routes", "routing"):
            return True
        value = self.program.evaluate(expr, scope)
        options = value.options if isinstance(value, OneOf) else (value,)
        return any(self._is_router(option) for option in options)

    def _is_router(self, value: Value) -> bool:
        if isinstance(value, LibrarySymbol):
            return value.name == _ROUTER
        return library_type(self.program, value) in _APPLICATIONS

    def _of_application(
        self, name: str, given: list[Expr], call: Call, scope: Scope, deeper: tuple[Expr, ...]
    ) -> Visit[Group, Route] | None:
        top = Group()
        if name in VERBS:
            if len(given) < 2:
                return None
            return Visit(
                results=(self._route(name.upper(), given[0], given[1], call, scope, top),),
                deeper=deeper,
            )
        if name in _HANDLERS:
            return self._visit_add_handler(given, call, scope)
        if name == "crud" and len(given) > 1:
            return Visit(results=tuple(self._crud(given, call, scope, top)), deeper=deeper)
        if name in _GROUPS:
            return self._group(given[0], scope, top, deeper)
        return None

    def _visit_add_handler(
        self, given: list[Expr], call: Call, scope: Scope
    ) -> Visit[Group, Route] | None:
        """`addHandler(HandlerType.GET, "/path", handler)`."""
        verb = constant_name(given[0]).upper()
        if len(given) < 3 or verb.lower() not in VERBS:
            return None
        return Visit(results=(self._route(verb, given[1], given[2], call, scope, Group()),))

    def _of_builder(
        self, name: str, given: list[Expr], call: Call, scope: Scope, group: Group
    ) -> Visit[Group, Route] | None:
        if name in VERBS:
            is_bare = self.program.text(given[0], scope) is None and len(given) == 1
            if is_bare or (len(given) > 1 and self._is_handler(given[0], scope)):
                route = self._route(name.upper(), None, given[0], call, scope, group)
            else:
                handler = given[1] if len(given) > 1 else None
                route = self._route(name.upper(), given[0], handler, call, scope, group)
            return Visit(results=(route,))
        if name == "crud":
            return Visit(results=tuple(self._crud(given, call, scope, group)))
        if name == "path" and len(given) > 1:
            inner = nested_group(self.program, group, given[0], scope)
            return self._group(given[1], scope, inner, ())
        return None

    def _is_handler(self, expr: Expr, scope: Scope) -> bool:
        return isinstance(self.program.evaluate(expr, scope), FunctionValue)

    def _route(
        self,
        verb: str,
        path: Expr | None,
        handler: Expr | FunctionValue | None,
        call: Call,
        scope: Scope,
        group: Group,
    ) -> Route:
        whole = nested_group(self.program, group, path, scope)
        at = call.args[0].value
        return Route(verb, whole.path or "/", handler, scope, at, whole.reason)

    def _group(
        self, expr: Expr, scope: Scope, group: Group, deeper: tuple[Expr, ...]
    ) -> Visit[Group, Route]:
        """The routes of a group: its function, and the one that gives it."""
        given = function_called(self.program, expr, scope) if isinstance(expr, Call) else None
        return Visit(
            enters=tuple(self._enter_group(expr, scope, group)),
            deeper=deeper,
            passed_through=() if given is None else (given,),
        )

    def _enter_group(self, expr: Expr, scope: Scope, group: Group) -> Iterator[CallEntry[Group]]:
        """The function of a group: a lambda, a method reference, an `EndpointGroup`."""
        function = handler_of(self.program, expr, scope, "addEndpoints")
        if function is not None:
            params = function.function.params
            bound: dict[str, Value] = {}
            if len(params) == 1 and params[0].type is None:
                bound = {params[0].name: LibrarySymbol(_ROUTER)}
            yield CallEntry(function, group, bound)

    def _crud(self, given: list[Expr], call: Call, scope: Scope, group: Group) -> Iterator[Route]:
        """The five routes of a `CrudHandler`."""
        whole = nested_group(self.program, group, given[0], scope) if len(given) > 1 else group
        handler = given[1] if len(given) > 1 else given[0]
        value = self.program.evaluate(handler, scope)
        above = whole.path.rpartition("/")[0]
        for name, (verb, has_id) in _CRUD.items():
            member = (
                self.program.evaluator.member(value, name)
                if isinstance(value, Instance | ByType)
                else None
            )
            function = member if isinstance(member, FunctionValue) else None
            path = whole.path if has_id else above or "/"
            yield Route(verb, path, function, scope, call.args[0].value, whole.reason)


def _contexts(program: Program, framework: Framework) -> dict[str, tuple[str, Reason]]:
    """Module -> the context path that its configuration sets, and why it is undetermined."""
    found: dict[str, tuple[str, Reason]] = {}
    for value, scope in _property_assignments(program, framework, "contextPath"):
        text = program.text(value, scope)
        why = NO_REASON if text is not None else Reason("context-path-not-constant")
        found[module_of(program, scope.file.path)] = (text or "", why)
    return found


def _property_assignments(
    program: Program, framework: Framework, name: str
) -> Iterator[tuple[Expr, Scope]]:
    """The values that the files of a library assign to properties of this name."""
    for file in program.seeds(framework):
        if name.encode() not in (program.files.read(file.path) or b""):
            continue
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for function in symbol.decl.methods:
                scope = program.function_scope(function, inside)
                yield from _assignments_in(program, scope.statements or (), scope, name)


def _assignments_in(
    program: Program, nodes: tuple[object, ...], scope: Scope, name: str
) -> Iterator[tuple[Expr, Scope]]:
    pending: list[tuple[object, Scope]] = [(node, scope) for node in reversed(nodes)]
    while pending:
        node, place = pending.pop()
        match node:
            case tuple():
                pending.extend((item, place) for item in reversed(node))
            case Lambda(function=function):
                inner = program.function_scope(function, place)
                pending.append((inner.statements or (), inner))
            case Assign(target=Attribute(name=target), value=value) if (
                target == name and value is not None
            ):
                yield value, place
            case Struct():
                pending.extend((child, place) for child in reversed(children(node)))
            case _:
                pass


FRAMEWORK = Framework(
    name="Javalin",
    markers=(b"io.javalin",),
    operations=operations,
)
