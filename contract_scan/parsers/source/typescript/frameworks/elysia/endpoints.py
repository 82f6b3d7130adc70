"""What one Elysia route takes and sends: its hook's schemas, those of guards, its handler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Record,
    RecordEntry,
    Value,
)
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization.typebox import UPLOADED
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import fetch_responses, statuses
from contract_scan.parsers.source.typescript.web.endpoints import (
    handler_of,
    read_endpoint,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.fetch_responses import argument, argument_origin
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.plain_values import (
    is_nothing,
    value_response,
)
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
    answer,
)
from contract_scan.parsers.source.typescript.web.taint_marks import MarkedReader, TaintMarks

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

CONTEXT = LibrarySymbol("<context>")
FORM = "multipart/form-data"
_MARKS = TaintMarks(bodies={"<context>.body": JSON}, queries=frozenset({"<context>.query"}))
_STATUS = frozenset({"<context>.status", "<context>.error", "elysia.status", "elysia.error"})
_REDIRECT = frozenset({"<context>.redirect", "elysia.redirect"})
_NO_JSON = frozenset({"elysia.file", "elysia.form", "elysia.sse", "Bun.file"})
_LOCATIONS: Mapping[str, Location] = {
    "query": "query",
    "params": "path",
    "headers": "header",
    "cookie": "cookie",
}
_WORDS = Scalar(type="string")
_CHANGES = ("afterHandle", "mapResponse")
_CHANGED = Unknown(reason=Reason("after-hook-may-change-response"))


def handler_signature(
    program: Program,
    handler: Value | None,
    hooks: Sequence[Value],
    models: Mapping[str, Value],
    origin: Origin,
) -> HandlerSummary:
    """The request inputs and responses of a route. `hooks`: that of the route first, then
    those of guards around it; `models`: the schemas that have names."""
    found = _by_handler(program, handler, origin)
    settings = [walker.entries(hook) for hook in hooks]
    merged: dict[str, RecordEntry] = {}
    for each in reversed(settings):
        merged.update(each)
    found = _declared_request(program, merged, models, found)
    found = _declared_responses(program, merged, models, found)
    if any(key in each for each in settings for key in _CHANGES):
        found = with_undetermined_bodies(found)
    return found


def with_undetermined_bodies(found: HandlerSummary) -> HandlerSummary:
    """The responses after a hook that may change them."""
    return replace(
        found,
        statuses_complete=False,
        responses=tuple(
            replace(
                response,
                bodies=tuple(
                    Body(schema=_CHANGED, content_type=b.content_type, origin=b.origin)
                    for b in response.bodies
                ),
            )
            for response in found.responses
        ),
    )


def is_hidden(program: Program, hooks: Sequence[Value]) -> bool:
    """Whether a route says that it is not to be documented (`detail: { hide: true }`)."""
    del program
    for hook in hooks:
        detail = walker.entries(hook).get("detail")
        hide = walker.entries(detail.value).get("hide") if detail is not None else None
        if hide is not None and isinstance(hide.value, Constant) and hide.value.value is True:
            return True
    return False


def _by_handler(program: Program, value: Value | None, origin: Origin) -> HandlerSummary:
    if value is None:
        return undetermined_summary(Reason("route-handler-not-visible"), origin)
    if isinstance(value, FunctionValue):
        found = handler_of(program, value)
        return read_endpoint(program, found, (CONTEXT,), _MARKS, _DIALECT, origin)
    if isinstance(value, LibraryResult) and _library_response(program, value) is None:
        return read_endpoint(
            program, handler_of(program, value), (CONTEXT,), _MARKS, _DIALECT, origin
        )
    responses = answer(program, value, origin, _DIALECT)
    return HandlerSummary(
        responses.responses, responses.statuses_complete, (), (), responses.undetermined_status
    )


# ---------------------------------------------------------------------- what is declared


def _schema(
    program: Program, value: Value, models: Mapping[str, Value], variant: str = ""
) -> Schema | None:
    if isinstance(value, Constant) and isinstance(value.value, str):
        named = models.get(value.value)
        if named is None:
            return Unknown(reason=Reason("model-not-found", value=repr(value.value)))
        return _schema(program, named, {}, variant)
    if isinstance(value, LibraryResult):
        return program.schema_of(value, variant)
    return None


def _declared_request(
    program: Program,
    hook: dict[str, RecordEntry],
    models: Mapping[str, Value],
    found: HandlerSummary,
) -> HandlerSummary:
    request = found.request
    if "body" in hook:
        schema = _schema(program, hook["body"].value, models, zod.INPUT)
        if schema is not None:
            kind = FORM if _uploads(program, schema) else JSON
            request = (
                Body(schema=schema, content_type=kind, required=True, origin=hook["body"].origin),
            )
    reader = MarkedReader(program, _MARKS)
    for name, location in _LOCATIONS.items():
        schema = _schema(program, hook[name].value, models, zod.INPUT) if name in hook else None
        if schema is not None:
            reader.fields(schema, location)
    named = {(p.location, p.name): p for p in (*found.parameters, *reader.parameters())}
    return replace(found, request=request, parameters=tuple(named.values()))


def _uploads(program: Program, schema: Schema) -> bool:
    flat = program.types.flat(schema)
    return isinstance(flat, Object) and any(
        isinstance(field.schema, Unknown) and field.schema.reason == UPLOADED
        for field in flat.fields
    )


def _declared_responses(
    program: Program,
    hook: dict[str, RecordEntry],
    models: Mapping[str, Value],
    found: HandlerSummary,
) -> HandlerSummary:
    """`response: schema` or `response: { 200: schema }`: what is not named is left out."""
    entry = hook.get("response")
    if entry is None:
        return found
    declared: dict[str, Response] = {}
    if isinstance(entry.value, Record):
        for inner in entry.value.entries:
            _declare(program, inner.name, inner.value, inner.origin, models, declared)
    else:
        _declare(program, "200", entry.value, entry.origin, models, declared)
    value_response = found.responses
    undetermined = all(
        not r.explicit_status and all(program.types.is_unknown(b.schema) for b in r.bodies)
        for r in value_response
    )
    if undetermined:
        successes = [r for r in declared.values() if r.status.startswith("2")]
        if successes:
            return replace(found, responses=tuple(successes), statuses_complete=False)
    responses = tuple(
        replace(response, bodies=declared[response.status].bodies)
        if response.status in declared
        else response
        for response in value_response
    )
    return replace(found, responses=responses)


def _declare(
    program: Program,
    status: str,
    value: Value,
    origin: Origin,
    models: Mapping[str, Value],
    found: dict[str, Response],
) -> None:
    schema = _schema(program, value, models)
    if schema is None or not status.isdigit():
        return
    flat = program.types.flat(schema)
    empty = isinstance(flat, Nothing) or status in ("204", "205", "304")
    text = getattr(flat, "type", "") == "string"
    kind = "text/plain" if text else JSON
    bodies = () if empty else (Body(schema=schema, content_type=kind, origin=origin),)
    found[status] = Response(status=status, bodies=bodies, documented=True, origin=origin)


# ---------------------------------------------------------------------- what is sent


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    if made.name in _STATUS:
        given = argument(program, made, 0)
        codes = statuses.of_value(given) if given is not None else ()
        value = argument(program, made, 1)
        if value is None:  # the words of the status are sent
            return ReturnedResponse(codes, True, Body(schema=_WORDS, content_type="text/plain"))
        return ReturnedResponse(
            codes, True, _value_response(program, value, argument_origin(made, 1)).body
        )
    if made.name in _REDIRECT:
        return fetch_responses.redirect_response(program, made)
    if made.name in _NO_JSON:
        reason = Unknown(reason=Reason("no-json-sent"), origin=argument_origin(made, 0))
        return ReturnedResponse((200,), False, Body(schema=reason, content_type="*/*"))
    return fetch_responses.standard(program, made)


def _value_response(program: Program, value: Value, origin: Origin) -> ReturnedResponse:
    if is_nothing(value):
        return ReturnedResponse((200,), False, None)
    return value_response(program, value, origin, text="text/plain", nothing=200)


_DIALECT = ResponseLibrary(
    read_result=_library_response,
    plain=_value_response,
    status_targets=frozenset({"<context>.set.status"}),
)
