"""ASP.NET Core minimal APIs: `app.MapGet("/orders/{id}", handler)`, groups, endpoint modules."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import (
    Answers,
    Body,
    DeferredAnswers,
    Operation,
    Parameter,
    Response,
)
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.csharp.frameworks.aspnet import middleware
from contract_scan.parsers.source.csharp.frameworks.aspnet.api_versions import (
    with_version_parameter,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.carter_modules import is_module
from contract_scan.parsers.source.csharp.frameworks.aspnet.endpoint_filters import (
    filter_functions,
    wrappings,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.endpoints import Endpoint, endpoints
from contract_scan.parsers.source.csharp.frameworks.aspnet.groups import (
    Prefix,
    endpoint_prefixes,
    prefixes,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.wrappers import wrapper_names
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.extensions import extension_named
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.serialization.settings.application import (
    settings_for,
    variant_for,
)
from contract_scan.parsers.source.csharp.serialization.settings.record import JsonSettings
from contract_scan.parsers.source.csharp.web.actions import respond
from contract_scan.parsers.source.csharp.web.binding import (
    Binder,
    RequestInputs,
    present_bodies,
    read_inputs,
)
from contract_scan.parsers.source.csharp.web.demanded_headers import demanded_headers
from contract_scan.parsers.source.csharp.web.manual_bodies import read_by_hand
from contract_scan.parsers.source.csharp.web.parsed_texts import with_parsed_texts
from contract_scan.parsers.source.csharp.web.refused_absences import with_needed_parameters
from contract_scan.parsers.source.csharp.web.request_facts import handler_for, presence_facts
from contract_scan.parsers.source.csharp.web.responses import merge_responses
from contract_scan.parsers.source.csharp.web.route_shadowing import with_shorter, without_shadowed
from contract_scan.parsers.source.csharp.web.templates import parse
from contract_scan.parsers.source.csharp.web.text_shapes import simple_name
from contract_scan.parsers.source.csharp.web.traits import ASPNET
from contract_scan.parsers.source.facts.nodes import Attribute, Call, FileFacts, New
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
    RequestUses,
)
from contract_scan.parsers.source.web.request_uses import RequestUsesReader

_ENDPOINTS = {
    **dict.fromkeys(("MapHealthChecks", "UseHealthChecks", "MapForwarder"), ""),
    **dict.fromkeys(("MapMetrics", "MapPrometheusScrapingEndpoint"), "/metrics"),
}
"""Calls that map an endpoint of a library, which answers every method -> the path of those without
one."""
_OTHERS = re.compile(
    r"Map(Get|Post|Put|Delete|Patch|Methods|Group|When|Fallback\w{0,60}|IdentityApi|Carter"
    r"|\w{0,60}Controllers?|\w{0,60}Route|RazorPages|RazorComponents|Static\w{1,60}|\w{0,60}Hubs?|Connection\w{0,60}"
    r"|FastEndpoints|Grpc\w{1,60}|\w{1,60}GrpcService|MagicOnionService|GraphQL\w{0,60}|OpenApi|Swagger\w{0,60}|Scalar\w{0,60}|ReDoc"
    r"|\w{0,60}(?i:health|dashboard|ui|metrics)\w{0,60}|Mcp|SubscribeHandler|ActorsHandlers"
    r"|DefaultEndpoints|AdditionalIdentityEndpoints|ReverseProxy|\w{0,60}Attribute\w{0,60})?"
)
"""Calls whose routes are read elsewhere, or are no operations of an API."""
_BUILDERS = re.compile(r"(.*\.)?(WebApplication|IEndpointRouteBuilder|RouteGroupBuilder)\b")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route that is mapped by a call, and the paths that middleware answers."""
    yield from mapped_operations(program, framework, in_module=False)
    yield from middleware.answered_paths(program, framework)


def mapped_operations(
    program: Program, framework: Framework, *, in_module: bool
) -> Iterator[Operation]:
    """Every route that a call maps, in modules of Carter or elsewhere."""
    found = _operations_of_framework(program, framework, in_module=in_module)
    yield from middleware.below_path_bases(program, without_shadowed(found))


def _operations_of_framework(
    program: Program, framework: Framework, *, in_module: bool
) -> Iterator[Operation]:
    for file in _mapping_files(program, framework):
        calls = list(calls_of(program, file, *_TEXTS, wanted=_is_mapping))
        if not in_module:
            yield from _of_libraries(program, framework, calls)
        for endpoint in endpoints(program, calls):
            owner = endpoint.mapped_in.owner
            if (owner is not None and is_module(program, owner)) == in_module:
                yield from _operations(program, framework, endpoint)


