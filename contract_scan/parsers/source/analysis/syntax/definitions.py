"""What a local name may have been given where ways through a function meet."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.effects import (
    COUNTED_ITEM,
    Definition,
    Mutation,
    WalkedEntry,
)
from contract_scan.parsers.source.analysis.syntax.side_effects import (
    MEMBER_SETTING,
    is_of_item,
    keys_left,
)
from contract_scan.parsers.source.facts.nodes import Assign, Expr, LiteralExpr, ObjectLiteral

_SITE = attrgetter("span", "key")
"""What tells one change from another: a loop that is written out makes several at one place."""

State: TypeAlias = tuple[Definition, ...]
"""The definitions of one name that may hold at a place."""


def with_mutations(state: State, mutations: tuple[Mutation, ...]) -> State:
    """The state after changes of the object that the name holds."""
    if not mutations:
        return state
    return tuple(replace(d, mutations=(*d.mutations, *mutations)) for d in state)


def with_counted_items(state: State, passed: State) -> State:
    """The state after a loop, with what each pass of it does under a computed key noted as done to
    each item, if it is a list: `for (let i = 0; i < rows.length; i++) rows[i].total = 1`."""
    certain = {
        (m.span, m.key)
        for d in passed
        for m in d.mutations
        if m.path[:1] == (None,) and not m.conditional
    }
    if not certain:
        return state
    return tuple(
        replace(
            d,
            mutations=tuple(
                replace(m, path=(COUNTED_ITEM, *m.path[1:]), conditional=False)
                if m.path[:1] == (None,) and (m.span, m.key) in certain
                else m
                for m in d.mutations
            ),
        )
        for d in state
    )


def with_walked_entries(state: State, passed: State, entry: WalkedEntry) -> State:
    """The state after a loop over all entries of an object, with what each pass of it does under
    the key that it has come to noted as done under all: `for key in data: data[key] = 1`."""
    of_pass = {_SITE(m): m for d in passed for m in d.mutations if is_of_item(m, entry.key)}
    return tuple(
        replace(
            d,
            mutations=tuple(
                replace(m, conditional=own.conditional, condition=own.condition, walked=entry)
                if (own := of_pass.get(_SITE(m))) is not None
                else m
                for m in d.mutations
            ),
        )
        for d in state
    )


def join(states: list[State]) -> State:
    """Union of states; mutations that not every state has become conditional."""
    versions: dict[int, list[Definition]] = {}
    for state in states:
        for definition in state:
            versions.setdefault(id(definition.statement), []).append(definition)
    return tuple(map(_join_versions, versions.values()))


_sites_of_last: dict[int, tuple[tuple[Mutation, ...], set[object]]] = {}
"""The changes that were merged last, with what `_SITE` gives for them, by identity of the tuple.
A body of n changes is merged n times for each place in it, each time with what was merged before
in front. An entry is taken out by whoever uses it."""


def _mutation_sites(mutations: tuple[Mutation, ...]) -> set[object]:
    """What `_SITE` gives for changes, for the caller to add to."""
    merged, sites = _sites_of_last.pop(id(mutations), ((), set()))
    return sites if merged is mutations else set(map(_SITE, mutations))


def _join_versions(versions: list[Definition]) -> Definition:
    # What all have from before is what most of a long body has, and is not gone through again.
    before = min(common_prefix_length(versions[0].mutations, other.mutations) for other in versions)
    first = versions[0].mutations[:before]
    later = [version.mutations[before:] for version in versions]
    # Of a key that every way sets, the first one stands for what was there before.
    certain = [{_SITE(m) for m in mutations if not m.conditional} for mutations in later]
    common = set.intersection(*certain)
    covered = set.intersection(
        *(keys_left(m for m in mutations if _SITE(m) not in common) for mutations in later)
    )
    if covered:
        first, later = (), [version.mutations for version in versions]
        common |= {_SITE(m) for m in versions[0].mutations[:before] if not m.conditional}
    everywhere = set.intersection(*({_SITE(m) for m in mutations} for mutations in later))
    known = _mutation_sites(first) if any(later) else set()
    mutations = list(first)
    for mutation in chain.from_iterable(later):
        site = _SITE(mutation)
        if site in known:
            continue
        known.add(site)
        if site in common:
            mutations.append(replace(mutation, conditional=False))
            continue
        is_set = mutation.kind in MEMBER_SETTING and not mutation.path
        if is_set and mutation.key in covered:
            covered.discard(mutation.key)
            mutations.append(replace(mutation, conditional=False))
            continue
        # One test alone no longer tells it where another one stands around that.
        further = mutation.conditional and site not in everywhere
        where = None if further else mutation.condition
        mutations.append(replace(mutation, conditional=True, condition=where))
    merged = tuple(mutations)
    if known:
        _sites_of_last.clear()
        _sites_of_last[id(merged)] = (merged, known)
    return Definition(
        versions[0].statement,
        versions[0].target,
        merged,
        all(version.present for version in versions),
        all(version.absent for version in versions),
        tuple(pair for pair in versions[0].tests if all(_is_tested_by(v, pair) for v in versions)),
        versions[0].inside,
        truthy=all(version.truthy for version in versions),
    )


def gives_null(definition: Definition) -> bool:
    """Whether a definition is `x = None`."""
    statement = definition.statement
    if not isinstance(statement, Assign) or definition.target is not None:
        return False
    return isinstance(statement.value, LiteralExpr) and statement.value.value is None


def gives_nothing(definition: Definition) -> bool:
    """Whether a definition is `x = {}` and nothing is put into that: a beginning that something
    else is meant to take the place of."""
    statement = definition.statement
    if not isinstance(statement, Assign) or definition.target is not None or statement.operator:
        return False
    bare = isinstance(statement.value, ObjectLiteral) and not statement.value.entries
    return bare and not definition.mutations


def common_prefix_length(one: tuple[Mutation, ...], other: tuple[Mutation, ...]) -> int:
    """How many mutations two states have in common before they differ."""
    shorter = min(len(one), len(other))
    if one[:shorter] == other[:shorter]:  # by identity, without a step of Python for each
        return shorter
    return next(i for i in range(shorter) if one[i] is not other[i])


def _is_tested_by(definition: Definition, pair: tuple[Expr, bool]) -> bool:
    return any(test is pair[0] and holds is pair[1] for test, holds in definition.tests)
