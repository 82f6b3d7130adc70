"""ASP.NET Web API 2 and MVC 5: attribute routes, routes by convention, verbs by names."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_SEGMENT, Operation, Parameter, Response
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue, Scope
from contract_scan.parsers.source.csharp.frameworks.aspnet.controllers import (
    Action,
    actions,
    is_controller,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.conventional_routes import (
    ActionPath,
    conventional_routes,
    reached_by,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.legacy import Legacy, legacy_kind
from contract_scan.parsers.source.csharp.frameworks.aspnet.route_attributes import (
    VERBS,
    RouteAttribute,
    route_attribute,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.validation import refuses_invalid
from contract_scan.parsers.source.csharp.resolution.annotations import find, simple_name, text
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations, parts
from contract_scan.parsers.source.csharp.serialization.settings.application import variant_for
from contract_scan.parsers.source.csharp.web.binding import Binder, RequestInputs, read_inputs
from contract_scan.parsers.source.csharp.web.outcomes import BranchResult, Handler
from contract_scan.parsers.source.csharp.web.parameter_sources import is_simple
from contract_scan.parsers.source.csharp.web.responses import (
    announced_by,
    declared_result,
    is_nothing,
    merge_responses,
)
from contract_scan.parsers.source.csharp.web.results import branch_results
from contract_scan.parsers.source.csharp.web.route_shadowing import with_shorter, without_shadowed
from contract_scan.parsers.source.csharp.web.statuses import WEB_API_HELPERS, Helper, status_of
from contract_scan.parsers.source.csharp.web.templates import Template, combine, parse
from contract_scan.parsers.source.csharp.web.traits import ASPNET
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Call,
    Expr,
    NamedType,
    New,
    TypeValue,
)
from contract_scan.parsers.source.language import Framework

_PREFIXES = ("Get", "Post", "Put", "Delete", "Patch", "Head", "Options")


class Controller(Struct, frozen=True, kw_only=True):
    """A controller with what its attributes say."""

    symbol: ClassSymbol
    kind: Legacy
    chain: tuple[tuple[ClassSymbol, Scope], ...]
    marked: tuple[Annotation, ...]

    @property
    def name(self) -> str:
        """The name that stands for it in routes."""
        return self.symbol.decl.name.removesuffix("Controller")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every controller."""
    yield from without_shadowed(_operations_of_framework(program, framework))


def _operations_of_framework(program: Program, framework: Framework) -> Iterator[Operation]:
    seen: set[str] = set()
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if symbol.key in seen or not symbol.decl.name.endswith("Controller"):
                continue
            if not is_controller(program, symbol):
                continue
            kind = legacy_kind(program, symbol)
            if not kind:
                continue
            seen.update(part.key for part in parts(program, symbol))
            yield from _controller(program, framework, symbol, kind)


def _controller(
    program: Program, framework: Framework, symbol: ClassSymbol, kind: Legacy
) -> Iterator[Operation]:
    chain = tuple(
        (owner, scope)
        for owner, scope in program.types.chain(symbol, program.class_scope(symbol))
        if owner.decl.kind != "interface"
    )
    controller = Controller(
        symbol=symbol, kind=kind, chain=chain, marked=merged_annotations(program, symbol)
    )
    for action in actions(program, list(chain)):
        paths = _attribute_paths(program, controller, action)
        if not paths:
            paths = _conventional_paths(program, controller, action)
        yield from _operations(program, framework, controller, action, paths)


# --------------------------------------------------------------------------- paths


def _attribute_paths(program: Program, controller: Controller, action: Action) -> list[ActionPath]:
    """Paths that `[Route]` of the action, or else of the controller, gives."""
    own_scope = controller.chain[0][1]
    routes = _templates(program, action.annotations, action.routes_scope)
    if not _is_own(program, controller, action):
        routes = []
    routes = routes or _templates(program, controller.marked, own_scope)
    if not routes:
        return []
    prefix, unresolved = _prefix(program, controller, own_scope)
    found: list[ActionPath] = []
    for route in routes:
        template = combine(prefix, route.template or "")
        if controller.kind == "mvc":
            template = template.replace("{action}", action.method.name)
        found.append(ActionPath(template=template, unresolved=route.unresolved or unresolved))
    return found


def _templates(
    program: Program, annotations: tuple[Annotation, ...], scope: Scope
) -> list[RouteAttribute]:
    """What `[Route]`, and attributes of the project that are made of it, say."""
    found: list[RouteAttribute] = []
    for annotation in annotations:
        route = route_attribute(program, annotation, scope)
        if route is None or route.prefix or simple_name(annotation) in (*VERBS, "AcceptVerbs"):
            continue
        if route.template is not None or (route.unresolved and not route.methods):
            found.append(route)
        elif simple_name(annotation) == "Route":
            found.append(replace(route, template=""))
    return found


def _is_own(program: Program, controller: Controller, action: Action) -> bool:
    """Whether routes of an action count: those of inherited ones do where a provider of the project
    says so."""
    own = {part.key for part in parts(program, controller.symbol)}
    return action.owner.key in own or program.any_file_contains(b"DirectRouteProvider")


