"""Where an argument arrives: the parameter of a function, and the fields that a constructor keeps
it in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeAlias

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Name,
    New,
    ObjectLiteral,
    Statement,
)
from contract_scan.parsers.source.language import Framework

MAX_ROUNDS = 6
"""How many functions a server or socket is handed on through."""

_KEEPS = frozenset({"add", "push", "set", "unshift"})

Place: TypeAlias = tuple[str, Span]
"""File and place of what makes a thing, or of the parameter or field that holds it."""


class SocketLocator(Protocol):
    """Knows where sockets are, and learns of more from calls."""

    @property
    def size(self) -> int:
        """How much is known."""
        ...

    def connect(self, call: Call | New, scope: Scope) -> None:
        """Learn from a call."""
        ...


def taught(
    program: Program, framework: Framework, learner: SocketLocator
) -> list[tuple[Call | New, Scope]]:
    """Every call that gives something, in the files of a framework, after the learner has seen them
    until it knew all."""
    found = [
        (call, scope)
        for file in program.seeds(framework)
        for call, scope in program.calls(file)
        if call.args
    ]
    for _ in range(MAX_ROUNDS):
        known = learner.size
        for call, scope in found:
            learner.connect(call, scope)
        if learner.size == known:
            break
    return found


def put_away(call: Call) -> Iterator[Name]:
    """The names that a call puts into a collection as they are: `clients.add(socket)`,
    `list.push({ socket })`."""
    if not isinstance(call.callee, Attribute) or call.callee.name not in _KEEPS:
        return
    for argument in call.args:
        written = argument.value
        parts = [written]
        if isinstance(written, ObjectLiteral):
            parts = [entry.value for entry in written.entries]
        yield from (part for part in parts if isinstance(part, Name))


def receivers(
    program: Program, call: Call | New, position: int, scope: Scope
) -> list[Place | None]:
    """The parameter that an argument is for, and the fields that keep it."""
    if isinstance(call, Call):
        function = program.evaluate(call.callee, scope)
        return [parameter_place(function, position)] if isinstance(function, FunctionValue) else []
    made = program.evaluate(call, scope)
    return _constructor_places(program, made.symbol, position) if isinstance(made, Instance) else []


def parameter_place(function: FunctionValue, position: int) -> Place | None:
    """The place of a parameter; None where there is none at that position."""
    params = function.function.params
    if position >= len(params):
        return None
    return (function.scope.file.path, params[position].span)


def _constructor_places(program: Program, symbol: ClassSymbol, position: int) -> list[Place | None]:
    constructor = next((m for m in symbol.decl.methods if "constructor" in m.modifiers), None)
    if constructor is None or position >= len(constructor.params):
        return []
    param = constructor.params[position]
    statements = program.body(constructor, symbol.file)
    attributes = {name for name, source in _assignments(statements) if source == param.name}
    if param.modifiers:
        attributes.add(param.name)
    path = symbol.file.path
    fields: list[Place | None] = [
        (path, m.span) for m in symbol.decl.members if m.name in attributes
    ]
    return [(path, param.span), *fields]


def _assignments(statements: tuple[Statement, ...]) -> list[tuple[str, str]]:
    """(field, parameter) of each `this.field = parameter`."""
    return [
        (node.target.name, node.value.id)
        for node in statements
        if isinstance(node, Assign)
        and isinstance(node.target, Attribute)
        and isinstance(node.value, Name)
    ]
