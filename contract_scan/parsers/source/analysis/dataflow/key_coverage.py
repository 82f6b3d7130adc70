"""Keys of an object that two tests set between them: `if a: d["x"] = 1`, then
`if not a: d["x"] = 2`. One of the two holds, so the key is always there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.effects import Mutation
from contract_scan.parsers.source.analysis.domain.values import (
    LibraryResult,
    Record,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.syntax.definitions import State
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
_AFFIRMED = {"!=": "==", "!==": "===", "is not": "is"}
"""What a comparison says does not hold."""


Reaching: TypeAlias = Callable[[tuple[Statement, ...], str, Span], State]
"""The definitions of a name that reach a place in statements."""


def with_covered(
    value: Value,
    mutations: tuple[Mutation, ...],
    statements: tuple[Statement, ...],
    reaching: Reaching,
) -> Value:
    """An object after changes, with the keys told certain that are set either way."""
    if not isinstance(value, Record | LibraryResult):
        return value
    held = value.entries if isinstance(value, Record) else value.assigned
    if not any(entry.optional for entry in held):
        return value
    keys = _jointly_covered_keys(mutations, statements, reaching)
    if not keys:
        return value
    if isinstance(value, Record):
        entries = tuple(replace(e, optional=False) if e.name in keys else e for e in held)
        return replace(value, entries=entries)
    by_key = ([entry for entry in held if entry.name == key] for key in sorted(keys))
    covered = (
        replace(each[-1], value=union_of(tuple(e.value for e in each)), optional=False)
        for each in by_key
        if each
    )
    left = (entry for entry in held if entry.name not in keys)
    return replace(value, assigned=(*left, *covered))


def _jointly_covered_keys(
    mutations: tuple[Mutation, ...], statements: tuple[Statement, ...], reaching: Reaching
) -> set[str]:
    mutations = tuple(m for m in mutations if not m.path)
    removed = {m.key for m in mutations if m.kind == "remove"}
    tests: dict[str, list[Expr]] = {}
    for mutation in mutations:
        if mutation.condition is not None and mutation.kind == "set" and mutation.key:
            tests.setdefault(mutation.key, []).append(mutation.condition)
    several = {key: each for key, each in tests.items() if len(each) > 1 and key not in removed}
    if not several or None in removed:
        return set()
    changing = _set_by_member(statements)
    covered: set[str] = set()
    for key, conditions in several.items():
        seen: set[object] = set()
        for condition in conditions:
            names = set(_names(condition))
            if not names or None in names or names & changing:
                continue
            # What the names hold where it is asked: the same test may ask something else later.
            asked = tuple(
                (name, *(id(d.statement) for d in reaching(statements, name, condition.span)))
                for name in sorted(filter(None, names))
            )
            affirmed, plain = _affirmed(condition)
            if (not affirmed, plain, asked) in seen:
                covered.add(key)
                break
            seen.add((affirmed, plain, asked))
    return covered


def _set_by_member(statements: tuple[Statement, ...]) -> set[str]:
    """The names of objects whose attributes are set anywhere."""
    return {
        statement.target.value.id
        for statement in reaching_definitions.nested_statements(statements)
        if isinstance(statement, Assign)
        and isinstance(statement.target, Attribute)
        and isinstance(statement.target.value, Name)
    }


def _affirmed(test: Expr) -> tuple[bool, object]:
    """A test without its negations, and whether it says that this holds: `a != b` says that
    `a == b` does not."""
    affirmed = True
    while isinstance(test, OperationExpr) and test.operator in NOT:
        test, affirmed = test.operands[0], not affirmed
    if isinstance(test, OperationExpr) and test.operator in _AFFIRMED:
        test, affirmed = replace(test, operator=_AFFIRMED[test.operator]), not affirmed
    return affirmed, syntax_key(test)


def syntax_key(syntax: object) -> object:
    """A piece of syntax as a value that equals that of the same syntax at another place."""
    if isinstance(syntax, tuple):
        return tuple(map(syntax_key, syntax))
    if isinstance(syntax, Struct):
        fields = (f for f in syntax.__struct_fields__ if f != "span")
        return type(syntax), tuple(syntax_key(getattr(syntax, f)) for f in fields)
    return type(syntax), syntax


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
