"""OpenAPI Backend: `new OpenAPIBackend({ handlers })`, `api.register({ listOrders, … })`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    LibraryResult,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, New
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.openapi_handlers import (
    Signature,
    handlers,
    operation_by_name,
)

NAME = "OpenAPI Backend"
_TYPES = frozenset(
    f"openapi-backend{name}" for name in ("", ".default", ".OpenAPIBackend", ".default.default")
)
_MARKERS = (b"openapi-backend", b"OpenapiBackend")
_INITIALISERS = frozenset(
    {
        "@mojaloop/central-services-shared.Util.OpenapiBackend.initialise",
        "@mojaloop/central-services-shared.OpenapiBackend.initialise",
    }
)
"""Calls of libraries that make a backend: of the path of the document, and of the handlers."""
_REGISTERS = frozenset({"register", "registerHandler"})
_OWN_EVENTS = frozenset(
    {
        *("notFound", "methodNotAllowed", "notImplemented", "validationFail"),
        *("unauthorizedHandler", "preSecurityHandler", "postSecurityHandler"),
        *("preRoutingHandler", "postRoutingHandler", "preOperationHandler"),
        *("postResponseHandler", "404", "400"),
    }
)
"""Names of handlers that stand for no operation."""
_SIGNATURE = Signature(request=1, response=2)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every handler that is registered under the name of an operation."""
    found: dict[str, FunctionValue] = {}
    for path in program.files_containing(*_MARKERS):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            found.update(_registered_handlers(program, node, scope))
    for name, function in found.items():
        if name not in _OWN_EVENTS:
            yield operation_by_name(program, framework.name, name, function, _SIGNATURE)


def _registered_handlers(
    program: Program, node: object, scope: Scope
) -> Iterator[tuple[str, FunctionValue]]:
    match node:
        case New() if (options := _options(program, node, scope)) is not None:
            given = walker.entries(options).get("handlers")
            if given is not None:
                yield from handlers(program, given.value)
        case Call(callee=Attribute(name="initialise"), args=(_, given)) if (
            program.qualified_name(node.callee, scope) in _INITIALISERS
        ):
            value = program.evaluate(given.value, scope)
            for option in value.options if isinstance(value, OneOf) else (value,):
                yield from handlers(program, option)
        case Call(callee=Attribute(value=receiver, name=name), args=args) if (
            name in _REGISTERS and args and _is_backend(program, program.evaluate(receiver, scope))
        ):
            if len(args) == 1:
                yield from handlers(program, program.evaluate(args[0].value, scope))
                return
            operation = program.text(args[0].value, scope)
            function = program.evaluate(args[1].value, scope)
            if operation is not None and isinstance(function, FunctionValue):
                yield operation, function
        case _:
            return


def _options(program: Program, node: New, scope: Scope) -> Value | None:
    """What a backend is made with."""
    if not node.args:
        return None
    made = program.evaluate(node, scope)
    if not isinstance(made, LibraryResult) or made.name not in _TYPES:
        return None
    return program.evaluate(node.args[0].value, scope)


def _is_backend(program: Program, value: Value) -> bool:
    match value:
        case LibraryResult(name=name):
            return name in _TYPES
        case ByType():
            return program.evaluator.qualified_name(value) in _TYPES
        case _:
            return False


FRAMEWORK = Framework(
    name=NAME,
    markers=_MARKERS,
    calls=(b".register(", b".registerHandler(", b"OpenAPIBackend(", b"OpenapiBackend."),
    operations=operations,
)
