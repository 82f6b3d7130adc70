"""Responses of the Fetch standard, and of the libraries that extend them: `Response.json(x)`,
`new Response(text, { status, headers })`, `NextResponse.json(…)`, `json(…)`, `redirect(…)`."""

from __future__ import annotations

from contract_scan.ir.operation import Body
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import New
from contract_scan.parsers.source.typescript.resolution.walker import entries
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import ReturnedResponse

_STRINGIFY = "JSON.stringify"
_BYTES = Reason("body-not-json")


def argument(program: Program, made: LibraryResult, position: int) -> Value | None:
    """What a call was given at a position; None for nothing and for `undefined`."""
    args = made.site.args
    if position >= len(args) or any(a.spread for a in args[: position + 1]):
        return None
    value = program.evaluate(args[position].value, made.scope)
    if isinstance(value, LibrarySymbol) and value.name == "undefined":
        return None
    return value


def argument_origin(made: LibraryResult, position: int) -> Origin:
    """Where an argument of a call stands, or else the call."""
    args = made.site.args
    span = args[position].value.span if position < len(args) else made.site.span
    return Origin(made.scope.file.path, span)


def json_response(program: Program, made: LibraryResult) -> ReturnedResponse:
    """`json(body, init)`."""
    codes, explicit = init_statuses(argument(program, made, 1), 200)
    value = argument(program, made, 0)
    if value is None:
        return ReturnedResponse(codes, explicit, None)
    return ReturnedResponse(codes, explicit, json_body(program, value, argument_origin(made, 0)))


def json_body(program: Program, value: Value, origin: Origin) -> Body:
    """A value as JSON."""
    return Body(schema=program.schema_of(value), content_type=JSON, origin=origin)


def body_response(program: Program, made: LibraryResult) -> ReturnedResponse:
    """`new Response(body, init)`: text that is JSON, other text, bytes, or nothing."""
    init = argument(program, made, 1)
    codes, explicit = init_statuses(init, 200)
    value = argument(program, made, 0)
    body = raw_body(program, value, argument_origin(made, 0), init, "text/plain")
    return ReturnedResponse(codes, explicit, body)


def raw_body(
    program: Program, value: Value | None, origin: Origin, init: Value | None, text: str
) -> Body | None:
    """What is sent as it is."""
    if value is None or (isinstance(value, Constant) and value.value is None):
        return None
    declared = content_type(program, init)
    parts = value.options if isinstance(value, OneOf) else (value,)
    texts = [
        p for p in parts if isinstance(p, LibraryResult) and p.name == _STRINGIFY and p.site.args
    ]
    if len(texts) == len(parts) == 1:
        inner = program.infer(texts[0].site.args[0].value, texts[0].scope)
        return Body(schema=inner, content_type=_json(declared), origin=origin)
    schema = program.types.flat(program.schema_of(value))
    if isinstance(schema, Scalar) and schema.type == "string":
        if "json" in declared:
            reason = Unknown(reason=Reason("json-written-as-text"), origin=origin)
            return Body(schema=reason, content_type=declared, origin=origin)
        return Body(schema=schema, content_type=declared or text, origin=origin)
    unknown = Unknown(reason=_BYTES, origin=origin)
    return Body(schema=unknown, content_type=declared or "*/*", origin=origin)


def _json(declared: str) -> str:
    return declared if "json" in declared or "event-stream" in declared else JSON


def init_statuses(init: Value | None, default: int) -> tuple[tuple[int, ...], bool]:
    """The statuses of `{ status: 201 }` or of a number, and whether the code says them."""
    if init is None:
        return (default,), False
    if isinstance(init, Constant) and init.value is None:
        return (default,), False
    if isinstance(init, Record):
        entry = entries(init).get("status")
        if entry is None:
            return ((), False) if init.partial else ((default,), False)
        found = statuses.of_value(entry.value)
        if entry.optional and found:
            found = tuple(dict.fromkeys((*found, default)))
        return found, True
    return statuses.of_value(init), True


def content_type(program: Program, init: Value | None) -> str:
    """The content type that `{ headers: { "Content-Type": … } }` says; empty: none."""
    headers = entries(init).get("headers") if init is not None else None
    value = headers.value if headers is not None else None
    if isinstance(value, LibraryResult) and isinstance(value.site, New) and value.name == "Headers":
        value = argument(program, value, 0)
    for name, entry in entries(value).items() if value is not None else ():
        if name.lower() == "content-type":
            text = program.evaluator.text(entry.value) or ""
            return text.split(";")[0].strip().lower()
    return ""


def redirect_response(
    program: Program, made: LibraryResult, *, default: int = 302, position: int = 1
) -> ReturnedResponse:
    """`redirect(url, status)`."""
    codes, explicit = init_statuses(argument(program, made, position), default)
    return ReturnedResponse(codes, explicit, None)


def standard(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    """`Response.json`, `new Response`, `Response.redirect`; None for anything else."""
    match made.name:
        case "Response.json":
            return json_response(program, made)
        case "Response":
            return body_response(program, made)
        case "Response.redirect":
            return redirect_response(program, made)
        case "Response.error":
            return ReturnedResponse((500,), True, None)
        case _:
            return None
