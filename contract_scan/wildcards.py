"""Texts with wildcards, compared with a text in time that grows with the product of their lengths.

A regular expression of several `.+` tries every way to share a text among them. What is compared
here may come from a stranger's repository.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, auto


class Wildcard(Enum):
    """What may stand in the place of a wildcard."""

    SOME = auto()
    """One character or more."""
    IN_SEGMENT = auto()
    """One character or more, none of them a slash."""
    BELOW = auto()
    """Nothing, or a slash and what follows it."""


def joined_by(wildcard: Wildcard, texts: Iterable[str]) -> tuple[str | Wildcard, ...]:
    """The texts with a wildcard between each two."""
    parts = [part for text in texts for part in (wildcard, text)]
    return tuple(parts[1:])


def fits(pattern: Iterable[str | Wildcard], text: str) -> bool:
    """Whether a whole text consists of the parts of a pattern in their order."""
    ends = {0}
    for part in pattern:
        if isinstance(part, str):
            ends = {end + len(part) for end in ends if text.startswith(part, end)}
        else:
            ends = set(_ends_of(part, ends, text))
        if not ends:
            return False
    return len(text) in ends


def _ends_of(wildcard: Wildcard, starts: set[int], text: str) -> Iterator[int]:
    """Where a wildcard may end that begins at one of some places."""
    if wildcard is Wildcard.BELOW:
        yield from starts
        slashes = [start for start in starts if text.startswith("/", start)]
        yield from range(min(slashes, default=len(text)) + 1, len(text) + 1)
        return
    begun = False
    for place in range(min(starts), len(text)):
        begun = begun or place in starts
        if wildcard is Wildcard.IN_SEGMENT and text[place] == "/":
            begun = False
        elif begun:
            yield place + 1
