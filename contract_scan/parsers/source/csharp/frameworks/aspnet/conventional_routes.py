"""Routes by convention: `{controller}/{action}/{id}`, mapped once for all controllers."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.templates import RouteParameter, parse
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    NamedType,
    New,
    ObjectLiteral,
)

_DEFAULT = "{controller=Home}/{action=Index}/{id?}"
_ORDER: dict[str, tuple[str, ...]] = {
    "MapControllerRoute": ("name", "pattern", "defaults"),
    "MapAreaControllerRoute": ("name", "areaName", "pattern", "defaults"),
    "MapRoute": ("name", "template", "defaults"),
    "MapHttpRoute": ("name", "routeTemplate", "defaults"),
    "MapDefaultControllerRoute": (),
    "UseMvcWithDefaultRoute": (),
}
"""Method -> its parameters in order."""
_CALLS = tuple(f"{name}(".encode() for name in _ORDER)
_TEMPLATES = ("pattern", "template", "routeTemplate", "url")


class ConventionalRoute(Struct, frozen=True, kw_only=True):
    """One route that is mapped by convention."""

    template: str
    parameters: tuple[RouteParameter, ...] = ()
    defaults: dict[str, str] = {}
    """Values of parameters that a request leaves out, by name in lower case."""
    optional: frozenset[str] = frozenset()
    area: str = ""
    api: bool = False
    """Whether it is for Web API, where the verb chooses the action."""
    unresolved: Reason = NO_REASON


class ActionPath(Struct, frozen=True, kw_only=True):
    """One path under which an action is reached."""

    template: str
    excluded_from_docs: bool = False
    unresolved: Reason = NO_REASON


def conventional_routes(program: Program, path: str) -> list[ConventionalRoute]:
    """The routes of the application that a file belongs to, or else of all."""
    sites = _configured_routes(program)
    folder = project_of(program, path).folder
    return [r for home, r in sites if home == folder] or [r for _, r in sites]


@memoised
def _configured_routes(program: Program) -> list[tuple[str, ConventionalRoute]]:
    routes = []
    for path in program.files_containing(*_CALLS):
        for call, scope in calls_of(program, program.facts(path), *_CALLS):
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                order = _ORDER.get(call.callee.name)
                if order is not None:
                    found = _route(program, call, call.callee.name, order, scope)
                    routes.append((project_of(program, path).folder, found))
    return routes


def _route(
    program: Program, call: Call, method: str, order: tuple[str, ...], scope: Scope
) -> ConventionalRoute:
    if not order:
        parsed = parse(_DEFAULT)
        return _with_defaults(ConventionalRoute(template=_DEFAULT), parsed.parameters, None)
    given: dict[str, Expr] = dict(
        zip(order, (a.value for a in call.args if not a.name), strict=False)
    )
    given |= {a.name: a.value for a in call.args if a.name}
    written = next((given[name] for name in _TEMPLATES if name in given), None)
    template = program.text(written, scope)
    api = method == "MapHttpRoute"
    if template is None:
        reason = Reason("conventional-template-not-constant")
        return ConventionalRoute(template="", api=api, unresolved=reason)
    area = program.text(given.get("areaName"), scope) or _registered_area(program, scope)
    route = ConventionalRoute(template=template, area=area, api=api)
    return _with_defaults(route, parse(template).parameters, given.get("defaults"), program, scope)


def _registered_area(program: Program, scope: Scope) -> str:
    """The area whose `AreaRegistration` maps a route (MVC 5)."""
    owner = scope.owner
    if owner is None or not any(
        isinstance(base, NamedType) and unqualified_name(base.name) == "AreaRegistration"
        for base in owner.decl.bases
    ):
        return ""
    inside = program.class_scope(owner)
    for member in owner.decl.members:
        if member.name == "AreaName":
            returned = member.value
            return program.text(returned, inside) or owner.decl.name.removesuffix(
                "AreaRegistration"
            )
    return owner.decl.name.removesuffix("AreaRegistration")


def _with_defaults(
    route: ConventionalRoute,
    parameters: tuple[RouteParameter, ...],
    written: Expr | None,
    program: Program | None = None,
    scope: Scope | None = None,
) -> ConventionalRoute:
    defaults = {p.name.lower(): p.default for p in parameters if p.default is not None}
    optional = {p.name.lower() for p in parameters if p.optional and p.default is None}
    entries = written.entries if isinstance(written, ObjectLiteral | New) else ()
    for entry in entries:
        name = (entry.key or "").lower()
        if isinstance(entry.value, Attribute) and entry.value.name == "Optional":
            optional.add(name)
        elif program is not None and scope is not None:
            text = program.text(entry.value, scope)
            if text is not None:
                defaults[name] = text
    return ConventionalRoute(
        template=route.template,
        parameters=parameters,
        defaults=defaults,
        optional=frozenset(optional),
        area=route.area or defaults.get("area", ""),
        api=route.api,
    )


# --------------------------------------------------------------------------- of an action


def reached_by(
    routes: Iterable[ConventionalRoute],
    controller: str,
    action: str,
    area: str,
    params: frozenset[str],
) -> list[list[ActionPath]]:
    """The paths under which each of several routes reaches an action. A route of which nothing is
    told counts where no other reaches it."""
    found: list[list[ActionPath]] = []
    undetermined: list[list[ActionPath]] = []
    for route in routes:
        paths = route_paths(route, controller, action, area, params)
        if paths:
            (undetermined if route.unresolved else found).append(paths)
    return found or undetermined[:1]


def route_paths(
    route: ConventionalRoute, controller: str, action: str, area: str, params: frozenset[str]
) -> list[ActionPath]:
    """The paths under which a route leads to an action; `params` are the names (in lower case)
    of the action's parameters."""
    if route.unresolved:
        return [ActionPath(template=f"{controller}/{action}", unresolved=route.unresolved)]
    values = {"controller": controller, "action": action, "area": area}
    names = {p.name.lower() for p in route.parameters}
    for name, value in values.items():
        if name in names or (name == "action" and route.api and name not in route.defaults):
            continue
        if route.defaults.get(name, route.area if name == "area" else "").lower() != value.lower():
            return []
    if ("area" in names) != bool(area) and not route.area:
        return []
    segments = [s for s in route.template.strip("/").split("/") if s]
    written = [_segment(segment, values) for segment in segments]
    least = len(segments)
    while least and _left_out(route, segments[least - 1], values):
        least -= 1
    longest = len(segments)
    if route.api:
        while longest > least and not _is_taken(segments[longest - 1], values, params):
            longest -= 1
    found = [ActionPath(template="/".join(written[:longest]))]
    found.extend(
        ActionPath(template="/".join(written[:count]), excluded_from_docs=True)
        for count in range(longest - 1, least - 1, -1)
    )
    return found


def _name(segment: str) -> str:
    parameters = parse(segment).parameters
    whole = len(parameters) == 1 and segment.startswith("{") and segment.endswith("}")
    return parameters[0].name.lower() if whole else ""


def _segment(segment: str, values: dict[str, str]) -> str:
    name = _name(segment)
    if name in values:
        return values[name]
    for inner, value in values.items():
        segment = segment.replace("{" + inner + "}", value)
    return segment.replace("?}", "}")


def _left_out(route: ConventionalRoute, segment: str, values: dict[str, str]) -> bool:
    """Whether a request may leave a last segment out."""
    name = _name(segment)
    if name in values:
        return route.defaults.get(name, "").lower() == values[name].lower() != ""
    return bool(name) and (name in route.optional or name in route.defaults)


def _is_taken(segment: str, values: dict[str, str], params: frozenset[str]) -> bool:
    name = _name(segment)
    return not name or name in values or name in params
