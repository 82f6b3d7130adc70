"""What the code of handlers is made of."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.parsers.source.facts import (
    Evaluate,
    Expr,
    LiteralExpr,
    Opaque,
    Statement,
    Syntax,
    Throw,
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
        case Evaluate(value=LiteralExpr() | Opaque()):
            return True
        case _:
            return False


def children(expr: Expr) -> list[Expr]:
    """Expressions directly inside one."""
    found: list[Expr] = []
    pending: list[object] = [expr]
    while pending:
        node = pending.pop(0)
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Syntax) and node is not expr:
            found.append(node)  # type: ignore[arg-type]
        elif isinstance(node, Struct):
            names = (name for name in node.__struct_fields__ if name not in _NO_VALUES)
            pending.extend(getattr(node, name) for name in names)
    return found
