"""Classes that implement interfaces which generators write at build time from a contract.

The interface with the mappings is not among the sources; what there is are methods with the names
of the contract's operations. Each becomes a route of the method and path that the contract says
which the build names, below whatever the generator adds; where no such contract is there, neither
is told, and the route is known by that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue
from contract_scan.parsers.source.facts.nodes import Function, NamedType
from contract_scan.parsers.source.java.resolution.annotations import has
from contract_scan.parsers.source.java.serialization.generated_servers import (
    ContractOperation,
    generated_operation,
    is_generated,
    with_media,
)
from contract_scan.parsers.source.java.web.handlers import Method, methods

_OF_LIBRARIES = (
    "java.",
    "javax.",
    "jakarta.",
    "kotlin.",
    "org.springframework.",
    "io.quarkus.",
    "io.micronaut.",
    "com.fasterxml.",
    "org.slf4j.",
    "lombok.",
)
"""Beginnings of packages that no generator writes into, unless they are the project's own."""
_NO_OPERATIONS = frozenset(
    {
        *("equals", "hashCode", "toString"),
        # https://github.com/OpenAPITools/openapi-generator: JavaSpring/api.mustache
        *("getRequest", "getDelegate", "getObjectMapper", "getHttpServletRequest"),
        "getAcceptHeader",
    }
)
"""Methods that all objects have, and generated interfaces beside those of
operations."""
_INTERFACES = ("Api", "API", "ApiDelegate")
"""What generators end the names of interfaces with, whatever package they are in."""
_SHARED_PARTS = 2
"""How many leading parts of a package make a project's own: `com.shop`."""


def unseen_interface(program: Program, symbol: ClassSymbol) -> str:
    """The name of a base that is neither among the sources nor a library's; empty: there is
    none."""
    for owner in (symbol, *program.bases(symbol)):
        for base in owner.decl.bases:
            if isinstance(base, NamedType) and _is_unseen(program, base, owner):
                return base.name.rpartition(".")[2]
    return ""


def _unseen_bases(program: Program, symbol: ClassSymbol) -> list[NamedType]:
    return [
        base
        for base in symbol.decl.bases
        if isinstance(base, NamedType) and _is_unseen(program, base, symbol)
    ]


def unseen_packages(program: Program, symbol: ClassSymbol) -> Iterator[str]:
    """The packages of the bases of a class that are not among the sources."""
    for base in _unseen_bases(program, symbol):
        yield from _packages_of(base, symbol)


def _packages_of(base: NamedType, symbol: ClassSymbol) -> Iterator[str]:
    """The packages in which a base may be declared."""
    file = symbol.file
    first, _, _ = base.name.partition(".")
    if first[:1].islower():  # written out in full
        yield base.name.rpartition(".")[0]
        return
    imported = [entry.module for entry in file.imports if entry.name == first]
    if imported:
        yield imported[0]
        return
    yield file.package
    yield from (e.module for e in file.imports if e.name == "*")


def _is_unseen(program: Program, base: NamedType, owner: ClassSymbol) -> bool:
    if isinstance(program.names.lookup_type(base.name, program.class_scope(owner)), ClassValue):
        return False
    file = owner.file
    first, _, _ = base.name.partition(".")
    if first[:1].islower():  # written out in full
        return _is_own(base.name.rpartition(".")[0], file.package)
    imported = [entry for entry in file.imports if entry.name == first]
    if not imported:
        # Of the same package, or of one that is imported as a whole.
        stars = [entry.module for entry in file.imports if entry.name == "*"]
        return not stars or any(_may_be_made(program, owner, first, module) for module in stars)
    return _may_be_made(program, owner, first, imported[0].module)


def _may_be_made(program: Program, owner: ClassSymbol, name: str, package: str) -> bool:
    """Whether a name that no source declares may be that of a generated interface."""
    file = owner.file
    if _is_own(package, file.package) or is_generated(program, file.path, package):
        return True
    return name.endswith(_INTERFACES) and not f"{package}.".startswith(_OF_LIBRARIES)


def _is_own(package: str, own: str) -> bool:
    parts, ours = package.split("."), own.split(".")
    if f"{package}.".startswith(_OF_LIBRARIES):
        return len(ours) > _SHARED_PARTS and parts[: _SHARED_PARTS + 1] == ours[: _SHARED_PARTS + 1]
    return parts[:_SHARED_PARTS] == ours[:_SHARED_PARTS]


