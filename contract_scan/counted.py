"""Numbers of things, as people write them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun, which takes an `s` but for one: "1 place", "1,665 places"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
