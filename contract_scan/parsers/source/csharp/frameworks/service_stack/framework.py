"""ServiceStack: requests with `[Route]`, services with a method for each of them."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    LibrarySymbol,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.frameworks.service_stack.requests import (
    VERBS,
    Route,
    auto_verb,
    class_of,
    marked_verb,
    read_inputs,
    routes,
)
from contract_scan.parsers.source.csharp.frameworks.service_stack.responses import answers, of_type
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult
from contract_scan.parsers.source.csharp.web.responses import merge_responses
from contract_scan.parsers.source.csharp.web.templates import Template, parse
from contract_scan.parsers.source.csharp.web.traits import DOTNET
from contract_scan.parsers.source.facts.nodes import Function, NamedType
from contract_scan.parsers.source.language import Framework

VARIANT = "servicestack"
_SERVICES = frozenset({"Service", "IService", "ServiceBase"})
_SUFFIXES = ("Async", "Json", "Xml", "Html")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every request that a service, or ServiceStack itself, answers."""
    answered: set[str] = set()
    requests: dict[str, ClassSymbol] = {}
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if auto_verb(program, symbol):
                requests[symbol.key] = symbol
            if not _is_service(program, symbol):
                continue
            for method in symbol.decl.methods:
                found = _request(program, symbol, method)
                if found is not None:
                    answered.add(found.key)
                    yield from _method_operations(program, framework, symbol, method, found)
    for key, request in requests.items():
        if key not in answered:
            yield from _automatic(program, framework, request)


def _is_service(program: Program, symbol: ClassSymbol) -> bool:
    if symbol.decl.kind != "class" or "abstract" in symbol.decl.modifiers:
        return False
    return any(
        isinstance(base, NamedType)
        and unqualified_name(base.name) in _SERVICES
        and isinstance(program.names.lookup_type(base.name, scope), LibrarySymbol)
        for owner, scope in program.types.chain(symbol, program.class_scope(symbol))
        for base in owner.decl.bases
    )


def _verb(name: str) -> str:
    """`Get` of `GetAsync`, `ANY` of `Any`; empty for other methods."""
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name.upper() if name.upper() in (*VERBS, "ANY") and name[:1].isupper() else ""


def _request(program: Program, symbol: ClassSymbol, method: Function) -> ClassSymbol | None:
    """The request that a method of a service answers."""
    if not _verb(method.name) or len(method.params) != 1 or "public" not in method.modifiers:
        return None
    return class_of(program, method.params[0].type, program.class_scope(symbol))


def _method_operations(
    program: Program,
    framework: Framework,
    symbol: ClassSymbol,
    method: Function,
    request: ClassSymbol,
) -> Iterator[Operation]:
    value = FunctionValue(method, program.class_scope(symbol), symbol)
    found, complete = answers(program, value, request, VARIANT)
    handler = f"{symbol.qualified_name}.{method.name}"
    for route in routes(program, request):
        for verb in _verbs(program, request, route, _verb(method.name)):
            yield _operation(program, framework, request, route, verb, found, complete, handler)


def _verbs(program: Program, request: ClassSymbol, route: Route, verb: str) -> tuple[str, ...]:
    if verb != "ANY":
        return (verb,) if not route.verbs or verb in route.verbs else ()
    return route.verbs or (marked_verb(program, request) or "*",)


def _automatic(program: Program, framework: Framework, request: ClassSymbol) -> Iterator[Operation]:
    """AutoQuery and its kin: a request that has no service of the project."""
    schema = of_type(program, request, VARIANT)
    origin = request.origin
    found = [BranchResult(status="200", schema=schema, explicit_status=False, origin=origin)]
    for route in routes(program, request):
        for verb in route.verbs or (auto_verb(program, request),):
            yield _operation(
                program,
                framework,
                request,
                route,
                verb,
                found if schema is not None else None,
                schema is not None,
                request.qualified_name,
            )


def _operation(
    program: Program,
    framework: Framework,
    request: ClassSymbol,
    route: Route,
    verb: str,
    found: list[BranchResult] | None,
    complete: bool,
    handler: str,
) -> Operation:
    prefix, unresolved = _prefix(program)
    template = _template(f"{prefix}/{route.path.strip('/')}")
    reading = read_inputs(program, request, template, verb, VARIANT)
    return Operation(
        method=verb,
        path=template.path,
        parameters=reading.parameters,
        parameters_complete=reading.complete and verb != "*",
        request=reading.bodies,
        responses=merge_responses(found, [], ()),
        statuses_complete=complete,
        origin=route.origin,
        operation_id=request.decl.name,
        handler=handler,
        framework=framework.name,
        unresolved=route.unresolved or unresolved,
    )


def _template(path: str) -> Template:
    """ServiceStack writes the star of what takes several segments behind the name."""
    parts = [
        "{*" + part[1:-2] + "}" if part.startswith("{") and part.endswith("*}") else part
        for part in path.split("/")
    ]
    return parse("/".join(parts))


@memoised
def _prefix(program: Program) -> tuple[str, Reason]:
    """(what start-up code puts in front of all routes, why that is undetermined)."""
    return _found_prefix(program)


def _found_prefix(program: Program) -> tuple[str, Reason]:
    if program.any_file_contains(b"override RouteAttribute[] GetRouteAttributes("):
        return "", Reason("application-changes-request-routes")
    for path in program.files_containing(b"HandlerFactoryPath"):
        for symbol in program.classes(program.facts(path)):
            for method in symbol.decl.methods:
                scope = program.function_scope(method, program.class_scope(symbol))
                for call, inside in calls_in(program, scope.statements or (), scope):
                    for entry in getattr(call, "entries", ()):
                        if entry.key == "HandlerFactoryPath":
                            text = program.text(entry.value, inside)
                            if text is None:
                                return DYNAMIC_PREFIX, Reason("routes-prefix-not-constant")
                            return f"/{text.strip('/')}", NO_REASON
    return "", NO_REASON


FRAMEWORK = Framework(
    name="ServiceStack",
    markers=(b"using ServiceStack", b"IReturn<", b"IReturnVoid"),
    operations=operations,
    traits=DOTNET,
)
