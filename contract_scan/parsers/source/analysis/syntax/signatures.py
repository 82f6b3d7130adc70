"""Signatures of methods: what tells overloads apart, and which method overrides which."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Function,
    NamedType,
    NullableType,
    TupleType,
    TypeExpr,
    UnsupportedType,
)


def type_spelling(type: TypeExpr | None) -> str:
    """A type as it is written, wherever it is written."""
    match type:
        case NamedType(name=name, args=args):
            return f"{name}({', '.join(map(type_spelling, args))})"
        case NullableType(item=item):
            return f"{type_spelling(item)}?"
        case ArrayType(item=item):
            return f"{type_spelling(item)}[]"
        case TupleType(items=items):
            return f"({', '.join(map(type_spelling, items))})"
        case UnsupportedType(description=what):
            return f"?{what}?"
        case _:
            return repr(type)


def signature(method: Function) -> tuple[str, ...]:
    """The types of the parameters, which tell the overloads of one name in one class apart."""
    return tuple(param.kind + type_spelling(param.type) for param in method.params)


def may_override(
    method: Function, inherited: Function, type_params: Collection[str] = frozenset()
) -> bool:
    """Whether a method may override (or implement) one of a base. Names of types count without
    their qualifiers, and a nullable type as the type itself; `type_params` of the base, and of the
    inherited method, stand for any type."""
    if method.name != inherited.name or len(method.params) != len(inherited.params):
        return False
    free = frozenset((*type_params, *(parameter.name for parameter in inherited.type_params)))
    pairs = zip(method.params, inherited.params, strict=True)
    return all(_matches(here.type, there.type, free) for here, there in pairs)


def overriding_method(
    methods: Iterable[Function], inherited: Function, type_params: Collection[str] = frozenset()
) -> Function | None:
    """The one of several methods that overrides an inherited one: one with the very parameters
    before one in which type parameters are bound."""
    fitting = [method for method in methods if may_override(method, inherited, type_params)]
    exact = (method for method in fitting if signature(method) == signature(inherited))
    return next(exact, fitting[0] if fitting else None)


def _matches(here: TypeExpr | None, there: TypeExpr | None, free: frozenset[str]) -> bool:
    here, there = _not_null(here), _not_null(there)
    match here, there:
        case _, NamedType(name=name) if name in free:
            return True
        case (None, _) | (_, None):
            return True
        case NamedType(), NamedType():
            if here.name.rpartition(".")[2] != there.name.rpartition(".")[2]:
                return False
            pairs = zip(here.args, there.args, strict=False)
            return all(_matches(one, other, free) for one, other in pairs)
        case ArrayType(), ArrayType():
            return _matches(here.item, there.item, free)
        case _:
            return type_spelling(here) == type_spelling(there)


def _not_null(type: TypeExpr | None) -> TypeExpr | None:
    return type.item if isinstance(type, NullableType) else type
