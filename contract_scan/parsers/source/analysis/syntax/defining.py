"""The statements of a function one by one, and the names that they define."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Branch,
    Cast,
    Define,
    Expr,
    Loop,
    Name,
    ObjectLiteral,
    Spread,
    Statement,
)


def nested_statements(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    """Statements and those in their blocks, in order; bodies of nested functions left out."""
    pending: list[Statement] = list(reversed(statements))
    while pending:
        statement = pending.pop()
        yield statement
        match statement:
            case Branch(blocks=blocks):
                pending.extend(s for block in reversed(blocks) for s in reversed(block))
            case Loop(body=body):
                pending.extend(reversed(body))
            case _:
                pass


def bound_names(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Every name that some statement defines, in any block."""
    found: set[str] = set()
    pending: list[Expr] = []
    for statement in nested_statements(statements):
        match statement:
            case Define(declaration=declaration):
                found.add(declaration.name)
            case Assign(target=target):
                pending.append(target)
            case Loop(variable=variable) if variable is not None:
                pending.append(variable)
            case _:
                pass
    while pending:
        match pending.pop():
            case Name(id=id):
                found.add(id)
            case ArrayLiteral(items=items):
                pending.extend(items)
            case ObjectLiteral(entries=entries):
                pending.extend(entry.value for entry in entries)
            case Spread(value=value) | Cast(value=value):
                pending.append(value)
            case _:
                pass
    return frozenset(found)


def defines(statement: Assign | Loop | Define, name: str) -> Definition | None:
    """The definition of `name` that a statement makes, if it makes one."""
    match statement:
        case Define(declaration=declaration):
            return Definition(statement) if declaration.name == name else None
        case Assign(target=target):
            pass
        case Loop(variable=target):
            pass
    if isinstance(target, Name):
        return Definition(statement) if target.id == name else None
    if isinstance(target, ArrayLiteral | ObjectLiteral) and pattern_binds(target, name):
        return Definition(statement, target)
    return None


def pattern_binds(pattern: Expr, name: str) -> bool:
    """Whether a destructuring pattern binds a name."""
    match pattern:
        case Name(id=id):
            return id == name
        case ArrayLiteral(items=items):
            return any(pattern_binds(item, name) for item in items)
        case ObjectLiteral(entries=entries):
            return any(pattern_binds(entry.value, name) for entry in entries)
        case Spread(value=value):
            return pattern_binds(value, name)
        case _:
            return False
