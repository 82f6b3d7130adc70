"""Paths as tests of plain HTTP servers write them: texts, regular expressions, with methods."""

from __future__ import annotations

import re

from contract_scan.wildcards import Wildcard, fits, joined_by

_VERBS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REGULAR_EXPRESSION = re.compile(r"regular expression /(.*)/[a-z]*", re.DOTALL)
"""How the neutral form words one that is written out."""
ANYTHING = frozenset(
    {".*", "(.*)", ".+", "^.*$", "^(.*)$", "^\\/.*", "^\\/.*$", "\\/.*", "\\/(.*)"}
)
"""Regular expressions that every path matches."""
_GROUP = re.compile(
    r"(?<!\\)\((?:\?:|\?<(\w+)>)?((?>(?:[^()\\]++|\\.)*))\)\??|(\[[^\[\]]*+\][+*]|\\[dw]\+|\.\+)"
)


_PARAMETER = re.compile(r":\w+\+?")
_CHOICE = re.compile(r"\((?:\?:)?([\w\-/|\\.]*)\)(\?)?")
"""A group without a further one in it, and whether it may be left out."""
_PREFIX = re.compile(r"(?:/[\w\-.]+)*")
_MOST_PREFIXES = 16


def path_of(pattern: str) -> str:
    """The path that a regular expression stands for (`^\\/users\\/([^/]+)$` -> `/users/:param`);
    empty where it is more than a path with parameters."""
    if not pattern.startswith("^") or not pattern.endswith("$"):
        return ""
    count = 0

    def parameter(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        inner = match[2] or match[3] or ""
        return f":{match[1] or f'param{count}'}" + ("+" if inner.startswith(".") else "")

    text = pattern[1:-1].removesuffix("\\/?").removesuffix("/?").replace("\\/", "/")
    text = _GROUP.sub(parameter, text).replace("\\.", ".").replace("\\-", "-")
    return text if re.fullmatch(r"/[\w\-./:+]*", text) else ""


def prefixes_of(pattern: str) -> tuple[str, ...]:
    """The prefixes below which a regular expression mounts a router: `(\\/api)?` is both `` and
    `/api`, `^\\/(v1|v2)` is `/v1` and `/v2`. Empty where it is more than a choice of texts.

    Express mounts where the match begins the path, anchored or not (`layer.match` of its router).
    """
    written = [pattern.removeprefix("^").replace("\\/", "/")]
    while (at := next((i for i, one in enumerate(written) if "(" in one), None)) is not None:
        one = written.pop(at)
        group = _CHOICE.search(one)
        if group is None:
            return ()
        choices = [*group[1].split("|"), *([""] if group[2] else [])]
        written[at:at] = [one[: group.start()] + each + one[group.end() :] for each in choices]
        if len(written) > _MOST_PREFIXES:
            return ()
    plain = [one.replace("\\-", "-").replace("\\.", ".") for one in written]
    return tuple(dict.fromkeys(plain)) if all(map(_PREFIX.fullmatch, plain)) else ()


def covers(tested: str, path: str) -> bool:
    """Whether a test for one path or pattern holds for another one."""
    if tested == path:
        return True
    if ":" not in tested or ":" in path:
        return False
    return fits(joined_by(Wildcard.IN_SEGMENT, _PARAMETER.split(tested)), path)


def split_method(text: str) -> tuple[str, str]:
    """Method and path of `GET /x`, `GET:/x` or `/x`; no path where the text is none."""
    match = re.fullmatch(r"(?:([A-Z]+)[ :|_-]?)?(/[^\s?]*)", text)
    if match is None or (match[1] and match[1] not in _VERBS):
        return "", ""
    return match[1] or "", match[2]
