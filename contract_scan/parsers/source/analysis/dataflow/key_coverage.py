"""Keys of an object that two tests set between them: `if a: d["x"] = 1`, then
`if not a: d["x"] = 2`. One of the two holds, so the key is always there."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.effects import Mutation
from contract_scan.parsers.source.analysis.domain.values import Record, Value
from contract_scan.parsers.source.analysis.syntax.null_checks import ALL, ANY, NOT, OTHER, SAME
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Expr,
    LiteralExpr,
    Name,
    OperationExpr,
    Statement,
)

_PURE = NOT | SAME | OTHER | ALL | ANY | {"<", ">", "<=", ">="}
_OPPOSITE = {"==": "!=", "===": "!==", "is": "is not"}
_OPPOSITES = {**_OPPOSITE, **{value: key for key, value in _OPPOSITE.items()}}


def with_covered(
    value: Value, mutations: tuple[Mutation, ...], statements: tuple[Statement, ...]
) -> Value:
    """An object after changes, with the keys told certain that are set either way."""
    if not isinstance(value, Record) or not any(entry.optional for entry in value.entries):
        return value
    keys = _jointly_covered_keys(mutations, statements)
    if not keys:
        return value
    entries = tuple(
        replace(entry, optional=False) if entry.name in keys else entry for entry in value.entries
    )
    return replace(value, entries=entries)


def _jointly_covered_keys(
    mutations: tuple[Mutation, ...], statements: tuple[Statement, ...]
) -> set[str]:
    found: set[str] = set()
    mutations = tuple(m for m in mutations if not m.path)
    tested = [m for m in mutations if m.condition is not None and m.kind == "set" and m.key]
    for position, later in enumerate(tested):
        for earlier in tested[:position]:
            if (
                earlier.key == later.key
                and earlier.key is not None
                and earlier.condition is not None
                and later.condition is not None
                and _opposite(earlier.condition, later.condition)
                and _same_at_both(earlier.condition, later.condition, statements)
            ):
                found.add(earlier.key)
    removed = {m.key for m in mutations if m.kind == "remove"}
    return set() if None in removed else found - removed


def _opposite(one: Expr, other: Expr) -> bool:
    """Whether one of two tests is the negation of the other."""
    for test, against in ((one, other), (other, one)):
        if not isinstance(test, OperationExpr):
            continue
        if test.operator in NOT and _is_same_syntax(test.operands[0], against):
            return True
        if (
            isinstance(against, OperationExpr)
            and _OPPOSITES.get(test.operator) == against.operator
            and _is_same_syntax(test.operands, against.operands)
        ):
            return True
    return False


def _is_same_syntax(one: object, other: object) -> bool:
    """Whether two pieces of syntax are equal apart from their places."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(
            _is_same_syntax(a, b) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, Struct) and type(one) is type(other):
        return all(
            _is_same_syntax(getattr(one, f), getattr(other, f))
            for f in one.__struct_fields__
            if f != "span"
        )
    return type(one) is type(other) and one == other


def _same_at_both(one: Expr, other: Expr, statements: tuple[Statement, ...]) -> bool:
    """Whether what two tests ask has not changed from the one to the other."""
    names = list(_names(one))
    if not names or None in names:
        return False
    set_by_member = {
        statement.target.value.id
        for statement in reaching_definitions.nested_statements(statements)
        if isinstance(statement, Assign)
        and isinstance(statement.target, Attribute)
        and isinstance(statement.target.value, Name)
    }
    for name in names:
        assert name is not None
        before = reaching_definitions.reaching_definitions(statements, name, one.span)
        after = reaching_definitions.reaching_definitions(statements, name, other.span)
        if name in set_by_member or [id(d.statement) for d in before] != [
            id(d.statement) for d in after
        ]:
            return False
    return True


def _names(test: Expr) -> Iterator[str | None]:
    """The names in a test; None for anything that may give another answer the next time."""
    pending = [test]
    while pending:
        match pending.pop():
            case Name(id=id):
                yield id
            case Attribute(value=Name() as inner):
                pending.append(inner)
            case OperationExpr(operator=operator, operands=operands) if operator in _PURE:
                pending.extend(operands)
            case LiteralExpr():
                continue
            case _:
                yield None
