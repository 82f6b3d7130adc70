"""Lowering small sources in tests, and comparing facts without their places."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from contract_scan.parsers.source.facts.nodes import Expr, FileFacts, Statement, TypeExpr
from contract_scan.parsers.source.typescript.language import LANGUAGE

T = TypeVar("T")


def facts(source: str, path: str = "a.ts") -> FileFacts:
    return LANGUAGE.lower(source.encode(), path)


def bare(value: T) -> T:
    """The same value with every span left out."""
    if isinstance(value, tuple):
        return tuple(bare(item) for item in value)  # type: ignore[return-value]
    if isinstance(value, msgspec.Struct):
        changes = {}
        for field in msgspec.structs.fields(value):
            if field.name in ("span", "name_span"):
                changes[field.name] = field.default
            else:
                changes[field.name] = bare(getattr(value, field.name))
        return msgspec.structs.replace(value, **changes)
    return value


def expression(source: str) -> Expr:
    """The expression `source`, lowered."""
    (statement,) = bare(facts(f"const it = {source};").statements)
    return statement.value  # type: ignore[union-attr, return-value]


def type_expression(source: str) -> TypeExpr:
    """The type `source`, lowered."""
    (alias,) = bare(facts(f"type It = {source};").aliases)
    return alias.type


def statements(source: str, path: str = "a.ts") -> tuple[Statement, ...]:
    """The statements of a function body, lowered on demand."""
    content = f"function f() {{ {source} }}".encode()
    (function,) = LANGUAGE.lower(content, path).functions
    return bare(LANGUAGE.lower_body(content, path, function.span))
