"""What one AdonisJS route takes and sends: validators, the context's response, returned values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Body
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization import vine
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.endpoints import bind_parameters
from contract_scan.parsers.source.typescript.web.fetch_responses import argument, argument_origin
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.plain_values import is_nothing
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
    answers,
)
from contract_scan.parsers.source.typescript.web.taint_marks import FORM, MarkedReader, TaintMarks
from contract_scan.parsers.source.web.status_names import PHRASES

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

CONTEXT = LibrarySymbol("<context>")
_REQUEST = "<context>.request"
_RESPONSE = "<context>.response"
_MARKS = TaintMarks(
    bodies={
        **{f"{_REQUEST}.{name}()": JSON for name in ("body", "all", "only", "except", "post")},
        **{f"{_REQUEST}.{name}()": JSON for name in ("input", "validateUsing", "validate")},
        **{f"{_REQUEST}.{name}()": FORM for name in ("file", "files", "allFiles")},
        f"{_REQUEST}.raw()": "*/*",
    },
    queries=frozenset({f"{_REQUEST}.qs()", f"{_REQUEST}.get()"}),
    keyed=frozenset({f"{_REQUEST}.input()"}),
    picking=frozenset({f"{_REQUEST}.only()"}),
)
_WITHOUT_BODY = frozenset({"GET", "HEAD", "DELETE"})
_NAMED = {name[0].lower() + name[1:]: int(status) for name, status in PHRASES.items()}
_SENDS = frozenset({"send", "json", "jsonp", *_NAMED})
_BYTES = frozenset({"stream", "download", "attachment", "streamDownload"})
_STATUS = frozenset({"status", "safeStatus"})
_BEFORE = ("", ".status()", ".safeStatus()", ".header()", ".status().header()", ".type()")
_EXCEPTIONS = frozenset(
    {"@adonisjs/core/exceptions.Exception", "@poppinss/utils.Exception"}
    | {"@adonisjs/core/build/standalone.Exception", "@adonisjs/generic-exceptions.HttpException"}
)


def handler_signature(program: Program, function: FunctionValue, method: str) -> HandlerSummary:
    """The request inputs and responses of a handler for a method."""
    reader = MarkedReader(program, _MARKS)
    scope = reader.read_function(function, bind_parameters(program, function, (CONTEXT,)))
    found = answers(program, scope.statements or (), scope, _DIALECT)
    _note_validators(program, reader, scope, method)
    bodies = reader.bodies() if method not in _WITHOUT_BODY else ()
    return HandlerSummary(
        found.responses,
        found.statuses_complete,
        bodies,
        reader.parameters(),
        found.undetermined_status,
    )


# ---------------------------------------------------------------------- what is taken


def _note_validators(program: Program, reader: MarkedReader, scope: Scope, method: str) -> None:
    """`request.validateUsing(validator)`, `validator.validate(request.all())`."""
    for node, inside in walker.nodes(program, scope.statements or (), scope):
        callee = node.callee if isinstance(node, Call) else None
        if not isinstance(callee, Attribute) or not isinstance(node, Call) or not node.args:
            continue
        schema: Schema | None = None
        if callee.name in ("validateUsing", "validate"):
            made = program.evaluate(node, inside)
            name = made.name if isinstance(made, LibraryResult) else ""
            given = program.evaluate(node.args[0].value, inside)
            if name.startswith(f"{_REQUEST}."):
                schema = _schema(program, given)
            elif vine.is_vine(name) and isinstance(given, LibraryResult):
                receiver = program.evaluate(callee.value, inside)
                if given.name in (f"{_REQUEST}.all", f"{_REQUEST}.body", f"{_REQUEST}.only"):
                    schema = _schema(program, receiver)
                elif given.name == f"{_REQUEST}.qs":
                    _add_validator_result(
                        program, reader, _schema(program, receiver), inside, node, "GET"
                    )
        if schema is not None:
            _add_validator_result(program, reader, schema, inside, node, method)


def _schema(program: Program, value: Value) -> Schema | None:
    """The shape of a validator: a compiled one, `{ schema }`, or a class with a `schema`."""
    if isinstance(value, LibraryResult) and vine.is_vine(value.name):
        return program.schema_of(value, zod.INPUT)
    inner: Value | None = None
    if isinstance(value, Record):
        entry = walker.entries(value).get("schema")
        inner = entry.value if entry is not None else None
    elif isinstance(value, ClassValue):
        inner = program.evaluator.member(Instance(value.symbol), "schema")
    elif isinstance(value, Instance):
        inner = program.evaluator.member(value, "schema")
    return _schema(program, inner) if isinstance(inner, LibraryResult) else None


def _add_validator_result(
    program: Program,
    reader: MarkedReader,
    schema: Schema | None,
    scope: Scope,
    node: Call,
    method: str,
) -> None:
    """A validator is given the body and the query together, and `params` beside them."""
    if schema is None:
        return
    flat = program.types.flat(schema)
    if isinstance(flat, Object):
        own = [field for field in flat.fields if field.name in ("params", "headers", "cookies")]
        for field in own:
            location = {"params": "path", "headers": "header", "cookies": "cookie"}[field.name]
            reader.fields(field.schema, location)  # type: ignore[arg-type]
        flat = replace(flat, fields=tuple(field for field in flat.fields if field not in own))
        if own and not flat.fields:
            return
    if method in _WITHOUT_BODY:
        reader.query_fields(flat)
    elif method != "*":  # whether fields stand in the query or in the body is up to the method
        reader.check_body(flat, scope, node)


# ---------------------------------------------------------------------- what is sent


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    if made.name in _EXCEPTIONS:
        return _exception(made, program)
    if made.name.startswith(("<context>.view.", "<context>.inertia.")):
        reason = Unknown(reason=Reason("page-rendered"), origin=argument_origin(made, 0))
        return ReturnedResponse((200,), False, Body(schema=reason, content_type="text/html"))
    if not made.name.startswith(f"{_RESPONSE}."):
        return None
    links: list[tuple[str, LibraryResult]] = []
    current: Value | None = made
    while isinstance(current, LibraryResult) and current.name.startswith(f"{_RESPONSE}."):
        links.append((current.name.rsplit(".", 1)[-1], current))
        current = current.receiver
    codes: tuple[int, ...] | None = None
    for name, link in reversed(links):
        given = argument(program, link, 0)
        if name in _STATUS and given is not None:
            codes = statuses.of_value(given)
    last, end = links[0]
    if any(name == "redirect" for name, _ in links):
        return ReturnedResponse(codes or (302,), True, None)
    if last in _BYTES:
        reason = Unknown(reason=Reason("no-json-sent"), origin=argument_origin(end, 0))
        return ReturnedResponse(
            codes if codes is not None else (200,),
            codes is not None,
            Body(schema=reason, content_type="*/*"),
        )
    if last == "abort":
        given = argument(program, end, 1)
        found = statuses.of_value(given) if given is not None else (400,)
        value = argument(program, end, 0)
        return ReturnedResponse(found, True, _body(program, value, argument_origin(end, 0)))
    if last not in _SENDS:
        return None
    if last in _NAMED:
        codes = (_NAMED[last],)
    value = argument(program, end, 0)
    body = _body(program, value, argument_origin(end, 0))
    return ReturnedResponse(codes if codes is not None else (200,), codes is not None, body)


def _exception(made: LibraryResult, program: Program) -> ReturnedResponse:
    """`new Exception(message, { status: 404 })`; before, the status stood by itself."""
    given = argument(program, made, 1)
    entry = walker.entries(given).get("status") if isinstance(given, Record) else None
    value = entry.value if entry is not None else given
    codes: tuple[int, ...] = (500,)
    if entry is not None or isinstance(given, Constant):
        codes = statuses.of_value(value) if value is not None else ()
    reason = Unknown(reason=Reason("exception-handler-decides"), origin=argument_origin(made, 0))
    return ReturnedResponse(codes, True, Body(schema=reason, content_type="*/*"))


def _body(program: Program, value: Value | None, origin: Origin) -> Body | None:
    if value is None or is_nothing(value):
        return None
    schema = program.schema_of(value)
    flat = program.types.flat(schema)
    kind = "text/plain" if isinstance(flat, Scalar) else JSON
    return Body(schema=schema, content_type=kind, origin=origin)


def _value_response(program: Program, value: Value, origin: Origin) -> ReturnedResponse | None:
    if isinstance(value, LibrarySymbol) and value.name in ("undefined", _RESPONSE):
        return None  # nothing is returned, or what was sent before
    if isinstance(value, LibraryResult) and value.name.startswith(f"{_RESPONSE}."):
        return None
    return ReturnedResponse((200,), False, _body(program, value, origin))


_DIALECT = ResponseLibrary(
    read_result=_library_response,
    plain=_value_response,
    setters={f"{_RESPONSE}.{name}": 0 for name in _STATUS},
    effects=frozenset(
        f"{_RESPONSE}{before}.{name}" for before in _BEFORE for name in (*_SENDS, *_BYTES, "abort")
    )
    | frozenset({f"{_RESPONSE}.redirect", f"{_RESPONSE}.redirect().toPath"})
    | frozenset({f"{_RESPONSE}.redirect().toRoute", f"{_RESPONSE}.redirect().back"}),
)