def _mapping_files(program: Program, framework: Framework) -> Iterator[FileFacts]:
    """The files that map routes: also those that do so by extension methods of the project alone
    (`app.MapCrud<Order>("orders")`)."""
    seeds = {file.path: file for file in program.seeds(framework)}
    literals = [f".{name}".encode() for name in wrapper_names(program)]
    others = program.files_containing(*literals) if literals else ()
    yield from seeds.values()
    yield from (program.facts(path) for path in others if path not in seeds)


_TEXTS = (b".Map", b".UseHealthChecks(")
"""What the text of a function holds that maps a route: all libraries and wrappers begin so."""
_NAMES = ("Map", "UseHealthChecks")


def _is_mapping(call: Call | New, scope: Scope) -> bool:
    """Whether a call has a name by which routes are mapped."""
    del scope
    callee = call.callee if isinstance(call, Call) else None
    return isinstance(callee, Attribute) and callee.name.startswith(_NAMES)


def _of_libraries(
    program: Program, framework: Framework, calls: list[tuple[Call | New, Scope]]
) -> Iterator[Operation]:
    """`app.MapGroup("/users").MapIdentityApi<User>()`, `app.MapHealthChecks("/health")`."""
    for call, scope in calls:
        if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
            continue
        name, origin = call.callee.name, program.origin(call, scope)
        routes: Iterable[Operation] = ()
        if name == "MapIdentityApi":
            variant = variant_for(program, "http", scope.file.path)
            settings = settings_for(program, variant, scope.file.path)
            routes = _identity_routes(settings, origin)
        elif name in _ENDPOINTS:
            path = program.text(call.args[0].value, scope) if call.args else _ENDPOINTS[name]
            routes = (_endpoint_of_library(path, name, origin),)
        elif _maps_unseen(program, call.callee, scope):
            reason = Reason("unsupported-routing-library", library=name)
            unseen = _endpoint_of_library("/{rest*}", name, origin)
            routes = (replace(unseen, parameters_complete=False, unresolved=reason),)
        for operation in routes:
            for prefix in prefixes(program, call.callee.value, scope):
                yield replace(
                    operation,
                    path=parse(f"{prefix.path.rstrip('/')}/{operation.path.lstrip('/')}").path,
                    framework=framework.name,
                    excluded_from_docs=operation.excluded_from_docs or prefix.excluded_from_docs,
                    unresolved=prefix.unresolved or operation.unresolved,
                )


def _maps_unseen(program: Program, callee: Attribute, scope: Scope) -> bool:
    """Whether a method maps routes that the project does not declare: a library or a generator
    does (`app.MapGeneratedEndpoints()`)."""
    return (
        _OTHERS.fullmatch(callee.name) is None
        and callee.name.startswith("Map")
        and not extension_named(program, callee.name)
        and program.function_value(callee, scope) is None
        and _BUILDERS.match(of := program.qualified_name(callee.value, scope)) is not None
        and ".Services" not in of
    )


def _endpoint_of_library(path: str | None, name: str, origin: Origin) -> Operation:
    """A route whose answers the library writes."""
    return Operation(
        method="*",
        path=path or "",
        origin=origin,
        handler=name,
        excluded_from_docs=True,
        unresolved=NO_REASON if path is not None else Reason("route-path-computed"),
    )


def _operations(program: Program, framework: Framework, endpoint: Endpoint) -> Iterator[Operation]:
    handler = endpoint.handler
    origin = program.origin(endpoint.call, endpoint.scope)
    for prefix in endpoint_prefixes(program, endpoint):
        for template, version_hidden in _templates(prefix, endpoint):
            operation = Operation(
                method=endpoint.method,
                path=parse(template).path,
                origin=replace(origin, span=_first_line(endpoint)),
                operation_id=endpoint.name,
                handler=_handler_name(handler),
                framework=framework.name,
                excluded_from_docs=endpoint.excluded_from_docs
                or prefix.excluded_from_docs
                or version_hidden,
                unresolved=prefix.unresolved or endpoint.unresolved,
            )
            in_path = "apiVersion" in prefix.path or "apiVersion" in endpoint.template
            # What a route says of its versions replaces what its group says.
            versions = endpoint.versions or prefix.versions
            for whole in _with_handler(program, operation, endpoint, template, prefix):
                if versions and not in_path:
                    yield with_version_parameter(whole, versions)
                else:
                    yield whole


