"""NestJS over HTTP: controllers, prefixes and versions, DTOs, interceptors."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import DeferredAnswers, Operation, RouteTraits
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Expr, Function, ObjectLiteral
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.nestjs.application import (
    NEUTRAL,
    Application,
    applications,
    applications_of,
    versions,
)
from contract_scan.parsers.source.typescript.frameworks.nestjs.handlers import (
    Endpoint,
    handler_responses,
    request_inputs,
    with_raised,
)
from contract_scan.parsers.source.typescript.resolution.decorators import (
    COMMON,
    Decorator,
    decorators,
)
from contract_scan.parsers.source.typescript.web.library_plugins import (
    plugin_routes,
    undetermined_route,
)
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_SEGMENT, join, templates
from contract_scan.wildcards import fits

_VERBS = {
    "Get": "GET",
    "Post": "POST",
    "Put": "PUT",
    "Patch": "PATCH",
    "Delete": "DELETE",
    "Options": "OPTIONS",
    "Head": "HEAD",
    "All": "*",
    "Sse": "GET",
}
_HIDING = frozenset({"ApiExcludeEndpoint", "ApiExcludeController"})

Path = tuple[str, Reason]
"""A path and why it is undetermined."""


_CRUD = frozenset({"@nestjsx/crud", "@dataui/crud", "@rewiko/crud", "@gid-oss/dataui-nestjs-crud"})
"""Packages whose `@Crud` adds routes to a controller."""


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every handler of every controller, once per path it answers."""
    for file in program.seeds(framework):
        scope = program.module_scope(file)
        for symbol in program.classes(file):
            of_class = tuple(decorators(program, symbol.decl.annotations, scope))
            controller = next((d for d in of_class if d.name == COMMON + "Controller"), None)
            if controller is not None:
                yield from _controller(program, symbol, controller, of_class)
    for app in applications(program):
        yield from _library_operations(program, app)


def _library_operations(program: Program, app: Application) -> Iterator[Operation]:
    """What modules of libraries answer: some have controllers, others routes of the server below
    them, which has no global prefix."""
    for module in app.library_modules:
        for method, path, why in plugin_routes(program, module.name, module.options):
            for place in dict.fromkeys((path, join(app.prefix, path))):
                yield undetermined_route(method, place, why, module.origin, "NestJS")


def _controller(
    program: Program, symbol: ClassSymbol, controller: Decorator, of_class: tuple[Decorator, ...]
) -> Iterator[Operation]:
    apps: tuple[Application | None, ...] = applications_of(program, symbol) or (None,)
    seen: set[tuple[str, str, str]] = set()
    for app in apps:
        for function, scope in _methods(program, symbol):
            own = tuple(decorators(program, function.annotations, scope))
            verbs = [d for d in own if d.name.startswith(COMMON) and d.simple in _VERBS]
            for verb in verbs[:1]:  # decorators run from the last on: the first says what counts
                endpoint = Endpoint(
                    symbol, function, scope, own, of_class, program, app, verb.simple
                )
                for operation in _operations(endpoint, controller, verb):
                    key = (operation.method, operation.path, operation.handler)
                    if key not in seen:
                        seen.add(key)
                        yield operation
        for decorator in of_class:
            if decorator.simple == "Crud" and decorator.name.split(".")[0] in _CRUD:
                yield from _crud_operations(program, symbol, controller, of_class, app, decorator)


def _crud_operations(
    program: Program,
    symbol: ClassSymbol,
    controller: Decorator,
    of_class: tuple[Decorator, ...],
    app: Application | None,
    crud: Decorator,
) -> Iterator[Operation]:
    """The routes that `@Crud({ model })` adds to a controller, as one route that may stand for
    any path below its own."""
    scope = program.class_scope(symbol)
    method = Function(name=crud.simple, span=symbol.decl.span)
    endpoint = Endpoint(symbol, method, scope, (), of_class, program, app, "All")
    for path, reason in _paths(endpoint, controller, replace(crud, args=())):
        yield Operation(
            method="*",
            path=join(path, "{rest*}"),
            parameters_complete=False,
            origin=Origin(scope.file.path, symbol.decl.name_span, "", symbol.qualified_name),
            framework="NestJS",
            excluded_from_docs=True,
            unresolved=reason or Reason("generated-crud-routes", crud=crud.simple),
        )


