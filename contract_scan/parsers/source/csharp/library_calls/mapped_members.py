"""What AutoMapper and Mapster fill of the members that hold objects: what they find in the member
of the same name, or where a profile says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.analysis.typing.assigned_members import instance_member
from contract_scan.parsers.source.csharp.library_calls.mapping_profiles import (
    Rules,
    rules_between,
    sources_of,
)
from contract_scan.parsers.source.csharp.serialization.navigations import (
    class_within,
    is_entity,
    navigation,
    navigations,
)

_DEEPEST = 6
"""How deep members are followed."""
_CONFIGURED = re.compile(rb"\.Map\(\s{0,99}\w{1,99}\s{0,9}=>\s{0,9}\w{1,99}!?\.(\w{1,99})\s{0,9},")
"""A member of which Mapster is told: `config.Map(dto => dto.Lines, …)`."""


def mapped_view(program: Program, made: ClassSymbol, source: ClassSymbol | None, view: str) -> str:
    """The view of an object that a mapper makes of another one with a view: of an entity, what a
    query has not loaded is in none of its members; an entity itself is filled with what the other
    one has."""
    if source is None:
        return ""
    if is_entity(program, made):
        if is_entity(program, source):
            return ""
        filled = _filled_paths(program, made, source, (made.key,))
        return "" if filled is None else loaded_relations.view(filled, "plain")
    if not view or not is_entity(program, source):
        return ""
    unfilled = tuple(_unfilled_paths(program, made, source, view, _DEEPEST))
    return loaded_relations.view(unfilled, "open") if unfilled else ""


def source_of_member(program: Program, made: ClassSymbol, names: list[str]) -> ClassSymbol | None:
    """The entity that a member of a mapped object is made of; None where several may be."""
    for position, name in enumerate(names):
        found = instance_member((made, *program.bases(made)), name)
        rules = sources_of(program, made)
        if found is None or len(rules) != 1:
            return None
        if position == len(names) - 1:
            target = rules[0].source
            for part in _path_to(rules[0], name).split("."):
                inner = navigation(program, target, part)
                if inner is None:
                    return None
                target = inner
            return target
        inside = class_within(program, found[1].type, program.class_scope(found[0]))
        if inside is None:
            return None
        made = inside
    return None


def _path_to(rules: Rules | None, name: str) -> str:
    """The path of what a member is made of; empty: it is undetermined, or nothing."""
    if rules is None:
        return name
    if name in rules.ignored:
        return ""
    return rules.told.get(name, name) or ""


def _unfilled_paths(
    program: Program, made: ClassSymbol, source: ClassSymbol, view: str, depth: int
) -> Iterator[str]:
    """The members of an object made of an entity that hold what no query has loaded."""
    rules = rules_between(program, source, made)
    if (rules is not None and not rules.is_plain) or not depth or not view:
        return
    for name, inside in sorted(_members(program, made).items()):
        if rules is None and name in _configured_members(program):
            continue
        target, left = source, view
        for part in _path_to(rules, name).split("."):
            end = navigation(program, target, part)
            loaded = loaded_relations.is_loaded(left, part)
            if end is None or loaded is None:
                break
            if not loaded:
                yield f"{name}-"
                break
            target, left = end, loaded_relations.nested_view(left, part)
        else:
            if inside is not None:
                inner = _unfilled_paths(program, inside, target, left, depth - 1)
                yield from (f"{name}.{path}" for path in inner)


def _filled_paths(
    program: Program, made: ClassSymbol, source: ClassSymbol, around: tuple[str, ...]
) -> set[str] | None:
    """The navigations of an entity that are filled from another object; None where that is
    undetermined."""
    rules = rules_between(program, source, made)
    if rules is not None and not rules.is_plain:
        return None
    given = _members(program, source)
    found: set[str] = set()
    for name, target in navigations(program, made).items():
        path = _path_to(rules, name)
        if not path or path not in given:
            if (path and path != name) or (rules is not None and name in rules.told):
                found.add(f"{name}*")
            continue
        inside = given[path]
        inner = None
        if inside is not None and target.key not in around and len(around) < _DEEPEST:
            inner = _filled_paths(program, target, inside, (*around, target.key))
        found |= {f"{name}*"} if inner is None else {name, *(f"{name}.{one}" for one in inner)}
    return found


def _members(program: Program, symbol: ClassSymbol) -> dict[str, ClassSymbol | None]:
    """The members of a class, with the classes of the project that they hold objects of."""
    found: dict[str, ClassSymbol | None] = {}
    for owner in (symbol, *program.bases(symbol)):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if "static" not in member.modifiers and member.name not in found:
                found[member.name] = class_within(program, member.type, scope)
    return found


@memoised
def _configured_members(program: Program) -> frozenset[str]:
    return frozenset(
        name.decode()
        for path in program.files_containing(b".Map(")
        for name in program.files.find(path, _CONFIGURED)
    )
