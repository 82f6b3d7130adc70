"""What the code of handlers is made of."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Evaluate,
    Expr,
    LiteralExpr,
    Name,
    Statement,
    Syntax,
    Throw,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

VALIDATORS = frozenset(
    {"model_validate", "model_validate_json", "parse_obj", "parse_raw", "from_json", "from_dict"}
    | {"model_construct", "validate_python", "validate_json"}
)
"""Methods of a class that make an object of data."""
_REQUESTS = frozenset({"request", "req"})
_TELL_OF_BODY = frozenset(
    {"is_json", "method", "content_type", "mimetype", "content_length", "headers"}
    | {"has_body", "can_read_body", "body_exists"}
)
"""Members of requests that say whether there is a body, and of which kind."""
_NO_VALUES = frozenset({"span", "type", "type_args", "members"})


def does_nothing(statement: Statement) -> bool:
    """Whether a statement is one of a method that subclasses fill in."""
    match statement:
        case Throw():
            return True
        case Evaluate(value=LiteralExpr() | UnsupportedSyntax()):
            return True
        case _:
            return False


def asks_for_body(condition: Expr) -> bool:
    """Whether a test asks a request whether it has a body (`if request.is_json`)."""
    return any(
        isinstance(node, Attribute) and node.name in _TELL_OF_BODY and _is_request(node.value)
        for node in nodes_of(condition)
    )


def _is_request(expr: Expr) -> bool:
    match expr:
        case Name(id=name) | Attribute(name=name):
            return name in _REQUESTS
        case _:
            return False


def children(expr: Expr) -> list[Expr]:
    """Expressions directly inside one."""
    found: list[Expr] = []
    pending: list[Any] = _values(expr)
    for node in pending:  # grows meanwhile
        kind = type(node)
        if kind is tuple:
            pending.extend(node)
        elif issubclass(kind, Syntax):
            found.append(node)
        else:
            pending.extend(_values(node))
    return found


def _values(node: object) -> list[object]:
    """What the fields of a record hold that may be expressions; of all else nothing."""
    kind = type(node)
    names = _fields.get(kind)
    if names is None:
        fields = kind.__struct_fields__ if issubclass(kind, Struct) else ()
        names = _fields[kind] = [name for name in fields if name not in _NO_VALUES]
    return [getattr(node, name) for name in names]


_fields: dict[type, list[str]] = {}
