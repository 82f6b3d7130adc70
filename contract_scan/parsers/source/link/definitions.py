"""What a local name may have been given where ways through a function meet."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.facts import Assign, Define, Expr, Loop
from contract_scan.parsers.source.link.closures import Closure
from contract_scan.parsers.source.link.mutations import Mutation, keys_left


class Definition(Struct, frozen=True, eq=False):
    """One assignment (or loop variable, or local function or class) that gives a name its value."""

    statement: Assign | Loop | Define
    target: Expr | None = None
    """The pattern inside the target that names it, where the target is a pattern."""
    mutations: tuple[Mutation, ...] = ()
    present: bool = False
    """A test has said that the value is not null."""
    absent: bool = False
    """A test has said that the value is null, or counts as false."""
    tested: tuple[tuple[Expr, bool], ...] = ()
    """Tests that have held (or failed) since, of which some ask more than whether it is null."""
    inside: tuple[Closure, ...] = ()
    """The functions that it stands in, as of a mutation."""
    beside: tuple[tuple[str, Definition], ...] = ()
    """What tests before the place have said of other names that the same value was taken apart
    into."""
    doubtful: bool = False
    """It sets null, of which it is not known whether it is ever left at the place."""


State: TypeAlias = tuple[Definition, ...]
"""The definitions of one name that may hold at a place."""


def mutated(state: State, mutations: tuple[Mutation, ...]) -> State:
    """The state after changes of the object that the name holds."""
    if not mutations:
        return state
    return tuple(replace(d, mutations=(*d.mutations, *mutations)) for d in state)


def join(states: list[State]) -> State:
    """Union of states; mutations that not every state has become conditional."""
    order: list[Definition] = []
    for state in states:
        for definition in state:
            if not any(definition.statement is known.statement for known in order):
                order.append(definition)
    joined = []
    for first in order:
        versions = [
            definition
            for state in states
            for definition in state
            if definition.statement is first.statement
        ]
        joined.append(_merged(versions))
    return tuple(joined)


def _merged(versions: list[Definition]) -> Definition:
    certain = [{m.span for m in v.mutations if not m.conditional} for v in versions]
    common = set.intersection(*certain)
    # Of a key that every way sets, the first one stands for what was there before.
    covered = set.intersection(
        *(keys_left(m for m in v.mutations if m.span not in common) for v in versions)
    )
    mutations: list[Mutation] = []
    for mutation in (m for version in versions for m in version.mutations):
        if any(mutation.span == known.span for known in mutations):
            continue
        if mutation.span in common:
            mutations.append(replace(mutation, conditional=False))
            continue
        if mutation.kind == "set" and mutation.key in covered and not mutation.path:
            covered.discard(mutation.key)
            mutations.append(replace(mutation, conditional=False))
            continue
        # One test alone no longer tells it where another one stands around that.
        further = mutation.conditional and not all(
            any(mutation.span == other.span for other in v.mutations) for v in versions
        )
        where = None if further else mutation.where
        mutations.append(replace(mutation, conditional=True, where=where))
    return Definition(
        versions[0].statement,
        versions[0].target,
        tuple(mutations),
        all(version.present for version in versions),
        all(version.absent for version in versions),
        tuple(pair for pair in versions[0].tested if all(_said(v, pair) for v in versions)),
        versions[0].inside,
    )


def _said(definition: Definition, pair: tuple[Expr, bool]) -> bool:
    return any(test is pair[0] and holds is pair[1] for test, holds in definition.tested)
