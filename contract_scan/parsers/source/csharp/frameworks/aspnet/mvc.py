"""ASP.NET Core controllers: attribute routes, conventional routes, action results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, DeferredAnswers, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue, Scope
from contract_scan.parsers.source.csharp.frameworks.aspnet import middleware
from contract_scan.parsers.source.csharp.frameworks.aspnet.api_versions import (
    with_version_parameter,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.controllers import (
    Action,
    actions,
    is_controller,
    prefixes,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.conventional_routes import (
    conventional_routes,
    reached_by,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.conventions import (
    Conventions,
    conventions,
    token_text,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.hidden_actions import is_hidden
from contract_scan.parsers.source.csharp.frameworks.aspnet.legacy import legacy_kind
from contract_scan.parsers.source.csharp.frameworks.aspnet.route_attributes import (
    RouteAttribute,
    route_attribute,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.validation import (
    refuses_first,
    refuses_invalid,
)
from contract_scan.parsers.source.csharp.resolution.annotations import find, find_all, text
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations, parts
from contract_scan.parsers.source.csharp.resolution.projects import (
    Project,
    project_of,
    referenced_projects,
)
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.actions import respond
from contract_scan.parsers.source.csharp.web.binding import (
    Binder,
    inferred_bodies,
    present_bodies,
    read_inputs,
)
from contract_scan.parsers.source.csharp.web.formatters import read_by_formatters
from contract_scan.parsers.source.csharp.web.manual_bodies import read_by_hand
from contract_scan.parsers.source.csharp.web.parsed_texts import with_parsed_texts
from contract_scan.parsers.source.csharp.web.refused_absences import with_needed_parameters
from contract_scan.parsers.source.csharp.web.request_facts import handler_for, presence_facts
from contract_scan.parsers.source.csharp.web.responses import content_types
from contract_scan.parsers.source.csharp.web.route_shadowing import with_shorter, without_shadowed
from contract_scan.parsers.source.csharp.web.templates import Template, combine, parse, with_tokens
from contract_scan.parsers.source.csharp.web.traits import CONTROLLERS
from contract_scan.parsers.source.discovery.discover import is_inside
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    FileFacts,
    NamedType,
    Param,
)
from contract_scan.parsers.source.language import Framework

_WHOLE_CONTEXT = (
    rb"HttpContext\b(?!\s{0,99}[?!]?\."
    rb"(?:User|RequestAborted|TraceIdentifier|Response|Connection|RequestServices|Session|Items)\b)"
)
"""The context where more may be read of it than what says nothing of parameters and bodies."""
_QUERY = re.compile(rb"Request\.(?:Query|Form|Body)|" + _WHOLE_CONTEXT)
_REQUEST = re.compile(rb"\b(?:Request\b|TryUpdateModel|" + _WHOLE_CONTEXT + rb")")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every controller."""
    found = without_shadowed(_operations_of_framework(program, framework))
    yield from middleware.below_path_bases(program, found)


def _operations_of_framework(program: Program, framework: Framework) -> Iterator[Operation]:
    seen: set[str] = set()
    for file in (*program.seeds(framework), *_referenced_files(program, framework)):
        for symbol in program.classes(file):
            if symbol.key in seen or not is_controller(program, symbol):
                continue
            if legacy_kind(program, symbol):
                continue
            seen.update(part.key for part in parts(program, symbol))
            found = _controller(program, framework, symbol)
            yield from found if is_inside(file.path) else _at_reference(program, symbol, found)


def _referenced_files(program: Program, framework: Framework) -> Iterator[FileFacts]:
    """Files with controllers of projects outside the scanned folder that those inside reference:
    the application has their routes too."""
    folders = referenced_projects(program)
    if not folders:
        return
    for path in program.files_containing(*framework.markers):
        if not is_inside(path) and project_of(program, path).folder in folders:
            yield program.facts(path)


