"""Values that a handler returns and a framework sends: nothing, texts, all else as JSON."""

from __future__ import annotations

from contract_scan.ir.operation import Body
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, LibrarySymbol, Value
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import ReturnedResponse


def is_nothing(value: Value) -> bool:
    """Whether a value is null or undefined."""
    return (isinstance(value, Constant) and value.value is None) or (
        isinstance(value, LibrarySymbol) and value.name == "undefined"
    )


def value_response(
    program: Program,
    value: Value,
    origin: Origin,
    *,
    text: str = "text/html",
    nothing: int = 204,
) -> ReturnedResponse:
    """What is returned is sent: nothing with a status of its own, texts as they are, all else as
    JSON."""
    if is_nothing(value):
        return ReturnedResponse((nothing,), False, None)
    schema = program.schema_of(value)
    flat = program.types.flat(schema)
    of_text = isinstance(flat, Scalar) and flat.type == "string"
    return ReturnedResponse(
        (200,),
        False,
        Body(schema=schema, content_type=text if of_text else JSON, origin=origin),
    )
