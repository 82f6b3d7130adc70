"""What an item of a scope contract names: a file, an endpoint, an event, or a name; and whether
contracts can be kept all at once by what their items name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from contract_scan.scopes.contract import Item, ScopeContract, ScopeContractError, checked_set
from contract_scan.scopes.paths import covers, is_pattern

Kind: TypeAlias = Literal["file", "pattern", "endpoint", "event", "type", "name"]

_METHODS: Final = "GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE"
_ENDPOINT: Final = re.compile(rf"(?:endpoint:?\s+)?({_METHODS})\s+(/\S*)", re.IGNORECASE)
_EVENT: Final = re.compile(r"(?:event|channel|topic):?\s+(\S+)", re.IGNORECASE)
_PROVIDER: Final = re.compile(r"(?<!\s)\s++from\s++`?([a-z0-9]++(?>(?:-[a-z0-9]++)*))`?$")
_REMARK: Final = re.compile(r"(?<!\s)\s++(?:#|\(|—|–|--).*", re.DOTALL)
_FILE: Final = re.compile(r"\.{0,2}/?(?:[\w.@+*?\[\]{}()-]+/+)*[\w.@+*?\[\]{}()-]*")
_PARAMETER: Final = re.compile(r"\{[^{}]*+\}|(?<=/):\w+")
_SUFFIX: Final = re.compile(r"\.[a-z][a-z0-9]{0,7}$")
_NAME: Final = re.compile(
    r"(?:(?:(type|class|interface|model|schema)|function|migration|table):?\s+)?(\S+)\s*",
    re.IGNORECASE,
)


class NamedItem(Struct, frozen=True):
    """What an item names."""

    kind: Kind
    name: str
    """A path relative to the root, with `/`; `GET /orders/{id}`; an address; a name; for prose the
    whole text."""
    provider: str = ""
    """The sibling that it comes from, where the item says so (`… from backend-api`)."""


def named_by(item: Item, path: str = "") -> NamedItem:
    """What an item names, without what is remarked behind it.

    Raises ScopeContractError for a file outside of the root.
    """
    text = item.text.strip()
    found = _PROVIDER.search(text)
    provider = found[1] if found else ""
    text = text[: found.start()] if found else text
    if endpoint := _ENDPOINT.match(text.replace("`", "")):
        return NamedItem(
            "endpoint", f"{endpoint[1].upper()} {endpoint[2].rstrip(':;,.')}", provider
        )
    if event := _EVENT.fullmatch(text.replace("`", "")):
        return NamedItem("event", event[1], provider)
    bare = _without_remark(text)
    if _is_file(bare, marked=text.startswith("`")):
        kind: Kind = "pattern" if is_pattern(bare) or bare.endswith("/") else "file"
        return NamedItem(kind, path_in_root(bare, path, item.line), provider)
    name = _NAME.fullmatch(bare)
    if name is None:
        return NamedItem("name", text, provider)
    return NamedItem("type" if name[1] else "name", name[2], provider)


def key_of(named: NamedItem) -> tuple[str, str]:
    """What two items have in common that name the same. Files and patterns of one spelling are one,
    and so are endpoints whatever their parameters are called, and names whether they are said to
    be types."""
    name = without_parameter_names(named.name) if named.kind == "endpoint" else named.name
    return {"pattern": "file", "type": "name"}.get(named.kind, named.kind), name


def without_parameter_names(endpoint: str) -> str:
    """`GET /orders/{}` for `GET /orders/{id}` and `GET /orders/:id`."""
    return _PARAMETER.sub("{}", endpoint)


def path_in_root(file: str, path: str = "", line: int = 0) -> str:
    """A path relative to the root, in one spelling; a folder means everything in it.

    Raises ScopeContractError where it leads out of the root.
    """
    folder = file.endswith("/")
    normal = posixpath.normpath(file)
    if normal.startswith(("/", "..")) or normal == ".":
        raise ScopeContractError(
            f"{file!r:.120} must be a path in the repository, relative to its root", path, line
        )
    return f"{normal}/**" if folder else normal


def check_consistency(contracts: Sequence[ScopeContract], path: str = "") -> None:
    """Raise ScopeContractError, with the line, for contracts that cannot hold together: those that
    `checked_set` refuses, a path that leads out of the repository, a file that two scopes deliver,
    and one that a scope delivers and must not modify."""
    checked_set(contracts, path)
    for contract in contracts:
        for item in chain(contract.exports, contract.imports):
            named_by(item, path)  # raises for a path that leads out
    owners: dict[str, tuple[ScopeContract, Item]] = {}
    for contract in contracts:
        shared = [named.name for _, named in _items_with_names(contract.shared_files, path)]
        for item, named in _items_with_names(contract.deliverables, path):
            if named.kind not in _FILES:
                continue
            owner, first = owners.setdefault(named.name, (contract, item))
            if owner is not contract:
                raise ScopeContractError(
                    f"{item.text} is a deliverable of `{owner.scope_id}` in line {first.line} as "
                    "well; leave it to one, and list it in `shared_files` of the other",
                    path,
                    item.line,
                )
            if any(covers(pattern, named.name) or pattern == named.name for pattern in shared):
                raise ScopeContractError(
                    f"{item.text} is a deliverable of `{contract.scope_id}` and in its "
                    "`shared_files`, so that it must not be modified; take it out of one",
                    path,
                    item.line,
                )


# Private helpers

_FILES: Final = ("file", "pattern")


def _items_with_names(found: Sequence[Item], path: str) -> Iterator[tuple[Item, NamedItem]]:
    return ((item, named_by(item, path)) for item in found)


def _without_remark(text: str) -> str:
    if text.startswith("`") and "`" in text[1:]:
        return text[1:].partition("`")[0]
    return _REMARK.sub("", text).strip()


def _is_file(text: str, *, marked: bool) -> bool:
    """Blanks are in names of files only where code marks say where the name ends."""
    if _FILE.fullmatch(text.replace(" ", "") if marked else text) is None:
        return False
    return "/" in text or _SUFFIX.search(text) is not None