def _at_reference(
    program: Program, symbol: ClassSymbol, found: Iterator[Operation]
) -> Iterator[Operation]:
    """Routes of a referenced project, with the reference as their origin. Whether the contract
    has all of them is not checked."""
    place = referenced_projects(program)[project_of(program, symbol.file.path).folder]
    for operation in found:
        origin = Origin(place.path, place.span, "", operation.origin.symbol)
        yield replace(operation, origin=origin, excluded_from_docs=True)


# --------------------------------------------------------------------------- controllers


def _controller(program: Program, framework: Framework, symbol: ClassSymbol) -> Iterator[Operation]:
    chain = _classes(program, symbol)
    own = prefixes(program, chain)
    marked = tuple(a for owner, _ in chain for a in merged_annotations(program, owner))
    found = conventions(program)
    for action in actions(program, chain):
        yield from _routes(program, framework, symbol, action, own, marked, found)


def _classes(program: Program, symbol: ClassSymbol) -> list[tuple[ClassSymbol, Scope]]:
    """A controller and the classes that it inherits from, each with the scope inside it."""
    chain = program.types.chain(symbol, program.class_scope(symbol))
    return [(owner, scope) for owner, scope in chain if owner.decl.kind != "interface"]


# --------------------------------------------------------------------------- routes


class Selector(Struct, frozen=True, kw_only=True):
    """One way to reach an action: its own template and verbs."""

    template: str | None
    methods: tuple[str, ...]
    unresolved: Reason = NO_REASON


def _selectors(program: Program, action: Action) -> list[Selector]:
    routes = [
        route
        for annotation in action.annotations
        if (route := route_attribute(program, annotation, action.routes_scope)) is not None
    ]
    bare = tuple(m for r in routes if r.template is None and not r.unresolved for m in r.methods)
    found: list[Selector] = []
    for route in routes:
        if route.template is None and not route.unresolved:
            continue
        methods = route.methods or bare or ("*",)
        found.append(
            Selector(template=route.template, methods=methods, unresolved=route.unresolved)
        )
    plain_methods = tuple(dict.fromkeys(bare))
    has_route = any(route.template is not None and not route.methods for route in routes)
    if not found or (plain_methods and not has_route):
        found.append(Selector(template=None, methods=plain_methods or ("*",)))
    return found


def _routes(
    program: Program,
    framework: Framework,
    symbol: ClassSymbol,
    action: Action,
    own: list[RouteAttribute],
    marked: tuple[Annotation, ...],
    found: Conventions,
) -> Iterator[Operation]:
    hidden = is_hidden(program, (*action.annotations, *marked))
    for selector in _selectors(program, action):
        whole = [
            (combine(p.template or "", selector.template), p.unresolved or selector.unresolved)
            for p in own or [RouteAttribute()]
        ]
        conventional = not own and selector.template is None
        methods = selector.methods
        if conventional and is_odata(program, symbol):
            templates, verb, undetermined = odata_routes(program, symbol, action)
            whole, methods = [(template, undetermined) for template in templates], (verb,)
        elif conventional:
            whole = _by_convention(program, symbol, action, marked)
        for template, unresolved in whole:
            if found.prefix and not template.startswith("/"):
                template = combine(found.prefix, template)
            versions = () if "apiVersion" in template else _stated_versions(program, action, marked)
            for path, version_hidden in _versions(program, template, action, marked):
                for operation in _operations(
                    program,
                    framework,
                    symbol,
                    action,
                    marked,
                    _with_tokens(path, symbol, action, found, marked, program),
                    methods,
                    unresolved or found.unresolved,
                    hidden=hidden or version_hidden or conventional,
                ):
                    yield with_version_parameter(operation, versions) if versions else operation


def _by_convention(
    program: Program, symbol: ClassSymbol, action: Action, marked: tuple[Annotation, ...]
) -> list[tuple[str, Reason]]:
    """Templates under which start-up code maps controllers without routes of their own."""
    name = symbol.decl.name.removesuffix("Controller") or symbol.decl.name
    named = find(action.annotations, "ActionName")
    action_name = action.method.name.removesuffix("Async")
    if named is not None:
        action_name = text(program, named, action.scope, 0, "name") or action_name
    written = find(marked, "Area")
    area = text(program, written, action.scope, 0, "areaName") if written is not None else ""
    params = frozenset(p.name.lower() for p in action.method.params)
    routes = [r for r in conventional_routes(program, symbol.file.path) if not r.api]
    found = {
        (one.template, one.unresolved): None
        for paths in reached_by(routes, name, action_name, area or "", params)
        for one in paths
    }
    return list(found)


