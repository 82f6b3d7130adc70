"""Scope contracts from a PREPARE output: ids, deliverables, interfaces, owners of shared files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from contract_scan.scopes.contract import (
    Item,
    ScopeContract,
    ScopeContractError,
    checked_scope_id,
    items,
)
from contract_scan.scopes.items import NamedItem, key_of, named_by
from contract_scan.scopes.paths import covers, is_pattern, may_overlap
from contract_scan.scopes.preparation import Preparation, PreparedFile, PreparedScope

_WORD: Final = re.compile(r"[a-z0-9]+")
_MARKED: Final = re.compile(r"`([^`\n]+)`")
_WORDS_OF_AN_ID: Final = 3


class Note(Struct, frozen=True):
    """Something that whoever confirms the boundaries has to decide, or should know."""

    message: str
    line: int = 0


class Division(Struct, frozen=True):
    """A feature that was divided."""

    feature: str
    contracts: tuple[ScopeContract, ...]
    notes: tuple[Note, ...] = ()


def divide(preparation: Preparation, path: str = "") -> Division:
    """Contracts for the scopes of a PREPARE output, and what could not be decided.

    A file that several scopes change belongs to the one that changes most of it, and to the first
    of those that change as much; the others must not modify it. What a scope uses is imported from
    the sibling that provides or produces it. Conventions go to every scope. Raises
    ScopeContractError for two scopes of one id.
    """
    notes: list[Note] = []
    ids = _ids(preparation.scopes, path)
    owners = _owners(preparation.scopes, ids, notes)
    interfaces = _interfaces(preparation.scopes, ids, notes, path)
    contracts = []
    for scope, scope_id in zip(preparation.scopes, ids, strict=True):
        files = dict.fromkeys(file.path for file in scope.files)
        own = [file for file in files if owners.get(file, scope_id) == scope_id]
        shared = [file for file in files if owners.get(file, scope_id) != scope_id]
        shared += [
            file
            for file, owner in owners.items()
            if owner != scope_id
            and file not in files
            and any(is_pattern(pattern) and covers(pattern, file) for pattern in own)
        ]
        exports, imports = interfaces[scope_id]
        contracts.append(
            ScopeContract(
                name=scope.name,
                scope_id=scope_id,
                deliverables=(*items(own), *scope.artifacts),
                exports=exports,
                imports=imports,
                shared_files=items(dict.fromkeys(shared)),
                conventions=preparation.conventions,
                line=scope.line,
            )
        )
    return Division(preparation.feature, tuple(contracts), tuple(notes))


def _ids(scopes: Sequence[PreparedScope], path: str) -> list[str]:
    found: dict[str, PreparedScope] = {}
    for scope in scopes:
        words = _WORD.findall(" ".join(item.text for item in scope.keywords).lower())
        words = words or _WORD.findall(scope.name.lower())
        scope_id = scope.id or "-".join(dict.fromkeys(words[:_WORDS_OF_AN_ID]))
        if not scope_id:
            raise ScopeContractError(
                f"no id can be made of the name {scope.name!r:.60}; give the scope an `id`",
                path,
                scope.line,
            )
        other = found.setdefault(checked_scope_id(scope_id, path, scope.line), scope)
        if other is not scope:
            raise ScopeContractError(
                f"the scope_id `{scope_id}` is that of the scope in line {other.line}, too; give "
                "one of them another `id`",
                path,
                scope.line,
            )
    return [*found]


def _owners(
    scopes: Sequence[PreparedScope], ids: Sequence[str], notes: list[Note]
) -> dict[str, str]:
    """File or pattern -> the scope that may modify it."""
    claims: dict[str, dict[str, PreparedFile]] = defaultdict(dict)
    for scope, scope_id in zip(scopes, ids, strict=True):
        for file in scope.files:
            known = claims[file.path].get(scope_id)
            if known is None or known.change < file.change:
                claims[file.path][scope_id] = file
    owners: dict[str, str] = {}
    for path, claimed in claims.items():
        most = max(file.change for file in claimed.values())
        first, *equal = [scope for scope, file in claimed.items() if file.change == most]
        owners[path] = first
        if equal:
            names = ", ".join(f"`{one}`" for one in (first, *equal))
            notes.append(
                Note(
                    f"{path} is changed as much by {names}; it was given to `{first}`",
                    claimed[first].line,
                )
            )
    notes += _overlaps(claims, owners)
    return owners


def _overlaps(claims: dict[str, dict[str, PreparedFile]], owners: dict[str, str]) -> Iterator[Note]:
    """Patterns of two scopes that may mean the same file: nobody can say who owns it."""
    patterns = [path for path in owners if is_pattern(path)]
    for position, one in enumerate(patterns):
        for other in patterns[position + 1 :]:
            if owners[one] != owners[other] and may_overlap(one, other):
                yield Note(
                    f"{one} of `{owners[one]}` and {other} of `{owners[other]}` may mean the same "
                    "files; name the files that both change",
                    claims[other][owners[other]].line,
                )


def _interfaces(
    scopes: Sequence[PreparedScope], ids: Sequence[str], notes: list[Note], path: str
) -> dict[str, tuple[tuple[Item, ...], tuple[Item, ...]]]:
    """What each scope exports and imports."""
    providers: dict[tuple[str, str], dict[str, Item]] = defaultdict(dict)
    for scope, scope_id in zip(scopes, ids, strict=True):
        for item in (*scope.provides, *scope.artifacts):
            providers[key_of(named_by(item, path))].setdefault(scope_id, item)
    exports: dict[str, dict[tuple[str, str], Item]] = {
        scope_id: {key_of(named_by(item, path)): item for item in scope.provides}
        for scope, scope_id in zip(scopes, ids, strict=True)
    }
    imports: dict[str, dict[tuple[str, str], Item]] = {scope_id: {} for scope_id in ids}
    for scope, scope_id in zip(scopes, ids, strict=True):
        for item, certain in _used_items(scope):
            named = named_by(item, path)
            key = key_of(named)
            siblings = [one for one in providers.get(key, {}) if one != scope_id]
            if named.provider:
                siblings = [one for one in siblings if one == named.provider]
            if not siblings and not certain:
                continue
            if len(siblings) == 1:
                (provider,) = siblings
                exports[provider].setdefault(key, providers[key][provider])
                imports[scope_id][key] = Item(
                    f"{_without_provider(item, named)} from {provider}", item.line
                )
                continue
            imports[scope_id].setdefault(key, item)
            notes.append(Note(_undecided_provider(scope_id, named, siblings), item.line))
    return {
        scope_id: (tuple(exports[scope_id].values()), tuple(imports[scope_id].values()))
        for scope_id in ids
    }


def _used_items(scope: PreparedScope) -> Iterator[tuple[Item, bool]]:
    """What a scope uses, and whether it says so in as many words."""
    yield from ((item, True) for item in scope.uses)
    for note in scope.notes:
        yield from ((Item(name, note.line), False) for name in _MARKED.findall(note.text))


def _without_provider(item: Item, named: NamedItem) -> str:
    """The item without the provider that it names."""
    return item.text.rpartition(" from ")[0] if named.provider else item.text


def _undecided_provider(scope_id: str, named: NamedItem, siblings: Sequence[str]) -> str:
    if not siblings:
        provider = (
            f"`{named.provider}` does not provide it"
            if named.provider
            else ("no sibling provides it")
        )
        return f"`{scope_id}` uses {named.name}, but {provider}"
    names = " and ".join(f"`{one}`" for one in siblings)
    return f"`{scope_id}` uses {named.name}, which {names} provide; write `from {siblings[0]}`"
