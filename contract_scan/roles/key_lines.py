"""Lines `Key: value` at the beginning of what agents write: read by programs, without YAML."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec import Struct

from contract_scan.errors import ContractScanError

_FENCES: Final = ("```", "~~~")
_BULLETS: Final = ("- ", "* ")
_LONGEST_KEY: Final = 60


class ArtifactError(ContractScanError):
    """What a role wrote cannot be used."""


class KeyValue(Struct, frozen=True):
    """The values of a key: what stands behind it, divided by commas, or the items of a list."""

    values: tuple[str, ...]
    line: int

    @property
    def text(self) -> str:
        """All of it."""
        return ", ".join(self.values)


def read_keys(text: str, keys: Collection[str]) -> dict[str, KeyValue]:
    """The values of the keys (in lower case, with `-`) that a text has, each where it stands first.
    A key may be bold, behind a bullet, or a heading; letter case, blanks and `_` do not count. Code
    blocks are not read."""
    found: dict[str, KeyValue] = {}
    open_key = fence = ""
    for number, whole in enumerate(text.splitlines(), start=1):
        line = whole.strip()
        if line.startswith(_FENCES) and fence in ("", line[:3]):
            fence, open_key = "" if fence else line[:3], ""
            continue
        if fence or not line:
            continue
        key, colon, value = line.partition(":")
        name = _name(key) if colon and len(key) <= _LONGEST_KEY else ""
        if name in keys:
            values = tuple(one for one in map(_without_marks, value.split(",")) if one)
            open_key = name if name not in found and not values else ""
            found.setdefault(name, KeyValue(values, number))
        elif open_key and line.startswith(_BULLETS):
            before = found[open_key]
            found[open_key] = KeyValue((*before.values, _without_marks(line[2:])), before.line)
        else:
            open_key = ""
    return found


def required_value(found: dict[str, KeyValue], key: str, path: str) -> KeyValue:
    """The values of a key. Raises ArtifactError where it is not there, or has none."""
    value = found.get(key)
    if value is None or not value.values:
        line = value.line if value is not None else 1
        raise ArtifactError(f"has no line `{_key_as_written(key)}: …`", path, line)
    return value


def choice_value(found: dict[str, KeyValue], key: str, options: Collection[str], path: str) -> str:
    """The value of a key that has one of a few. Raises ArtifactError otherwise."""
    value = required_value(found, key, path)
    text = value.text.upper()
    if text not in options:
        message = f"`{_key_as_written(key)}` must be {' or '.join(options)}, not {value.text!r:.60}"
        raise ArtifactError(message, path, value.line)
    return text


def _name(key: str) -> str:
    return key.strip("#*-_ \t").lower().replace(" ", "-").replace("_", "-")


def _without_marks(text: str) -> str:
    text = text.strip()
    if text.startswith("**"):  # in bold, as the key before it may be
        text = text[2:].removesuffix("**")
    return text.strip().strip("`").strip()


def _key_as_written(key: str) -> str:
    return "-".join(word.capitalize() for word in key.split("-"))
