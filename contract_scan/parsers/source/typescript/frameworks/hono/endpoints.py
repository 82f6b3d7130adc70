"""What one route of Hono takes and sends: validators, the context, routes declared beforehand."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, Location, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.path_facts import Facts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Expr, LiteralExpr, ObjectLiteral, Spread
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import returned_responses as fetch_responses
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.collector import Route
from contract_scan.parsers.source.typescript.web.endpoints import (
    bind_parameters,
    handler_of,
    read_endpoint,
)
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.handlers import NO_ANSWERS, HandlerSummary
from contract_scan.parsers.source.typescript.web.optional_parameters import as_asked
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX
from contract_scan.parsers.source.typescript.web.preceding_uses import RequestLibrary
from contract_scan.parsers.source.typescript.web.request_reads import RequestReads
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    NOTHING_SET,
    ResponseLibrary,
    ReturnedResponse,
    Statuses,
    argument,
    argument_origin,
    statuses_handed_on,
)
from contract_scan.parsers.source.typescript.web.taint_marks import FORM, TaintMarks
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
)

CONTEXT = LibrarySymbol("<context>")
_REQUEST = "<context>.req"
MARKS = TaintMarks(
    bodies={
        **{f"{_REQUEST}.{name}()": JSON for name in ("json", "raw.json")},
        **{f"{_REQUEST}.{name}()": FORM for name in ("parseBody", "formData", "raw.formData")},
        **{f"{_REQUEST}.{name}()": "*/*" for name in ("text", "blob", "arrayBuffer", "raw.text")},
    },
    queries=frozenset({f"{_REQUEST}.query()"}),
    getters=frozenset({f"{_REQUEST}.query", f"{_REQUEST}.queries"}),
)
REQUESTS = RequestLibrary(
    members=RequestMembers(
        queries=frozenset({"req.query", "req.queries"}),
        getters=frozenset({"req.query", "req.queries"}),
        bodies=frozenset(
            f"req.{name}"
            for name in ("json", "text", "parseBody", "formData", "blob", "arrayBuffer")
        ),
        addresses=frozenset({"req.url"}),
        both=frozenset({"req.raw", "req.valid", "event"}),
        others=frozenset(
            f"req.{n}"
            for n in (
                "param",
                "header",
                "method",
                "path",
                "routePath",
                "matchedRoutes",
                "routeIndex",
            )
        )
        | {"json", "text", "html", "body", "status", "header", "redirect", "notFound", "render"}
        | {"newResponse", "setRenderer", "setLayout", "get", "set", "var", "env", "executionCtx"}
        | {"res", "error", "finalized"},
    ),
    middleware=frozenset(
        f"hono/{name}"
        for name in (
            *("cors", "logger", "secure-headers", "compress", "csrf", "etag", "basic-auth"),
            *("bearer-auth", "jwt", "jwk", "request-id", "timing", "timeout", "powered-by"),
            *("pretty-json", "trailing-slash", "body-limit", "cache", "ip-restriction"),
        )
    ),
)
"""https://hono.dev/docs/api/request, https://hono.dev/docs/api/context"""
_VALIDATORS = {
    "@hono/zod-validator.zValidator": 1,
    "@hono/standard-validator.sValidator": 1,
    "@hono/valibot-validator.vValidator": 1,
    "@hono/typebox-validator.tbValidator": 1,
    "@hono/arktype-validator.arktypeValidator": 1,
    "hono-openapi.validator": 1,
    "hono-openapi/zod.validator": 1,
    "hono-openapi/valibot.validator": 1,
}
"""Calls `(target, schema)` that check a part of the request: name -> position of the schema."""
_LOCATIONS: dict[str, Location] = {
    "query": "query",
    "param": "path",
    "header": "header",
    "cookie": "cookie",
}
_DECLARED: dict[str, Location] = {
    "query": "query",
    "params": "path",
    "headers": "header",
    "cookies": "cookie",
}
_CONTENT = {
    "stoker/openapi/helpers.jsonContent": None,
    "stoker/openapi/helpers.jsonContentRequired": True,
}
"""Calls `(schema, description)` that give the content of a body -> whether it is required."""
_STREAMS = frozenset({"streamSSE", "streamText", "stream"})
_BY_ERROR_HANDLER = Reason("error-handler-decides-exception")


def _library_response(program: Program, made: LibraryResult) -> ReturnedResponse | None:
    head, _, name = made.name.rpartition(".")
    if head == "<context>":
        return _of_context(program, made, name)
    if name == "HTTPException" and head.startswith("hono/"):
        codes, explicit = fetch_responses.init_statuses(argument(program, made, 0), 500)
        reason = Unknown(reason=_BY_ERROR_HANDLER, origin=argument_origin(made, 0))
        return ReturnedResponse(codes, explicit, Body(schema=reason, content_type="*/*"))
    if head == "hono/streaming" and name in _STREAMS:
        kind = "text/event-stream" if name == "streamSSE" else "*/*"
        return ReturnedResponse((200,), False, _stream(kind, made))
    return fetch_responses.standard(program, made)


