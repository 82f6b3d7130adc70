"""What the functions that a statement writes down may do to a variable around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.parsers.source.analysis.domain.effects import (
    EVERY_ITEM,
    Closure,
    Mutation,
    PathKey,
)
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
    path_to,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Define,
    Evaluate,
    Lambda,
    Loop,
    Return,
    Statement,
)

EACH = frozenset({"forEach", "ForEach", "map", "flatMap", "filter", "each", "Select", "peek"})
"""Methods of a list that call a function with each of its items."""
_SAME_ITEMS = frozenset({"stream", "ToList", "values", "reverse", "sort", "sorted", "AsEnumerable"})
"""Methods that give the items of a list again."""
_SOME_ITEMS = frozenset({"filter", "Where", "slice", "limit", "skip", "Take", "Skip"})
"""Methods that give some of the items of a list."""


def called_back(statement: Statement, name: str, state: State, use: Span = NO_SPAN) -> State:
    """The state where the functions that a statement writes down may have run, up to a place in
    it."""
    for closure in closures(statement):
        before = use == NO_SPAN or ends_before(closure.function, use)
        if before and name in closure.mentions and not _hides(closure, name):
            state = join([state, *_in_closure(closure, name, state)])
    return state


def item_changes(
    statement: Statement,
    name: str,
    changes: Callable[[tuple[Statement, ...], str], tuple[Mutation, ...]],
) -> tuple[Mutation, ...]:
    """What a function that a method of a list is given for each item does to the items of what a
    name holds: `rows.forEach((row) => { row.total = 1; })`. `changes` tells what a body does to its
    parameter."""
    found: list[Mutation] = []
    for closure in closures(statement):
        given = _list_of_items(closure, name)
        if given is None:
            continue
        path, is_whole = given
        body, item = closure.function.body or (), closure.function.params[0].name
        inside = [*changes(body, item)]
        if body and isinstance(last := body[-1], Return) and last.value is not None:
            inside += call_mutations(last.value, item)
        found += (
            replace(
                m,
                path=(*path, EVERY_ITEM, *m.path),
                inside=(closure, *m.inside),
                conditional=m.conditional or not is_whole,
            )
            for m in inside
        )
    return tuple(found)


def _list_of_items(closure: Closure, name: str) -> tuple[tuple[PathKey, ...], bool] | None:
    """The keys that lead from what a name holds to the list whose items a function is given, and
    whether it is given all; None where it is given something else."""
    params = closure.function.params
    match closure.call:
        case Call(callee=Attribute(value=walked, name=method), args=[first, *_]) if (
            method in EACH and params and params[0].pattern is None
        ):
            if not isinstance(first.value, Lambda) or first.value.function is not closure.function:
                return None
        case _:
            return None
    is_whole = True
    while isinstance(walked, Call) and isinstance(walked.callee, Attribute):
        if walked.callee.name not in _SAME_ITEMS | _SOME_ITEMS:
            return None
        is_whole = is_whole and walked.callee.name in _SAME_ITEMS
        walked = walked.callee.value
    path = path_to(walked, name)
    return None if path is None else (path, is_whole)


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
