"""Routers of Django REST framework: registered viewsets as paths, methods and actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    Expr,
    Function,
    LiteralExpr,
    Name,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.frameworks.django.paths import from_regular_expression
from contract_scan.parsers.source.python.frameworks.django.urls import MountedRouter, Prefix
from contract_scan.parsers.source.python.frameworks.django.values import is_router
from contract_scan.parsers.source.python.frameworks.drf.actions import ACTIONS, actions_of
from contract_scan.parsers.source.python.frameworks.drf.responses import View, attribute_of
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.serialization.fields import argument_value
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import argument, text

_DETAIL = frozenset({"retrieve", "update", "partial_update", "destroy"})
_OWN = ("rest_framework.", "rest_framework_extensions.", "rest_framework_bulk.")
"""Libraries whose viewsets have the usual actions."""
_DEEPEST = 6


class ViewRoute(Struct, frozen=True, eq=False):
    """One method of a registered viewset at its path."""

    path: str
    view: View
    origin: Origin
    unresolved: Reason = NO_REASON


class OwnRoutes(Struct, frozen=True, eq=False):
    """What a class of routers says of its routes: `routes = [Route(url=…, mapping=…)]`."""

    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """Template of the URL, and the actions by the method that each answers."""
    replaces: bool = False
    """Whether there are no others: those of the library are not among them."""


def router_routes(program: Program, mounted: MountedRouter) -> Iterator[ViewRoute]:
    """Every method of every viewset that a mounted router routes to."""
    yield from _registered_routes(program, mounted.router, mounted.prefix, 0)


def _site(router: LibraryResult | Instance) -> LibraryResult | None:
    if isinstance(router, LibraryResult):
        return router
    if router.site is None or router.scope is None:
        return None
    return LibraryResult("", router.site, router.scope)


def _registered_routes(
    program: Program, router: LibraryResult | Instance, prefix: Prefix, depth: int
) -> Iterator[ViewRoute]:
    constructor = _site(router)
    if constructor is None or depth > _DEEPEST:
        return
    slash = "/"
    option = argument_value(program, constructor, "trailing_slash")
    if isinstance(option, Constant) and option.value is False:
        slash = ""
    own = _own_routes(program, router)
    parents = _parents(program, constructor)
    for call, scope, above in _nested_registrations(program, constructor):
        arguments = [a.value for a in call.args if not a.name and not a.spread]
        named = {a.name: a.value for a in call.args if a.name}
        prefix_expr = named.get("prefix", arguments[0] if arguments else None)
        view_expr = named.get("viewset", arguments[1] if arguments[1:] else None)
        if view_expr is None:
            continue
        written = text(program, prefix_expr, scope)
        plain = from_regular_expression(written) if written is not None else None
        unresolved = prefix.unresolved
        if plain is None or None in above:
            unresolved = unresolved or Reason("viewset-prefix-not-constant")
        value = program.evaluate(view_expr, scope)
        outer = parents + _parent_path(program, above, named, scope)
        base = "/" + (prefix.path + outer + (plain or "")).lstrip("/")
        origin = origin_at(scope, call.span)
        undetermined = _undetermined_reason(program, value)
        if undetermined:
            below = View("*", "", None, None)
            for path in (base.rstrip("/") + slash, base.rstrip("/") + "/{rest*}"):
                yield ViewRoute(path, below, origin, unresolved or undetermined)
        if not isinstance(value, ClassValue):
            continue
        yield from _viewset(program, value.symbol, base.rstrip("/"), slash, origin, unresolved, own)
        if arguments[2:] and isinstance(program.evaluate(arguments[2], scope), Items):
            # Some libraries' routers take viewsets to route below this one.
            below = View("*", "", None, None)
            reason = Reason("nested-viewsets-undetermined")
            yield ViewRoute(base.rstrip("/") + "/{rest*}", below, origin, unresolved or reason)
    for other in _extended_routers(program, constructor):
        yield from _registered_routes(program, other, prefix, depth + 1)


def _own_routes(program: Program, router: LibraryResult | Instance) -> OwnRoutes:
    """The routes that the class of a router lists besides, or instead of, those of the library."""
    symbol = router.symbol if isinstance(router, Instance) else None
    for owner in (symbol, *program.bases(symbol)) if symbol is not None else ():
        for member in owner.decl.members:
            if member.name == "routes" and member.value is not None:
                scope = program.class_scope(owner)
                rows: list[tuple[str, tuple[tuple[str, str], ...]]] = []
                replaces = True
                for node in nodes_of(member.value):
                    match node:
                        case Attribute(name="routes"):
                            replaces = False
                        case Call(callee=Name(id="Route") | Attribute(name="Route")):
                            row = _route_row(program, node, scope)
                            rows += [row] if row is not None else []
                        case _:
                            pass
                return OwnRoutes(tuple(rows), replaces and bool(rows))
    return OwnRoutes()


def _route_row(
    program: Program, call: Call, scope: Scope
) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """`Route(url=r"^{prefix}:all{trailing_slash}$", mapping={"post": "all"})`; None where the URL
    or the mapping is not constant."""
    url = text(program, argument(call, 0, "url"), scope)
    mapping = argument(call, 1, "mapping")
    value = program.evaluate(mapping, scope) if mapping is not None else None
    if url is None or not isinstance(value, Record):
        return None
    actions = [(entry.name, program.evaluator.text(entry.value)) for entry in value.entries]
    known = tuple((verb, action) for verb, action in actions if action is not None)
    return url.removeprefix("^").removesuffix("$"), known


def _undetermined_reason(program: Program, viewset: Value) -> Reason:
    """Why a viewset may have more methods than the code shows: it is, or derives from, a
    library's; empty if it has not."""
    if isinstance(viewset, LibrarySymbol):
        return Reason("import-from-library", module=viewset.name)
    if not isinstance(viewset, ClassValue):
        return Reason("viewset-not-found")
    for base in library_bases(program, viewset.symbol):
        if base.simple_name.lower().endswith("viewset") and not base.name.startswith(_OWN):
            return Reason("import-from-library", module=base.name)
    return NO_REASON


