"""Whether a first `x = None` may really be left when a place is reached.

`x = None`, then `if flag: x = …`: the null is left where the flag is not set. But where several
statements set `x`, or where a later test that has to do with the flag leaves the function (or leads
to the place), the ways on which the null is left may be just those that never get there. That is
not worked out here, only noticed: such a null is neither certain nor ruled out.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    bound_names,
    nested_statements,
)
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.span_order import contains, is_before
from contract_scan.parsers.source.analysis.syntax.definitions import gives_null
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Define,
    Expr,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)


class _Obstacles(Struct):
    """What stands between the null and the place."""

    names_of_setters: list[frozenset[str]]
    """For each statement that may set the name: the names that it tests or sets."""
    names_of_tests: list[frozenset[str]]
    """For each test that may keep a way from the place: the names in it."""


def mark_doubtful(
    statements: tuple[Statement, ...], name: str, found: tuple[Definition, ...], use: Span
) -> tuple[Definition, ...]:
    """The definitions that reach a place, with those marked doubtful that a correlated test
    rules out."""
    if len(found) < 2 or not any(gives_null(definition) for definition in found):
        return found
    return tuple(
        replace(definition, may_be_overwritten=True)
        if gives_null(definition) and _is_doubtful(statements, name, definition, use)
        else definition
        for definition in found
    )


def _is_doubtful(
    statements: tuple[Statement, ...], name: str, definition: Definition, use: Span
) -> bool:
    """Whether the ways on which a definition is left may never reach the place."""
    ways = _Obstacles([], [])
    _follow(statements, name, definition, use, ways, met=False)
    if len(ways.names_of_setters) > 1:
        return True
    return any(names & asked for names in ways.names_of_setters for asked in ways.names_of_tests)


def _follow(
    statements: tuple[Statement, ...],
    name: str,
    definition: Definition,
    use: Span,
    ways: _Obstacles,
    *,
    met: bool,
) -> bool:
    """Gather what stands after the definition (`met`: above these statements) and before the place.
    Whether the definition was met."""
    for statement in statements:
        if statement is definition.statement:
            met = True
            continue
        if not contains(statement, use):
            if not is_before(statement, use):
                break
            if met:
                _pass(statement, name, ways)
                continue
        match statement:
            case Branch(blocks=blocks):
                met = _enter(statement, blocks, name, definition, use, ways, met=met)
            case Loop(body=body):
                met = _follow(body, name, definition, use, ways, met=met) or met
            case _:
                continue
    return met


def _enter(
    branch: Branch,
    blocks: tuple[tuple[Statement, ...], ...],
    name: str,
    definition: Definition,
    use: Span,
    ways: _Obstacles,
    *,
    met: bool,
) -> bool:
    """A branch that holds the definition, the place or both."""
    here = any(contains(statement, use) for block in blocks for statement in block)
    if met and here and branch.condition is not None:
        ways.names_of_tests.append(_names((branch.condition,)) - {name})
    for block in blocks:
        leads = any(contains(statement, use) for statement in block)
        if met:
            if leads:
                _follow(block, name, definition, use, ways, met=True)
        elif _follow(block, name, definition, use, ways, met=False):
            others = [b for b in blocks if b is not block]
            if not leads and any(_sets(other, name) for other in others):
                ways.names_of_setters.append(_condition_names(branch, name))
            return True
    return met


def _pass(statement: Statement, name: str, ways: _Obstacles) -> None:
    """A statement between the two."""
    if not isinstance(statement, Branch | Loop):
        return
    blocks = statement.blocks if isinstance(statement, Branch) else (statement.body,)
    if any(_sets(block, name) for block in blocks):
        ways.names_of_setters.append(_condition_names(statement, name))
    for branch in nested_statements((statement,)):
        if isinstance(branch, Branch) and branch.kind != "try" and _ends_function(branch):
            condition = () if branch.condition is None else (branch.condition,)
            ways.names_of_tests.append(_names(condition) - {name})


def _ends_function(branch: Branch) -> bool:
    return any(
        isinstance(block[-1], Throw) or (isinstance(block[-1], Return) and not block[-1].generator)
        for block in branch.blocks
        if block
    )


def _sets(statements: tuple[Statement, ...], name: str) -> bool:
    return name in bound_names(statements)


def _condition_names(statement: Branch | Loop, name: str) -> frozenset[str]:
    """The names in the tests of a statement, and those that it sets."""
    found = set(bound_names((statement,)))
    for inner in nested_statements((statement,)):
        match inner:
            case Branch(condition=condition) if condition is not None:
                found |= _names((condition,))
            case Loop(iterable=iterable) if iterable is not None:
                found |= _names((iterable,))
            case _:
                continue
    return frozenset(found) - {name}


_SHARED = frozenset({"this", "request", "req"})
"""What nearly every test of a method starts with."""


def _names(exprs: tuple[Expr, ...]) -> frozenset[str]:
    """Every name in expressions; members of the object itself and of the request by their own."""
    return frozenset(_each_name(exprs))


def _each_name(exprs: tuple[Expr, ...]) -> Iterator[str]:
    pending: list[object] = list(exprs)
    while pending:
        node = pending.pop()
        if isinstance(node, Name):
            yield node.id
        elif isinstance(node, Attribute) and isinstance(node.value, Name):
            root = node.value.id
            yield f"{root}.{node.name}" if root in _SHARED else root
        elif isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, Struct) and not isinstance(node, Define):
            fields = node.__struct_fields__
            pending.extend(getattr(node, field) for field in fields if field != "span")
