"""Paths and patterns of files in scope contracts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WILD: Final = re.compile(r"[*?]")


def is_pattern(path: str) -> bool:
    """Whether a path stands for several files."""
    return _WILD.search(path) is not None


def covers(pattern: str, path: str) -> bool:
    """Whether a pattern means a file: `*` and `?` stay within a folder, `**` is any folders."""
    return _matches(tuple(pattern.split("/")), tuple(path.split("/")))


def may_overlap(one: str, other: str) -> bool:
    """Whether two patterns may mean the same file: what stands before the first wildcard of one
    begins as the other does. Errs towards saying so."""
    first, second = (_WILD.split(each, maxsplit=1)[0] for each in (one, other))
    return first.startswith(second) or second.startswith(first)


@lru_cache(maxsize=4096)
def _matches(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return _matches(pattern[1:], path) or (bool(path) and _matches(pattern, path[1:]))
    return bool(path) and _segment(pattern[0], path[0]) and _matches(pattern[1:], path[1:])


def _segment(pattern: str, name: str) -> bool:
    """Whether a pattern without folders means a name; a `*` is only ever widened."""
    at, star, mark = 0, -1, 0
    position = 0
    while position < len(name):
        if at < len(pattern) and pattern[at] in ("?", name[position]) and pattern[at] != "*":
            at, position = at + 1, position + 1
        elif at < len(pattern) and pattern[at] == "*":
            star, mark, at = at, position, at + 1
        elif star >= 0:
            mark += 1
            at, position = star + 1, mark
        else:
            return False
    return not pattern[at:].strip("*")