def _prefix(program: Program, controller: Controller, scope: Scope) -> tuple[str, Reason]:
    """(prefix of the controller's routes, why it is undetermined)."""
    area = find(controller.marked, "RouteArea")
    written = ""
    if area is not None:
        written = text(program, area, scope, -1, "AreaPrefix") or (
            text(program, area, scope, 0, "areaName") or ""
        )
    for annotation in controller.marked:
        route = route_attribute(program, annotation, scope)
        if route is not None and route.prefix:
            if route.template is None:
                return DYNAMIC_SEGMENT, Reason("controller-prefix-not-constant")
            return "/".join(part for part in (written, route.template) if part), NO_REASON
    return written, NO_REASON


def _conventional_paths(
    program: Program, controller: Controller, action: Action
) -> list[ActionPath]:
    """Paths that the first route by convention that reaches the action gives."""
    named = find(action.annotations, "ActionName")
    name = action.method.name
    if named is not None:
        name = text(program, named, action.scope, 0, "name") or name
    params = frozenset(p.name.lower() for p in action.method.params)
    api = controller.kind == "api"
    routes = [r for r in conventional_routes(program, controller.symbol.file.path) if r.api == api]
    found: list[ActionPath] = []
    for paths in reached_by(routes, controller.name, name, _area(controller), params):
        # Pages are no part of an API; an action has its first route, and may have others.
        first = not found
        found.extend(
            replace(p, excluded_from_docs=p.excluded_from_docs or not api or not first)
            for p in paths
        )
    return found


def _area(controller: Controller) -> str:
    """MVC 5 tells areas by folders: `Areas/Admin/Controllers/…`."""
    if controller.kind == "api":
        return ""
    names = controller.symbol.file.path.split("/")
    return names[names.index("Areas") + 1] if "Areas" in names[:-2] else ""


# --------------------------------------------------------------------------- operations


def _verbs(
    program: Program, controller: Controller, action: Action
) -> tuple[tuple[str, ...], Reason]:
    """(verbs of an action, why undetermined): attributes, else the beginning of its name."""
    found: list[str] = []
    for annotation in action.annotations:
        if simple_name(annotation) in ("Route", "RoutePrefix"):
            continue
        route = route_attribute(program, annotation, action.routes_scope)
        if route is not None:
            if route.unresolved and not route.methods:
                return ("*",), route.unresolved
            found.extend(route.methods)
    if found:
        return tuple(dict.fromkeys(found)), NO_REASON
    if controller.kind == "mvc":
        return ("*",), NO_REASON
    name = action.method.name.lower()
    return (next((p.upper() for p in _PREFIXES if name.startswith(p.lower())), "POST"),), NO_REASON


def _operations(
    program: Program,
    framework: Framework,
    controller: Controller,
    action: Action,
    paths: list[ActionPath],
) -> Iterator[Operation]:
    if not paths:
        return
    mvc = controller.kind == "mvc"
    symbol = controller.symbol
    variant = variant_for(program, "webapi", symbol.file.path)
    function = FunctionValue(action.method, action.scope, action.owner, action.scope.receiver)
    both = (*action.annotations, *controller.marked)
    responses, complete = responses_of(program, function, symbol, both, variant, mvc=mvc)
    verbs, unknown_verbs = _verbs(program, controller, action)
    marked = find(both, "ApiExplorerSettings")
    ignored = marked is not None and any(
        getattr(a.value, "value", None) is True for a in marked.args if a.name == "IgnoreApi"
    )
    for path in paths:
        parsed = parse(path.template)
        for method in verbs:
            reading = _request_inputs(program, controller, action, parsed, method, variant)
            operation = Operation(
                method=method,
                path=parsed.path,
                path_expressions=parsed.expressions,
                parameters=reading.parameters,
                parameters_complete=reading.complete and not mvc,
                request=reading.bodies,
                responses=responses,
                statuses_complete=complete,
                origin=replace(
                    program.origin(action.method, action.scope),
                    span=action.method.name_span,
                    symbol=f"{symbol.qualified_name}.{action.method.name}",
                ),
                operation_id=action.method.name,
                handler=f"{symbol.qualified_name}.{action.method.name}",
                framework=framework.name,
                excluded_from_docs=path.excluded_from_docs or ignored,
                unresolved=path.unresolved or unknown_verbs,
            )
            yield from with_shorter(operation, parsed)


def _request_inputs(
    program: Program,
    controller: Controller,
    action: Action,
    template: Template,
    method: str,
    variant: str,
) -> RequestInputs:
    mvc = controller.kind == "mvc"
    binder = Binder(
        program=program,
        variant=variant,
        template=template,
        method=method,
        api_controller=not mvc,
        refuses=refuses_invalid(
            program,
            action.method,
            action.scope,
            (*action.annotations, *controller.marked),
            api_controller=False,
        ),
    )
    found = read_inputs(binder, action.method.params, action.scope)
    if mvc:
        return found
    needed = {
        p.name
        for p in action.method.params
        if p.default is None and p.type is not None and is_simple(program, p.type, action.scope)
    }
    return replace(found, parameters=tuple(_with_required(p, needed) for p in found.parameters))


