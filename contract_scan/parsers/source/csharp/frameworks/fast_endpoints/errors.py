"""How FastEndpoints writes errors: validators, `ThrowError`, `SendErrorsAsync`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.values import Constant, Scope
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.application import Application
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.classes import EndpointClass
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.setup import own_name
from contract_scan.parsers.source.csharp.serialization.settings.application import settings_for
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult, Handler
from contract_scan.parsers.source.csharp.web.responses import AnnotatedResponse
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.facts.nodes import Call, NamedType

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


class Sender(Struct, frozen=True, kw_only=True):
    """Where answers are looked for."""

    program: Program
    endpoint: EndpointClass
    variant: str
    application: Application
    handler: Handler


def error(sender: Sender, call: Call, scope: Scope) -> BranchResult:
    """`ThrowError("…")`, `ThrowError("…", 404)`."""
    status = "400"
    if own_name(call) != "AddError":
        for argument in call.args:
            value = sender.program.evaluate(argument.value, scope)
            if isinstance(value, Constant) and isinstance(value.value, int):
                status = status_of(sender.program, argument.value, scope) or status
    return error_outcome(sender, status, sender.program.origin(call, scope))


def error_outcome(sender: Sender, status: str, origin: Origin) -> BranchResult:
    """An outcome that lists errors."""
    return BranchResult(
        status=status,
        schema=_error_shape(sender, origin),
        content_type="application/problem+json",
        origin=origin,
    )


def failure_of_validation(sender: Sender) -> AnnotatedResponse | None:
    """The answer to a request that a validator of the project refuses."""
    request = sender.endpoint.request
    if request is None or not isinstance(request.type, NamedType):
        return None
    name = request.type.name.rsplit(".", 1)[-1]
    if not sender.program.any_file_contains(f"Validator<{name}>".encode()):
        return None
    origin = sender.endpoint.symbol.origin
    return AnnotatedResponse(
        status="400",
        schema=_error_shape(sender, origin),
        content_type="application/problem+json",
        origin=origin,
    )


def _error_shape(sender: Sender, origin: Origin) -> Schema:
    """`ErrorResponse` of the library, named as the application's settings say."""
    program = sender.program
    if sender.application.own_errors or program.any_file_contains(b"UseProblemDetails("):
        return Unknown(reason=Reason("application-error-format"), origin=origin)
    settings = settings_for(program, sender.variant, sender.endpoint.symbol.file.path)
    texts = Array(items=Scalar(type="string"))
    shapes: tuple[tuple[str, Schema], ...] = (
        ("StatusCode", Scalar(type="integer", format="int32")),
        ("Message", Scalar(type="string")),
        ("Errors", Object(additional=texts)),
    )
    fields = tuple(
        Field(name=settings.wire_name(name), schema=schema, origin=origin)
        for name, schema in shapes
    )
    return Object(fields=fields, origin=origin, incomplete_reason=settings.unknown_naming)
