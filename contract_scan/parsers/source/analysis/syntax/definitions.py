"""What a local name may have been given where ways through a function meet."""

from __future__ import annotations

from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.effects import Definition, Mutation
from contract_scan.parsers.source.analysis.syntax.side_effects import keys_left
from contract_scan.parsers.source.facts import Expr

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