def _templates(prefix: Prefix, endpoint: Endpoint) -> Iterator[tuple[str, bool]]:
    """The whole template; where it holds the version of the API, for every version."""
    template = f"{prefix.path.rstrip('/')}/{endpoint.template.lstrip('/')}"
    parsed = parse(template)
    versioned = [p.name for p in parsed.parameters if "apiVersion" in p.constraints]
    if not versioned:
        yield template, False
        return
    start = template.index("{" + versioned[0])
    end = template.index("}", start) + 1
    for version in (*endpoint.versions, *prefix.versions) or ("1.0",):
        short = version.removesuffix(".0")
        yield template[:start] + short + template[end:], False
        yield template[:start] + f"{short}.0" + template[end:], True


def _first_line(endpoint: Endpoint) -> Span:
    """The place of the call without the calls in front of it and the handler in it."""
    end = endpoint.call.callee.span
    args = endpoint.call.args
    last = args[0].value.span if args else end
    return Span(end.end_line, end.end_column - len(endpoint.verb), last.end_line, last.end_column)


def _handler_name(handler: FunctionValue | None) -> str:
    if handler is None:
        return ""
    name = handler.function.name
    owner = handler.owner.qualified_name if handler.owner is not None and name else ""
    return f"{owner}.{name}" if owner else name


def _with_handler(
    program: Program, operation: Operation, endpoint: Endpoint, template: str, prefix: Prefix
) -> Iterator[Operation]:
    """The operation with what its handler takes and sends, and beside it that of the path without
    its optional end."""
    handler = endpoint.handler
    variant = variant_for(program, "http", endpoint.scope.file.path)
    if handler is None:
        announced = endpoint.declared_responses(program, variant)
        responses = merge_responses(None, list(announced), ())
        whole = replace(operation, responses=responses, parameters_complete=False)
        yield from with_shorter(whole, parse(template))
        return
    binder = Binder(
        program=program,
        variant=variant,
        template=parse(template),
        method=operation.method,
        minimal=True,
        consumes=endpoint.consumes,
    )
    scope = handler.scope
    declared: RequestInputs = read_inputs(binder, handler.function.params, scope)
    parsed = with_parsed_texts(program, declared, handler, variant)

    def sent_by(given: FunctionValue) -> Answers:
        return respond(program, given, None, handler.function.annotations, variant)

    running = handler_for(program, handler, operation.method, {})
    reading = with_needed_parameters(program, parsed, running, sent_by)

    in_template = {parameter.name.lower() for parameter in binder.template.parameters}
    routed = tuple(p for p in handler.function.params if p.name.lower() in in_template)

    def answers(path: str) -> Answers:
        announced = endpoint.declared_responses(program, variant)
        there = present_bodies(binder, handler.function.params, scope)
        facts = presence_facts(routed, path, there)
        given = handler_for(program, handler, operation.method, facts)
        filters = wrappings(program, prefix.filters, endpoint.chained_calls)
        sent = respond(
            program,
            given,
            None,
            handler.function.annotations,
            variant,
            announced,
            filters=filters,
        )
        place = endpoint.scope.file.path
        return middleware.behind_middleware(program, place, operation.method, sent)

    folder = project_of(program, endpoint.scope.file.path).folder
    needed = list(middleware.headers_of_middleware(program, folder, operation.method))
    for function in filter_functions(program, prefix.filters, endpoint.chained_calls):
        needed += demanded_headers(program, function)
    whole = replace(
        operation,
        parameters=(*reading.parameters, *needed),
        parameters_complete=reading.complete,
        reads_no_body=reading.reads_no_body,
        request=reading.bodies or (() if reading.complete else read_by_hand(program, running)),
    )
    if not reading.complete:
        whole = _as_read(program, binder, handler, whole)
    if middleware.reads_queries(program):
        whole = replace(whole, parameters_complete=False)
    for each in with_shorter(whole, binder.template):
        yield replace(each, deferred=DeferredAnswers(partial(answers, each.path)))


def _as_read(
    program: Program, binder: Binder, handler: FunctionValue, operation: Operation
) -> Operation:
    """An operation whose handler is given the request itself, and what it reads of that."""
    given = {
        i: _REQUEST_TYPES.get(simple_name(p.type)) if p.type else None
        for i, p in enumerate(handler.function.params)
    }
    rest = tuple(p for i, p in enumerate(handler.function.params) if given[i] is None)
    if not read_inputs(binder, rest, handler.scope).complete:
        return operation
    reader, found = RequestUsesReader(program, _REQUEST), _uses_of_services(program)
    for position, start in given.items():
        if start is not None:
            found = found.and_also(reader.uses([(handler, position)], start))
    return found.apply(operation)


