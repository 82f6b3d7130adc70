"""OpenAPI Backend: objects that find the handler of a request by the contract that they are made
with. Which library a handler answers by depends on the server that hands its requests on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, New, Return
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.openapi_documents import (
    documents,
    named_operations,
)
from contract_scan.parsers.source.typescript.web.openapi_handlers import handlers, listed_names
from contract_scan.parsers.source.web.specification import Specification

MARKERS = (b"openapi-backend", b"OpenapiBackend")
_TYPES = frozenset(
    f"openapi-backend{name}" for name in ("", ".default", ".OpenAPIBackend", ".default.default")
)
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
_ANSWERS_FOR_ALL = "postResponseHandler"
"""The handler whose answer stands in the place of all others."""
_MAX_CALLS = 3
"""How many functions of the project hand a request on before a backend gets it."""
_PARAMETER = re.compile(r"\{[^{}]*\}")


class _Backend(Struct, frozen=True, eq=False):
    """A backend, or what is registered with one that is made elsewhere."""

    handlers: Mapping[str, FunctionValue]
    documents: tuple[Specification, ...] | None = None
    """Those that it may be made with; none: undetermined. None: it is made elsewhere."""
    validates: bool = True
    names: frozenset[str] | None = None
    """Of all its handlers, those that are not seen too; None: there may be more."""


class ContractHandler(Struct, frozen=True, eq=False):
    """The function that answers what a contract names."""

    function: FunctionValue
    has_body: bool
    """Whether the contract gives requests a body."""


class Backends(Struct, frozen=True, eq=False):
    """All backends of a program together."""

    handlers: Mapping[str, FunctionValue]
    """By the names of their operations."""
    documents: tuple[Specification, ...]
    validates: bool
    """Whether each holds requests against its document before it calls a handler."""
    answers_for_all: bool
    """Whether one handler answers in the place of all others."""
    is_document_known: bool
    """Whether these are the documents that the backends are made with."""
    names: frozenset[str] | None
    """Of all handlers, those that are not seen too; None: there may be more."""

    def handler(self, method: str, path: str) -> ContractHandler | None:
        """The handler of a method on a path, in which the documents name one operation."""
        wanted = _PARAMETER.sub("{}", path)
        named = [
            operation
            for document in self.documents
            for operation in document.operations
            if operation.method == method and _PARAMETER.sub("{}", operation.path) == wanted
        ]
        found = [self.handlers[each.name] for each in named if each.name in self.handlers]
        places = {(each.scope.file.path, each.function.span) for each in found}
        if len(places) != 1 or len(found) != len(named):
            return None
        return ContractHandler(found[0], all(each.has_body for each in named))


@memoised
def backends(program: Program) -> Backends:
    """The backends of a program."""
    found = [
        backend
        for path in program.files_containing(*MARKERS)
        for node, scope in walker.nodes_of(program, program.facts(path))
        for backend in _backends_of(program, node, scope)
    ]
    every = {name: function for each in found for name, function in each.handlers.items()}
    made = [each.documents for each in found if each.documents is not None]
    known = tuple(document for each in made for document in each)
    is_known = bool(made) and all(made)
    names = [each.names for each in found if each.names is not None]
    if every and not is_known:
        known = tuple(each for each in named_operations(program) if _is_handled(each, every))
    return Backends(
        handlers={name: every[name] for name in every if name not in _OWN_EVENTS},
        documents=known,
        validates=all(each.validates for each in found),
        answers_for_all=_ANSWERS_FOR_ALL in every,
        is_document_known=is_known,
        names=frozenset[str]().union(*names) if len(names) == len(found) else None,
    )


def hands_on(program: Program, function: FunctionValue, depth: int = 0) -> bool:
    """Whether all that a function does is to hand its request on to a backend:
    `(request, h) => api.handleRequest({ … }, request, h)`."""
    match program.body(function.function, function.scope.file):
        case (Return(value=Call(callee=callee, args=args)),):
            pass
        case _:
            return False
    scope = program.function_scope(function.function, function.scope)
    if isinstance(callee, Attribute) and callee.name == "handleRequest":
        receiver = program.evaluate(callee.value, scope)
        return len(args) > 2 and not isinstance(receiver, Instance | ClassValue)
    called = program.evaluate(callee, scope)
    return (
        isinstance(called, FunctionValue)
        and depth < _MAX_CALLS
        and hands_on(program, called, depth + 1)
    )


def _is_handled(document: Specification, given: Mapping[str, FunctionValue]) -> bool:
    """Whether most operations of a document have handlers."""
    named = sum(operation.name in given for operation in document.operations)
    return 2 * named > len(document.operations)


def _backends_of(program: Program, node: object, scope: Scope) -> Iterator[_Backend]:
    match node:
        case New() if (options := _options(program, node, scope)) is not None:
            entries = walker.entries(options)
            given = dict[str, FunctionValue]()
            if "handlers" in entries:
                given.update(handlers(program, entries["handlers"].value))
            definition, validate = entries.get("definition"), entries.get("validate")
            held = entries.get("handlers")
            yield _Backend(
                given,
                documents(program, definition.value, scope) if definition is not None else (),
                validate is None or _is_true(validate.value),
                listed_names(held.value) if held is not None else frozenset(),
            )
        case Call(callee=Attribute(name="initialise"), args=(definition_given, handlers_given)) if (
            program.qualified_name(node.callee, scope) in _INITIALISERS
        ):
            value = program.evaluate(handlers_given.value, scope)
            given = {}
            for option in value.options if isinstance(value, OneOf) else (value,):
                given.update(handlers(program, option))
            document = program.evaluate(definition_given.value, scope)
            names = listed_names(value)
            yield _Backend(given, documents(program, document, scope), names=names)
        case Call(callee=Attribute(value=receiver, name=name), args=args) if (
            name in _REGISTERS and args and _is_backend(program, program.evaluate(receiver, scope))
        ):
            yield _Backend(dict(_handlers_of_call(program, node, scope)))
        case _:
            return


def _handlers_of_call(
    program: Program, call: Call, scope: Scope
) -> Iterator[tuple[str, FunctionValue]]:
    """`api.register(handlers)`, `api.register("name", handler)`."""
    if len(call.args) == 1:
        yield from handlers(program, program.evaluate(call.args[0].value, scope))
        return
    operation = program.text(call.args[0].value, scope)
    function = program.evaluate(call.args[1].value, scope)
    if operation is not None and isinstance(function, FunctionValue):
        yield operation, function


def _options(program: Program, node: New, scope: Scope) -> Value | None:
    """What a backend is made with."""
    if not node.args:
        return None
    made = program.evaluate(node, scope)
    if not isinstance(made, LibraryResult) or made.name not in _TYPES:
        return None
    return program.evaluate(node.args[0].value, scope)


def _is_true(value: Value) -> bool:
    return isinstance(value, Constant) and value.value is True


def _is_backend(program: Program, value: Value) -> bool:
    match value:
        case LibraryResult(name=name):
            return name in _TYPES
        case ByType():
            return program.evaluator.qualified_name(value) in _TYPES
        case _:
            return False