def _methods(program: Program, symbol: ClassSymbol) -> Iterator[tuple[Function, Scope]]:
    """Methods of a controller and of the classes it extends, each name once."""
    known: set[str] = set()
    for owner, scope in program.types.chain(symbol, program.class_scope(symbol)):
        if owner.decl.kind == "interface":
            continue
        for function in owner.decl.methods:
            if function.name not in known and function.annotations:
                yield function, scope
        known.update(function.name for function in owner.decl.methods)


def _operations(endpoint: Endpoint, controller: Decorator, verb: Decorator) -> Iterator[Operation]:
    origin = endpoint.origin
    deferred = DeferredAnswers(lambda: with_raised(endpoint, handler_responses(endpoint)))
    hidden = any(d.simple in _HIDING for d in (*endpoint.own, *endpoint.of_class))
    for path, reason in _paths(endpoint, controller, verb):
        for template in templates(path):
            took = request_inputs(endpoint, template.parameters)
            yield Operation(
                method=_VERBS[verb.simple],
                path=template.path,
                parameters=took.parameters,
                parameters_complete=took.complete,
                reads_no_body=took.reads_no_body,
                request=took.request,
                deferred=deferred,
                origin=origin,
                handler=origin.symbol,
                framework="NestJS",
                excluded_from_docs=hidden,
                unresolved=reason,
            )


# ---------------------------------------------------------------------- paths


def _paths(endpoint: Endpoint, controller: Decorator, verb: Decorator) -> Iterator[Path]:
    """Global prefix, version, module path, controller path, method path: in that order."""
    app = endpoint.application
    path_of_class = controller.option("path") or _path_argument(controller)
    for before, reason in _texts(endpoint, path_of_class, controller.scope):
        for own, own_reason in _texts(endpoint, verb.argument(0), verb.scope):
            undetermined = reason or own_reason
            if app is None:
                yield join(before, own), undetermined
                continue
            for module_path in app.places(endpoint.controller):
                for version in _versions(endpoint, app, controller):
                    path = join(version, module_path, before, own)
                    if any(fits(pattern, path) for pattern in app.excluded):
                        yield path, undetermined
                    else:
                        yield join(app.prefix, path), undetermined or app.prefix_unresolved


def _path_argument(controller: Decorator) -> Expr | None:
    """The argument of `@Controller("path")` where it is no options object."""
    first = controller.argument(0)
    return None if isinstance(first, ObjectLiteral) else first


def _texts(endpoint: Endpoint, expr: Expr | None, scope: Scope) -> list[Path]:
    if expr is None:
        return [("", NO_REASON)]
    program = endpoint.program
    found: list[Path] = []
    for text in program.texts(expr, scope):
        if text is not None:
            found.append((text, NO_REASON))
        else:
            shown = (program.template(expr, scope) or "").replace("{}", DYNAMIC_SEGMENT)
            found.append((shown, Reason("path-not-constant")))
    return found or [("", NO_REASON)]


def _versions(endpoint: Endpoint, app: Application, controller: Decorator) -> tuple[str, ...]:
    """Path segments of the versions a handler answers to; one empty one without versions."""
    if not app.versioned:
        return ("",)
    found: tuple[str, ...] = app.default_versions
    option = controller.option("version")
    if option is not None:
        found = versions(endpoint.program, option, controller.scope)
    for decorator in (*endpoint.of_class, *endpoint.own):
        if decorator.name == COMMON + "Version":
            first = decorator.argument(0)
            if first is not None:
                found = versions(endpoint.program, first, decorator.scope)
    if not found:
        return ("",)
    return tuple(v if v == NEUTRAL else f"{app.version_prefix}{v}" for v in found)


FRAMEWORK = Framework(
    name="NestJS",
    markers=(b"@nestjs/common", b"Controller("),
    calls=(
        b"NestFactory",
        b"setGlobalPrefix",
        b"enableVersioning",
        b"useGlobalInterceptors",
        b"useGlobalPipes",
        b"applyDecorators",
    ),
    operations=operations,
    traits=RouteTraits(paths_case_insensitive=True, query_brackets=True),
    refusing_errors=(b"MethodNotAllowedException", b"NotImplementedException"),
)
