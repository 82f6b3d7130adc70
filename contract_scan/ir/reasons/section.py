"""What a part of the table of reasons is made of."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Section(Struct, frozen=True):
    """Reasons about which a user can do the same."""

    title: str
    advice: str
    """One sentence: what a user can do about it."""
    texts: Mapping[str, str]
    """The text of each code; `{name}` stands for a parameter."""
