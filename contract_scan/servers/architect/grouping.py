"""Which services there are where the document names none: by aggregate, or by prefix of endpoints;
and what limits do to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from contract_scan.errors import UsageError
from contract_scan.servers.architect.endpoints import DescribedEndpoint, first_segment
from contract_scan.servers.architect.names import kebab, key_of
from contract_scan.servers.architect.records import Entity, Issue, Relation, Service

Strategy: TypeAlias = Literal["auto", "named", "aggregate", "endpoint_prefix"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)
DEFAULT_MAX_SERVICES = 20
MOST_SERVICES = 200
"""The largest `max_services`."""


class Limits(Struct, frozen=True):
    """How many services there may be, and how small."""

    max_services: int = DEFAULT_MAX_SERVICES
    min_entities: int = 1


class Grouping(Struct, frozen=True):
    """Services, and which owns which entity."""

    strategy: str
    """The one that was used: never `auto`."""
    services: tuple[Service, ...]
    owners: dict[str, dict[str, int]]
    """Entities -> the services that own them, with the line that says so."""
    issues: tuple[Issue, ...]


class _Group(Struct):
    title: str
    line: int
    entities: list[str]


def checked_strategy(strategy: str | None) -> str:
    """The strategy that was asked for, `auto` where none was. Raises UsageError."""
    wanted = (strategy or "auto").strip().lower().replace("-", "_")
    if wanted not in STRATEGIES:
        raise UsageError(
            f"there is no decomposition_strategy {wanted[:60]!r}; known are {', '.join(STRATEGIES)}"
        )
    return wanted


def checked_limits(max_services: int | None, min_entities: int | None) -> Limits:
    """The limits that were asked for. Raises UsageError."""
    most = DEFAULT_MAX_SERVICES if max_services is None else max_services
    least = 1 if min_entities is None else min_entities
    if not 1 <= most <= MOST_SERVICES:
        raise UsageError(f"max_services must be from 1 to {MOST_SERVICES}, not {most}")
    if not 0 <= least <= 1000:
        raise UsageError(f"min_entities_per_service must be from 0 to 1000, not {least}")
    return Limits(most, least)


def group(
    strategy: str,
    limits: Limits,
    named: Sequence[Service],
    owners: Mapping[str, Mapping[str, int]],
    entities: Sequence[Entity],
    relations: Sequence[Relation],
    said: Sequence[DescribedEndpoint],
) -> Grouping:
    """The services by a strategy.

    `named`: those of the document, never merged, since it names them. `aggregate`: one for each
    entity that is no part of another, with its parts. `endpoint_prefix`: one for each first segment
    of paths, with the entity that it names and that one's parts. `auto`: the first of these that
    gives any. Services that a strategy derives are merged where they are too many or too small.
    """
    if strategy == "auto":
        strategy = "named" if named else "aggregate" if entities else "endpoint_prefix"
    if strategy == "named":
        known = {name: dict(services) for name, services in owners.items()}
        return Grouping(strategy, tuple(named), known, (*_limit_issues(named, known, limits),))
    parts = _parts(entities, relations, said)
    if strategy == "aggregate":
        groups = [
            _Group(one.original_name, one.line, [one.name, *_all_parts(one.name, parts)])
            for one in entities
            if one.name not in parts
        ]
    else:
        groups = _by_prefix(entities, parts, said)
    issues = _merge(groups, limits, relations)
    services: list[Service] = []
    lines = {one.name: one.line for one in entities}
    grouped: dict[str, dict[str, int]] = {one.name: {} for one in entities}
    for position, each in enumerate(groups, start=1):
        name = kebab(f"{each.title} service", f"service-{position}")
        while any(one.name == name for one in services):
            name += "-2"
        services.append(Service(name, each.title, "", each.line, None))
        for entity in each.entities:
            grouped[entity][name] = lines[entity]
    return Grouping(strategy, tuple(services), grouped, issues)


# Private helpers


def _parts(
    entities: Sequence[Entity], relations: Sequence[Relation], said: Sequence[DescribedEndpoint]
) -> dict[str, str]:
    """Entities that are parts of another -> that one.

    A part is had by one entity, or belongs to it; nothing else refers to it, and no path begins
    with it.
    """
    addressed = {key_of(first_segment(one.operation.path)) for one in said}
    order = {one.name: position for position, one in enumerate(entities)}
    wholes: dict[str, set[str]] = {}
    belongs = {(one.subject, one.target) for one in relations if one.kind == "belongs_to"}
    for relation in relations:
        if relation.kind == "belongs_to":
            wholes.setdefault(relation.subject, set()).add(relation.target)
        elif (relation.subject, relation.target) not in belongs:
            # What belongs to another may well refer to it.
            wholes.setdefault(relation.target, set()).add(relation.subject)
    owned = {
        (one.target, one.subject) for one in relations if one.kind in ("has_many", "has_one")
    } | {(one.subject, one.target) for one in relations if one.kind == "belongs_to"}
    parts: dict[str, str] = {}
    for name in order:
        above = wholes.get(name, set()) - {name}
        if len(above) != 1 or key_of(name) in addressed:
            continue
        (whole,) = above
        if (name, whole) in owned and whole in order:
            parts[name] = whole
    return {name: whole for name, whole in parts.items() if not _is_circular(name, parts)}


def _is_circular(name: str, parts: Mapping[str, str]) -> bool:
    seen = {name}
    while (name := parts.get(name, "")) and name not in seen:
        seen.add(name)
    return bool(name)


def _all_parts(whole: str, parts: Mapping[str, str]) -> list[str]:
    found: list[str] = []
    for part in [name for name, above in parts.items() if above == whole]:
        found += [part, *_all_parts(part, parts)]
    return found


def _by_prefix(
    entities: Sequence[Entity], parts: Mapping[str, str], said: Sequence[DescribedEndpoint]
) -> list[_Group]:
    groups: dict[tuple[str, ...], _Group] = {}
    for one in said:
        segment = first_segment(one.operation.path)
        if segment:
            groups.setdefault(key_of(segment), _Group(segment, one.line, []))
    for entity in entities:
        whole = entity.name
        while key_of(whole) not in groups and whole in parts:
            whole = parts[whole]
        found = groups.get(key_of(whole))
        if found is not None:
            found.entities.append(entity.name)
    return list(groups.values())


def _merge(
    groups: list[_Group], limits: Limits, relations: Sequence[Relation]
) -> tuple[Issue, ...]:
    """Merge groups that are too small or too many into the one that each is related to most."""
    issues: list[Issue] = []
    left_alone: set[str] = set()
    while len(groups) > 1:
        small = [
            one
            for one in groups
            if len(one.entities) < limits.min_entities and one.title not in left_alone
        ]
        too_many = len(groups) > limits.max_services
        candidates = small or (groups if too_many else [])
        movable = [one for one in candidates if one.title not in left_alone]
        if not movable:
            break
        least = min(movable, key=lambda one: (len(one.entities), -one.line))
        target = _closest(least, groups, relations)
        if target is None:
            left_alone.add(least.title)
            continue
        why = (
            f"it has {_count(len(least.entities))}, fewer than {limits.min_entities}"
            if small
            else f"there were {len(groups)} services, more than {limits.max_services}"
        )
        issues.append(
            Issue(
                "services-merged",
                "info",
                f"{least.title} was merged into {target.title}: {why}",
                target.title,
                least.line,
            )
        )
        target.entities += least.entities
        groups.remove(least)
    if len(groups) > limits.max_services:
        issues.append(
            Issue(
                "too-many-services",
                "warning",
                f"{len(groups)} services remain, more than {limits.max_services}: those that are "
                "left have no relation by which to merge them",
                "",
                groups[limits.max_services].line,
            )
        )
    issues += [
        _too_few(one.title, len(one.entities), limits, one.line, is_named=False)
        for one in groups
        if len(one.entities) < limits.min_entities
    ]
    return tuple(issues)


def _closest(
    group: _Group, groups: Sequence[_Group], relations: Sequence[Relation]
) -> _Group | None:
    """The other group with the most relations to one; the first of equals."""
    inside = {*group.entities}
    best: _Group | None = None
    most = 0
    for other in groups:
        if other is group:
            continue
        theirs = {*other.entities}
        count = sum(
            (one.subject in inside and one.target in theirs)
            or (one.subject in theirs and one.target in inside)
            for one in relations
        )
        if count > most:
            best, most = other, count
    return best


def _limit_issues(
    services: Sequence[Service], owners: Mapping[str, Mapping[str, int]], limits: Limits
) -> list[Issue]:
    issues: list[Issue] = []
    if len(services) > limits.max_services:
        issues.append(
            Issue(
                "too-many-services",
                "warning",
                f"the document names {len(services)} services, more than {limits.max_services}; "
                "they are not merged, since it names them",
                "",
                services[limits.max_services].line,
            )
        )
    for service in services:
        count = sum(service.name in owned for owned in owners.values())
        if count < limits.min_entities:
            issues.append(_too_few(service.name, count, limits, service.line, is_named=True))
    return issues


def _too_few(subject: str, count: int, limits: Limits, line: int, *, is_named: bool) -> Issue:
    reason = "the document names it" if is_named else "it has no relation to another"
    return Issue(
        "too-few-entities",
        "info",
        f"{subject} owns {_count(count)}, fewer than {limits.min_entities}; it is not merged, "
        f"since {reason}",
        subject,
        line,
    )


def _count(number: int) -> str:
    return f"{number} entity" if number == 1 else f"{number} entities"
