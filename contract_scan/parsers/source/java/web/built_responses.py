"""Responses that are built in a variable: `builder.status(207); return builder.build();`.

The statements of a function are followed along every path: what a builder is given on one path is
no part of what is returned on another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.values import Constant, Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    Call,
    Evaluate,
    Expr,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.java.web.branch_results import BranchResult, statuses_of
from contract_scan.parsers.source.java.web.chains import chain, method

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_SET_STATUS = frozenset({"status", "setStatus"})
_SET_BODY = frozenset({"entity", "body"})
_SETTERS = _SET_STATUS | _SET_BODY
_MAX_OUTCOMES = 24
"""How many ways to build a response are told apart."""

_Outcomes: TypeAlias = "tuple[BranchResult, ...]"
_Held: TypeAlias = "dict[str, Expr | _Outcomes]"
"""Variable -> what it is assigned, or what has been built in it."""
OutcomesOf: TypeAlias = "Callable[[Expr, Scope], Iterator[BranchResult]]"


def built_in_variable(
    program: Program, built: Expr, scope: Scope, outcomes_of: OutcomesOf
) -> list[BranchResult] | None:
    """What an expression of a function gives that begins with a variable in which statements of
    the function build a response; None where it is none. `outcomes_of` reads a response that is
    made by an expression."""
    variable = _variable_of(built)
    statements = scope.statements or ()
    if not variable or not any(map(_sets_something, nested_statements(statements))):
        return None
    targets = (s.target for s in nested_statements(statements) if isinstance(s, Assign))
    if not any(isinstance(target, Name) and target.id == variable for target in targets):
        return None
    follower = _Follower(program, scope, built, outcomes_of)
    follower.block(statements, {})
    return list(follower.found) if follower.is_built else None


def _variable_of(expr: Expr) -> str:
    """The variable that a chain of calls begins with."""
    base = chain(expr).base if isinstance(expr, Call) else expr
    return base.id if isinstance(base, Name) and base.id != "this" else ""


def _sets_something(statement: Statement) -> bool:
    """Whether a statement gives a builder a status or a body and is done."""
    if not isinstance(statement, Evaluate) or not _variable_of(statement.value):
        return False
    return any(name in _SETTERS for name in chain(statement.value).names)


class _Follower:
    def __init__(
        self, program: Program, scope: Scope, wanted: Expr, outcomes_of: OutcomesOf
    ) -> None:
        self._program = program
        self._scope = scope
        self._wanted = wanted
        self._outcomes_of = outcomes_of
        self.found: _Outcomes = ()
        self.is_built = False
        """Whether a statement sets something of what is wanted."""

    def block(self, statements: tuple[Statement, ...], held: _Held) -> _Held | None:
        """What variables hold behind a block; None where nothing gets there."""
        for statement in statements:
            match statement:
                case Assign(target=Name(id=name), value=value) if value is not None:
                    self._look_at(value, held)
                    built = self._with_calls(value, held)
                    held = {**held, name: value if built is None else built}
                case Evaluate(value=value):
                    self._look_at(value, held)
                    variable = _variable_of(value)
                    if _sets_something(statement) and variable in held:
                        built = self._with_calls(value, held)
                        held = {**held, variable: value if built is None else built}
                    held = self._handed_on(value, held)
                case Return(value=value):
                    if value is not None:
                        self._look_at(value, held)
                    return None
                case Throw():
                    return None
                case Branch(blocks=blocks, exhaustive=exhaustive, kind=kind):
                    after = [] if exhaustive or kind == "try" else [held]
                    for position, inner in enumerate(blocks):
                        before = (
                            self._state_where_ways_meet([held, *after])
                            if kind == "try" and position
                            else held
                        )
                        behind = self.block(inner, before or held)
                        after += [] if behind is None else [behind]
                    joined = self._state_where_ways_meet(after)
                    if joined is None:
                        return None
                    held = joined
                case Loop(body=body):
                    behind = self.block(body, held)
                    held = (
                        held
                        if behind is None
                        else self._state_where_ways_meet([held, behind]) or held
                    )
                case _:
                    pass
        return held

    def _look_at(self, expr: Expr, held: _Held) -> None:
        if expr is not self._wanted and (expr.span != self._wanted.span or not expr.span.line):
            return
        variable = _variable_of(expr)
        self.is_built = self.is_built or isinstance(held.get(variable), tuple)
        self.found = _united(self.found, self._with_calls(expr, held) or ())

    def _with_calls(self, expr: Expr, held: _Held) -> _Outcomes | None:
        """What a chain of calls makes of what its variable holds; None: it holds nothing known."""
        before = held.get(_variable_of(expr))
        if before is None:
            return None
        if not isinstance(before, tuple):
            before = tuple(self._outcomes_of(before, self._scope))
        for call in chain(expr).calls if isinstance(expr, Call) else ():
            before = self._with_call(call, before)
        return before

    def _with_call(self, call: Call, before: _Outcomes) -> _Outcomes:
        name = method(call)
        if name not in _SETTERS or not call.args:
            return before
        given = self._program.evaluate(call.args[0].value, self._scope)
        if name in _SET_BODY:
            body = None if isinstance(given, Constant) and given.value is None else given
            return tuple(replace(one, body=body) for one in before)
        place = self._program.origin(call.args[0].value, self._scope)
        return tuple(
            replace(one, status=status, is_status_known=bool(status), origin=place)
            for one in before
            for status in statuses_of(self._program, given)
        )[:_MAX_OUTCOMES]

    def _handed_on(self, expr: Expr, held: _Held) -> _Held:
        """What is known once a function is given a variable: it may set another status."""
        given = [a.value for a in expr.args] if isinstance(expr, Call) else []
        names = [one.id for one in given if isinstance(one, Name) and one.id in held]
        for name in names:
            before = held[name]
            if isinstance(before, tuple):
                open_ones = tuple(replace(one, is_status_known=False) for one in before)
                held = {**held, name: open_ones}
        return held

    def _state_where_ways_meet(self, ways: list[_Held]) -> _Held | None:
        """What variables hold where several ways meet; None where there is no way."""
        if not ways:
            return None
        joined = ways[0]
        for way in ways[1:]:
            names = [*joined, *(name for name in way if name not in joined)]
            joined = {name: self._either(joined.get(name), way.get(name)) for name in names}
        return joined

    def _either(
        self, one: Expr | _Outcomes | None, other: Expr | _Outcomes | None
    ) -> Expr | _Outcomes:
        if one is other or other is None:
            assert one is not None
            return one
        if one is None:
            return other
        return _united(
            *(
                value if isinstance(value, tuple) else tuple(self._outcomes_of(value, self._scope))
                for value in (one, other)
            )
        )


def _united(one: _Outcomes, other: _Outcomes) -> _Outcomes:
    return tuple({id(outcome): outcome for outcome in (*one, *other)}.values())[:_MAX_OUTCOMES]
