"""Request bodies that handlers of ASP.NET Core and Azure Functions read themselves.

`await request.ReadFromJsonAsync<T>()`, or a text or stream made of `Request.Body` that a serializer
is given, in the handler or in a function that is handed the body.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from contract_scan.ir.operation import Body
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.resolution.value_classes import called_scopes
from contract_scan.parsers.source.csharp.serialization.json_texts import read_payloads
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_READS = b"ReadFromJsonAsync"
_BODY = b".Body"
_EXTENDED = frozenset({"HttpRequest", "HttpContext", "HttpRequestData"})
_REQUESTS = ("request", "req")


def read_by_hand(program: Program, function: FunctionValue) -> tuple[Body, ...]:
    """The body that a handler reads itself; none where it reads none, or several kinds."""
    text = function_text(program, function.scope.file.path, function.function)
    own = _READS in text or _BODY in text
    extensions = {
        name: each
        for name, each in _reading_extensions(program).items()
        if f".{name}(".encode() in text or f".{name}<".encode() in text
    }
    if not own and not extensions:
        return ()
    inside = program.function_scope(function.function, function.scope)
    calls = [
        (call, place)
        for call, place in calls_in(program, inside.statements or (), inside)
        if isinstance(call, Call)
    ]
    found = _as_json(program, calls)
    if not found and _BODY in text:
        found = _deserialised_schemas(program, calls)
    if not found:
        found = _read_by_extensions(program, calls, extensions)
    if len(found) != 1:
        return ()
    origin = program.origin(function.function, function.scope)
    return (Body(schema=found[0], required=None, origin=origin),)


@memoised
def _reading_extensions(program: Program) -> dict[str, FunctionValue]:
    """The project's extension methods of requests that read the body, by their names where these
    tell them apart."""
    found: dict[str, list[FunctionValue]] = {}
    for path in program.files_containing(*(f"this {name} ".encode() for name in _EXTENDED)):
        for symbol in program.classes(program.facts(path)):
            for method in symbol.decl.methods:
                if method.params and "this" in method.params[0].modifiers:
                    type = method.params[0].type
                    text = function_text(program, path, method)
                    of_request = isinstance(type, NamedType) and type.name in _EXTENDED
                    if of_request and (_READS in text or _BODY in text):
                        value = FunctionValue(method, program.class_scope(symbol), symbol)
                        found.setdefault(method.name, []).append(value)
    return {name: each[0] for name, each in found.items() if len(each) == 1}


def _read_by_extensions(
    program: Program, calls: list[tuple[Call, Scope]], extensions: Mapping[str, FunctionValue]
) -> list[Schema]:
    """The schemas that extension methods of the request read the body as:
    `await context.Request.ReadAs<Order>()`."""
    found: list[Schema] = []
    for call, place in calls:
        function = extensions.get(call.callee.name) if isinstance(call.callee, Attribute) else None
        if function is None or not isinstance(call.callee, Attribute):
            continue
        whole = replace(call, args=(Argument(value=call.callee.value), *call.args))
        (inside, *_) = called_scopes(program, function, whole, place)
        read = [
            (each, at)
            for each, at in calls_in(program, inside.statements or (), inside)
            if isinstance(each, Call)
        ]
        schemas = _as_json(program, read) or [p.schema for p in read_payloads(program, read)]
        found.extend(schema for schema in schemas if schema not in found)
    return found


def _as_json(program: Program, calls: list[tuple[Call, Scope]]) -> list[Schema]:
    """`request.ReadFromJsonAsync<T>()`: with the options of minimal APIs, in controllers too."""
    found: list[Schema] = []
    for call, place in calls:
        callee = call.callee
        if not isinstance(callee, Attribute) or callee.name != _READS.decode():
            continue
        if call.type_args and _is_request(callee.value):
            variant = READING + variant_for(program, "http", place.file.path)
            schema = program.schema(call.type_args[0], place, variant)
            found.extend(() if schema in found else (schema,))
    return found


def _is_request(expr: Expr) -> bool:
    name = expr.name if isinstance(expr, Attribute) else expr.id if isinstance(expr, Name) else ""
    return name.lower().endswith(_REQUESTS)


def _deserialised_schemas(program: Program, calls: list[tuple[Call, Scope]]) -> list[Schema]:
    """The schemas that serializers read the body as, here or in a function that receives it."""
    own = [(call, place) for call, place in calls if not _reads_json(call)]
    payloads = read_payloads(program, own)
    for call, place in own if not payloads else ():
        if not any(_holds_body(argument.value) for argument in call.args):
            continue
        function = called_function(program, call, place)
        if function is not None:
            (inside, *_) = called_scopes(program, function, call, place)
            payloads = read_payloads(program, calls_in(program, inside.statements or (), inside))
            break
    return [payload.schema for payload in payloads]


def _reads_json(call: Call) -> bool:
    return isinstance(call.callee, Attribute) and call.callee.name == _READS.decode()


def _holds_body(expr: Expr) -> bool:
    """Whether an expression is made of `Request.Body`."""
    return any(
        isinstance(node, Attribute) and node.name == "Body" and _is_request(node.value)
        for node in nodes_of(expr)
    )
