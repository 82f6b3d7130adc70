"""Addresses of channels: topics, queues and routing keys, with parameters and broker wildcards."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

_ANY: Final = None
"""Any text, also none."""

_SOME: Final = 1
"""A parameter: at least one character."""

Pattern: TypeAlias = tuple[str | int | None, ...]
"""Single characters, `_SOME` and `_ANY`."""

_PARAMETER = re.compile(r"\{[^{}]*\}")
_REGEX_ANY = re.compile(r"(?<!\\)\.[*+]\??")
_WILDCARD = re.compile(r"[./]#$|(?:^|(?<=[./:]))(?:\*|#|\+|>)(?=$|[./:])")


def canonical(address: str) -> str:
    """The address with parameters written alike: equal texts are the same channel."""
    return _PARAMETER.sub("{}", address)


def is_open(address: str) -> bool:
    """Whether an address says nothing at all: it is empty or one single parameter."""
    return canonical(address) in ("", "{}")


def may_be_same(one: str, other: str, pattern: bool = False) -> bool:
    """Whether some concrete address matches both. `pattern`: `other` is written for a broker.

    `{x}` stands for some text. Wildcards are `*`, `#`, `+` and `>` as a word of their own; a
    pattern may also be a regular expression, of which `.*`, `.+` and escapes are understood.
    """
    ours, theirs = _parse(one, False), _parse(other, pattern)
    if _is_plain(ours) and _is_plain(theirs):
        return ours == theirs
    return _intersect(ours, theirs)


def _is_plain(pattern: Pattern) -> bool:
    return _SOME not in pattern and _ANY not in pattern


@lru_cache(maxsize=4096)
def _parse(address: str, regex: bool) -> Pattern:
    text = _PARAMETER.sub("\0", address)
    if regex:
        text = text.removeprefix("^").removesuffix("$")
        text = _REGEX_ANY.sub("\1", text).replace("\\", "")
    text = _WILDCARD.sub("\1", text)
    if regex:
        text = text.replace("*", "\1")
    marks: dict[str, int | None] = {"\0": _SOME, "\1": _ANY}
    return tuple(marks.get(char, char) for char in text)


def _intersect(one: Pattern, other: Pattern) -> bool:
    """Whether two patterns have a text in common: which ends are reachable, row by row."""
    # Most addresses differ at their fronts or ends, which costs no table.
    front = _equal_at_front(one, other)
    one, other = one[front:], other[front:]
    end = _equal_at_front(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    if _differ_at_front(one, other) or _differ_at_front(one[::-1], other[::-1]):
        return False
    one, other = _expand(one), _expand(other)
    row = [False] * (len(other) + 1)
    for i in range(len(one) + 1):
        new = [False] * (len(other) + 1)
        for j in range(len(other) + 1):
            if i == j == 0:
                new[j] = True
                continue
            left, right = (one[i - 1] if i else ""), (other[j - 1] if j else "")
            reach = False
            if i and left is _ANY:
                # The wildcard ends here, or swallows what the other side has.
                reach = row[j] or (j > 0 and new[j - 1])
            if not reach and j and right is _ANY:
                reach = new[j - 1] or (i > 0 and row[j])
            if not reach and i and j and left is not _ANY and right is not _ANY:
                same = left == right or _SOME in (left, right)
                reach = same and row[j - 1]
            new[j] = reach
        row = new
    return row[-1]


def _equal_at_front(one: Pattern, other: Pattern) -> int:
    """How many characters both have at their fronts, before a wildcard of either."""
    pairs = enumerate(zip(one, other, strict=False))
    ends = (n for n, (a, b) in pairs if a != b or not isinstance(a, str))
    return next(ends, min(len(one), len(other)))


def _differ_at_front(one: Pattern, other: Pattern) -> bool:
    first = (one[:1], other[:1])
    return first[0] != first[1] and all(each and isinstance(each[0], str) for each in first)


def _expand(pattern: Pattern) -> Pattern:
    """`_SOME` as one character of any kind followed by any text."""
    return tuple(part for item in pattern for part in ((_SOME, _ANY) if item is _SOME else (item,)))
