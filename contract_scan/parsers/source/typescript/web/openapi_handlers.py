"""Handlers that a library finds by the names of operations: the contract itself says their paths.

What is told of such a route is its `operation_id` and nothing of its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    ModuleValue,
    OneOf,
    Record,
    Value,
    origin_at,
)
from contract_scan.parsers.source.typescript.web.endpoints import handler_name, undetermined_summary
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary, read_handler
from contract_scan.parsers.source.typescript.web.openapi_documents import held_against_document

_UNPLACED = Reason("path-given-by-document")


class Signature(Struct, frozen=True):
    """Where a library hands its handlers a request and a response."""

    request: int
    response: int
    returns: bool = False
    """What a handler returns is sent, too."""


def handlers(program: Program, given: Value) -> Iterator[tuple[str, FunctionValue]]:
    """The functions that an object holds, by their names: of a literal, of a module, of an object
    of a class."""
    match given:
        case Record(entries=entries):
            for entry in entries:
                if isinstance(entry.value, FunctionValue):
                    yield entry.name, entry.value
        case ModuleValue(path=path):
            file = program.facts(path)
            names = [function.name for function in file.functions]
            names.extend(export.exported for export in file.exports)
            for name in dict.fromkeys(names):
                found = (
                    program.names.modules.resolve_export(path, name)
                    if name not in ("*", "default")
                    else None
                )
                if isinstance(found, FunctionValue):
                    yield name, found
        case Instance(symbol=symbol) | ClassValue(symbol=symbol):
            for owner in (symbol, *(base for base, _ in program.names.classes.ancestors(symbol))):
                for method in owner.decl.methods:
                    found = program.find_method(symbol, method.name)
                    if found is not None and "constructor" not in method.modifiers:
                        yield method.name, found
        case _:
            return


def listed_names(given: Value) -> frozenset[str] | None:
    """The names of all that an object of handlers holds; None where it may hold more than is
    known."""
    match given:
        case Record(entries=entries, partial=partial, values=None) if not partial:
            return frozenset(entry.name for entry in entries)
        case OneOf(options=options):
            found = [listed_names(option) for option in options]
            known = [names for names in found if names is not None]
            return frozenset().union(*known) if len(known) == len(found) else None
        case _:
            return None


def operation_by_name(
    program: Program,
    framework: str,
    name: str,
    function: FunctionValue,
    signature: Signature,
    *,
    validates: bool,
) -> Operation:
    """The operation of a name, as its handler implements it; `validates` says whether the library
    holds requests against the document first."""
    params = function.function.params
    origin = origin_at(function.scope, function.function.span)
    handled: HandlerSummary
    if signature.returns or len(params) > signature.response:
        handled = read_handler(
            program,
            function,
            request=signature.request,
            response=signature.response,
            returns=signature.returns,
        )
    else:
        handled = undetermined_summary(Reason("response-sender-undetermined"), origin)
    if validates:
        handled = replace(handled, request=held_against_document(handled.request, origin))
    return named_operation(framework, name, function, handled)


def named_operation(
    framework: str, name: str, function: FunctionValue, handled: HandlerSummary
) -> Operation:
    """The operation of a name."""
    return Operation(
        method="*",
        path="",
        operation_id=name,
        parameters=tuple(p for p in handled.parameters if p.location != "path"),
        parameters_complete=False,
        request=handled.request,
        deferred=handled.answers,
        origin=origin_at(function.scope, function.function.span),
        handler=handler_name(function) or name,
        framework=framework,
        unresolved=_UNPLACED,
    )
