"""What the functions that a statement writes down may do to a variable around them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.parsers.source.analysis.domain.effects import Closure, Mutation
from contract_scan.parsers.source.analysis.domain.span_order import ends_before
from contract_scan.parsers.source.analysis.syntax.builder_calls import with_builder_calls
from contract_scan.parsers.source.analysis.syntax.captured_variables import closures
from contract_scan.parsers.source.analysis.syntax.defining import (
    defines,
    nested_statements,
    pattern_binds,
)
from contract_scan.parsers.source.analysis.syntax.definitions import State, join, with_mutations
from contract_scan.parsers.source.analysis.syntax.side_effects import (
    assignment_mutations,
    call_mutations,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Define,
    Evaluate,
    Loop,
    Return,
    Statement,
)


def called_back(statement: Statement, name: str, state: State, use: Span = NO_SPAN) -> State:
    """The state where the functions that a statement writes down may have run, up to a place in
    it."""
    for closure in closures(statement):
        before = use == NO_SPAN or ends_before(closure.function, use)
        if before and name in closure.mentions and not _hides(closure, name):
            state = join([state, *_in_closure(closure, name, state)])
    return state


def _hides(closure: Closure, name: str) -> bool:
    """Whether a name is another variable in a closure."""
    function = closure.function
    return any(
        p.name == name or (p.pattern is not None and pattern_binds(p.pattern, name))
        for p in function.params
    ) or any(
        (not isinstance(s, Assign) or s.declares) and defines(s, name) is not None
        for s in nested_statements(function.body or ())
        if isinstance(s, Assign | Loop | Define)
    )


def _in_closure(closure: Closure, name: str, state: State) -> Iterator[State]:
    """What a closure may make of a state: the changes of the object in it, and what it assigns."""
    inside = (closure,)
    changed = state
    for statement in nested_statements(closure.function.body or ()):
        mutations: tuple[Mutation, ...] = ()
        match statement:
            case Assign():
                found = defines(statement, name)
                if found is None:
                    mutations = assignment_mutations(statement, name)
                elif closure.is_expression:
                    yield (replace(found, inside=inside),)
            case Evaluate(value=value) | Return(value=value) if value is not None:
                mutations = call_mutations(value, name)
            case _:
                pass
        changed = with_mutations(changed, tuple(replace(m, inside=inside) for m in mutations))
        changed = with_builder_calls(changed, statement, name, inside)
        for further in closures(statement):
            if name in further.mentions and not _hides(further, name):
                for state_inside in _in_closure(further, name, changed):
                    changed = join([changed, _nested_in_closure(closure, state_inside, changed)])
    yield changed


def _nested_in_closure(closure: Closure, state: State, before: State) -> State:
    """A state with a closure put around what is new in it."""
    known = {m.span for definition in before for m in definition.mutations}
    old = {id(definition.statement) for definition in before}
    return tuple(
        replace(
            d,
            inside=d.inside if id(d.statement) in old else (closure, *d.inside),
            mutations=tuple(
                m if m.span in known else replace(m, inside=(closure, *m.inside))
                for m in d.mutations
            ),
        )
        for d in state
    )
