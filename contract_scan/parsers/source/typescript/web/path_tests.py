"""Paths as tests of plain HTTP servers write them: texts, regular expressions, with methods."""

from __future__ import annotations

import re

_VERBS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REGULAR_EXPRESSION = re.compile(r"regular expression /(.*)/[a-z]*", re.DOTALL)
"""How the neutral form words one that is written out."""
ANYTHING = frozenset(
    {".*", "(.*)", ".+", "^.*$", "^(.*)$", "^\\/.*", "^\\/.*$", "\\/.*", "\\/(.*)"}
)
"""Regular expressions that every path matches."""
_GROUP = re.compile(r"\((?:\?:|\?<(\w+)>)?((?:[^()\\]|\\.)*)\)\??|(\[[^\]]*\][+*]|\\[dw]\+|\.\+)")


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


def covers(tested: str, path: str) -> bool:
    """Whether a test for one path or pattern holds for another one."""
    if tested == path:
        return True
    if ":" not in tested or ":" in path:
        return False
    return re.fullmatch(re.sub(r":\w+", "[^/]+", tested.replace(".", r"\.")), path) is not None


def split(text: str) -> tuple[str, str]:
    """Method and path of `GET /x`, `GET:/x` or `/x`; no path where the text is none."""
    match = re.fullmatch(r"(?:([A-Z]+)[ :|_-]?)?(/[^\s?]*)", text)
    if match is None or (match[1] and match[1] not in _VERBS):
        return "", ""
    return match[1] or "", match[2]
