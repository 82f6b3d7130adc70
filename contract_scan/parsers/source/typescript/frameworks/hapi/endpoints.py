"""What one Hapi route takes and sends: by its schemas and by its handler."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    RecordEntry,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Loop,
    Statement,
)
from contract_scan.parsers.source.typescript.frameworks.hapi.validation import (
    payload_schema,
    schema_of,
)
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.endpoints import (
    Handler,
    handler_of,
    read_endpoint,
    undetermined_summary,
)
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary
from contract_scan.parsers.source.typescript.web.optional_parameters import as_asked
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseLibrary,
    ReturnedResponse,
    argument,
    argument_origin,
    is_nothing,
    value_response,
)
from contract_scan.parsers.source.typescript.web.taint_marks import MarkedReader, TaintMarks
from contract_scan.parsers.source.web.status_names import status_named

REQUEST = LibrarySymbol("<request>")
TOOLKIT = LibrarySymbol("<h>")
_CONTEXT = LibrarySymbol("<context>")
_GIVEN = (REQUEST, TOOLKIT)
_MARKS = TaintMarks(
    bodies={
        "<request>.payload": JSON,
        "<context>.request.body": JSON,
        "<context>.request.requestBody": JSON,
    },
    queries=frozenset({"<request>.query", "<context>.request.query"}),
)
_BOOM = ("@hapi/boom.", "boom.")
_BOOM_STATUSES = {
    "proxyAuthRequired": "407",
    "clientTimeout": "408",
    "resourceGone": "410",
    "entityTooLarge": "413",
    "teapot": "418",
    "badData": "422",
    "illegal": "451",
    "internal": "500",
    "badImplementation": "500",
    "serverUnavailable": "503",
}
"""Errors of Boom that are not named after their status."""
_ERROR = Object(
    fields=(
        Field(name="statusCode", schema=Scalar(type="integer")),
        Field(name="error", schema=Scalar(type="string")),
        Field(name="message", schema=Scalar(type="string")),
    ),
    incomplete_reason=Reason("error-attributes-open"),
)
_SETTERS = frozenset({"code", "type", "header", "created"})


class Settings(Struct, frozen=True):
    """What one route says besides its method and path."""

    handler: Value | None
    options: Value | None
    origin: Origin
    document_body: bool | None = None
    """Where requests are held against a document first: whether that gives them a body."""


def handler_signature(
    program: Program, method: str, route: Settings, by_contract: FunctionValue | None = None
) -> HandlerSummary:
    """The request inputs and responses of a route of a method; `by_contract` is the function that
    answers where its own handler hands the request on to a backend that finds it by a contract."""
    options = walker.entries(route.options) if route.options is not None else {}
    if by_contract is not None:
        found = contract_signature(program, by_contract, route.origin)
    else:
        found = _by_handler(program, method, handler_given(route), _befores(options), route.origin)
    found = _with_validated_request(program, options, found)
    return _with_declared_responses(program, options, found)


def handler_given(route: Settings) -> Value | None:
    """The handler of a route, which may stand among its options."""
    if route.handler is not None or route.options is None:
        return route.handler
    entry = walker.entries(route.options).get("handler")
    return entry.value if entry is not None else None


def contract_signature(program: Program, function: FunctionValue, origin: Origin) -> HandlerSummary:
    """The request inputs and responses of a handler `(context, request, h)`, which a backend calls
    by a contract."""
    found = read_endpoint(
        program, Handler(function), (_CONTEXT, REQUEST, TOOLKIT), _MARKS, DIALECT, origin
    )
    return _with_undetermined_answer(found, origin)


def _by_handler(
    program: Program,
    method: str,
    given: Value | None,
    before: list[FunctionValue],
    origin: Origin,
) -> HandlerSummary:
    if given is None:
        return undetermined_summary(Reason("route-handler-not-visible"), origin)
    if isinstance(given, Record):
        kinds = ", ".join(f"`{entry.name}`" for entry in given.entries[:1])
        return undetermined_summary(
            Reason("route-handled-by-plugin", kinds=kinds or "a plugin"), origin
        )
    handler = handler_of(program, given)
    if handler.function is not None:
        asked = as_asked(program, handler.function, {}, method, lower_case=True)
        handler = replace(handler, function=asked)
    found = read_endpoint(program, handler, _GIVEN, _MARKS, DIALECT, origin, before=before)
    return _with_undetermined_answer(found, origin)


def _with_undetermined_answer(found: HandlerSummary, origin: Origin) -> HandlerSummary:
    """The same where nothing that is returned is seen: `reply(…)` of old versions, or a mere
    failure."""
    reason = undetermined_summary(Reason("handler-response-not-visible"), origin)
    return found.with_changed_answers(
        lambda sent: sent if sent.responses else sent.left_open(reason.responses)
    )


def _befores(options: dict[str, RecordEntry]) -> list[FunctionValue]:
    """The functions of `pre`, which read the same request."""
    found: list[FunctionValue] = []
    pending = [options["pre"].value] if "pre" in options else []
    while pending:
        value = pending.pop()
        if isinstance(value, Items):
            pending.extend(reversed(value.values))
        elif isinstance(value, Record):
            pending.extend(e.value for e in value.entries if e.name == "method")
        elif isinstance(value, FunctionValue):
            found.append(value)
    return found


# ---------------------------------------------------------------------- what is taken


def _with_validated_request(
    program: Program, options: dict[str, RecordEntry], found: HandlerSummary
) -> HandlerSummary:
    """`validate: { payload, query, params, headers }`."""
    entry = options.get("validate")
    validate = walker.entries(entry.value) if entry is not None else {}
    request = found.request
    if "payload" in validate:
        schema = payload_schema(program, validate["payload"].value, validate)
        if schema is not None:
            nullable = program.types.flat(schema).nullable
            origin = validate["payload"].origin
            request = (Body(schema=schema, required=nullable is False, origin=origin),)
    request = _with_content_type(program, options, request)
    reader = MarkedReader(program, _MARKS)
    for name, declared in validate.items():
        schema = schema_of(program, declared.value)
        if schema is None:
            continue
        if name == "query":
            reader.query_fields(schema)
        elif name == "params":
            reader.fields(schema, "path")
        elif name == "headers":
            reader.fields(schema, "header")
    named = {(p.location, p.name): p for p in (*found.parameters, *reader.parameters())}
    return replace(found, request=request, parameters=tuple(named.values()))


def _with_content_type(
    program: Program, options: dict[str, RecordEntry], request: tuple[Body, ...]
) -> tuple[Body, ...]:
    """The request bodies with the content type of `payload: { allow: "multipart/form-data" }`."""
    entry = options.get("payload")
    settings = walker.entries(entry.value) if entry is not None else {}
    if "allow" in settings:
        texts = [text for text in program.evaluator.texts(settings["allow"].value) if text]
        if texts:
            kind = texts[0] if len(texts) == 1 else "*/*"
            return tuple(replace(body, content_type=kind) for body in request)
    if "multipart" in settings or "output" in settings:
        return tuple(replace(body, content_type="*/*") for body in request)
    return request


# ---------------------------------------------------------------------- what is declared


def _with_declared_responses(
    program: Program, options: dict[str, RecordEntry], found: HandlerSummary
) -> HandlerSummary:
    """`response: { schema, status: { 200: … } }`, which Hapi checks responses against. What
    documentation plugins declare counts where the code leaves a body undetermined."""
    entry = options.get("response")
    response = walker.entries(entry.value) if entry is not None else {}
    checked: dict[str, Body] = {}
    if "schema" in response:
        _declare(program, "200", response["schema"], checked)
    for status, inner in (
        walker.entries(response["status"].value).items() if ("status" in response) else ()
    ):
        _declare(program, status, inner, checked)
    noted = dict(_documented_bodies(program, options))

    def change(sent: Answers) -> Answers:
        responses = []
        for answer in sent.responses:
            body = checked.get(answer.status)
            if body is None and _is_undetermined(program, answer):
                body = noted.get(answer.status)
            responses.append(replace(answer, bodies=(body,)) if body is not None else answer)
        return sent._replace(responses=tuple(responses))

    return found.with_changed_answers(change)


def _declare(program: Program, status: str, entry: RecordEntry, found: dict[str, Body]) -> None:
    schema = schema_of(program, entry.value)
    if schema is not None and not program.types.is_unknown(schema):
        found[status] = Body(schema=schema, content_type=JSON, origin=entry.origin)


def _documented_bodies(
    program: Program, options: dict[str, RecordEntry]
) -> Iterator[tuple[str, Body]]:
    """`plugins: { "hapi-swagger": { responses: { 200: { schema } } } }`."""
    plugins = walker.entries(options["plugins"].value) if "plugins" in options else {}
    swagger = plugins.get("hapi-swagger")
    entry = walker.entries(swagger.value).get("responses") if swagger is not None else None
    for status, inner in walker.entries(entry.value).items() if entry is not None else ():
        schema = walker.entries(inner.value).get("schema")
        found: dict[str, Body] = {}
        if schema is not None:
            _declare(program, status, schema, found)
        yield from found.items()


def _is_undetermined(program: Program, response: Response) -> bool:
    bodies = response.bodies
    return bool(bodies) and all(program.types.is_unknown(body.schema) for body in bodies)


# ---------------------------------------------------------------------- what is sent


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    if made.name.startswith(_BOOM) or made.name == "boom":
        return _boom(program, made)
    if not made.name.startswith("<h>"):
        return _response_of_library(program, made)
    links: list[LibraryResult] = []
    current: Value | None = made
    while isinstance(current, LibraryResult) and current.name.startswith("<h>"):
        links.append(current)
        current = current.receiver
    base, chain = links[-1], links[-2::-1]
    return _response_with_settings(program, base, _settings(program, base, chain))


def _response_of_library(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    """What a library sends that is given the toolkit, with which it can set any status."""
    for given in made.site.args:
        value = program.evaluate(given.value, made.scope)
        if isinstance(value, LibrarySymbol) and value.name == "<h>":
            return ReturnedResponse((), False, Body(schema=program.schema_of(made)))
    return None


class _Set(Struct):
    """What the calls on a response set."""

    statuses: tuple[int, ...] | None = None
    """None: not set; empty: it is undetermined."""
    content_type: str = ""
    permanent: bool = False


def _settings(program: Program, base: LibraryResult, chain: list[LibraryResult]) -> _Set:
    found = _Set()
    for link in (*chain, *_later_calls(program, base, found)):
        _apply_setting(program, link.name.rsplit(".", 1)[-1], link, found)
    return found


def _apply_setting(program: Program, name: str, link: LibraryResult, found: _Set) -> None:
    given = argument(program, link, 0)
    if name == "code" and given is not None:
        found.statuses = statuses.of_value(given)
    elif name == "created":
        found.statuses = (201,)
    elif name == "permanent":
        found.statuses = (301,)
    elif name == "type" and given is not None:
        found.content_type = (program.evaluator.text(given) or "*/*").split(";")[0].strip()
    elif name == "header" and given is not None:
        value = argument(program, link, 1)
        if (program.evaluator.text(given) or "").lower() == "content-type" and value is not None:
            kind = program.evaluator.text(value) or "*/*"
            found.content_type = kind.split(";")[0].strip()


def _later_calls(program: Program, base: LibraryResult, found: _Set) -> Iterator[LibraryResult]:
    """`const response = h.response(x); response.code(201); return response;`: the calls that stand
    behind the one that makes the response, in its own block. What a block inside sets on some ways
    alone leaves the status open."""
    for block in _blocks(base.scope.statements or ()):
        starts = [i for i, s in enumerate(block) if _assigns_response(s, base)]
        if not starts:
            continue
        for statement in block[starts[0] + 1 :]:
            inner = isinstance(statement, Branch | Loop)
            for call in _calls_on(program, statement, base):
                name = call.name.rsplit(".", 1)[-1]
                if inner and name in ("code", "created"):
                    found.statuses = ()
                elif not inner:
                    yield call


def _blocks(statements: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    pending = [statements]
    while pending:
        block = pending.pop()
        yield block
        for statement in block:
            if isinstance(statement, Branch):
                pending.extend(statement.blocks)
            elif isinstance(statement, Loop):
                pending.append(statement.body)


def _assigns_response(statement: Statement, base: LibraryResult) -> bool:
    """Whether a statement puts the response into a variable."""
    if not isinstance(statement, Assign) or not isinstance(statement.value, Call):
        return False
    return any(node is base.site for node in walker.nested_nodes(statement.value))


def _calls_on(
    program: Program, statement: Statement, base: LibraryResult
) -> Iterator[LibraryResult]:
    """Calls of methods of a variable that holds the response."""
    for node in walker.nested_nodes(statement):
        callee = node.callee if isinstance(node, Call) else None
        if not isinstance(callee, Attribute) or callee.name not in _SETTERS:
            continue
        assert isinstance(node, Call)
        value = program.evaluate(node, base.scope)
        root: Value | None = value
        while isinstance(root, LibraryResult) and root.site is not base.site:
            root = root.receiver
        if isinstance(value, LibraryResult) and root is not None:
            yield value


def _response_with_settings(program: Program, base: LibraryResult, found: _Set) -> ReturnedResponse:
    name = base.name.rsplit(".", 1)[-1]
    explicit = found.statuses is not None
    value = argument(program, base, 0)
    if name == "redirect":
        return ReturnedResponse(found.statuses or (302,), True, None)
    if name in ("file", "view") or (value is not None and _is_stream(program, value)):
        kind = found.content_type or ("text/html" if name == "view" else "*/*")
        reason = Unknown(reason=Reason("no-json-sent"), origin=argument_origin(base, 0))
        return ReturnedResponse(
            found.statuses if found.statuses is not None else (200,),
            explicit,
            Body(schema=reason, content_type=kind),
        )
    if value is None or is_nothing(value):
        codes = found.statuses if found.statuses is not None else (204,)
        return ReturnedResponse(codes, explicit, None)
    reply = value_response(program, value, argument_origin(base, 0))
    body = reply.body
    if body is not None and found.content_type:
        body = replace(body, content_type=found.content_type)
    return ReturnedResponse(
        found.statuses if found.statuses is not None else (200,), explicit, body
    )


def _is_stream(program: Program, value: Value) -> bool:
    name = program.evaluator.qualified_name(value)
    return name.startswith(("fs.", "node:fs.", "stream.", "node:stream.", "Buffer."))


def _boom(program: Program, made: LibraryResult) -> ReturnedResponse:
    """`Boom.notFound()`, `new Boom.Boom(message, { statusCode })`, `Boom.boomify(error, …)`."""
    name = made.name.rsplit(".", 1)[-1]
    known = _BOOM_STATUSES.get(name) or status_named(name)
    codes: tuple[int, ...] = (int(known),) if known is not None else ()
    if known is None:
        options = argument(program, made, 1)
        entry = walker.entries(options).get("statusCode") if options is not None else None
        if entry is not None:
            codes = statuses.of_value(entry.value)
        elif name != "boomify" and (options is None or isinstance(options, Record)):
            codes = (500,)
    origin = Origin(made.scope.file.path, made.site.span)
    return ReturnedResponse(codes, True, Body(schema=replace(_ERROR, origin=origin), origin=origin))


def _value_response(program: Program, value: Value, origin: Origin) -> ReturnedResponse | None:
    if isinstance(value, LibrarySymbol) and value.name.startswith("<h>."):
        nothing = value.name == "<h>.continue"
        return ReturnedResponse((204,) if nothing else (), False, None)
    if isinstance(value, LibrarySymbol) and value.name == "undefined":
        return None  # a handler that gives nothing fails
    return value_response(program, value, origin)


DIALECT = ResponseLibrary(read_result=_library_response, plain=_value_response)
