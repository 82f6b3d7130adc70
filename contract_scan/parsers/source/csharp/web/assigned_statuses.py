"""Statuses that a handler sets on the response beside what it returns: `Response.StatusCode = 202`.

They count for values that it returns, and for results that say no status of their own. The
statements are followed along every path, into functions of the project that are called.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import Origin, Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import contains
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope, Value
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.manual_writing import awaited_value
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Evaluate,
    Expr,
    Loop,
    Name,
    NamedType,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_ACCEPTING = "AcceptWebSocketAsync"
"""Answers 101 itself, which what is returned after it does not change."""
_ASSIGNMENTS = (b".StatusCode =", b".StatusCode=", f".{_ACCEPTING}(".encode())
_CARRIERS = frozenset({"HttpResponse", "HttpContext"})
_MAX_CALLS = 3
"""How deep functions that are called are looked into."""


class AssignedStatus(Struct, frozen=True):
    """A status that is in force where a handler returns."""

    status: str
    """Empty: it is undetermined."""
    origin: Origin | None = None
    """Where it is set; None: nothing sets one."""


NOTHING_ASSIGNED = AssignedStatus("200")
_States: TypeAlias = "dict[str, AssignedStatus]"


class _ReturnStatuses(Struct, frozen=True):
    path: str
    returned: Return | Expr
    statuses: tuple[AssignedStatus, ...]


class AssignedStatuses(Struct, frozen=True):
    """The statuses that may be in force where a handler returns, `NOTHING_ASSIGNED` among them
    where it may set none."""

    anywhere: tuple[AssignedStatus, ...] = (NOTHING_ASSIGNED,)
    by_return: tuple[_ReturnStatuses, ...] = ()
    """Those of each `return` of the handler and of functions that are followed; before it those of
    each option of what it returns."""

    def at(self, *places: Origin) -> tuple[AssignedStatus, ...]:
        """Those in force at an answer: of the `return` that the first of some places stands in,
        else of all."""
        for place in places:
            for each in self.by_return:
                if each.path == place.path and contains(each.returned, place.span):
                    return each.statuses
        return self.anywhere


def assigned_statuses(program: Program, function: FunctionValue) -> AssignedStatuses:
    """The statuses that a handler sets on the response, along its paths."""
    setting = frozenset(program.files_containing(*_ASSIGNMENTS))
    if not setting:
        return AssignedStatuses()
    reader = _Reader(program, setting)
    found = reader.after(function, {NOTHING_ASSIGNED.status: NOTHING_ASSIGNED}, 0)
    by_return = tuple(
        _ReturnStatuses(path, returned, tuple(states.values()))
        for (path, _), (returned, states) in reader.by_return.items()
    )
    return AssignedStatuses(tuple(found.values()) or (NOTHING_ASSIGNED,), by_return)


class _Reader:
    def __init__(self, program: Program, setting: frozenset[str]) -> None:
        self._program = program
        self._setting = setting
        self._accepting = frozenset(program.files_containing(f".{_ACCEPTING}(".encode()))
        self._names: frozenset[str] = frozenset()
        self._ended: _States = {}
        self.by_return: dict[tuple[str, Span], tuple[Return | Expr, _States]] = {}
        """What is in force at each `return`, by its file and place."""

    def after(
        self,
        function: FunctionValue,
        before: _States,
        depth: int,
        given: Mapping[str, Value] | None = None,
    ) -> _States:
        """What is in force after a function has returned that a call gives its parameters."""
        scope = self._program.function_scope(function.function, function.scope, given or {})
        around, ended = self._names, self._ended
        self._names = frozenset(
            parameter.name
            for parameter in function.function.params
            if isinstance(parameter.type, NamedType)
            and unqualified_name(parameter.type.name) == "HttpResponse"
        )
        self._ended = {}
        left = self._block(scope.statements or (), before, scope, depth)
        behind = {**left, **self._ended}
        self._names, self._ended = around, ended
        return behind

    def _block(
        self, statements: tuple[Statement, ...], states: _States, scope: Scope, depth: int
    ) -> _States:
        for statement in statements:
            if not states:
                break
            states = self._statement(statement, states, scope, depth)
        return states

    def _statement(
        self, statement: Statement, states: _States, scope: Scope, depth: int
    ) -> _States:
        match statement:
            case Assign(target=Attribute(name="StatusCode", value=holder), value=value) if (
                self._is_response(holder)
            ):
                status = "" if value is None else status_of(self._program, value, scope) or ""
                origin = self._program.origin(statement, scope)
                return {status: AssignedStatus(status, origin)}
            case Assign(target=Name(id=name), value=value) if value is not None:
                if self._is_response(value):
                    self._names |= {name}
                    return states
                return self._called(value, states, scope, depth)
            case Evaluate(value=value):
                return self._called(value, states, scope, depth)
            case Return(value=value):
                behind = (
                    states if value is None else self._after_return(value, states, scope, depth)
                )
                self._ended = {**self._ended, **behind}
                self._keep(statement, behind, scope)
                return {}
            case Throw():
                return {}
            case Branch(blocks=blocks, exhaustive=exhaustive):
                joined = {} if exhaustive else dict(states)
                for block in blocks:
                    joined.update(self._block(block, states, scope, depth))
                return joined
            case Loop(body=body):
                return {**states, **self._block(body, states, scope, depth)}
            case _:
                return states

    def _after_return(self, value: Expr, states: _States, scope: Scope, depth: int) -> _States:
        """What is in force after an expression that is returned, or one of its options."""
        if not isinstance(value, Choice) or value.fallback:
            return self._called(value, states, scope, depth)
        behind: _States = {}
        for option in value.options:
            left = self._after_return(option, states, scope, depth)
            self._keep(option, left, scope)
            behind.update(left)
        return behind

    def _keep(self, returned: Return | Expr, states: _States, scope: Scope) -> None:
        place = (scope.file.path, returned.span)
        _, known = self.by_return.get(place, (returned, {}))
        self.by_return[place] = (returned, {**known, **states})

    def _called(self, value: Expr, states: _States, scope: Scope, depth: int) -> _States:
        """What is in force after a function of the project that sets a status has been called."""
        value = awaited_value(value)
        if scope.file.path in self._accepting:
            for node in nodes_of((value,)):
                if isinstance(node, Attribute) and node.name == _ACCEPTING:
                    return {"101": AssignedStatus("101", self._program.origin(node, scope))}
        if not isinstance(value, Call) or depth >= _MAX_CALLS:
            return states
        function = called_function(self._program, value, scope)
        if function is None or function.scope.file.path not in self._setting:
            return states
        if (
            function.function.name
            and function.owner is not None
            and not self._shares(value, function)
        ):
            return states
        given = self._program.evaluator.arguments_with_defaults(function, value, scope)
        return self.after(function, states, depth + 1, given)

    def _shares(self, call: Call, function: FunctionValue) -> bool:
        """Whether a function has the response of its caller: it is a method of the same object, or
        is handed the response or what holds it."""
        if isinstance(call.callee, Name) or (
            isinstance(call.callee, Attribute)
            and isinstance(call.callee.value, Name)
            and call.callee.value.id in ("this", "base")
        ):
            return True
        return any(
            isinstance(parameter.type, NamedType)
            and unqualified_name(parameter.type.name) in _CARRIERS
            for parameter in function.function.params
        )

    def _is_response(self, expr: Expr) -> bool:
        """Whether an expression is the response: a name that holds it, or `context.Response`."""
        match expr:
            case Name(id=name):
                return name in self._names or name == "Response"
            case Attribute(name="Response"):
                return True
            case _:
                return False