def _with_tokens(
    template: str,
    symbol: ClassSymbol,
    action: Action,
    found: Conventions,
    marked: tuple[Annotation, ...],
    program: Program,
) -> tuple[str, str]:
    name = symbol.decl.name.removesuffix("Controller") or symbol.decl.name
    action_name = action.method.name.removesuffix("Async")
    renamed = find(action.annotations, "ActionName")
    if renamed is not None:
        action_name = text(program, renamed, action.scope, 0, "name") or action_name
    tokens = {
        "controller": token_text(name, found),
        "action": token_text(action_name, found),
    }
    area = find(marked, "Area")
    if area is not None:
        written = text(program, area, action.scope, 0, "areaName")
        if written is not None:
            tokens["area"] = written
    return with_tokens(template, tokens)


def _versions(
    program: Program, template: str, action: Action, marked: tuple[Annotation, ...]
) -> Iterator[tuple[str, bool]]:
    """The template for every version it is served under, the usual spelling of each first; the
    other spellings are reachable but not meant to be documented."""
    parsed = parse(template)
    versioned = [p.name for p in parsed.parameters if "apiVersion" in p.constraints]
    if not versioned:
        yield template, False
        return
    versions = _stated_versions(program, action, marked)
    start = template.index("{" + versioned[0])
    end = template.index("}", start) + 1
    for version in versions or ("1.0",):
        short = version.removesuffix(".0")
        yield template[:start] + short + template[end:], False
        yield (
            template[:start] + (version if version != short else f"{short}.0") + template[end:],
            (True),
        )


def _stated_versions(
    program: Program, action: Action, marked: tuple[Annotation, ...]
) -> tuple[str, ...]:
    """The versions that an action is mapped for: its own, else those of its controller."""
    named = find_all(action.annotations, "MapToApiVersion", "ApiVersion") or find_all(
        marked, "ApiVersion"
    )
    versions = (text(program, a, action.scope, 0, "version") or _number(a) for a in named)
    return tuple(version for version in versions if version)


def _number(annotation: Annotation) -> str | None:
    value = getattr(annotation.args[0].value, "value", None) if annotation.args else None
    return f"{float(value):.1f}" if isinstance(value, int | float) else None


