"""Routes of classes of handlers with attributes, which code registers in modules below a path:
`[Route(HttpVerbs.Get, "/orders/{id}")]`, `WithWebApi("/api", m => m.WithController<Orders>())`. A
record of the library says what the attributes and calls are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import (
    DYNAMIC_PREFIX,
    Body,
    Operation,
    Parameter,
    Response,
    RouteTraits,
)
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    LibraryResult,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.annotations import (
    argument,
    find_all,
    simple_name,
)
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import Switch
from contract_scan.parsers.source.csharp.web.actions import respond
from contract_scan.parsers.source.csharp.web.binder import Binder, Source
from contract_scan.parsers.source.csharp.web.binding import read_inputs
from contract_scan.parsers.source.csharp.web.route_shadowing import with_shorter
from contract_scan.parsers.source.csharp.web.statuses import status_named, status_of
from contract_scan.parsers.source.csharp.web.templates import parse
from contract_scan.parsers.source.csharp.web.traits import DOTNET
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    LiteralExpr,
    NamedType,
    New,
    Param,
    TypeValue,
)
from contract_scan.parsers.source.language import Framework


class ControllerRoutes(Struct, frozen=True, kw_only=True):
    """How a library's classes of handlers are written."""

    name: str
    markers: tuple[bytes, ...]
    base: str
    """The class that they derive from."""
    route: str = "Route"
    """The attribute of a handler: its method, then its path."""
    modules: frozenset[str]
    """Methods and classes that make a module: the text that begins with a slash is its path."""
    registers: frozenset[str]
    """Methods of a module that register a class, as type argument or `typeof`."""
    sources: Mapping[str, Source]
    """Attributes of parameters. The first text among their arguments is the name, and `true` says
    that the parameter has to be given. What is not of the path either has its default."""
    whole: Mapping[str, str] = {}
    """Attributes of parameters that hold all of the query (empty), or all of a body of this content
    type. What other attributes give may be either."""
    exceptions: Mapping[str, str] = {}
    """Classes of exceptions, with their status; empty: the first argument says it. Their static
    methods make one with the status that they are named after."""
    writes: tuple[bytes, ...] = ()
    """What handlers hold that write the response themselves."""
    json: Switch
    """Whose settings say how objects are written."""
    traits: RouteTraits = DOTNET


def framework(routes: ControllerRoutes) -> Framework:
    """A described library as the engine has it."""
    return Framework(
        name=routes.name,
        markers=routes.markers,
        calls=tuple(sorted(name.encode() for name in routes.modules | routes.registers)),
        operations=partial(operations, routes=routes),
        traits=routes.traits,
    )


def operations(
    program: Program, framework: Framework, routes: ControllerRoutes
) -> Iterator[Operation]:
    """Every route of every class, at each module that it is registered in."""
    reader = _Reader(program, framework, routes)
    seen: set[str] = set()
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if symbol.key not in seen and reader.is_controller(symbol):
                seen.update(part.key for part in parts(program, symbol))
                yield from reader.controller(symbol)


