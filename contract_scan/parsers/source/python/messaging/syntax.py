"""What the code of handlers is made of."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from contract_scan.parsers.source.facts.nodes import (
    Evaluate,
    Expr,
    LiteralExpr,
    Statement,
    Syntax,
    Throw,
    UnsupportedSyntax,
)

VALIDATORS = frozenset(
    {"model_validate", "model_validate_json", "parse_obj", "parse_raw", "from_json", "from_dict"}
    | {"model_construct", "validate_python", "validate_json"}
)
"""Methods of a class that make an object of data."""
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
