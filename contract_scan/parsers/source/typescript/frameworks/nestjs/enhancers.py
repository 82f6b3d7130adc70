"""What a Nest application puts around every handler: interceptors, and pipes that make classes of
bodies."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    New,
    ObjectLiteral,
)


class Interceptor(Struct, frozen=True):
    """An interceptor in force, with the place it was named in."""

    expr: Expr
    scope: Scope


def transforms(expr: Expr) -> bool:
    """Whether a pipe is `new ValidationPipe({ transform: true })`."""
    return isinstance(expr, New) and bool(expr.args) and _is_set(expr.args[0].value, "transform")


def converts(expr: Expr) -> bool:
    """Whether a pipe is `new ValidationPipe({ transform: true, transformOptions:
    { enableImplicitConversion: true } })`: values become what fields are declared as."""
    if not isinstance(expr, New) or not transforms(expr):
        return False
    options = expr.args[0].value
    return isinstance(options, ObjectLiteral) and any(
        entry.key == "transformOptions" and _is_set(entry.value, "enableImplicitConversion")
        for entry in options.entries
    )


def _is_set(options: Expr, name: str) -> bool:
    return isinstance(options, ObjectLiteral) and any(
        entry.key == name and isinstance(entry.value, LiteralExpr) and entry.value.value is True
        for entry in options.entries
    )


def validates(expr: Expr) -> bool:
    """Whether a pipe is a `ValidationPipe`, made here or named for Nest to make; one of the project
    is called so as well (`AppValidationPipe`)."""
    return _class_name(expr).endswith("ValidationPipe")


def _class_name(expr: Expr) -> str:
    match expr:
        case New(type=NamedType(name=name)) | Name(id=name):
            return name.rsplit(".", 1)[-1]
        case Attribute(name=name):
            return name
        case _:
            return ""
