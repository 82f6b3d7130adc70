"""What the code of handlers is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard

from msgspec import Struct

from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Evaluate,
    Expr,
    Jump,
    LiteralExpr,
    Name,
    OperationExpr,
    Return,
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
_FIRST_ERROR = 400
_REFUSING = ("abort", "bad", "error", "fail", "invalid", "missing", "required")
"""Parts of the names and texts of what tells a client that something is wrong."""
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


def keys_missed(condition: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The objects and the keys of which a condition holds wherever the object lacks the key: `"a"
    not in data`, `not data.get("a")`, `data.get("a") is None`."""
    match condition:
        case OperationExpr(operator="or" | "||", operands=operands):
            for operand in operands:
                yield from keys_missed(operand)
        case OperationExpr(operator="not in", operands=(key, holder)):
            yield holder, key
        case OperationExpr(operator="not", operands=(inner,)):
            match inner:
                case OperationExpr(operator="in", operands=(key, holder)):
                    yield holder, key
                case _:
                    yield from _key_got(inner)
        case OperationExpr(operator="is" | "==", operands=(got, LiteralExpr(value=None))):
            yield from _key_got(got)
        case _:
            return


def _key_got(expr: Expr) -> Iterator[tuple[Expr, Expr]]:
    match expr:
        case Call(callee=Attribute(value=holder, name="get"), args=(key,)):
            yield holder, key.value
        case _:
            return


def leaves_in_order(block: tuple[Statement, ...]) -> bool:
    """Whether a block ends a function, or a turn of a loop, and nothing in it says that something
    is wrong: no error is raised, and what is returned has no status of an error."""
    if not isinstance(block[-1], Return | Jump):
        return False
    for node in nodes_of(block):
        match node:
            case Throw():
                return False
            case LiteralExpr(value=int() as number) if number >= _FIRST_ERROR:
                return False
            case LiteralExpr(value=str(text)) | Name(id=text) | Attribute(name=text) if any(
                word in text.lower() for word in _REFUSING
            ):
                return False
            case _:
                pass
    return True


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


def is_own_attribute(expr: Expr | None) -> TypeGuard[Attribute]:
    """Whether an expression is an attribute of the object itself."""
    return isinstance(expr, Attribute) and isinstance(expr.value, Name) and expr.value.id == "this"
