"""Falcon: resources that are added to applications; responders are in `responders`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.evidence import ENFORCED
from contract_scan.ir.operation import Body, Operation, RouteTraits
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    ModuleValue,
    Record,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.typing.json_schema_values import schema_value
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Name,
    Statement,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.falcon.responders import responses
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.bodies import asked_for, read_body
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    call_argument,
    flatten_values,
    likely_text,
    response,
    text,
    unknown,
)
from contract_scan.parsers.source.python.web.handler_uses import RequestLibrary, handler_uses
from contract_scan.parsers.source.python.web.known_parameters import (
    as_routed,
    with_path_types,
)
from contract_scan.parsers.source.python.web.mounts import Router, receivers, unread_routes
from contract_scan.parsers.source.python.web.path_syntax import PathSyntax, path_names
from contract_scan.parsers.source.python.web.raised_errors import with_raised
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
)
from contract_scan.parsers.source.web.route_graph import RouterId, application_named

_APPLICATIONS = frozenset(
    {
        "falcon.App",
        "falcon.API",
        "falcon.app.App",
        "falcon.api.API",
        "falcon.asgi.App",
        "falcon.asgi.app.App",
    }
)
_MARKERS = (b"falcon", b".add_route(")
_CALLS = (b".add_route(", b".add_sink(", b"falcon.App(", b"falcon.API(", b"falcon.asgi.App(")
_PATHS = PathSyntax(
    re.compile(r"\{(?P<name>\w+)(?::(?P<type>\w+)(?:\([^)]*\))?)?\}"),
    {
        "int": ("integer", ""),
        "float": ("number", ""),
        "uuid": ("string", "uuid"),
        "dt": ("string", "date-time"),
    },
)
_GETTERS = frozenset(
    f"get_param{kind}"
    for kind in ("", "_as_int", "_as_float", "_as_bool", "_as_date", "_as_datetime", "_as_list")
) | {"get_param_as_uuid"}
_REQUESTS = RequestLibrary(
    members=RequestMembers(
        queries=frozenset({"params"}),
        query_methods=frozenset({"get"}),
        getters=_GETTERS | {"has_param"},
        bodies=frozenset({"media", "get_media", "stream", "bounded_stream", "body"}),
        addresses=frozenset({"query_string", "uri", "url", "relative_uri"}),
        others=frozenset(
            {"headers", "get_header", "auth", "user_agent", "accept", "client_accepts", "cookies"}
            | {"client_accepts_json", "get_cookie_values", "method", "path", "prefix", "host"}
            | {"uri_template", "port", "scheme", "remote_addr", "access_route", "context"}
            | {"content_type", "content_length", "get_header_as_int", "get_header_as_datetime"}
        ),
    ),
    unseen=(b"add_middleware",),
)
"""https://falcon.readthedocs.io/en/stable/api/request_and_response_wsgi.html"""
_FORM_OPTION = re.compile(rb"auto_parse_form_urlencoded\s*=\s*True")
_READERS = frozenset({"media", "get_media", "stream", "bounded_stream"})
_WRITES = frozenset({"media", "text", "body", "data"})
_VALIDATORS = frozenset(
    f"falcon.media.validators.{module}.validate" for module in ("jsonschema", "jsonschema_rs")
)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every responder of every resource that is added to an application."""
    if not program_files(program, b"falcon"):
        return
    for path in program_files(program, *_MARKERS):
        for call, scope in program.calls(program.facts(path)):
            if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
                continue
            if call.callee.name == "add_route":
                found = _route_operations(program, framework, call, call.callee, scope)
            elif call.callee.name == "add_sink" and _applications(program, call.callee, scope):
                found = iter((_sink(program, framework, call, scope),))
            else:
                continue
            applications = {router.id for router in _applications(program, call.callee, scope)}
            served_by = (
                application_named(next(iter(applications))) if len(applications) == 1 else None
            )
            for operation in found:
                yield replace(operation, application=served_by)


def _applications(program: Program, callee: Attribute, scope: Scope) -> list[Router]:
    """The applications that a call adds to; in a class derived from one, the class itself."""
    found = receivers(program, callee.value, scope, _APPLICATIONS)
    own = isinstance(callee.value, Name) and callee.value.id == "this"
    if not found and own and scope.owner is not None:
        for base in library_bases(program, scope.owner):
            if base.name in _APPLICATIONS:
                span = scope.owner.decl.span
                site = Call(callee.value, span=span)
                return [Router(RouterId(scope.file.path, span), base.name, site, scope)]
    return found


def _sink(program: Program, framework: Framework, call: Call, scope: Scope) -> Operation:
    prefix = text(program, call_argument(call.args, "prefix", 1), scope) or ""
    return unread_routes(
        framework,
        f"/{prefix.strip('/')}/{{rest*}}".replace("//", "/"),
        origin_at(scope, call.span),
        Reason("sink-answers-prefix"),
    )


def _route_operations(
    program: Program, framework: Framework, call: Call, callee: Attribute, scope: Scope
) -> Iterator[Operation]:
    applications = _applications(program, callee, scope)
    resource_expr = call_argument(call.args, "resource", 1)
    if not applications or resource_expr is None:
        return
    path_expr = call_argument(call.args, "uri_template", 0)
    path = text(program, path_expr, scope)
    unresolved = NO_REASON if path is not None else Reason("route-path-computed")
    path = path if path is not None else likely_text(program, path_expr, scope)
    suffix = _suffix(program, call, scope)
    if suffix is None:
        unresolved = unresolved or Reason("responders-suffix-not-constant")
    rewritten = next(
        (why for router in applications if (why := _rewriting_middleware(program, router))),
        NO_REASON,
    )
    is_plain = all(call_argument(r.site.args, "middleware", -1) is None for r in applications)
    is_plain = is_plain and not program.any_file_contains(b"add_middleware")
    origin = origin_at(scope, call.span)
    found = False
    for value in flatten_values(program.evaluate(resource_expr, scope)):
        for verb in VERBS:
            name = f"on_{verb}" + (f"_{suffix}" if suffix else "")
            responder = _responder(program, value, name)
            if responder is not None:
                found = True
                yield _operation(
                    program,
                    framework,
                    path,
                    verb,
                    responder,
                    origin,
                    unresolved,
                    rewritten,
                    is_plain=is_plain,
                )
    if not found:
        undetermined = unknown(Reason("route-resource-not-found"), origin)
        yield Operation(
            method="*",
            path=_template(path),
            parameters=_PATHS.parameters(path, origin),
            parameters_complete=False,
            responses=(response("200", undetermined, origin, explicit=False),),
            origin=origin,
            framework=framework.name,
            unresolved=unresolved,
        )


def _suffix(program: Program, call: Call, scope: Scope) -> str | None:
    """`suffix=`, also in `**options`; None where it is not constant."""
    expr = call_argument(call.args, "suffix", -1)
    if expr is not None:
        return text(program, expr, scope)
    for argument in call.args:
        if argument.spread == "**":
            options = program.evaluate(argument.value, scope)
            if not isinstance(options, Record) or options.partial or options.values is not None:
                return None
            for entry in options.entries:
                if entry.name == "suffix":
                    return program.evaluator.text(entry.value)
    return ""


def _responder(program: Program, value: Value, name: str) -> FunctionValue | None:
    """A responder of a resource: of an instance, a class, or a module."""
    match value:
        case Instance(symbol=symbol) | ClassValue(symbol=symbol):
            found = program.find_method(symbol, name)
            if found is not None and isinstance(value, Instance):
                return replace(found, receiver=value)
            return found
        case ModuleValue(path=path):
            member = program.names.modules.resolve_export(path, name)
            return member if isinstance(member, FunctionValue) else None
        case _:
            return None


def _operation(
    program: Program,
    framework: Framework,
    path: str,
    verb: str,
    responder: FunctionValue,
    origin: Origin,
    unresolved: Reason,
    changed: Reason,
    *,
    is_plain: bool,
) -> Operation:
    in_path = _PATHS.parameters(path, origin)
    names = path_names(_template(path))
    responder = as_routed(program, with_path_types(responder, in_path), names, by_path_alone=True)
    found, complete = responses(program, responder, changed)
    owner = f"{responder.owner.decl.name}." if responder.owner is not None else ""
    takes_body = verb in ("post", "put", "patch", "delete")
    bodies = _validated_body(program, responder) or (
        read_body(program, responder, _READERS, "application/json") if takes_body else ()
    )
    read = handler_uses(program, _REQUESTS, responder)
    operation = Operation(
        method=verb.upper(),
        path=_template(path),
        parameters=(*in_path, *asked_for(program, responder, _GETTERS, raises=False)),
        parameters_complete=False,
        request=bodies,
        responses=with_raised(program, responder, found),
        statuses_complete=complete,
        origin=origin,
        handler=f"{owner}{responder.function.name}",
        framework=framework.name,
        traits=RouteTraits(form_fields_as_query=_reads_forms(program)),
        unresolved=unresolved,
    )
    around = () if responder.owner is None else responder.owner.decl.annotations
    return read.apply(operation) if is_plain and not around else operation


@memoised
def _reads_forms(program: Program) -> bool:
    """Whether `get_param` finds the fields of urlencoded bodies as well (until Falcon 4)."""
    return any(
        _FORM_OPTION.search(program.files.read(path) or b"")
        for path in program.files_containing(b"auto_parse_form_urlencoded")
    )


def _rewriting_middleware(program: Program, router: Router) -> Reason:
    """Why the response may differ from what the responder writes: a middleware that rewrites it;
    empty if none does."""
    expr = call_argument(router.site.args, "middleware", -1)
    if expr is None:
        return NO_REASON
    for value in flatten_values(program.evaluate(expr, router.scope)):
        if not isinstance(value, Instance):
            continue
        hook = program.find_method(value.symbol, "process_response")
        if hook is not None and _writes(program.body(hook.function, hook.scope.file)):
            return Reason("middleware-may-change-response", type=value.symbol.decl.name)
    return NO_REASON


def _writes(statements: tuple[Statement, ...]) -> bool:
    for statement in statements:
        match statement:
            case Assign(target=Attribute(name=name)) if name in _WRITES:
                return True
            case Branch(blocks=blocks) if any(_writes(block) for block in blocks):
                return True
            case _:
                continue
    return False


def _template(path: str) -> str:
    found = _PATHS.template(path)
    return found if found.startswith("/") else f"/{found}"


def _validated_body(program: Program, responder: FunctionValue) -> tuple[Body, ...]:
    """The body of `@jsonschema.validate(SCHEMA)`, which answers 400 to any other."""
    for annotation in responder.function.annotations:
        if annotation.callee is None:
            continue
        if program.qualified_name(annotation.callee, responder.scope) not in _VALIDATORS:
            continue
        expr = call_argument(annotation.args, "req_schema", 0)
        if expr is None:
            continue
        value = program.evaluate(expr, responder.scope)
        schema = schema_value(program, value, _no_other)
        origin = origin_at(responder.scope, annotation.span)
        return (Body(schema=schema, required=True, evidence=ENFORCED, origin=origin),)
    return ()


def _no_other(_id: str) -> Value | None:
    """No schema is registered under a name."""
    return None


FRAMEWORK = Framework(name="Falcon", markers=_MARKERS, calls=_CALLS, operations=operations)
