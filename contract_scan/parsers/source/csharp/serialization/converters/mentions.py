"""What pieces of syntax of a converter mention."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import children

_MAX_NODES = 5_000


def dotted_name(expr: Expr) -> str:
    """A name, or a member of one, as it is written; empty for anything else."""
    match expr:
        case Name(id=id):
            return id
        case Attribute(value=Name(id=id), name=name):
            return f"{id}.{name}"
        case _:
            return ""


def type_of(expr: Expr) -> str:
    """What `value.GetType()` is asked of."""
    match expr:
        case Call(callee=Attribute(value=holder, name="GetType"), args=()):
            return dotted_name(holder)
        case _:
            return ""


def is_object(type: TypeExpr) -> bool:
    """Whether a type is the base of all."""
    return isinstance(type, NamedType) and type.name in ("object", "Object")


def contains_name(node: object, name: str) -> bool:
    """Whether a name stands in a piece of syntax."""
    return any(isinstance(n, Name) and n.id == name for n in _nodes(node))


def mentions_call(node: object, name: str) -> bool:
    """Whether a method of the name is called in a piece of syntax."""
    return any(
        isinstance(n, Call) and isinstance(n.callee, Attribute) and n.callee.name == name
        for n in _nodes(node)
    )


def _nodes(node: object) -> list[object]:
    pending = [node]
    found: list[object] = []
    while pending and len(found) < _MAX_NODES:
        current = pending.pop()
        if isinstance(current, tuple):
            pending.extend(current)
        elif isinstance(current, Struct):
            found.append(current)
            function = getattr(current, "function", None)
            pending.extend(children(current))
            if function is not None:
                pending.append(getattr(function, "body", None) or ())
    return found