def _of_context(program: Program, made: LibraryResult, name: str) -> ReturnedResponse | None:
    init = argument(program, made, 1)
    match name:
        case "json":
            return fetch_responses.json_response(program, made)
        case "text" | "html":
            codes, explicit = fetch_responses.init_statuses(init, 200)
            kind = "text/plain" if name == "text" else "text/html"
            value = argument(program, made, 0)
            schema: Schema = Unknown(reason=Reason("sent-value-not-visible"))
            if value is not None:
                schema = program.schema_of(value)
            body = Body(schema=schema, content_type=kind, origin=argument_origin(made, 0))
            return ReturnedResponse(codes, explicit, body)
        case "body" | "newResponse":
            return fetch_responses.body_response(program, made)
        case "redirect":
            return fetch_responses.redirect_response(program, made)
        case "notFound":
            reason = Unknown(reason=Reason("unknown-path-handler-decides"))
            return ReturnedResponse((404,), True, Body(schema=reason, content_type="*/*"))
        case "render":
            return ReturnedResponse((200,), False, _stream("text/html", made))
        case _:
            return None


def _stream(content_type: str, made: LibraryResult) -> Body:
    reason = Unknown(reason=Reason("body-not-json"), origin=argument_origin(made, 0))
    return Body(schema=reason, content_type=content_type)


DIALECT = ResponseLibrary(read_result=_library_response, setters={"<context>.status": 0})


# ---------------------------------------------------------------------- handlers


def handler_signature(
    program: Program,
    route: Route,
    origin: Origin,
    given: Facts,
    used: tuple[FunctionValue, ...] = (),
) -> tuple[HandlerSummary, Value | None]:
    """The request inputs and responses of the handlers of a route, where optional parameters
    of its path are present or absent, and the one that answers: the last. `used` are the functions
    that its routers use before it."""
    values = tuple(_values(program, route.handlers, route.scope))
    reads = RequestReads(program)
    for value, inside, expr in values:
        _note_validator(program, value, inside, expr, reads)
    last = values[-1][0] if values else None
    if last is None:
        return HandlerSummary(NO_ANSWERS), None
    handler = handler_of(program, last)
    if handler.function is not None:
        handler = replace(
            handler, function=as_asked(program, handler.function, given, route.method)
        )
    before = [value for value, _, _ in values[:-1] if isinstance(value, FunctionValue)]
    found = read_endpoint(
        program,
        handler,
        (CONTEXT,),
        MARKS,
        DIALECT,
        origin,
        statuses_set=_statuses_before(program, (*used, *before)),
    )
    bodies = reads.bodies()
    names = {(p.location, p.name) for p in reads.parameters()}
    more = tuple(p for p in found.parameters if (p.location, p.name) not in names)
    return (
        replace(found, request=bodies or found.request, parameters=(*reads.parameters(), *more)),
        last,
    )


def _statuses_before(program: Program, functions: tuple[FunctionValue, ...]) -> Statuses:
    """The statuses that functions before a handler may set: `(c, next) => { c.status(207); … }`."""
    found = NOTHING_SET
    for function in functions:
        params = function.function.params
        if len(params) > 1:
            scope = scope_of(program, function, bind_parameters(program, function, (CONTEXT,)))
            found = statuses_handed_on(program, scope, params[1].name, DIALECT, found)
    return found


def _values(
    program: Program, exprs: tuple[Expr, ...], scope: Scope
) -> list[tuple[Value, Scope, Expr]]:
    """The handlers, those of `...factory.createHandlers(…)` one by one."""
    found: list[tuple[Value, Scope, Expr]] = []
    for item in exprs:
        expr = item.value if isinstance(item, Spread) else item
        value = program.evaluate(expr, scope)
        if isinstance(value, LibraryResult) and value.name.endswith(".createHandlers"):
            within = value.scope
            found.extend(
                (program.evaluate(a.value, within), within, a.value) for a in value.site.args
            )
            continue
        items = walker.known_items(value) if isinstance(item, Spread) else None
        if items is not None:
            found.extend((each, scope, expr) for each in items)
        else:
            found.append((value, scope, expr))
    return found


def _note_validator(
    program: Program, value: Value, scope: Scope, expr: Expr, reads: RequestReads
) -> None:
    """`zValidator("json", schema)`, also inside functions of the project."""
    if not isinstance(value, LibraryResult) or value.name not in _VALIDATORS:
        return
    target = argument(program, value, 0)
    text = program.evaluator.text(target) if target is not None else None
    given = argument(program, value, _VALIDATORS[value.name])
    if text is None or given is None:
        return
    schema = program.schema_of(given)
    if text in ("json", "form"):
        reads.mention(scope, expr, JSON if text == "json" else FORM)
        reads.check_body(schema, scope, expr)
    elif text in _LOCATIONS:
        reads.fields(schema, _LOCATIONS[text])


# ---------------------------------------------------------------------- declared routes


class RouteDeclaration(Struct, frozen=True):
    """`createRoute({ method, path, request, responses })`."""

    method: str
    path: str
    unresolved: Reason
    excluded_from_docs: bool
    definition: LibraryResult
    options: Value

    def entry(self, name: str) -> Value | None:
        """What the route says under a name."""
        found = walker.entries(self.options).get(name)
        return found.value if found is not None else None


