"""Request bodies that handlers of ASP.NET Core read themselves.

`await request.ReadFromJsonAsync<T>()`, or a text or stream made of `Request.Body` that a serializer
is given, in the handler or in a function that is handed the body.
"""

from __future__ import annotations

from contract_scan.ir.operation import Body
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.resolution.value_classes import called_scopes
from contract_scan.parsers.source.csharp.serialization.json_texts import read_payloads
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name
from contract_scan.parsers.source.facts.visitor import nodes_of

_READS = b"ReadFromJsonAsync"
_BODY = b".Body"
_REQUESTS = ("request", "req")


def read_by_hand(program: Program, function: FunctionValue) -> tuple[Body, ...]:
    """The body that a handler reads itself; none where it reads none, or several kinds."""
    text = function_text(program, function.scope.file.path, function.function)
    if _READS not in text and _BODY not in text:
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
    if len(found) != 1:
        return ()
    origin = program.origin(function.function, function.scope)
    return (Body(schema=found[0], required=None, origin=origin),)


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