_READ_OF_REQUEST = re.compile(rb"\.(Query|Body|Form|ReadF)")
"""`Request.Query`, `Request.Body`, `Request.Form`, `Request.ReadFromJsonAsync`."""


@memoised
def _uses_of_services(program: Program) -> RequestUses:
    """What services read of the request that they ask for themselves, whichever handler they serve:
    any query where one reads the query, the body where one reads that."""
    read = {
        name
        for path in program.files_containing(b"IHttpContextAccessor")
        for name in program.files.find(path, _READ_OF_REQUEST)
    }
    return RequestUses(any_query=b"Query" in read, body=bool(read - {b"Query"}))


_REQUEST_TYPES: dict[str, tuple[str, ...]] = {"HttpContext": (), "HttpRequest": ("Request",)}
"""Types of parameters that are given the request, with what they are of the context."""
_REQUEST = RequestMembers(
    queries=frozenset({"Request.Query"}),
    query_methods=frozenset({"ContainsKey", "TryGetValue"}),
    bodies=frozenset(
        f"Request.{name}"
        for name in (
            *("Body", "BodyReader", "Form", "ReadFormAsync", "ReadFromJsonAsync"),
            *("EnableBuffering", "HasFormContentType", "HasJsonContentType"),
        )
    ),
    addresses=frozenset({"Request.QueryString", "Request.GetDisplayUrl", "Request.GetEncodedUrl"}),
    both=frozenset({"Request.HttpContext"}),
    others=frozenset(
        f"Request.{name}"
        for name in (
            *("Headers", "Path", "PathBase", "RouteValues", "Method", "Host", "Scheme", "Cookies"),
            *("IsHttps", "Protocol", "ContentType", "ContentLength"),
        )
    )
    | {"User", "Response", "Connection", "RequestServices", "RequestAborted", "Session"}
    | {"TraceIdentifier", "GetRouteValue", "WebSockets", "Abort", "SignInAsync", "SignOutAsync"}
    | {"AuthenticateAsync", "ChallengeAsync", "ForbidAsync", "GetTokenAsync"},
)
"""Microsoft.AspNetCore.Http: HttpContext and HttpRequest."""

FRAMEWORK = Framework(
    name="ASP.NET Core minimal APIs",
    markers=(
        b".MapGet(",
        b".MapPost(",
        b".MapPut(",
        b".MapDelete(",
        b".MapPatch(",
        b".MapMethods(",
        b".Map(",
        b".MapGroup(",
        b".MapIdentityApi<",
        *(b"app.Map", b"endpoints.Map"),
        *(f".{name}(".encode() for name in _ENDPOINTS),
        *middleware.MARKERS,
    ),
    calls=(b".Map", *middleware.MARKERS),
    operations=operations,
    traits=ASPNET,
)


# -------------------------------------------------------------- routes of `MapIdentityApi<TUser>()`
# https://github.com/dotnet/aspnetcore: IdentityApiEndpointRouteBuilderExtensions.


_TEXT = Scalar(type="string")
_TEXT_OR_NULL = Scalar(type="string", nullable=True)
_FLAG = Scalar(type="boolean")


class _Route(Struct, frozen=True, kw_only=True):
    method: str
    path: str
    body_fields: tuple[tuple[str, Schema], ...] = ()
    query: tuple[tuple[str, Schema], ...] = ()
    needed: frozenset[str] = frozenset()
    """What a request is refused without: `required` members, and texts of the query."""
    response_fields: tuple[tuple[str, Schema], ...] = ()
    failures: tuple[str, ...] = ()