def _with_required(parameter: Parameter, needed: set[str]) -> Parameter:
    """Without a simple parameter that has no default, Web API does not select the action."""
    if parameter.location == "query" and parameter.name in needed:
        return replace(parameter, required=True)
    return parameter


FRAMEWORK = Framework(
    name="ASP.NET Web API 2 and MVC 5",
    markers=(b"System.Web.Http", b"System.Web.Mvc"),
    operations=operations,
    traits=ASPNET,
)


# What actions of Web API 2 and MVC 5 answer.

_MVC_HELPERS: dict[str, Helper] = {
    "Json": Helper("200", 0),
    "View": Helper("200", "none", "text/html"),
    "PartialView": Helper("200", "none", "text/html"),
    "Content": Helper("200", "none", "text/plain"),
    "File": Helper("200", "none", "application/octet-stream"),
    "HttpNotFound": Helper("404"),
    "Redirect": Helper("302"),
    "RedirectPermanent": Helper("301"),
    "RedirectToAction": Helper("302"),
    "RedirectToRoute": Helper("302"),
    "RedirectToActionPermanent": Helper("301"),
}


def responses_of(
    program: Program,
    function: FunctionValue,
    symbol: ClassSymbol,
    annotations: tuple[Annotation, ...],
    variant: str,
    *,
    mvc: bool,
) -> tuple[tuple[Response, ...], bool]:
    """(responses, whether they are all the successes there are) of an action."""
    scope = function.scope
    announced = announced_by(program, annotations, scope, variant)
    handler = Handler(
        program=program,
        variant=variant,
        symbol=symbol,
        helpers=_MVC_HELPERS if mvc else WEB_API_HELPERS,
    )
    found = _action_outcomes(program, function, handler, mvc=mvc)
    typed = _response_type(annotations)
    if typed is not None:
        schema = program.schema(typed, scope, variant)
        if found is None:
            origin = program.origin(function.function, scope)
            results = [
                BranchResult(status="200", schema=schema, explicit_status=False, origin=origin)
            ]
            return merge_responses(results, announced, ()), False
        found = [
            replace(o, schema=schema)
            if o.status.startswith("2") and isinstance(o.schema, Unknown)
            else o
            for o in found
        ]
    return merge_responses(found, announced, ()), found is not None


def _response_type(annotations: tuple[Annotation, ...]) -> NamedType | None:
    """`[ResponseType(typeof(Order))]`."""
    marked = find(annotations, "ResponseType")
    for argument in marked.args if marked is not None else ():
        if isinstance(argument.value, TypeValue) and isinstance(argument.value.type, NamedType):
            return argument.value.type
    return None


def _action_outcomes(
    program: Program, function: FunctionValue, handler: Handler, *, mvc: bool
) -> list[BranchResult] | None:
    thrown = _thrown_outcomes(handler, function)
    says = declared_result(program, function.function.returns, function.scope)
    origin = program.origin(function.function, function.scope)
    if says.kind == "nothing":
        status = "200" if mvc else "204"
        return [BranchResult(status=status, explicit_status=False, origin=origin), *thrown]
    if says.kind == "value" and says.type is not None and says.scope is not None:
        if mvc:
            text = Scalar(type="string")
            kind = "text/html"
            one = BranchResult(
                status="200", schema=text, content_type=kind, explicit_status=False, origin=origin
            )
            return [one, *thrown]
        if not is_nothing(program, says.type, says.scope):
            schema = program.schema(says.type, says.scope, handler.variant)
            return [
                BranchResult(status="200", schema=schema, explicit_status=False, origin=origin),
                *thrown,
            ]
        handler = replace(handler, plain_values=True)
    found: list[BranchResult] = []
    returned = [r for r in program.function_exits(function) if not r.thrown]
    for one_returned in returned:
        value = one_returned.value
        result = None if value is None else branch_results(handler, value, one_returned.scope)
        if result is None:
            return None
        found.extend(result)
    return [*found, *thrown] if returned else None


def _thrown_outcomes(handler: Handler, function: FunctionValue) -> list[BranchResult]:
    """`throw new HttpResponseException(HttpStatusCode.NotFound)`."""
    found: list[BranchResult] = []
    for one in handler.program.function_exits(function):
        if one.thrown and isinstance(one.value, New) and one.value.args:
            type = one.value.type
            if isinstance(type, NamedType) and type.name.endswith("HttpResponseException"):
                found.extend(_of_exception(handler, one.value.args[0].value, one.scope))
    return found


def _of_exception(handler: Handler, given: Expr, scope: Scope) -> list[BranchResult]:
    status = status_of(handler.program, given, scope)
    if status is not None:
        return [BranchResult(status=status, origin=handler.program.origin(given, scope))]
    if isinstance(given, Call | New):
        return branch_results(handler, given, scope) or []
    return []
