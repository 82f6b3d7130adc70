"""Which message a handler is given."""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, Scope
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.serialization.json_texts import (
    RAW,
    Payload,
    read_in,
    type_name,
    undetermined_because,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Function,
    NamedType,
    NullableType,
    Param,
)

_BESIDE = frozenset(
    {
        *("CancellationToken", "CapHeader", "HttpContext", "HttpRequest", "FunctionContext"),
        *("ServiceBusMessageActions", "ServiceBusSessionMessageActions", "TraceWriter"),
        *("TopicContext", "ClaimsPrincipal"),
    }
)
"""Types of parameters that a handler is given beside the payload."""
_SERVICES = ("FromServices", "FromCap", "FromRoute", "FromQuery", "FromHeader", "FromKeyedServices")


def handler_payload(
    program: Program, function: Function, scope: Scope, variant: str, around: frozenset[str]
) -> Payload:
    """The message that a handler receives, by the type of its payload parameter. `scope` is
    around the handler; `around` are wrapper types with the payload as their type argument. For a
    text it is what the handler deserialises it to."""
    param = payload_parameter(program, function, scope)
    if param is None or param.type is None:
        return undetermined_because(
            Reason("handler-message-type-missing", function=function.name or "the handler")
        )
    type = param.type.item if isinstance(param.type, NullableType) else param.type
    if isinstance(type, ArrayType):
        type = type.item
    while isinstance(type, NamedType) and unqualified_name(type.name) in around and type.args:
        type = type.args[0]
    if isinstance(type, NamedType) and unqualified_name(type.name) in RAW:
        read = read_in(program, program.function_scope(function, scope))
        return read or undetermined_because(
            Reason("handler-takes-raw-message", function=function.name or "the handler")
        )
    schema = program.schema(type, scope, READING + variant)
    return Payload(schema=schema, message=type_name(program, ByType(type, scope)))


def payload_parameter(program: Program, function: Function, scope: Scope) -> Param | None:
    """The parameter of a handler that holds the payload: the only one that is no service."""
    del program, scope
    left = [param for param in function.params if not _is_service(param)]
    marked = [param for param in left if find(param.annotations, "FromBody") is not None]
    left = marked or left
    return left[0] if len(left) == 1 else None


def _is_service(param: Param) -> bool:
    if find(param.annotations, *_SERVICES) is not None:
        return True
    type = param.type.item if isinstance(param.type, NullableType) else param.type
    if not isinstance(type, NamedType):
        return False
    name = unqualified_name(type.name)
    is_interface = name[:1] == "I" and name[1:2].isupper()
    return name in _BESIDE or name.endswith(("DbContext", "Client")) or is_interface