class _Reader:
    def __init__(self, program: Program, framework: Framework, routes: ControllerRoutes) -> None:
        self._program, self._routes = program, routes
        self._prefixes = _module_prefixes(program, framework, routes)

    def is_controller(self, symbol: ClassSymbol) -> bool:
        """Whether a class derives from the library's."""
        return "abstract" not in symbol.decl.modifiers and any(
            isinstance(base, NamedType) and unqualified_name(base.name) == self._routes.base
            for owner in (symbol, *self._program.bases(symbol))
            for base in owner.decl.bases
        )

    def controller(self, symbol: ClassSymbol) -> Iterator[Operation]:
        """The routes of one class, inherited ones too."""
        program = self._program
        found = [self._prefixes.get(part.key, ()) for part in parts(program, symbol)]
        lost = ((DYNAMIC_PREFIX, Reason("no-registering-module")),)
        places = next(filter(None, found), lost)
        for owner, scope in self._declaring_parts(symbol):
            for method in owner.decl.methods:
                for route in find_all(method.annotations, self._routes.route):
                    path = program.text(argument(route, 1), scope)
                    verb = getattr(argument(route, 0), "name", "")
                    for prefix, reason in places:
                        if path is None:
                            reason = reason or Reason("route-path-not-constant")
                        elif not verb:
                            reason = reason or Reason("route-method-not-constant")
                        template = f"{prefix.rstrip('/')}{path or '/{path*}'}"
                        function = FunctionValue(method, scope, owner, scope.receiver)
                        yield from self._operations(
                            symbol, function, "*" if verb == "Any" else verb, template, reason
                        )

    def _declaring_parts(self, symbol: ClassSymbol) -> Iterator[tuple[ClassSymbol, Scope]]:
        """A class and those above it, by their parts."""
        program = self._program
        for owner, scope in program.types.chain(symbol, program.class_scope(symbol)):
            yield owner, scope
            for part in parts(program, owner):
                if part.decl is not owner.decl:
                    yield part, program.class_scope(part)

    def _operations(
        self, symbol: ClassSymbol, function: FunctionValue, verb: str, path: str, reason: Reason
    ) -> Iterator[Operation]:
        program, routes, scope = self._program, self._routes, function.scope
        variant = variant_for(program, routes.json, symbol.file.path)
        template = parse(path)
        names = {one.name.casefold() for one in template.parameters}
        params = function.function.params
        read = [p for p in params if self._is_read(p, names)]
        binder = Binder(
            program=program,
            variant=variant,
            template=template,
            method=verb.upper(),
            sources=routes.sources,
        )
        inputs = read_inputs(binder, tuple(read), scope)
        open_ = [p for p in params if p.annotations and p not in read]
        responses, complete = self._responses(function, variant)
        name = f"{symbol.qualified_name}.{function.function.name}"
        operation = Operation(
            method=verb.upper() or "*",
            path=template.path,
            path_expressions=template.expressions,
            parameters=tuple(self._parameter(p, function) for p in inputs.parameters),
            parameters_complete=inputs.complete and not open_ and not self._reads_request(function),
            request=(*inputs.bodies, *self._whole_bodies(open_, scope)),
            responses=responses,
            statuses_complete=complete,
            origin=replace(
                program.origin(function.function, scope),
                span=function.function.name_span,
                symbol=name,
            ),
            handler=name,
            framework=routes.name,
            unresolved=reason,
        )
        yield from with_shorter(operation, template)

    def _is_read(self, param: Param, path: set[str]) -> bool:
        """Whether a parameter is of the path, or an attribute says where it is from."""
        return bool(find_all(param.annotations, *self._routes.sources)) or (
            not param.annotations and param.name.casefold() in path
        )

    def _whole_bodies(self, params: list[Param], scope: Scope) -> Iterator[Body]:
        """Bodies that attributes give as a whole, or in a way of the project's own."""
        for param in params:
            kinds = [self._routes.whole.get(simple_name(one), "*/*") for one in param.annotations]
            for kind in filter(None, kinds[:1]):
                origin = self._program.origin(param, scope)
                why = Unknown(reason=Reason("attribute-reads-request-itself"), origin=origin)
                yield Body(schema=why, content_type=kind, required=None, origin=origin)

    def _parameter(self, parameter: Parameter, function: FunctionValue) -> Parameter:
        if parameter.location == "path":
            return parameter
        for param in function.function.params:
            for marked in find_all(param.annotations, *self._routes.sources):
                values = [given.value for given in marked.args]
                names = [self._program.text(value, function.scope) for value in values]
                name = next((text for text in names if text), param.name)
                if param.name == parameter.name:
                    needed = any(isinstance(v, LiteralExpr) and v.value is True for v in values)
                    return replace(parameter, name=name, required=needed)
        return parameter

    def _reads_request(self, function: FunctionValue) -> bool:
        text = function_text(self._program, function.scope.file.path, function.function)
        return b"Request." in text

    # ------------------------------------------------------------------ responses

    def _responses(
        self, function: FunctionValue, variant: str
    ) -> tuple[tuple[Response, ...], bool]:
        program = self._program
        found, complete, *_ = respond(program, function, None, (), variant)
        text = function_text(program, function.scope.file.path, function.function)
        if any(word in text for word in self._routes.writes):
            origin = program.origin(function.function, function.scope)
            why = Unknown(reason=Reason("handler-writes-response-itself"), origin=origin)
            body = Body(schema=why, content_type="*/*", origin=origin)
            found = tuple(
                replace(one, bodies=(body,)) if one.status.startswith("2") else one for one in found
            )
            complete = False
        known = {one.status for one in found}
        thrown = [one for one in self._thrown_responses(function) if one.status not in known]
        return (*found, *{one.status: one for one in thrown}.values()), complete

    def _thrown_responses(self, function: FunctionValue) -> Iterator[Response]:
        """`throw new HttpException(404)`, `throw HttpException.NotFound()`."""
        for one in self._program.function_exits(function):
            status = self._status(one.value, one.scope) if one.thrown and one.value else None
            if status is not None and one.value is not None:
                yield Response(status=status, origin=self._program.origin(one.value, one.scope))

    def _status(self, value: Expr, scope: Scope) -> str | None:
        match value:
            case New(type=NamedType(name=name), args=args) if (
                unqualified_name(name) in self._routes.exceptions
            ):
                fixed = self._routes.exceptions[unqualified_name(name)]
                return fixed or (status_of(self._program, args[0].value, scope) if args else None)
            case Call(callee=Attribute(name=name, value=holder)):
                owner = getattr(holder, "id", getattr(holder, "name", ""))
                return status_named(name) if owner in self._routes.exceptions else None
            case _:
                return None


