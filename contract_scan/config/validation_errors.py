"""What is wrong with the values of a configuration, in a user's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from contract_scan.config.raw_configuration import (
    WrittenEngine,
    WrittenException,
    WrittenFile,
    WrittenLimits,
    WrittenService,
)
from contract_scan.config.toml import KeyPath
from contract_scan.config.values import LEVELS, NAMINGS, SEVERITY_SETTINGS

_UNKNOWN = re.compile(r"^Object contains unknown field `(.*?)`")
_REQUIRED = re.compile(r"^Object missing required field `(.*?)`")
_LENGTH = re.compile(r"^Expected `(.*?)` of length >= 1")
_RANGE = re.compile(r"^Expected `int` (<=|>=) (\d+)")
_EXPECTED = re.compile(r"^Expected `(.*?)`, got `(.*?)`")
_INVALID = re.compile(r"^Invalid enum value (.*?)(?: - at|$)")
_DATE = re.compile(r"^Invalid RFC3339 encoded date")
_PLACE = " - at `$"
_PART = re.compile(r"\.([A-Za-z0-9_-]+)|\[(\d+|\.\.\.)\]")
_WORDS = {
    "array": "a list",
    "str": "a string",
    "bool": "true or false",
    "int": "a number",
    "float": "a number with a fraction",
    "object": "a table",
    "date": "a date such as 2027-03-31",
    "datetime": "a date with a time",
    "time": "a time",
}
_TABLES: dict[str | int, type[msgspec.Struct]] = {
    "services": WrittenService,
    "exceptions": WrittenException,
    "limits": WrittenLimits,
    "contract-engine": WrittenEngine,
}


def explain_complaint(said: str, table: Any) -> tuple[str, KeyPath]:
    """What is wrong, and where, of a complaint that the strict reader made about a table."""
    _, text, place = said.rpartition(_PLACE)
    keys = _keys(place.removesuffix("`"), table) if text else ()
    name = name_of(keys)
    if unknown := _UNKNOWN.match(said):
        key = unknown.group(1)
        return f"unknown key `{name_of((*keys, key))}`{suggestion(key, _known_keys(keys))}", (
            *keys,
            key,
        )
    if missing := _REQUIRED.match(said):
        return f"`{name}` needs the key `{missing.group(1)}`", keys
    if _LENGTH.match(said):
        return f"`{name}` must not be empty", keys
    if limit := _RANGE.match(said):
        bound = "at most" if limit.group(1) == "<=" else "at least"
        return f"`{name}` must be {bound} {limit.group(2)}", keys
    if expected := _EXPECTED.match(said):
        wanted, got = (_kinds_in_words(kinds) for kinds in expected.groups())
        return f"`{name}` must be {wanted}, not {got}", keys
    if invalid := _INVALID.match(said):
        known = _choices(keys)
        close = suggestion(invalid.group(1).strip("'"), known, otherwise="")
        return f"`{name}` must be one of {', '.join(known)}{close}", keys
    if _DATE.match(said):
        return f"`{name}` must be {_WORDS['date']}", keys
    return f"`{name}`: {said}", keys


def _choices(keys: KeyPath) -> Sequence[str]:
    if keys[:1] == ("severities",):
        return SEVERITY_SETTINGS
    return NAMINGS if keys[-1:] == ("naming",) else LEVELS


def name_of(keys: KeyPath) -> str:
    """A way to a value as people write it: `services[1].name`, `per-file-ignores."a/**"`."""
    name = ""
    for key in keys:
        if isinstance(key, int):
            name += f"[{key}]"
        else:
            plain = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else f'"{key}"'
            name += f".{plain}" if name else plain
    return name


_NEAR = 0.7
"""How alike two words are of which one is a slip: `often` is not `note`."""


def suggestion(word: str, known: Sequence[str], otherwise: str | None = None) -> str:
    """`; did you mean …?`, or else what is known (or `otherwise`)."""
    import difflib

    plain = {each.replace("_", "-").lower(): each for each in known}
    close = difflib.get_close_matches(word.replace("_", "-").lower(), plain, n=1, cutoff=_NEAR)
    if close:
        return f"; did you mean `{plain[close[0]]}`?"
    return f"; known are {', '.join(known)}" if otherwise is None else otherwise


def keys_of(table: type[msgspec.Struct]) -> tuple[str, ...]:
    """The keys of a table, as they are written."""
    return table.__struct_encode_fields__


def _kinds_in_words(kinds: str) -> str:
    names = [kind for kind in kinds.split(" | ") if kind != "null"] or ["null"]
    return " or ".join(_WORDS.get(kind, kind) for kind in names)


def _keys(written: str, table: Any) -> KeyPath:
    """The way that `.services[0].base-path` says. `[...]` stands for an undetermined key: the
    first one whose value, alone, is refused as well."""
    found: list[str | int] = []
    for name, index in _PART.findall(written):
        if index == "...":
            found.append(_refused_key(tuple(found), table))
        else:
            found.append(name or int(index))
    return tuple(found)


def _refused_key(keys: KeyPath, table: Any) -> str:
    inner = table
    for key in keys:
        inner = inner[key]
    for name, value in inner.items():
        alone: Any = {name: value}
        for key in reversed(keys):
            alone = {key: alone}
        try:
            msgspec.convert(alone, WrittenFile)
        except msgspec.ValidationError:
            return str(name)
    return "?"


def _known_keys(keys: KeyPath) -> Sequence[str]:
    return keys_of(_TABLES[keys[0]] if keys else WrittenFile)
