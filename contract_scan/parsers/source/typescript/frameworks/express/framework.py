"""Express: `app.get("/x", …)`, routers and their mounts across files, `route()`, route tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body, Operation, RouteTraits
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.path_facts import Fact, Facts, Path
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    Record,
    Scope,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.express import (
    validator as express_validator,
)
from contract_scan.parsers.source.typescript.frameworks.express.routes import (
    CALLS,
    EXPRESS,
    MARKERS,
    Dialect,
    ExpressCollector,
    handler_function,
)
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution.walker import TURN, entries
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import schemas
from contract_scan.parsers.source.typescript.web.body_uses import BodyUses
from contract_scan.parsers.source.typescript.web.collector import Route
from contract_scan.parsers.source.typescript.web.dispatch_by_method import OTHER, methods_of
from contract_scan.parsers.source.typescript.web.endpoints import handler_name, operation
from contract_scan.parsers.source.typescript.web.handlers import (
    NO_ANSWERS,
    HandlerSummary,
    heads_handed_on,
    read_handler,
)
from contract_scan.parsers.source.typescript.web.middleware import (
    behind_middleware,
    hands_on,
    methods_put_on_responses,
    sets_head,
    writes_into_requests,
)
from contract_scan.parsers.source.typescript.web.optional_parameters import (
    as_asked,
    asked_with,
    depends_on_route,
    path_parameter_facts,
)
from contract_scan.parsers.source.typescript.web.paths import join, templates
from contract_scan.parsers.source.typescript.web.preceding_uses import asked_first
from contract_scan.parsers.source.typescript.web.request_reads import as_used
from contract_scan.parsers.source.typescript.web.requests import RequestReader
from contract_scan.parsers.source.typescript.web.response_calls import ResponseFunction
from contract_scan.parsers.source.typescript.web.response_envelopes import Envelope, find_envelope
from contract_scan.parsers.source.typescript.web.response_walk import Heads, ResponseMethods
from contract_scan.parsers.source.typescript.web.routers import call_of
from contract_scan.parsers.source.web.response_rewriters import with_rewritten_bodies
from contract_scan.parsers.source.web.route_graph import application_of

_Shared: TypeAlias = Mapping[tuple[str, str], frozenset[str]]
"""Handlers of several routes, with the parameters of all their paths."""
_DEPENDS = Unknown(reason=Reason("handler-shared-by-routes"))


def operations(
    program: Program, framework: Framework, dialect: Dialect = EXPRESS
) -> Iterator[Operation]:
    """Every route, once for each place its router is mounted at."""
    collector = ExpressCollector(program, dialect)
    collector.collect(framework)
    # A function that is read for each of its calls registers nothing as it stands.
    routes = [route for route in collector.routes if collector.graph.places(route.node)]
    shared = _shared_handlers(collector, routes)
    common = _common_middleware(routes)
    preceding = collector.preceding
    read = {id(r): preceding.of_route(r, asked_first(r, routes)) for r in routes}
    served = [
        (route, read[id(route)].apply(each))
        for route in routes
        for each in _operations(program, collector, route, shared, common)
    ]
    # What a library runs before a handler of the same path says nothing of what is sent:
    # `app.post("/orders", limiter)`.
    own = {(e.method, e.path) for route, e in served if not _is_of_library(program, route)}
    found = [
        each
        for route, each in served
        if (each.method, each.path) not in own or not _is_of_library(program, route)
    ]
    if program.files_containing(b"'json replacer'", b'"json replacer"'):
        # https://expressjs.com/en/4x/api.html#app.settings.table
        found = [with_rewritten_bodies(each, "json replacer") for each in found]
    yield from found
    yield from collector.of_libraries.operations(dialect.name, found)


def _common_middleware(routes: list[Route]) -> frozenset[tuple[str, str]]:
    """What several routes run before their handlers: it looks for what one of them may have been
    sent, which says nothing of another."""
    run = Counter(_key(one, route.scope) for route in routes for one in route.handlers[:-1])
    return frozenset(key for key, times in run.items() if times > 1)


def _shared_handlers(collector: ExpressCollector, routes: list[Route]) -> _Shared:
    """Handlers (by the expression that names them) of several routes: which status is sent depends
    on the route that is asked for."""
    named = [(route, _key(route.handlers[-1], route.scope)) for route in routes if route.handlers]
    distinct = {(key, route.node, route.method, route.path) for route, key in named}
    counted = Counter(key for key, *_ in distinct)
    found: dict[tuple[str, str], frozenset[str]] = {}
    for route, key in named:
        if counted[key] > 1:
            prefixes = [place.prefix for place in collector.graph.places(route.node)]
            paths = [t for prefix in prefixes for t in templates(join(prefix, route.path))]
            names = frozenset(name for path in paths for name in path.parameters)
            found[key] = found.get(key, frozenset()) | names
    return found


def _key(expr: Expr, scope: Scope) -> tuple[str, str]:
    name = dotted_name_of(expr)
    place = f"{expr.span.line}:{expr.span.column}"
    turn = scope.bindings_around(TURN) if scope.bindings_around(name.split(".")[0]) else None
    at = f"#{turn.value}" if isinstance(turn, Constant) else ""  # a name for the item of a loop
    return (scope.file.path + call_of(scope) + at, name or place)


# ---------------------------------------------------------------------- operations


def _operations(
    program: Program,
    collector: ExpressCollector,
    route: Route,
    shared: _Shared,
    common: frozenset[tuple[str, str]],
) -> Iterator[Operation]:
    origin = origin_at(route.scope, route.span)
    middleware = _is_middleware(program, route)
    known: dict[tuple[str, frozenset[tuple[Path, Fact]]], tuple[str, HandlerSummary]] = {}
    methods = _methods_of(program, route)
    for place in collector.graph.places(route.node):
        paths = templates(join(place.prefix, route.path))
        for template in paths:
            given = path_parameter_facts(template, paths)
            if route.handlers:
                among = shared.get(_key(route.handlers[-1], route.scope), frozenset())
                given = {**asked_with(template, among), **given}
            for method in methods:
                key = (method, frozenset(given.items()))
                if key not in known:
                    asked = replace(route, method=method)
                    known[key] = _answer(program, collector, asked, shared, common, given)
                handler, handled = known[key]
                found = operation(
                    "*" if method == OTHER else method,
                    template,
                    handled,
                    origin,
                    framework=collector.dialect.name,
                    handler=handler,
                    unresolved=route.unresolved or place.unresolved,
                    hidden=middleware or bool(place.mounts),
                )
                if route.described is not None:
                    found = route.described.operation(found)
                yield replace(found, application=application_of(place))


def _methods_of(program: Program, route: Route) -> tuple[str, ...]:
    """The methods that the last handler of a route tells apart."""
    if route.method not in ("", "*") or not route.handlers:
        return (route.method or "*",)
    last = route.handlers[-1]
    value = program.evaluate(last, route.scope)
    return methods_of(program, handler_function(program, last, value, route.scope), route.method)


def _answer(
    program: Program,
    collector: ExpressCollector,
    route: Route,
    shared: _Shared,
    common: frozenset[tuple[str, str]],
    given: Facts,
) -> tuple[str, HandlerSummary]:
    """What a route does with a request that has optional parameters of its path, or has not."""
    before = collector.middleware.body_writers_before(route.node)
    heads = collector.middleware.heads_before(route.node, route.scope.file.path, route.span)
    methods = collector.middleware.response_methods(route.node)
    handler, handled = _route_signature(
        program, route, before, heads, common, given, collector.dialect.senders, methods
    )
    handled = collector.middleware.apply_middleware(route.node, handled)
    if route.handlers and _key(route.handlers[-1], route.scope) in shared:
        return handler, _of_one_route(program, route, handled, given)
    return handler, handled


def _of_several_routes(found: Answers) -> Answers:
    """What a handler of several routes sends, as far as it is known of one of them."""
    responses = tuple(replace(r, explicit_status=False) for r in found.responses)
    return found.left_open(responses)


def _of_one_route(
    program: Program, route: Route, handled: HandlerSummary, given: Facts
) -> HandlerSummary:
    """What a handler of several routes does for one of them: what it does by the method and the
    parameters of the path is told, what it does by the path itself is not."""
    value = program.evaluate(route.handlers[-1], route.scope)
    function = handler_function(program, route.handlers[-1], value, route.scope)
    asked = None if function is None else as_asked(program, function, given, route.method)
    if asked is not None and not depends_on_route(program, asked, given):
        bodies = tuple(replace(body, required=None) for body in handled.request)
        return replace(handled, request=bodies)
    bodies = tuple(replace(b, schema=_DEPENDS, required=None) for b in handled.request)
    return replace(handled.with_changed_answers(_of_several_routes), request=bodies)


def _is_of_library(program: Program, route: Route) -> bool:
    """Whether a library makes the last function of a route, of none of the project."""
    last = route.handlers[-1] if route.handlers else None
    value = None if last is None else program.evaluate(last, route.scope)
    if last is None or not isinstance(value, LibraryResult):
        return False
    return handler_function(program, last, value, route.scope) is None


def _is_middleware(program: Program, route: Route) -> bool:
    """Whether `all`, or a path that is anything, is written where `use` is meant: what hands on to
    the handlers behind it may answer as well, but is nothing to document."""
    if (route.method not in ("", "*") and "*" not in route.path) or not route.handlers:
        return False
    last = route.handlers[-1]
    value = program.evaluate(last, route.scope)
    function = handler_function(program, last, value, route.scope)
    return function is not None and hands_on(program, function, 2)


def _route_signature(
    program: Program,
    route: Route,
    before: list[FunctionValue],
    heads: Heads,
    common: frozenset[tuple[str, str]],
    given: Facts,
    senders: tuple[ResponseFunction, ...],
    methods: ResponseMethods,
) -> tuple[str, HandlerSummary]:
    """The inputs and responses of the last function of a route, and the checks of those before
    it; `before` are the functions that the router uses and that write into the request's body,
    `heads` what those that it uses set on the response, `common` functions that several routes run,
    `given` the optional parameters of the path, `methods` those that they put on the response."""
    functions: list[FunctionValue | None] = []
    requests, uses = RequestReader(program), BodyUses(program)
    envelope: Envelope | None = None
    for expr in route.handlers:
        value = program.evaluate(expr, route.scope)
        function = handler_function(program, expr, value, route.scope)
        if (made := find_envelope(program, expr, route.scope)) is not None:
            function, envelope = made
        functions.append(
            as_asked(program, function, given, route.method) if function is not None else None
        )
        _note_validation(program, expr, route.scope, requests)
    express_validator.note(program, route.method, route.handlers, route.scope, requests)
    for writer in before:
        uses.handler(writer, function_scope(program, writer), 0, surely=False)
    for expr, function in zip(route.handlers[:-1], functions[:-1], strict=True):
        if function is None:
            continue
        scope = function_scope(program, function)
        if _key(expr, route.scope) in common and not _checks(program, function, scope):
            if writes_into_requests(program, function):
                uses.handler(function, scope, 0, surely=False)
            continue
        requests.handler(function, scope, 0)
        uses.handler(function, scope, 0)
    last = functions[-1] if functions else None
    if last is None:
        return "", HandlerSummary(NO_ANSWERS, requests.bodies(), requests.parameters())
    for function in functions[:-1]:
        if function is not None and sets_head(program, function):
            heads = heads_handed_on(program, function, heads)
    for function in functions[:-1]:
        if function is not None:
            methods = {**methods, **methods_put_on_responses(program, function)}
    handled = read_handler(
        program,
        last,
        uses=uses,
        senders=senders,
        before=heads,
        returns=envelope is not None,
        envelope=envelope,
        methods=methods,
    )
    handled = behind_middleware(program, [f for f in functions[:-1] if f is not None], handled)
    bodies = requests.bodies()
    is_known = handled.request and not isinstance(handled.request[0].schema, Unknown)
    if bodies and (requests.is_checked or not is_known):
        handled = replace(handled, request=bodies)
    handled = replace(handled, request=as_used(handled.request, uses))
    handled = replace(handled, request=_as_sent(program, route, handled.request))
    gone = {("query", name) for name in requests.query_set}
    own = tuple(p for p in handled.parameters if (p.location, p.name) not in gone)
    names = {parameter.name for parameter in own}
    more = tuple(p for p in requests.parameters() if p.name not in names)
    name = (
        handler_name(last)
        if last.function.name
        else dotted_name_of(route.handlers[-1]) or handler_name(last)
    )
    return name, replace(handled, parameters=(*own, *more))


_FORM = "application/x-www-form-urlencoded"


def _as_sent(program: Program, route: Route, bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    """The bodies by the content types in which they come: what multer takes is a form with the
    files that it names, beside JSON where that is parsed, since multer hands on all that is no such
    form; and what `express.urlencoded` parses is read as JSON is."""
    given = [program.evaluate(expr, route.scope) for expr in route.handlers[:-1]]
    uploads = [v for v in given if isinstance(v, LibraryResult) and v.name.startswith(_UPLOADS)]
    if uploads:
        files = {f.name: f for upload in uploads for f in _files(program, upload)}
        read = program.types.flat(bodies[0].schema) if bodies else Object()
        others = read.fields if isinstance(read, Object) else ()
        why = read.incomplete_reason if isinstance(read, Object) else Reason("file-uploaded")
        whole = Object(fields=(*files.values(), *others), incomplete_reason=why)
        origin = program.origin(uploads[0].site, uploads[0].scope)
        form = Body(schema=whole, content_type="multipart/form-data", origin=origin)
        plain = bodies or (Body(schema=Unknown(reason=Reason("file-uploaded")), origin=origin),)
        return (form, *plain) if program.any_file_contains(*_PARSERS) else (form,)
    forms = tuple(replace(body, content_type=_FORM) for body in bodies)
    return (*bodies, *forms) if program.any_file_contains(b"urlencoded(") else bodies


_PARSERS = (b"express.json(", b"bodyParser.json(")
_UPLOADS = ("multer().", "multer.default().")


def _files(program: Program, upload: LibraryResult) -> Iterator[Field]:
    """The files of a form: of `single("photo")`, `array("photos")` and
    `fields([{ name: "photo" }])` (https://github.com/expressjs/multer)."""
    given = program.evaluate(upload.site.args[0].value, upload.scope) if upload.site.args else None
    listed = given.values if isinstance(given, Items) else (given,)
    for one in listed:
        named = entries(one).get("name") if isinstance(one, Record) else None
        text = program.evaluator.text(named.value if named is not None else one) if one else None
        if text is not None:
            file: Schema = Scalar(type="string", format="binary")
            several = not upload.name.endswith(".single")
            origin = program.origin(upload.site, upload.scope)
            shape = Array(items=file) if several else file
            yield Field(name=text, schema=shape, required=None, origin=origin)


def _checks(program: Program, function: FunctionValue, scope: Scope) -> bool:
    """Whether a middleware holds the body against a schema."""
    alone = RequestReader(program)
    alone.handler(function, scope, 0)
    return alone.is_checked


def function_scope(program: Program, function: FunctionValue) -> Scope:
    """Inside a handler."""
    scope = program.function_scope(function.function, function.scope)
    return replace(scope, receiver=function.receiver or scope.receiver)


def _note_validation(program: Program, expr: Expr, scope: Scope, requests: RequestReader) -> None:
    """`validate(schema)`, `celebrate({ body: schema })`: a schema that is an argument of a
    middleware from a library, or of one that hides how it uses the schema."""
    if not isinstance(expr, Call):
        return
    for argument in expr.args:
        value = program.evaluate(argument.value, scope)
        for part, shape in schemas.parts(program, argument.value, scope):
            if part == "body":
                requests.check_body(shape, scope, argument.value)
            else:
                requests.fields(shape, "query" if part == "query" else "path")
        if not isinstance(value, LibraryResult) or not schemas.checks(value):
            continue
        schema = program.types.flat(program.schema_of(value, zod.INPUT))
        if schemas.is_envelope(program, schema):
            requests.envelope(schema, scope, argument.value)


FRAMEWORK = Framework(
    name=EXPRESS.name,
    markers=MARKERS,
    calls=CALLS,
    operations=operations,
    traits=RouteTraits(paths_case_insensitive=True, query_brackets=True),
)
