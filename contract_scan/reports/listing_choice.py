"""What reports for people can be asked to list."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Show: TypeAlias = Literal["problems", "places", "notes"]
"""What is listed for people: each problem once, or every place of it; notes as well."""
SHOWN: tuple[Show, ...] = get_args(Show)