def _nested_registrations(
    program: Program, made: LibraryResult, above: tuple[str | None, ...] = ()
) -> Iterator[tuple[Call, Scope, tuple[str | None, ...]]]:
    """Registrations on a router, and on what these give: the item of drf-extensions, on which
    viewsets are registered below (https://chibisov.github.io/drf-extensions/docs/#nested-routes).
    With each the prefixes of those that it is below, None where one is not constant."""
    for call, scope in _registrations(program, made):
        yield call, scope, above
        if len(above) < _DEEPEST:
            written = text(program, argument(call, 0, "prefix"), scope)
            prefix = from_regular_expression(written) if written is not None else None
            item = LibraryResult("", call, scope)
            yield from _nested_registrations(program, item, (*above, prefix))


def _parent_path(
    program: Program, above: tuple[str | None, ...], named: Mapping[str, Expr], scope: Scope
) -> str:
    """The path in front of a viewset that is registered below others: the last name of
    `parents_query_lookups` is that of the next one above it."""
    lookups = named.get("parents_query_lookups")
    found = program.texts(lookups, scope) if lookups is not None else ()
    names = [each or "" for each in found][-len(above) :] if above else []
    names = [""] * (len(above) - len(names)) + names
    return "".join(
        f"{prefix or ''}/{{parent_lookup_{name or place}}}/"
        for place, (prefix, name) in enumerate(zip(above, names, strict=True))
    )


def _registrations(program: Program, made: LibraryResult) -> Iterator[tuple[Call, Scope]]:
    """`router.register(prefix, viewset)`, wherever it is called."""
    for call, scope in calls_to(program, "register"):
        if not isinstance(call.callee, Attribute):
            continue
        target = program.evaluate(call.callee.value, scope)
        site = _site(target) if isinstance(target, LibraryResult | Instance) else None
        if site is not None and site.identity == made.identity:
            yield call, scope


def _extended_routers(
    program: Program, router: LibraryResult
) -> Iterator[LibraryResult | Instance]:
    """`router.registry.extend(other.registry)`."""
    for call, scope in calls_to(program, "extend"):
        match call:
            case Call(
                callee=Attribute(value=Attribute(value=target, name="registry")), args=[first]
            ) if isinstance(first.value, Attribute) and first.value.name == "registry":
                own = program.evaluate(target, scope)
                site = _site(own) if isinstance(own, LibraryResult | Instance) else None
                if site is None or site.identity != router.identity:
                    continue
                other = program.evaluate(first.value.value, scope)
                if isinstance(other, LibraryResult | Instance) and is_router(program, other):
                    yield other
            case _:
                continue


