"""Middleware that writes all keys of a body anew: `ctx.body = humps.camelizeKeys(ctx.body)`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Object, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr

Rename: TypeAlias = Callable[[str], str]

_DEEPEST = 8
_SEPARATED = re.compile(r"[-_\s]+(.)?")
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def camel(key: str) -> str:
    """`created_at` as `createdAt`."""
    joined = _SEPARATED.sub(lambda match: (match[1] or "").upper(), key)
    return joined[:1].lower() + joined[1:]


def snake(key: str) -> str:
    """`createdAt` as `created_at`."""
    return _CAPITAL.sub("_", key).lower()


_RENAMERS: dict[str, Rename] = {
    "humps.camelizeKeys": camel,
    "humps.default.camelizeKeys": camel,
    "humps.decamelizeKeys": snake,
    "humps.default.decamelizeKeys": snake,
    "snakecase-keys": snake,
    "snakecase-keys.default": snake,
}
"""Functions that rename the keys of an object and of all objects in it."""


def renaming_of(program: Program, given: Expr, scope: Scope) -> Rename | None:
    """How a body is renamed that is given itself: None where it is given anything else."""
    if not isinstance(given, Call) or len(given.args) != 1:
        return None
    itself = given.args[0].value
    if not isinstance(itself, Attribute) or itself.name != "body":
        return None
    return _RENAMERS.get(program.qualified_name(given.callee, scope) or "")


def rename_keys(program: Program, schema: Schema, rename: Rename, depth: int = _DEEPEST) -> Schema:
    """A shape with the keys of every object in it renamed."""
    flat = program.types.flat(schema)
    if not depth:
        return Unknown(reason=Reason("nesting-too-deep"), origin=flat.origin)
    match flat:
        case Object(fields=fields, additional=additional):
            changed = tuple(
                replace(
                    f, name=rename(f.name), schema=rename_keys(program, f.schema, rename, depth - 1)
                )
                for f in fields
            )
            rest = additional and rename_keys(program, additional, rename, depth - 1)
            return replace(flat, fields=changed, additional=rest)
        case Array(items=items, prefix=prefix):
            inner = tuple(rename_keys(program, item, rename, depth - 1) for item in prefix)
            return replace(flat, items=rename_keys(program, items, rename, depth - 1), prefix=inner)
        case Union(options=options):
            each = tuple(rename_keys(program, option, rename, depth - 1) for option in options)
            return replace(flat, options=each)
        case _:
            return schema
