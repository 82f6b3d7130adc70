"""Armeria: annotated services, and services that are bound to paths."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    FunctionValue,
    Instance,
    LibraryResult,
    OneOf,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Lambda
from contract_scan.parsers.source.java.frameworks.armeria.responses import function_responses
from contract_scan.parsers.source.java.frameworks.armeria.services import (
    NOT_CONSTANT,
    RegisteredService,
    is_annotated,
    path_of_pattern,
    service_operations,
)
from contract_scan.parsers.source.java.resolution.annotations import constant_name, type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.web.chains import chain, library_type, method
from contract_scan.parsers.source.java.web.endpoints import handler_name, handler_of
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.request_method import handler_for
from contract_scan.parsers.source.java.web.responses import ResponseShapes
from contract_scan.parsers.source.java.web.routes import join_paths, template
from contract_scan.parsers.source.java.web.walker import CallWalker, Visit
from contract_scan.parsers.source.language import Framework

_ANNOTATED = "annotatedService"
_BUILDERS = frozenset({"Server", "ServerBuilder", "VirtualHostBuilder"})
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace"})
_METHODS = {f"do{verb.capitalize()}": verb.upper() for verb in sorted(_VERBS)}
_METHOD_CALLS = ("method",)
_UNSEEN = Reason("service-registration-not-found")
_LIBRARY = Reason("library-service-answers-path")


class Binding(Struct, frozen=True, eq=False):
    """A service that is bound to a path."""

    path: str
    service: Expr | None
    scope: Scope
    site: Expr
    annotated: bool = False
    verbs: tuple[str, ...] = ("*",)
    reason: Reason = NO_REASON


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every server."""
    walker: CallWalker[None, Binding] = CallWalker(
        program, _ArmeriaCalls(program).visit, None, _plausible
    )
    bindings = list(walker.all(framework))
    base = _base_path(program, framework)
    registered: dict[str, list[RegisteredService]] = {}
    is_open = False
    for binding in bindings:
        prefix = join_paths(base, binding.path)
        if not binding.annotated:
            yield from _bound_operations(program, binding, prefix, framework)
            continue
        symbols = _services(program, binding)
        is_open = is_open or not (symbols or binding.path or binding.reason)
        for symbol in symbols:
            registered.setdefault(symbol.key, []).append(RegisteredService(prefix, binding.reason))
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if "abstract" in symbol.decl.modifiers or not is_annotated(program, symbol):
                continue
            # What is registered one by one from a list that is not seen has no prefix.
            unseen = (
                RegisteredService(base) if is_open else RegisteredService(DYNAMIC_PREFIX, _UNSEEN)
            )
            for place in dict.fromkeys(registered.get(symbol.key, [unseen])):
                yield from service_operations(program, symbol, place, framework.name)


def _base_path(program: Program, framework: Framework) -> str:
    """The path before everything that a server binds: `baseContextPath("/api")`."""
    for file in program.seeds(framework):
        for call, scope in program.calls(file):
            if isinstance(call, Call) and method(call) == "baseContextPath" and call.args:
                return program.text(call.args[0].value, scope) or ""
    return ""


def _services(program: Program, binding: Binding) -> list[ClassSymbol]:
    if binding.service is None:
        return []
    value = program.evaluate(binding.service, binding.scope)
    found: list[ClassSymbol] = []
    for option in value.options if isinstance(value, OneOf) else (value,):
        if isinstance(option, Instance):
            is_base = option.symbol.decl.kind == "interface"
            is_base = is_base or "abstract" in option.symbol.decl.modifiers
            found.extend(
                program.names.classes.implementations(option.symbol) if is_base else [option.symbol]
            )
    return found


def _bound_operations(
    program: Program, binding: Binding, path: str, framework: Framework
) -> Iterator[Operation]:
    """The operations of a service that is bound to a path."""
    handlers = list(_handlers(program, binding)) or [("", None)]
    for own, handler in handlers:
        for verb in (own,) if own else binding.verbs:
            origin = program.origin(binding.site, binding.scope)
            base = Operation(
                method=verb,
                path=template(path),
                parameters=with_path_variables((), template(path), origin),
                parameters_complete=False,
                origin=origin,
                handler=handler_name(handler, origin.symbol),
                framework=framework.name,
                excluded_from_docs=handler is None,
                unresolved=binding.reason,
            )
            yield base if binding.reason else _with_responses(program, base, handler)


