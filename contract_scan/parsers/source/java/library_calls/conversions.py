"""Calls that are told the class of what they give: mappers, readers of JSON, HTTP clients."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassValue,
    Instance,
    Items,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    NamedType,
    New,
    TypeValue,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name

_TOKENS = ("TypeReference", "TypeToken", "GenericType", "TypeRef")
"""Ends of the names of classes that carry a type with its arguments:
`new TypeReference<List<Order>>() {}`."""


def convert(site: CallSite) -> Value | None:
    """`mapper.map(x, Order.class)`, `convertValue`, `readValue`, `getForObject`."""
    for argument in reversed(site.call.args):
        type = _token(argument.value)
        if type is not None:
            return ByType(type, site.scope, argument.value.span)
        value = site.program.evaluate(argument.value, site.scope)
        if isinstance(value, ClassValue):
            return Instance(value.symbol, value.types)
        carried = _token(value.site) if isinstance(value, LibraryResult) else None
        if carried is not None and isinstance(value, LibraryResult):
            return ByType(carried, value.scope, argument.value.span)
        if isinstance(argument.value, TypeValue):
            return ByType(argument.value.type, site.scope, argument.value.span)
    return None


def mapper_copy(site: CallSite) -> Value | None:
    """`modelMapper.map(x, Order.class)`: an order with what the mapper finds in another object, by
    the names of members; those that code has set there are set here, too."""
    made, told = convert(site), site.argument(len(site.call.args) - 1)
    if isinstance(told, TypeValue):
        made = ByType(told.type, site.scope, told.span)
    source = site.value(0)
    assigned = source.assigned if isinstance(source, ByType | Instance) else ()
    return replace(made, copied="any", assigned=assigned) if isinstance(made, ByType) else made


def convert_many(site: CallSite) -> Value | None:
    """`bodyToFlux(Order.class)`: many of what the class stands for."""
    item = convert(site)
    return None if item is None else Items((item,), repeated=True)


def convert_in_entity(site: CallSite) -> Value | None:
    """`client.exchange(…, Order.class)`: a response that holds what the class stands for; its
    status is not known."""
    item = convert(site)
    bound = None if item is None else site.program.evaluator.bound_type(item, site.scope)
    if bound is None:
        return None
    scope = Scope(file=site.scope.file, parent=site.scope, types={"Held": bound})
    return ByType(NamedType(name="ResponseEntity", args=(NamedType(name="Held"),)), scope)


def body_of_entity(site: CallSite) -> Value | None:
    """`getBody()` of a response."""
    value = site.receiver
    if isinstance(value, ByType) and type_name(value.type) in ("ResponseEntity", "HttpEntity"):
        return site.unwrap(value)
    return None


def _token(expr: Expr) -> NamedType | None:
    """The type that a type token carries."""
    if isinstance(expr, Call) and isinstance(expr.callee, Attribute) and not expr.args:
        expr = expr.callee.value if expr.callee.name == "getType" else expr
    if not isinstance(expr, New) or not isinstance(expr.type, NamedType):
        return None
    (carried, *_) = expr.type.args or (None,)
    is_token = type_name(expr.type).endswith(_TOKENS)
    return carried if is_token and isinstance(carried, NamedType) else None