def _parents(program: Program, made: LibraryResult) -> str:
    """The path in front of a nested router: `NestedRouter(parent, "orders", lookup="order")`."""
    if "Nested" not in made.name.rpartition(".")[2]:
        return ""
    arguments = [a.value for a in made.site.args if not a.name and not a.spread]
    if len(arguments) < 2:
        return ""
    parent = program.evaluate(arguments[0], made.scope)
    outer = _parents(program, parent) if isinstance(parent, LibraryResult) else ""
    prefix = text(program, arguments[1], made.scope) or ""
    lookup_expr = next((a.value for a in made.site.args if a.name == "lookup"), None)
    lookup = text(program, lookup_expr, made.scope) or "nested_1"
    return f"{outer}{prefix}/{{{lookup}_pk}}/"


def _viewset(
    program: Program,
    symbol: ClassSymbol,
    base: str,
    slash: str,
    origin: Origin,
    unresolved: Reason,
    own: OwnRoutes,
) -> Iterator[ViewRoute]:
    allowed = _allowed_methods(program, symbol)
    lookup = _lookup(program, symbol)
    for url, mapping in own.rows:
        path = (
            url.replace("{prefix}", base)
            .replace("{trailing_slash}", slash)
            .replace("{lookup}", f"{{{lookup}}}")
        )
        for verb, action in mapping:
            handler = program.find_method(symbol, action)
            is_there = handler is not None or action in actions_of(program, symbol)
            if is_there and verb.upper() in allowed:
                view = View(verb.upper(), action, symbol, handler, detail="{lookup}" in url)
                yield ViewRoute(path, view, origin, unresolved)
    for action in () if own.replaces else ACTIONS:
        if action not in actions_of(program, symbol) or ACTIONS[action] not in allowed:
            continue
        path = f"{base}/{{{lookup}}}{slash}" if action in _DETAIL else f"{base}{slash}"
        handler = program.find_method(symbol, action)
        view = View(ACTIONS[action], action, symbol, handler, detail=action in _DETAIL)
        yield ViewRoute(path, view, origin, unresolved)
    for owner in (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        for method in owner.decl.methods:
            extra = _extra(program, method, scope)
            if extra is None or program.find_method(symbol, method.name) is None:
                continue
            detail, name, methods, overrides = extra
            between = f"/{{{lookup}}}" if detail else ""
            path = f"{base}{between}/{name.strip('/')}{slash}"
            for verb, function in methods.items():
                handler = program.find_method(symbol, function)
                if verb.upper() in allowed:
                    view = View(verb.upper(), function, symbol, handler, overrides, detail)
                    yield ViewRoute(path, view, origin, unresolved)


def _extra(
    program: Program, method: Function, scope: Scope
) -> tuple[bool, str, dict[str, str], tuple[tuple[str, Value], ...]] | None:
    """What `@action(…)` says: on one object or on all, path, method -> function, attributes."""
    for annotation in method.annotations:
        kind = annotation.name.rpartition(".")[2]
        if kind not in ("action", "detail_route", "list_route"):
            continue
        detail = kind == "detail_route" or _is_true(_argument(annotation, "detail"))
        path_expr = _argument(annotation, "url_path")
        path = text(program, path_expr, scope) if path_expr is not None else method.name
        if path is not None and not path.isidentifier():
            path = from_regular_expression(path)
        methods_expr = _argument(annotation, "methods")
        names = program.texts(methods_expr, scope) if methods_expr is not None else ("get",)
        methods = {name.lower(): method.name for name in names if name}
        owner = scope.owner
        for other in owner.decl.methods if owner is not None else ():
            for mapped in other.annotations:
                head, _, verb = mapped.name.rpartition(".")
                if head == f"{method.name}.mapping":
                    methods[verb] = other.name
        overrides = tuple(
            (item.name, program.evaluate(item.value, scope))
            for item in annotation.args
            if item.name in ("serializer_class", "pagination_class", "renderer_classes")
        )
        return detail, path or method.name, methods, overrides
    return None


def _argument(annotation: Annotation, name: str) -> Expr | None:
    return next((item.value for item in annotation.args if item.name == name), None)


def _is_true(expr: Expr | None) -> bool:
    return isinstance(expr, LiteralExpr) and expr.value is True


def _lookup(program: Program, symbol: ClassSymbol) -> str:
    view = View("GET", "", symbol, None)
    for name in ("lookup_url_kwarg", "lookup_field"):
        value = attribute_of(program, view, name)
        if isinstance(value, Constant) and isinstance(value.value, str):
            return value.value
    return "pk"


def _allowed_methods(program: Program, symbol: ClassSymbol) -> frozenset[str]:
    """The methods that `http_method_names` allows."""
    value = attribute_of(program, View("GET", "", symbol, None), "http_method_names")
    if value is None:
        return frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
    return frozenset(text.upper() for text in program.evaluator.texts(value) if text)
