"""Which classes are endpoints of FastEndpoints, and which types they take and give."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ClassSymbol,
    FunctionValue,
    Instance,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.csharp.frameworks.aspnet.route_attributes import VERBS
from contract_scan.parsers.source.csharp.resolution.annotations import simple_name
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations, parts
from contract_scan.parsers.source.facts.nodes import Function, NamedType, TypeExpr

_TYPES: dict[str, tuple[int, int]] = {
    "Endpoint`1": (0, -1),
    "Endpoint`2": (0, 1),
    "Endpoint`3": (0, 1),
    "EndpointWithMapper`2": (0, -1),
    "EndpointWithMapping`3": (0, 1),
    "EndpointWithoutRequest": (-1, -1),
    "EndpointWithoutRequest`1": (-1, 0),
    "EndpointWithoutRequest`2": (-1, 0),
}
"""Base class of the library -> positions of the request's and the response's type; -1: none."""
_NO_REQUEST = frozenset({"EmptyRequest"})
_NO_RESPONSE = frozenset({"EmptyResponse", "object", "Object", "dynamic"})


class EndpointClass(Struct, frozen=True, kw_only=True):
    """A class that answers requests."""

    symbol: ClassSymbol
    chain: tuple[tuple[ClassSymbol, Scope], ...]
    """The class and its base classes in the project, nearest first."""
    request: BoundType | None
    response: BoundType | None

    def method(
        self, name: str, least: int = 0, after: ClassSymbol | None = None
    ) -> FunctionValue | None:
        """The nearest method of a name that has at least so many parameters; with `after`, of the
        classes above that one."""
        waiting = after is not None
        for owner, scope in self.chain:
            if waiting:
                waiting = after is not None and owner.key != after.key
                continue
            for method in owner.decl.methods:
                if method.name == name and len(method.params) >= least and _is_done(method):
                    return FunctionValue(method, scope, owner, scope.receiver)
        return None


def _is_done(method: Function) -> bool:
    return not {"abstract", "constructor"} & set(method.modifiers)


def endpoint_class(program: Program, symbol: ClassSymbol) -> EndpointClass | None:
    """A class as an endpoint; None where it is none that the library finds and registers."""
    decl = symbol.decl
    if decl.kind != "class" or decl.type_params or "abstract" in decl.modifiers:
        return None
    receiver = Instance(symbol)
    chain = [
        (owner, scope)
        for owner, scope in program.types.chain(symbol, program.class_scope(symbol))
        if owner.decl.kind == "class"
    ]
    for owner, scope in chain:
        for part in parts(program, owner):
            inside = scope if part is owner else program.class_scope(part)
            for base in part.decl.bases:
                types = _library_types(program, base, inside)
                if types is not None:
                    return _as_endpoint_class(program, symbol, chain, types, receiver)
    return None


def _as_endpoint_class(
    program: Program,
    symbol: ClassSymbol,
    chain: list[tuple[ClassSymbol, Scope]],
    types: tuple[BoundType | None, BoundType | None],
    receiver: Instance,
) -> EndpointClass | None:
    from msgspec.structs import replace

    placed = tuple((owner, replace(scope, receiver=receiver)) for owner, scope in chain)
    found = EndpointClass(symbol=symbol, chain=placed, request=types[0], response=types[1])
    marked = merged_annotations(program, symbol)
    if any(simple_name(a) == "DontRegister" for a in marked):
        return None
    by_attribute = any(simple_name(a) in VERBS for a in marked)
    return found if by_attribute or found.method("Configure") is not None else None


def _library_types(
    program: Program, base: TypeExpr, scope: Scope
) -> tuple[BoundType | None, BoundType | None] | None:
    """The types of request and response that a base class of the library is given."""
    if not isinstance(base, NamedType):
        return None
    name = base.name.removeprefix("FastEndpoints.")
    if name.startswith("Ep."):
        return _fluent_type_arguments(name, base, scope)
    places = _TYPES.get(name)
    if places is None or not isinstance(program.names.lookup_type(base.name, scope), LibrarySymbol):
        return None
    request, response = (_type_argument(base, place, scope) for place in places)
    return (_type_not_named(request, _NO_REQUEST), _type_not_named(response, _NO_RESPONSE))


def _fluent_type_arguments(
    name: str, base: NamedType, scope: Scope
) -> tuple[BoundType | None, BoundType | None] | None:
    """`Ep.Req<A>.Res<B>.Map<C>`, `Ep.NoReq.Res<B>`: arguments of the last part come first."""
    generic = [part for part in name.split(".") if "`" in part]
    found: dict[str, BoundType] = {}
    for part, argument in zip(reversed(generic), base.args, strict=False):
        found[part.partition("`")[0]] = BoundType(argument, scope)
    return (
        _type_not_named(found.get("Req"), _NO_REQUEST),
        _type_not_named(found.get("Res"), _NO_RESPONSE),
    )


def _type_argument(base: NamedType, place: int, scope: Scope) -> BoundType | None:
    return BoundType(base.args[place], scope) if 0 <= place < len(base.args) else None


def _type_not_named(bound: BoundType | None, names: frozenset[str]) -> BoundType | None:
    if bound is None:
        return None
    type = bound.type
    name = type.name.rsplit(".", 1)[-1] if isinstance(type, NamedType) else ""
    return None if name in names else bound