def _with_responses(program: Program, base: Operation, handler: FunctionValue | None) -> Operation:
    variant = wire_variant(program, base.origin.path)
    scope = program.module_scope(program.facts(base.origin.path))
    sending = ResponseShapes(program, scope, base.origin, base.handler or "the handler", variant)
    if handler is None:
        unknown = Unknown(reason=_LIBRARY, origin=base.origin)
        return replace(base, responses=(sending.whole_response(unknown, "200", JSON),))
    handler = handler_for(program, handler, base.method, {0: _METHOD_CALLS, 1: _METHOD_CALLS})
    sending = ResponseShapes(program, handler.scope, base.origin, base.handler, variant)
    responses, complete = function_responses(program, handler, sending, JSON)
    return replace(base, responses=responses, statuses_complete=complete)


def _handlers(program: Program, binding: Binding) -> Iterator[tuple[str, FunctionValue | None]]:
    """The functions of a service, each with the method that it alone answers."""
    if binding.service is None:
        return
    value = program.evaluate(binding.service, binding.scope)
    if isinstance(value, Instance):
        for name, verb in _METHODS.items():
            member = program.evaluator.member(value, name)
            if isinstance(member, FunctionValue) and "abstract" not in member.function.modifiers:
                yield verb, member
    function = handler_of(program, binding.service, binding.scope, "serve")
    if function is not None:
        yield "", function


def _plausible(call: Call) -> bool:
    return method(call) in (_ANNOTATED, "service", "serviceUnder", "withRoute", "build")