# --------------------------------------------------------------------------- registrations


def _module_prefixes(
    program: Program, framework: Framework, routes: ControllerRoutes
) -> dict[str, tuple[tuple[str, Reason], ...]]:
    """Class -> the prefixes of the modules that it is registered in, and why they are
    undetermined."""
    calls = [pair for file in program.seeds(framework) for pair in program.calls(file)]
    modules: dict[tuple[str, Span], tuple[str, Reason]] = {}
    for call, scope in calls:
        if _called_name(call) in routes.modules:
            prefix = _prefix(program, call, scope)
            for given in call.args:
                if isinstance(given.value, Lambda):
                    modules[scope.file.path, given.value.function.span] = prefix
    found: dict[str, list[tuple[str, Reason]]] = {}
    for call, scope in calls:
        if isinstance(call, Call) and _called_name(call) in routes.registers:
            for symbol in _classes(program, call, scope):
                place = _module_prefix(program, call, scope, routes, modules)
                found.setdefault(symbol.key, []).append(place)
    return {key: tuple(dict.fromkeys(places)) for key, places in found.items()}


def _called_name(call: Call | New) -> str:
    if isinstance(call, New):
        return unqualified_name(call.type.name) if isinstance(call.type, NamedType) else ""
    return unqualified_name(getattr(call.callee, "name", "") or getattr(call.callee, "id", ""))


def _prefix(program: Program, call: Call | New, scope: Scope) -> tuple[str, Reason]:
    texts = [program.text(given.value, scope) for given in call.args]
    known = next((text for text in texts if text is not None and text.startswith("/")), None)
    return (
        (DYNAMIC_PREFIX, Reason("module-path-not-constant"))
        if known is None
        else (known, NO_REASON)
    )


def _classes(program: Program, call: Call, scope: Scope) -> Iterator[ClassSymbol]:
    types = [*call.type_args]
    types += [given.value.type for given in call.args if isinstance(given.value, TypeValue)]
    for type in types:
        if isinstance(type, NamedType):
            found = program.names.declared_class(type, scope)
            if found is not None:
                yield found
    for given in call.args:
        factory = program.function_value(given.value, scope)
        for one in program.function_exits(factory) if factory is not None else ():
            made = program.evaluate(one.value, one.scope) if one.value is not None else None
            if isinstance(made, Instance):
                yield made.symbol


def _module_prefix(
    program: Program,
    call: Call,
    scope: Scope,
    routes: ControllerRoutes,
    modules: Mapping[tuple[str, Span], tuple[str, Reason]],
) -> tuple[str, Reason]:
    """The prefix of the module that a call registers a class in: of the function around the call,
    or of what the chain of calls begins with."""
    base: Expr = call
    while isinstance(base, Call) and isinstance(base.callee, Attribute):
        base = base.callee.value
    made = program.evaluate(base, scope)
    if isinstance(made, LibraryResult) and _called_name(made.site) in routes.modules:
        return _prefix(program, made.site, made.scope)
    current: Scope | None = scope
    while current is not None:
        function: Function | None = current.function
        if function is not None and (current.file.path, function.span) in modules:
            return modules[current.file.path, function.span]
        current = current.parent
    return DYNAMIC_PREFIX, Reason("registering-module-not-found")
