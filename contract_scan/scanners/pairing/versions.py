"""Versions that paths and namespaces speak of: `schemas/v2/order.json`, `Shop.Messages_V2`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

Version: TypeAlias = tuple[int, ...]
"""The numbers of a version, without zeros at the end: `v1.0` is `v1`."""

_WITH_LETTER: Final = re.compile(
    r"(?:(?<![A-Za-z])v|(?<=[a-z0-9])V|(?<![A-Za-z])[Vv]er(?:sion)?[-_. ]?|(?<![A-Z])V)"
    r"(\d+(?:[._](?=\d)\d+)*)"
)
_PLAIN: Final = re.compile(r"\d+(?:[._-]\d+)*")
"""A whole part of a path that is a number, or a date."""
_SEPARATORS: Final = re.compile(r"[/\\]")


def versions_in(place: str) -> frozenset[Version]:
    """The versions that a path, or a name with its namespace, speaks of."""
    found = {_numbers(match) for match in _WITH_LETTER.findall(place)}
    if not found:
        parts = _SEPARATORS.split(place)
        found = {_numbers(part) for part in parts if _PLAIN.fullmatch(part)}
    return frozenset(found)


def without_versions(place: str) -> str:
    """A path without the versions that are written with a letter: `openapi-v2.json` and
    `openapi-v1.json` give the same."""
    return _WITH_LETTER.sub("", place)


def share(one: Iterable[Version], other: Iterable[Version]) -> bool:
    """Whether two places speak of one version; `v1` is every `v1.x`."""
    pairs = ((left, right) for left in one for right in other)
    return any(left[: len(right)] == right[: len(left)] for left, right in pairs)


def _numbers(written: str) -> Version:
    numbers = [int(part) for part in re.split(r"[._-]", written)]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