def _operations(
    program: Program,
    framework: Framework,
    symbol: ClassSymbol,
    action: Action,
    marked: tuple[Annotation, ...],
    tokens: tuple[str, str],
    methods: tuple[str, ...],
    unresolved: Reason,
    *,
    hidden: bool,
) -> Iterator[Operation]:
    template, missing = tokens
    if missing:
        unresolved = unresolved or Reason("token-template-undetermined", missing=missing)
    parsed = parse(template)
    variant = variant_for(program, "mvc", symbol.file.path)
    api = _is_api(program, marked)
    both = (*action.annotations, *marked)
    function = FunctionValue(action.method, action.scope, action.owner, action.scope.receiver)

    routed = _routed_parameters(program, action, parsed)
    named = _names_in_templates(program, action)

    refuses = refuses_invalid(program, action.method, action.scope, both, api_controller=api)

    def binder_of(method: str) -> Binder:
        return Binder(
            program=program,
            variant=variant,
            template=parsed,
            method=method,
            api_controller=api and _infers_sources(program, project_of(program, symbol.file.path)),
            refuses=refuses,
            refuses_first=api and refuses_first(program),
            # The attribute of the action replaces that of the controller.
            consumes=content_types(
                program, find_all(both, "Consumes")[:1], action.scope, "Consumes"
            ),
        )

    def answers(method: str, path: str) -> Answers:
        there = present_bodies(binder_of(method), action.method.params, action.scope)
        given = handler_for(program, function, method, presence_facts(routed, path, there))
        sent = respond(program, given, symbol, both, variant, path=path, problems=api)
        if is_odata(program, symbol):
            sent = sent._replace(responses=written_by_odata(sent.responses))
        return middleware.behind_middleware(program, symbol.file.path, method, sent)

    def sent_by(given: FunctionValue) -> Answers:
        return respond(program, given, symbol, both, variant, problems=api)

    for method in methods:
        binder = binder_of(method)
        declared = read_inputs(binder, action.method.params, action.scope)
        texts = with_parsed_texts(program, declared, function, variant)
        running = handler_for(program, function, method, {})
        reading = with_needed_parameters(program, texts, running, sent_by)
        operation = Operation(
            method=method,
            path=parsed.path,
            path_expressions=parsed.expressions,
            parameters=tuple(
                replace(p, of_other_path=True)
                if p.location == "query" and p.name.lower() in named
                else p
                for p in reading.parameters
            )
            + middleware.headers_of_middleware(
                program, project_of(program, symbol.file.path).folder, method
            ),
            parameters_complete=reading.complete
            and not _reads_request(program, action, _QUERY)
            and not middleware.reads_queries(program),
            reads_no_body=reading.reads_no_body and not _reads_request(program, action, _REQUEST),
            request=read_by_formatters(program, reading.bodies) or read_by_hand(program, running),
            deferred=DeferredAnswers(partial(answers, method, parsed.path)),
            origin=_action_origin(program, symbol, action),
            operation_id=action.method.name,
            handler=f"{symbol.qualified_name}.{action.method.name}",
            framework=framework.name,
            excluded_from_docs=hidden,
            unresolved=unresolved,
        )
        whole, *rest = with_shorter(operation, parsed)
        yield whole
        for shorter in rest:
            yield replace(shorter, deferred=DeferredAnswers(partial(answers, method, shorter.path)))


@memoised
def _infers_sources(program: Program, project: Project) -> bool:
    """Whether controllers with `[ApiController]` read objects that no attribute marks from the
    body: unless that is switched off, as it is where an action would have several such (an
    application that infers them does not start with one).
    https://github.com/dotnet/aspnetcore: InferParameterBindingInfoConvention"""
    if program.any_file_contains(b"SuppressInferBindingSourcesForParameters"):
        return False
    binder = Binder(program=program, variant="", template=parse(""), method="", api_controller=True)
    return not any(
        inferred_bodies(binder, action.method.params, action.scope) > 1
        for file in program.seeds(FRAMEWORK)
        if project_of(program, file.path) == project
        for symbol in program.classes(file)
        if is_controller(program, symbol)
        for chain in (_classes(program, symbol),)
        if _is_api(program, tuple(a for c, _ in chain for a in merged_annotations(program, c)))
        for action in actions(program, chain)
        if len(action.method.params) > 1
    )


def _routed_parameters(program: Program, action: Action, parsed: Template) -> tuple[Param, ...]:
    """The parameters of an action that a template of it names. Its route gives them a value;
    without `[ApiController]` a query may as well, but no request that keeps to a contract has one
    where the path has none."""
    names = _names_in_templates(program, action) | {p.name.lower() for p in parsed.parameters}
    return tuple(p for p in action.method.params if p.name.lower() in names)


def _names_in_templates(program: Program, action: Action) -> set[str]:
    """The parameters, in lower case, that any of the templates of an action has."""
    templates = (parse(selector.template or "") for selector in _selectors(program, action))
    return {p.name.lower() for template in templates for p in template.parameters}


def _action_origin(program: Program, symbol: ClassSymbol, action: Action) -> Origin:
    """Where an action is shown: at its method, or at the controller that inherits it from a class
    of another project or from outside the scanned folder, since the controller is the service's."""
    file = action.scope.file
    name = f"{symbol.qualified_name}.{action.method.name}"
    own = file.path == symbol.file.path or (
        project_of(program, file.path).folder == project_of(program, symbol.file.path).folder
    )
    if own and is_inside(file.path):
        return Origin(file.path, action.method.name_span, "", name)
    return Origin(symbol.file.path, symbol.decl.name_span, "", name)


