"""New names for properties and paths."""

from __future__ import annotations

import re

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z]+)")


def renamed(name: str) -> str:
    """A name of the same style that means something else."""
    return name + ("_renamed" if "_" in name else "Renamed")


def other_case(name: str) -> str:
    """`book_id` for `bookId` and the other way round; the same where there is only one word."""
    if "_" in name.strip("_"):
        first, *rest = [part for part in name.split("_") if part]
        return first.lower() + "".join(part[:1].upper() + part[1:] for part in rest)
    return _HUMP.sub(lambda hump: "_" + hump[1].lower(), name)


def renamed_path(path: str) -> str:
    """The path with its last fixed word changed."""
    parts = path.rstrip("/").split("/")
    for index in range(len(parts) - 1, 0, -1):
        if parts[index] and not parts[index].startswith(("{", ":")):
            parts[index] += "-renamed"
            return "/".join(parts)
    return path.rstrip("/") + "/renamed"
