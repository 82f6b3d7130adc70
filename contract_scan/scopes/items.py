"""What an item of a scope contract names: a file, an endpoint, an event, or a name."""

from __future__ import annotations

import posixpath
import re
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from contract_scan.scopes.contract import Item, ScopeContractError
from contract_scan.scopes.paths import is_pattern

Kind: TypeAlias = Literal["file", "pattern", "endpoint", "event", "type", "name"]

_METHODS: Final = "GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE"
_ENDPOINT: Final = re.compile(rf"(?:endpoint:?\s+)?({_METHODS})\s+(/\S*)", re.IGNORECASE)
_EVENT: Final = re.compile(r"(?:event|channel|topic):?\s+(\S+)", re.IGNORECASE)
_PROVIDER: Final = re.compile(r"(?<!\s)\s++from\s++`?([a-z0-9]++(?:-[a-z0-9]++)*+)`?$")
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
        return NamedItem(kind, inside(bare, path, item.line), provider)
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


def inside(file: str, path: str = "", line: int = 0) -> str:
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


def _without_remark(text: str) -> str:
    if text.startswith("`") and "`" in text[1:]:
        return text[1:].partition("`")[0]
    return _REMARK.sub("", text).strip()


def _is_file(text: str, *, marked: bool) -> bool:
    """Blanks are in names of files only where code marks say where the name ends."""
    if _FILE.fullmatch(text.replace(" ", "") if marked else text) is None:
        return False
    return "/" in text or _SUFFIX.search(text) is not None
