"""What a statement does to a builder that a local name holds: `builder.name(name);`.

A method of a builder sets the member that it is named after, and gives the builder back. Whatever
else is done with the name may set any member: a function is handed it, or another name holds it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.effects import Closure, Definition, Mutation
from contract_scan.parsers.source.analysis.syntax.definitions import State, with_mutations
from contract_scan.parsers.source.analysis.syntax.side_effects import is_logged
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Evaluate,
    Expr,
    Lambda,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

BUILDERS = frozenset({"builder", "toBuilder", "newBuilder"})
"""Methods that give a builder."""
_END = "build"


def is_builder(definition: Definition) -> bool:
    """Whether a definition gives a name what a builder's method gives: `X.builder().id(1)`, or what
    a method of the builder gives that the name holds already (`builder = builder.id(1)`)."""
    statement = definition.statement
    if not isinstance(statement, Assign) or definition.target is not None or statement.operator:
        return False
    calls, root = _chain(statement.value)
    match root, statement.target:
        case Name(id=held), Name(id=target) if held == target and calls:
            return True
    return any(name in BUILDERS for name, _ in calls)


def with_builder_calls(
    state: State, statement: Statement, name: str, inside: tuple[Closure, ...] = ()
) -> State:
    """The state after what a statement does to the builder that a name holds; the same state where
    it holds none."""
    value = statement.value if isinstance(statement, Evaluate | Assign | Return) else None
    if value is None or (isinstance(value, Call) and is_logged(value)):
        return state
    if not any(map(is_builder, state)):
        return state
    found = _mutations(value, name, is_kept=isinstance(statement, Assign))
    return with_mutations(state, tuple(replace(m, inside=inside) if inside else m for m in found))


def _mutations(expr: Expr, name: str, *, is_kept: bool) -> Iterator[Mutation]:
    calls, root = _chain(expr)
    is_own = isinstance(root, Name) and root.id == name and bool(calls)
    mentioned = sum(isinstance(n, Name) and n.id == name for n in nodes_of(expr, (Lambda,)))
    is_built = bool(calls) and calls[0][0] == _END
    if mentioned > is_own or (is_own and is_kept and not is_built):
        yield Mutation(None, None, "built", expr.span, conditional=True)
    elif is_own:
        for called, call in reversed(calls):
            if len(call.args) == 1:
                yield Mutation(called, call.args[0].value, "built", call.span)
            elif call.args or called != _END:
                yield Mutation(None, None, "built", call.span, conditional=True)


def _chain(expr: Expr | None) -> tuple[list[tuple[str, Call]], Expr | None]:
    """The calls of a chain, the last one first, and what it begins with."""
    calls: list[tuple[str, Call]] = []
    while isinstance(expr, Call) and isinstance(expr.callee, Attribute):
        calls.append((expr.callee.name, expr))
        expr = expr.callee.value
    return calls, expr