def declared_route(program: Program, value: Value) -> RouteDeclaration | None:
    """The route that a value declares; None where it declares none."""
    if not isinstance(value, LibraryResult) or not value.name.endswith(".createRoute"):
        return None
    options = argument(program, value, 0)
    entries = walker.entries(options) if options is not None else {}
    text = program.evaluator.text
    method = text(entries["method"].value) if "method" in entries else None
    path = text(entries["path"].value) if "path" in entries else None
    reason = NO_REASON if method else Reason("route-method-not-constant")
    if path is None:
        reason = Reason("route-path-not-constant")
    hide = getattr(entries["hide"].value, "value", False) if "hide" in entries else False
    return RouteDeclaration(
        method=(method or "*").upper(),
        path=path if path is not None else DYNAMIC_PREFIX,
        unresolved=reason,
        excluded_from_docs=hide is True,
        definition=value,
        options=options if options is not None else Record(()),
    )


def with_declared(
    program: Program, route: RouteDeclaration, found: HandlerSummary
) -> HandlerSummary:
    """What a handler does, as far as its route declares it: requests are checked by the schemas,
    and TypeScript checks what is sent with them."""
    reads = RequestReads(program)
    request = walker.entries(route.entry("request") or Record(()))
    for name, location in _DECLARED.items():
        if name in request:
            reads.fields(program.schema_of(request[name].value, zod.INPUT), location)
    bodies = _request(program, request["body"].value) if "body" in request else ()
    names = {(p.location, p.name) for p in reads.parameters()}
    more = tuple(p for p in found.parameters if (p.location, p.name) not in names)

    def with_declared_responses(sent: Answers) -> Answers:
        declared = _responses(program, route)
        determined = [r for r in sent.responses if not _is_undetermined(program, r)]
        if any(r.status < "300" for r in determined):
            responses = tuple(declared.get(r.status, r) for r in sent.responses)
        else:
            # The handler is not seen: what the route declares is all that is known.
            responses = (*determined, *(r for status, r in declared.items() if status < "400"))
            responses = responses or sent.responses
        return sent._replace(responses=responses)

    return HandlerSummary(
        answers=found.answers.map(with_declared_responses),
        request=bodies or found.request,
        parameters=(*reads.parameters(), *more),
    )


def _is_undetermined(program: Program, response: Response) -> bool:
    return not response.explicit_status and any(
        program.types.is_unknown(body.schema) for body in response.bodies
    )


def _request(program: Program, value: Value) -> tuple[Body, ...]:
    required: bool | None = None
    if isinstance(value, LibraryResult) and value.name in _CONTENT:
        required = _CONTENT[value.name]
    else:
        entry = walker.entries(value).get("required")
        required = True if getattr(entry and entry.value, "value", None) is True else None
    return tuple(replace(body, required=required) for body in _contents(program, value, zod.INPUT))


def _contents(program: Program, value: Value, variant: str = "") -> list[Body]:
    """The bodies of `{ content: { "application/json": { schema } } }`."""
    if isinstance(value, LibraryResult) and value.name in _CONTENT:
        given = argument(program, value, 0)
        if given is None:
            return []
        return [Body(schema=program.schema_of(given, variant), origin=argument_origin(value, 0))]
    content = walker.entries(value).get("content")
    found: list[Body] = []
    for name, entry in walker.entries(content.value).items() if content is not None else ():
        inner = walker.entries(entry.value).get("schema")
        if inner is not None:
            schema = program.schema_of(inner.value, variant)
            found.append(Body(schema=schema, content_type=name, origin=inner.origin))
    return found


def _responses(program: Program, route: RouteDeclaration) -> dict[str, Response]:
    """Status -> what the route declares for it."""
    found: dict[str, Response] = {}
    value = route.entry("responses")
    if isinstance(value, Record):
        for entry in value.entries:
            found[entry.name] = Response(
                status=entry.name,
                bodies=tuple(_contents(program, entry.value)),
                documented=True,
                origin=entry.origin,
            )
    args = route.definition.site.args
    for key, expr in _computed_responses(args[0].value) if args else ():
        scope = route.definition.scope
        for status in statuses.statuses(program, key, scope):
            bodies = tuple(_contents(program, program.evaluate(expr, scope)))
            origin = Origin(scope.file.path, key.span)
            found[str(status)] = Response(
                status=str(status), bodies=bodies, documented=True, origin=origin
            )
    return found


def _computed_responses(options: Expr) -> list[tuple[Expr, Expr]]:
    """The responses under computed keys (`[HttpStatusCodes.OK]: …`), which only the syntax
    shows."""
    options = without_casts(options)
    for entry in options.entries if isinstance(options, ObjectLiteral) else ():
        inner = entry.value
        if entry.key == "responses" and isinstance(inner, ObjectLiteral):
            return [
                (e.key_expression, e.value)
                for e in inner.entries
                if e.key_expression is not None and not isinstance(e.key_expression, LiteralExpr)
            ]
    return []