def _is_api(program: Program, marked: tuple[Annotation, ...]) -> bool:
    """Whether there is `[ApiController]`, or an attribute of the project that stands for it."""
    if find(marked, "ApiController") is not None:
        return True
    for annotation in marked:
        for name in (f"{annotation.name}Attribute", annotation.name):
            for path in program.files_defining(name.rsplit(".", 1)[-1]):
                content = program.files.read(path) or b""
                if b"IApiBehaviorMetadata" in content or b"ApiControllerAttribute" in content:
                    return True
    return program.any_file_contains(b"[assembly: ApiController]")


def _reads_request(program: Program, action: Action, words: re.Pattern[bytes]) -> bool:
    """Whether the action reads the request by hand (`Request.Query["x"]`)."""
    body = function_text(program, action.scope.file.path, action.method)
    return words.search(body) is not None


FRAMEWORK = Framework(
    name="ASP.NET Core controllers",
    markers=(
        # The end of a class's name, not the part of a namespace: `MediaLibrary.Controller.Items`.
        *(b"Controller" + after for after in (b"\n", b"\r", b" ", b",", b"(", b"<", b"{", b"Base")),
        b"[Controller",
        b"[ApiController",
        b"[Route",
        b"HttpGet",
        b"HttpPost",
        b"HttpPut",
        b"HttpDelete",
        b"HttpPatch",
    ),
    calls=(
        b"HttpGet",
        b"HttpPost",
        b"HttpPut",
        b"HttpDelete",
        b"HttpPatch",
        b"AcceptVerbs",
    ),
    operations=operations,
    traits=CONTROLLERS,
)


# Controllers of OData: their routes by convention, and that OData itself writes what they answer.

_COMPONENTS = b"AddRouteComponents("
_VERBS = ("Get", "Post", "Put", "Patch", "Delete")
_KEY = "key"


def is_odata(program: Program, symbol: ClassSymbol) -> bool:
    """Whether OData routes a controller and writes what it answers."""
    if not program.any_file_contains(_COMPONENTS):
        return False
    return any(
        isinstance(base, NamedType) and unqualified_name(base.name) == "ODataController"
        for owner in (symbol, *program.bases(symbol))
        for base in owner.decl.bases
    )


def odata_routes(
    program: Program, symbol: ClassSymbol, action: Action
) -> tuple[tuple[str, ...], str, Reason]:
    """(templates, verb, why they are undetermined) of an action without a route of its own."""
    name = symbol.decl.name.removesuffix("Controller")
    prefix = _prefix(program)
    verb = next((v for v in _VERBS if action.method.name.startswith(v)), "")
    rest = action.method.name.removeprefix(verb)
    if prefix is None or not verb or (rest and rest not in (name, f"From{name}")):
        return ("{computed}",), verb.upper() or "*", Reason("odata-routes-by-model")
    whole = f"{prefix}/{name}".strip("/")
    if any(p.name.lower().startswith(_KEY) for p in action.method.params):
        return (f"{whole}({{{_KEY}}})", f"{whole}/{{{_KEY}}}"), verb.upper(), NO_REASON
    return (whole,), verb.upper(), NO_REASON


@memoised
def _prefix(program: Program) -> str | None:
    """The prefix of all OData routes; None where there are several, or it is not constant."""
    found: set[str | None] = set()
    for path in program.files_containing(_COMPONENTS):
        for call, callee, scope in method_calls(program, program.facts(path), _COMPONENTS):
            if callee.name == "AddRouteComponents" and call.args:
                only = len(call.args) == 1
                found.add("" if only else program.text(call.args[0].value, scope))
    return found.pop() if len(found) == 1 else None


def written_by_odata(responses: tuple[Response, ...]) -> tuple[Response, ...]:
    """Responses whose bodies OData writes."""
    return tuple(
        replace(
            response,
            bodies=tuple(
                replace(body, schema=Unknown(reason=Reason("odata-writes-it"), origin=body.origin))
                for body in response.bodies
            ),
        )
        for response in responses
    )
