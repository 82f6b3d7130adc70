"""Alternatives (`oneOf`, `anyOf`): which belong together, which are gone, which are new."""

from __future__ import annotations

from typing import NamedTuple

from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.wire_contract import Fact, SchemaKey, WireSchema
from contract_scan.scanners.changes.schemas.site import Pair, Site
from contract_scan.scanners.changes.schemas.words import is_any, is_pure_choice, type_text

_LARGEST_CHOICE = 4_096
"""Pairs of unnamed alternatives that are compared with each other to find out which belong
together."""


class _Options(NamedTuple):
    """The alternatives of one choice."""

    keys: tuple[SchemaKey, ...]
    names: tuple[str, ...]
    origin: Origin


def is_choice_on_one_side(site: Site) -> bool:
    """Whether one side is nothing but a choice and the other one is no choice at all."""
    base, revision = site.base, site.revision
    if is_any(base) or is_any(revision):
        return False
    return (is_pure_choice(base) and not revision.alternatives) or (
        is_pure_choice(revision) and not base.alternatives
    )


def compare_choice(site: Site, base: WireSchema, revision: WireSchema) -> None:
    """A schema without a choice is a choice of one."""
    _options(site, _options_of(base), _options_of(revision))


def compare_choices(site: Site) -> None:
    """Compare the choices that both sides have, and say which are new or gone."""
    base, revision = site.base.alternatives, site.revision.alternatives
    for old, new in zip(base, revision, strict=False):
        _options(
            site,
            _Options(old.options, old.names, old.origin),
            _Options(new.options, new.names, new.origin),
        )
        if old.exclusive != new.exclusive and len(old.options) > 1 and len(new.options) > 1:
            kind = "choice-became-exclusive" if new.exclusive else "choice-no-longer-exclusive"
            site.add(kind, old.origin, new.origin)
    for old in base[len(revision) :]:
        site.add("choice-removed", old.origin, before=", ".join(filter(None, old.names)))
    for new in revision[len(base) :]:
        site.add("choice-added", NOWHERE, new.origin, after=", ".join(filter(None, new.names)))
    _discriminator(site)


def _options(site: Site, base: _Options, revision: _Options) -> None:
    left_base, left_revision = _pair_options(site, base, revision)
    few = len(base.keys) * len(revision.keys) <= _LARGEST_CHOICE
    for index in left_base:
        key = base.keys[index]
        covered = few and any(
            not site.comparison.effects(Pair(key, other), site.direction) & {"narrowed", "changed"}
            for other in revision.keys
        )
        if not covered:
            schema = site.comparison.base[key]
            text = base.names[index] or type_text(schema)
            site.add("alternative-removed", schema.origin, revision.origin, before=text)
    for index in left_revision:
        key = revision.keys[index]
        covered = few and any(
            not site.comparison.effects(Pair(other, key), site.direction) & {"widened", "changed"}
            for other in base.keys
        )
        if not covered:
            schema = site.comparison.revision[key]
            text = revision.names[index] or type_text(schema)
            site.add("alternative-added", base.origin, schema.origin, after=text)


def _pair_options(site: Site, base: _Options, revision: _Options) -> tuple[list[int], list[int]]:
    """Pair the options that belong together; the indexes of those that are left."""
    left_base = list(range(len(base.keys)))
    left_revision = list(range(len(revision.keys)))

    def pair(old: int, new: int) -> None:
        left_base.remove(old)
        left_revision.remove(new)
        site.compare_child("", base.keys[old], revision.keys[new])

    by_name = {name: index for index, name in enumerate(revision.names) if name}
    for old in tuple(left_base):
        new = by_name.get(base.names[old], -1) if base.names[old] else -1
        if new in left_revision:
            pair(old, new)
    if len(left_base) * len(left_revision) > _LARGEST_CHOICE:
        return left_base, left_revision
    for old in tuple(left_base):
        for new in tuple(left_revision):
            if not site.changes(Pair(base.keys[old], revision.keys[new])):
                pair(old, new)
                break
    for old in tuple(left_base):
        ranked = [
            (
                _similarity(_base_option(site, base, old), _revision_option(site, revision, new)),
                -new,
            )
            for new in left_revision
        ]
        best = max(ranked, default=(0.0, 0))
        if best[0] >= 0.5:
            pair(old, -best[1])
    return left_base, left_revision


def _base_option(site: Site, options: _Options, index: int) -> WireSchema:
    return site.comparison.base[options.keys[index]]


def _revision_option(site: Site, options: _Options, index: int) -> WireSchema:
    return site.comparison.revision[options.keys[index]]


def _discriminator(site: Site) -> None:
    base, revision = site.base, site.revision
    site.fact("discriminator", base.discriminator, revision.discriminator)
    if base.discriminator is None or revision.discriminator is None:
        return
    noun = "discriminator-value"
    for value, old in base.mapping.items():
        new = revision.mapping.get(value)
        if new is None:
            site.add(f"{noun}-removed", old.origin, before=value)
    for value, new in revision.mapping.items():
        if value not in base.mapping:
            site.add(f"{noun}-added", NOWHERE, new.origin, after=value)
        elif _leads_elsewhere(site, base.mapping[value], new):
            before, after = base.mapping[value].text, new.text
            site.add(f"{noun}-changed", base.mapping[value].origin, new.origin,
                      before=f"{value}: {before}", after=f"{value}: {after}")  # fmt: skip


def _leads_elsewhere(site: Site, before: Fact, after: Fact) -> bool:
    """Whether a value stands for another schema, not only for one with another name."""
    if before.text == after.text:
        return False
    old = [
        key
        for one in site.base.alternatives
        for key, name in zip(one.options, one.names, strict=True)
        if name == before.text
    ]
    new = [
        key
        for one in site.revision.alternatives
        for key, name in zip(one.options, one.names, strict=True)
        if name == after.text
    ]
    return not (old and new and not site.changes(Pair(old[0], new[0])))


def _options_of(schema: WireSchema) -> _Options:
    if schema.alternatives:
        only = schema.alternatives[0]
        return _Options(only.options, only.names, only.origin)
    return _Options((schema.key,), (schema.name,), schema.origin)


def _similarity(base: WireSchema, revision: WireSchema) -> float:
    """How likely one schema is a later version of another: 0 to 1."""
    if base.types != revision.types:
        return 0.0
    names, others = set(base.properties), set(revision.properties)
    if not names and not others:
        return 0.5 if base.types is not None and not base.types <= {"object"} else 0.0
    return len(names & others) / len(names | others)