_INFO = (("Email", _TEXT), ("IsEmailConfirmed", _FLAG))
_TOKEN = (
    ("TokenType", _TEXT),
    ("AccessToken", _TEXT),
    ("ExpiresIn", Scalar(type="integer", format="int64")),
    ("RefreshToken", _TEXT),
)
_ROUTES = (
    _Route(
        method="POST",
        path="/register",
        body_fields=(("Email", _TEXT), ("Password", _TEXT)),
        needed=frozenset({"Email", "Password"}),
        failures=("400",),
    ),
    _Route(
        method="POST",
        path="/login",
        query=(("useCookies", _FLAG), ("useSessionCookies", _FLAG)),
        body_fields=(
            *(("Email", _TEXT), ("Password", _TEXT), ("TwoFactorCode", _TEXT_OR_NULL)),
            ("TwoFactorRecoveryCode", _TEXT_OR_NULL),
        ),
        needed=frozenset({"Email", "Password"}),
        response_fields=_TOKEN,
        failures=("401",),
    ),
    _Route(
        method="POST",
        path="/refresh",
        body_fields=(("RefreshToken", _TEXT),),
        needed=frozenset({"RefreshToken"}),
        response_fields=_TOKEN,
    ),
    _Route(
        method="GET",
        path="/confirmEmail",
        query=(("userId", _TEXT), ("code", _TEXT), ("changedEmail", _TEXT)),
        needed=frozenset({"userId", "code"}),
        failures=("401",),
    ),
    _Route(
        method="POST",
        path="/resendConfirmationEmail",
        body_fields=(("Email", _TEXT),),
        needed=frozenset({"Email"}),
    ),
    _Route(
        method="POST",
        path="/forgotPassword",
        body_fields=(("Email", _TEXT),),
        needed=frozenset({"Email"}),
        failures=("400",),
    ),
    _Route(
        method="POST",
        path="/resetPassword",
        body_fields=(("Email", _TEXT), ("ResetCode", _TEXT), ("NewPassword", _TEXT)),
        needed=frozenset({"Email", "ResetCode", "NewPassword"}),
        failures=("400",),
    ),
    _Route(
        method="POST",
        path="/manage/2fa",
        body_fields=(
            ("Enable", Scalar(type="boolean", nullable=True)),
            ("TwoFactorCode", _TEXT_OR_NULL),
            *(("ResetSharedKey", _FLAG), ("ResetRecoveryCodes", _FLAG), ("ForgetMachine", _FLAG)),
        ),
        response_fields=(
            ("SharedKey", _TEXT),
            ("RecoveryCodesLeft", Scalar(type="integer", format="int32")),
            ("RecoveryCodes", Array(items=_TEXT, nullable=True)),
            *(("IsTwoFactorEnabled", _FLAG), ("IsMachineRemembered", _FLAG)),
        ),
        failures=("400", "404"),
    ),
    _Route(method="GET", path="/manage/info", response_fields=_INFO, failures=("400", "404")),
    _Route(
        method="POST",
        path="/manage/info",
        body_fields=(
            *(("NewEmail", _TEXT_OR_NULL), ("NewPassword", _TEXT_OR_NULL)),
            ("OldPassword", _TEXT_OR_NULL),
        ),
        response_fields=_INFO,
        failures=("400", "404"),
    ),
)


def _identity_routes(settings: JsonSettings, origin: Origin) -> Iterator[Operation]:
    """Every route, without the prefix of what they are mapped on."""
    for route in _ROUTES:
        given = _response_object(route.response_fields, settings)
        bodies = (Body(schema=given, origin=origin),) if route.response_fields else ()
        body = _request_object(route.body_fields, route.needed, settings)
        yield Operation(
            method=route.method,
            path=route.path,
            parameters=tuple(
                Parameter(
                    name=name,
                    location="query",
                    schema=schema,
                    required=name in route.needed,
                    origin=origin,
                )
                for name, schema in route.query
            ),
            request=(Body(schema=body, required=True, origin=origin),) if route.body_fields else (),
            responses=(
                Response(status="200", bodies=bodies, explicit_status=False, origin=origin),
                *(Response(status=status, origin=origin) for status in route.failures),
            ),
            statuses_complete=True,
            origin=origin,
            handler="MapIdentityApi",
        )


def _response_object(members: tuple[tuple[str, Schema], ...], settings: JsonSettings) -> Object:
    always = {name for name, schema in members if not (settings.ignore and schema.nullable)}
    return _object(members, always, settings)


def _request_object(
    members: tuple[tuple[str, Schema], ...], needed: Collection[str], settings: JsonSettings
) -> Object:
    return replace(_object(members, needed, settings, needed), case_insensitive=True)


def _object(
    members: tuple[tuple[str, Schema], ...],
    required: Collection[str],
    settings: JsonSettings,
    needed: Collection[str] = (),
) -> Object:
    fields = tuple(
        Field(
            name=settings.wire_name(name),
            schema=schema,
            required=name in required,
            has_default=name not in needed,
            declared_as=name,
        )
        for name, schema in members
    )
    return Object(fields=fields, incomplete_reason=settings.unknown_naming)
