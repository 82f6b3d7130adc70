"""The objects that a function changes while `forward_interpreter` runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.object_mutations import root_name, without_casts
from contract_scan.parsers.source.analysis.dataflow.records import one_of_all, to_record
from contract_scan.parsers.source.analysis.domain.values import (
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Expr, Index, Name

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

ABSENT = LibrarySymbol("undefined")
Change: TypeAlias = Callable[[Record], Record]


class NotFollowedError(Exception):
    """Something is done that is not followed here."""


class State(Struct):
    """What each name holds at a place."""

    values: dict[str, Value]
    same: dict[str, str]
    """Names that stand for the object of another name."""

    def copy(self) -> State:
        return State(dict(self.values), dict(self.same))

    def root(self, name: str) -> str:
        return self.same.get(name, name)


class Objects:
    """Objects by the names that hold them."""

    def __init__(self, program: Program, scope: Scope) -> None:
        self.program = program
        self.scope = scope

    def current_scope(self, state: State) -> Scope:
        """The scope in which the names hold their current values."""
        values = {**state.values}
        for name, other in state.same.items():
            values[name] = state.values[other]
        return replace(self.scope, statements=(), bindings={**self.scope.bindings, **values})

    def path(self, expr: Expr, state: State) -> tuple[str, tuple[str, ...]] | None:
        """The name of an object and the keys that lead from it to an expression."""
        keys: list[str] = []
        while True:
            expr = without_casts(expr)
            match expr:
                case Name(id=id):
                    root = state.root(id)
                    return (root, tuple(reversed(keys))) if root in state.values else None
                case Attribute(value=inner, name=key):
                    keys.append(key)
                case Index(value=inner, index=index):
                    text = self.program.text(index, self.current_scope(state))
                    if text is None:
                        if state.root(root_name(expr)) in state.values:
                            raise NotFollowedError
                        return None
                    keys.append(text)
                case _:
                    return None
            expr = inner

    def change(self, name: str, keys: tuple[str, ...], change: Change, state: State) -> None:
        state.values[name] = self._change_at_path(state.values[name], keys, change)

    def _change_at_path(self, value: Value, keys: tuple[str, ...], change: Change) -> Value:
        record = to_record(self.program, value)
        if record is None:
            raise NotFollowedError
        options = record.options if isinstance(record, OneOf) else (record,)
        return union_of(tuple(self._changed_one(option, keys, change) for option in options))

    def _changed_one(self, value: Value, keys: tuple[str, ...], change: Change) -> Value:
        if not isinstance(value, Record):
            return value
        if not keys:
            return change(value)
        entries = tuple(
            replace(e, value=self._change_at_path(e.value, keys[1:], change))
            if e.name == keys[0]
            else e
            for e in value.entries
        )
        return replace(value, entries=entries)

    def join_states(self, states: list[State]) -> State:
        """The state where paths through a function join."""
        first, *others = states
        if not others:
            return first
        values: dict[str, Value] = {}
        for name in dict.fromkeys(n for state in states for n in state.values):
            candidates = [state.values.get(name, ABSENT) for state in states]
            values[name] = (
                candidates[0]
                if all(v is candidates[0] for v in candidates)
                else self._union_of(candidates)
            )
        same = {n: o for n, o in first.same.items() if all(s.same.get(n) == o for s in others)}
        return State(values, same)

    def _union_of(self, held: list[Value]) -> Value:
        if any(isinstance(value, Record) for value in held):
            held = [to_record(self.program, value) or value for value in held]
        return one_of_all(held)
