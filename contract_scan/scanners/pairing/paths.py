"""Paths of operations as sequences of segments that compare by position, not by parameter name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from contract_scan.wildcards import Wildcard, fits, joined_by

Segments: TypeAlias = tuple[str, ...]
"""The parts of a path. A parameter is `{}` whatever its name, one that may hold slashes `{*}`."""

PARAMETER = "{}"
CATCH_ALL = "{*}"

_Branch: TypeAlias = "tuple[dict[str, _Branch], list[Segments]]"

_PARAMETER = re.compile(r"\{[^{}]*?(\*?)\}")
_OPEN_VERSION = re.compile(r"v?\{(?:api[-_]?)?version\}", re.IGNORECASE)
_ONE_VERSION = re.compile(r"v?\d+(?:\.\d+)*", re.IGNORECASE)
_COLON = re.compile(r"(?<=/):\w+(?=/|$)")
"""`/users/:id`: how routers write it, and contracts that are made from what they are given."""


def segments(path: str) -> Segments:
    """Split a path template. Slashes at the end, and doubled ones, do not count."""
    plain = _PARAMETER.sub(lambda match: CATCH_ALL if match[1] else PARAMETER, path)
    plain = _COLON.sub(PARAMETER, plain)
    return tuple(part for part in plain.split("/") if part)


def common_folder(paths: Iterable[str]) -> str:
    """What paths have in common before their last segment: `/api`; empty where that is nothing."""
    shared: list[str] = []
    folders = [path.strip("/").split("/")[:-1] for path in paths]
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return f"/{'/'.join(shared)}" if shared else ""


def has_colons(path: str) -> bool:
    """Whether a contract writes parameters as routers do (`/users/:id`)."""
    return _COLON.search(path) is not None


def with_colons(path: str) -> str:
    """A path template in that spelling."""
    return re.sub(r"(?<=/)\{([\w]+)\}(?=/|$)", r":\1", path)


def literal_count(path: Segments) -> int:
    """How many segments are fixed words."""
    return sum(PARAMETER not in part and CATCH_ALL not in part for part in path)


def has_catch_all(path: Segments) -> bool:
    """Whether a segment of the path matches several."""
    return any(CATCH_ALL in part for part in path)


def with_plain_parameters(path: Segments) -> Segments:
    """The path with plain parameters instead of catch-alls, where one stands alone in a segment:
    contracts cannot tell the two apart."""
    return tuple(PARAMETER if part == CATCH_ALL else part for part in path)


def catch_all_covers(route: Segments, path: Segments) -> bool:
    """Whether a route that ends in a catch-all answers a path, its fixed part taken literally."""
    fixed = route[:-1]
    return ends_in_catch_all(route) and path[: len(fixed)] == fixed


def parameter_covers(route: Segments, path: Segments) -> bool:
    """Whether a route answers a path although it has a parameter where the path has a word."""
    return len(route) == len(path) and all(
        ours in (theirs, PARAMETER) for ours, theirs in zip(route, path, strict=True)
    )


def is_of_version(route: Segments, path: Segments, template: str) -> bool:
    """Whether a route has a version (`v1`) where the template of a path, and that alone, has a
    parameter of such a name (`v{version}`)."""
    written = [part for part in template.split("/") if part]
    if len(route) != len(path) or len(written) > len(path):
        return False
    written = [*path[: len(path) - len(written)], *written]
    return any(map(_OPEN_VERSION.fullmatch, written)) and all(
        theirs == ours
        or (theirs == CATCH_ALL and ours == PARAMETER)
        or (_OPEN_VERSION.fullmatch(part) and _ONE_VERSION.fullmatch(theirs))
        for theirs, ours, part in zip(route, path, written, strict=True)
    )


def ends_in_version(path: Segments) -> bool:
    """Whether the last word of a path is a version: `/shop/v2`."""
    return bool(path) and _ONE_VERSION.fullmatch(path[-1]) is not None


def in_order_within(route: Segments, path: Segments) -> bool:
    """Whether the fixed words of a route stand in a path in the same order."""
    left = iter(path)
    return all(word in left for word in route if PARAMETER not in word and CATCH_ALL not in word)


class PathIndex:
    """Paths by their segments, for finding those that differ in parameters alone."""

    def __init__(self, paths: Iterable[Segments]) -> None:
        self._root: _Branch = ({}, [])
        for path in paths:
            branch = self._root
            for part in path:
                branch = branch[0].setdefault(part, ({}, []))
            branch[1].append(path)

    def like(self, path: Segments) -> list[Segments]:
        """Every path that is the same but for parameters on either side."""
        branches = [self._root]
        for part in path:
            branches = [
                below for children, _ in branches for below in _matching_branches(children, part)
            ]
        return [found for _, ends in branches for found in ends]

    def starts_of(self, path: Segments) -> Iterator[Segments]:
        """Every path that a beginning of another is, which may have words where it has
        parameters."""
        branches = [self._root]
        yield from self._root[1]
        for part in path:
            names = dict.fromkeys((part, PARAMETER))
            branches = [
                children[name] for children, _ in branches for name in names if name in children
            ]
            yield from (found for _, ends in branches for found in ends)


def _matching_branches(children: dict[str, _Branch], part: str) -> list[_Branch]:
    if part == PARAMETER:
        return list(children.values())
    found = [children[name] for name in (part, PARAMETER) if name in children]
    if PARAMETER in part:
        words = (name for name in children if PARAMETER not in name)
        return found + [children[name] for name in words if _accepts_word(part, name)]
    mixed = (name for name in children if PARAMETER in name and name != PARAMETER)
    return found + [children[name] for name in mixed if _accepts_word(name, part)]


def _accepts_word(part: str, word: str) -> bool:
    """Whether a segment that is partly a parameter takes a word: `v{}` takes `v1`."""
    return fits(joined_by(Wildcard.SOME, part.split(PARAMETER)), word)


def path_text(path: Segments) -> str:
    """A path for messages."""
    return "/" + "/".join(path)


def ends_in_catch_all(route: Segments) -> bool:
    """Whether the last segment of a path, and that alone, matches several."""
    return bool(route) and route[-1] == CATCH_ALL and not has_catch_all(route[:-1])
