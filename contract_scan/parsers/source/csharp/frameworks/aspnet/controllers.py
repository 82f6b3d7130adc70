"""Which classes are controllers, which of their methods are actions, under which prefixes."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, LibrarySymbol, Scope
from contract_scan.parsers.source.analysis.syntax.signatures import may_override, signature
from contract_scan.parsers.source.csharp.frameworks.aspnet.route_attributes import (
    RouteAttribute,
    route_attribute,
)
from contract_scan.parsers.source.csharp.resolution.annotations import find, simple_name
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations, parts
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import Annotation, Function, NamedType

_LIBRARY_BASES = frozenset({"Controller", "ControllerBase", "ODataController", "ApiController"})
_LIFECYCLE = frozenset(
    {
        "Dispose",
        "DisposeAsync",
        "Equals",
        "GetHashCode",
        "ToString",
        "OnActionExecuting",
        "OnActionExecuted",
        "OnActionExecutionAsync",
    }
)
_NO_API = ("NonController", "NonAction")


class Action(Struct, frozen=True, kw_only=True):
    """One action method with the scope it is read in."""

    method: Function
    owner: ClassSymbol
    scope: Scope
    annotations: tuple[Annotation, ...]
    """Its own, or those of the method it overrides."""
    routes_scope: Scope


def is_controller(program: Program, symbol: ClassSymbol) -> bool:
    """Whether actions of a class are routed."""
    decl = symbol.decl
    if decl.kind not in ("class", "record") or decl.type_params:
        return False
    if {"abstract", "static"} & set(decl.modifiers) or {"private", "protected"} & set(
        decl.modifiers
    ):
        return False
    chain = [symbol, *program.bases(symbol)]
    marked = [a for owner in chain for a in merged_annotations(program, owner)]
    if find(marked, "NonController") is not None:
        return False
    if find(marked, "ApiController", "Controller") is not None:
        return True
    if any(_library_base(program, owner) for owner in chain):
        return True
    named = decl.name.endswith("Controller")
    return named and any(_has_route(m) for owner in chain for m in owner.decl.methods)


def _has_route(method: Function) -> bool:
    return any(simple_name(a).startswith(("Http", "Route")) for a in method.annotations)


def _library_base(program: Program, owner: ClassSymbol) -> bool:
    for part in parts(program, owner):
        for base in part.decl.bases:
            if not isinstance(base, NamedType):
                continue
            name = unqualified_name(base.name)
            if name in _LIBRARY_BASES or name.endswith(("Controller", "ControllerBase")):
                scope = program.class_scope(part)
                if isinstance(program.names.lookup_type(base.name, scope), LibrarySymbol):
                    return True
    return False


def prefixes(program: Program, chain: list[tuple[ClassSymbol, Scope]]) -> list[RouteAttribute]:
    """Templates of the controller: of the nearest class that gives some."""
    for owner, scope in chain:
        found = []
        for annotation in merged_annotations(program, owner):
            route = route_attribute(program, annotation, scope)
            if route is not None and (route.template is not None or route.unresolved):
                found.append(route)
        if found:
            return found
    return []


def actions(program: Program, chain: list[tuple[ClassSymbol, Scope]]) -> Iterator[Action]:
    """Action methods, inherited ones included; an override takes over what it does not say."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    overrides: list[Function] = []
    for position, (owner, scope) in enumerate(chain):
        below = tuple(overrides)
        type_params = [parameter.name for parameter in owner.decl.type_params]
        for part in parts(program, owner):
            inside = scope if part is owner else program.class_scope(part)
            for method in part.decl.methods:
                if not _is_action(method):
                    continue
                key = (method.name, signature(method))
                if key in seen or any(may_override(o, method, type_params) for o in below):
                    continue
                seen.add(key)
                if "override" in method.modifiers:
                    # Its base may write the types of parameters as type parameters.
                    overrides.append(method)
                annotations, place = _with_base_annotations(method, inside, chain[position + 1 :])
                if find(annotations, *_NO_API) is not None:
                    continue
                yield Action(
                    method=method,
                    owner=owner,
                    scope=inside,
                    annotations=annotations,
                    routes_scope=place,
                )


def _is_action(method: Function) -> bool:
    words = method.modifiers
    if "public" not in words or "static" in words or "constructor" in words:
        return False
    if "abstract" in words and "override" not in words:
        return False
    return method.name not in _LIFECYCLE and "explicit" not in words


def _with_base_annotations(
    method: Function, scope: Scope, above: list[tuple[ClassSymbol, Scope]]
) -> tuple[tuple[Annotation, ...], Scope]:
    if "override" not in method.modifiers or _has_any_route(method.annotations):
        return method.annotations, scope
    for owner, outer in above:
        for base in owner.decl.methods:
            type_params = [parameter.name for parameter in owner.decl.type_params]
            if base.annotations and may_override(method, base, type_params):
                return (*method.annotations, *base.annotations), outer
    return method.annotations, scope


def _has_any_route(annotations: tuple[Annotation, ...]) -> bool:
    return any(simple_name(a).startswith(("Http", "Route", "AcceptVerbs")) for a in annotations)