class _ArmeriaCalls:
    """What calls of Armeria's builders do."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def visit(self, call: Call, scope: Scope, context: None) -> Visit[None, Binding] | None:
        """The service that a call binds."""
        if not _plausible(call) or not isinstance(call.callee, Attribute):
            return None
        before = call.callee.value
        given = [argument.value for argument in call.args]
        found: Binding | None = None
        match method(call):
            case "annotatedService" if given:
                found = self._annotated_binding(given, call, scope)
            case "build" if given:
                found = self._fluent(given[0], call, scope)
            case "withRoute" if given and isinstance(given[0], Lambda):
                routes = tuple(self._routes_of_lambda(given[0], scope))
                return Visit(results=routes, deeper=(before,))
            case "service" if len(given) == 1 and self._is_server(before, scope):
                routes = tuple(self._own_routes(given[0], call, scope))
                return Visit(results=routes, deeper=(before,))
            case "service" | "serviceUnder" if len(given) > 1 and self._is_server(before, scope):
                found = self._service(given, call, scope)
            case _:
                return None
        return None if found is None else Visit(results=(found,), deeper=(before,))

    def _is_server(self, expr: Expr, scope: Scope) -> bool:
        """Whether a chain begins with a builder of servers, or with what a function is given."""
        value = self.program.evaluate(chain(expr).base, scope)
        if isinstance(value, Unresolved):
            return True
        return library_type(self.program, value) in _BUILDERS or method_of_base(expr) in _BUILDERS

    def _context(self, call: Call, scope: Scope) -> tuple[str, Reason]:
        """The path of `contextPath("/v1")` that a chain stands below."""
        path, why = "", NO_REASON
        for link in chain(call).calls[:-1]:
            if method(link) == "contextPath" and link.args:
                path, why = path_of_pattern(self.program.text(link.args[0].value, scope))
            elif method(link) == "and":
                path, why = "", NO_REASON
        return path, why

    def _annotated_binding(self, given: list[Expr], call: Call, scope: Scope) -> Binding:
        context, why = self._context(call, scope)
        text = self.program.text(given[0], scope)
        if text is not None and len(given) > 1:
            return Binding(join_paths(context, text), given[1], scope, given[0], True, reason=why)
        if len(given) > 1 and not _is_object(self.program.evaluate(given[0], scope)):
            return Binding(
                DYNAMIC_PREFIX, given[1], scope, given[0], True, reason=why or NOT_CONSTANT
            )
        return Binding(context, given[0], scope, given[0], True, reason=why)

    def _service(self, given: list[Expr], call: Call, scope: Scope) -> Binding:
        context, why = self._context(call, scope)
        path, own = path_of_pattern(self.program.text(given[0], scope))
        if method(call) == "serviceUnder" and not own:
            path = join_paths(path, "{path*}")
        return Binding(join_paths(context, path), given[1], scope, given[0], reason=why or own)

    def _routes_of_lambda(self, configure: Lambda, scope: Scope) -> Iterator[Binding]:
        """`withRoute(route -> route.get("/x").build(service))`."""
        inside = self.program.function_scope(configure.function, scope)
        for call, place in calls_in(self.program, inside.statements or (), inside):
            if isinstance(call, Call) and method(call) == "build" and call.args:
                yield self._route(call.args[0].value, call, place, chain(call).calls[:-1])

    def _own_routes(self, service: Expr, call: Call, scope: Scope) -> Iterator[Binding]:
        """The routes that a service of the project has itself (`HttpServiceWithRoutes.routes()`):
        each `Route.builder().path("/x").build()` in it."""
        value = self.program.evaluate(service, scope)
        if not isinstance(value, Instance):
            return
        routes = self.program.find_method(value.symbol, "routes")
        if routes is None:
            return
        inside = self.program.function_scope(routes.function, routes.scope)
        for built, place in calls_in(self.program, inside.statements or (), inside):
            if isinstance(built, Call) and method(built) == "build" and not built.args:
                links = chain(built).calls[:-1]
                found = self._route(service, built, place, links)
                yield replace(found, scope=scope, site=service)

    def _fluent(self, service: Expr, call: Call, scope: Scope) -> Binding | None:
        """`route().get("/x").build(service)`, `annotatedService().pathPrefix("/x").build(x)`."""
        names = chain(call).names
        start = max((i for i, n in enumerate(names) if n in ("route", _ANNOTATED)), default=-1)
        if start < 0:
            return None
        links = chain(call).calls[start + 1 : -1]
        return self._route(service, call, scope, links, annotated=names[start] == _ANNOTATED)

    def _route(
        self,
        service: Expr,
        call: Call,
        scope: Scope,
        links: tuple[Call, ...],
        *,
        annotated: bool = False,
    ) -> Binding:
        """What a chain of calls that builds a route binds."""
        context, why = self._context(call, scope)
        path, verbs = "", []
        for link in links:
            name = method(link)
            texts = [self.program.text(a.value, scope) for a in link.args]
            if name in _VERBS | {"path", "pathPrefix"}:
                own = NOT_CONSTANT if not texts or texts[0] is None else NO_REASON
                path, pattern_why = path_of_pattern(texts[0] if texts else None)
                why = why or own or pattern_why
                verbs.extend([name.upper()] if name in _VERBS else [])
                if name == "pathPrefix" and not annotated:
                    path = join_paths(path, "{path*}")
            elif name == "methods":
                verbs.extend(constant_name(a.value).upper() or "*" for a in link.args)
        whole = join_paths(context, path) if path or context else ""
        return Binding(whole, service, scope, service, annotated, tuple(verbs) or ("*",), why)


def _is_object(value: Value) -> bool:
    """Whether a value is a service, and no text that is a path."""
    is_typed = isinstance(value, ByType) and type_name(value.type) != "String"
    return is_typed or isinstance(value, Instance | LibraryResult | OneOf)


def method_of_base(expr: Expr) -> str:
    """The class that a chain begins with: `Server.builder()`."""
    base = chain(expr).base
    return constant_name(base)


FRAMEWORK = Framework(
    name="Armeria",
    markers=(b"com.linecorp.armeria.server", b"armeria.spring"),
    calls=(b"baseContextPath(",),
    operations=operations,
)