def _unseen_methods(
    program: Program, symbol: ClassSymbol
) -> Iterator[tuple[Method, ContractOperation | None]]:
    """The methods that override one which no source declares, each with what a contract says of
    it. Java does not ask for `@Override`."""
    packages = list(unseen_packages(program, symbol))
    interfaces = [base.name.rpartition(".")[2] for base in _unseen_bases(program, symbol)]
    found: list[tuple[Method, ContractOperation | None]] = []
    for method in methods(program, symbol):
        function = method.nearest.function
        if len(method.declarations) != 1:
            continue
        operation = generated_operation(program, symbol.file.path, function, packages, interfaces)
        if operation is None and function.name in _NO_OPERATIONS:
            continue
        if _overrides(method) or (operation and not _has_route(function)):
            found.append((method, operation))
    # Of overloads, those that say so override the one method of the interface.
    marked = {method.name for method, _ in found if _overrides(method)}
    yield from ((m, operation) for m, operation in found if m.name not in marked or _overrides(m))


def _overrides(method: Method) -> bool:
    return has(method.nearest.function.annotations, "Override")


def _has_route(function: Function) -> bool:
    return any(
        annotation.name.endswith(("Mapping", "Exchange")) or annotation.name in _ROUTES
        for annotation in function.annotations
    )


_ROUTES = frozenset(
    {
        *("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "Path"),
        *("Get", "Post", "Put", "Patch", "Delete", "Head", "Options"),
    }
)


def unseen_operations(
    program: Program,
    symbol: ClassSymbol,
    framework: str,
    responses_of: Callable[[Method], tuple[tuple[Response, ...], bool, Origin]],
    placed: Callable[[str], tuple[list[str], str]] | None = None,
) -> Iterator[Operation]:
    """What a class answers of an interface that is not among the sources. `sent` gives the
    responses of a method, whether they are all, and its place; `placed` where a path of the
    interface is served, and why that is undetermined."""
    interface = unseen_interface(program, symbol)
    if not interface:
        return
    for method, operation in _unseen_methods(program, symbol):
        responses, complete, origin = responses_of(method)
        base = Operation(
            method="*",
            path="",
            operation_id=method.name,
            parameters_complete=False,
            responses=responses,
            # An interface that is seen nowhere may say another status than the default one.
            statuses_complete=complete
            and (operation is not None or all(r.explicit_status for r in responses)),
            origin=origin,
            handler=origin.symbol,
            framework=framework,
            unresolved=_undetermined_reason(symbol, interface),
        )
        if operation is None:
            yield base
        else:
            yield from _contract_operations(base, operation, placed)


def _contract_operations(
    base: Operation,
    operation: ContractOperation,
    placed: Callable[[str], tuple[list[str], str]] | None,
) -> Iterator[Operation]:
    """A method of an interface that is made of a contract which is there."""
    base = replace(
        base,
        parameters=operation.operation.parameters,
        parameters_complete=True,
        request=operation.operation.request,
        responses=with_media(_with_status(base, operation.operation), operation.operation),
    )
    paths, why = placed(operation.operation.path) if placed is not None else ([], "")
    if why or not operation.is_below(paths):
        path = f"{DYNAMIC_PREFIX}{operation.operation.path}"
        yield replace(base, method=operation.operation.method, path=path)
        return
    for path in paths:
        yield replace(base, method=operation.operation.method, path=path, unresolved=NO_REASON)


def _with_status(base: Operation, contract: Operation) -> tuple[Response, ...]:
    """The responses of a method. Where it gives no whole response, the interface that is generated
    for Spring says its status: that of the contract's first response (`@ResponseStatus`)."""
    first = next((response.status for response in contract.responses), "")
    if base.framework != "Spring MVC" or not (first.isdigit() and first.startswith("2")):
        return base.responses
    return tuple(
        response if response.explicit_status else replace(response, status=first)
        for response in base.responses
    )


def _undetermined_reason(symbol: ClassSymbol, interface: str) -> Reason:
    """Why the route of such a method is undetermined."""
    return Reason("implemented-interface-not-found", interface=interface, type=symbol.decl.name)
