"""Paths of routes, as Spring and JAX-RS write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

VERBS_BY_ANNOTATION = {
    "Get": "GET",
    "Post": "POST",
    "Put": "PUT",
    "Delete": "DELETE",
    "Patch": "PATCH",
    "Head": "HEAD",
    "Options": "OPTIONS",
    "Trace": "TRACE",
}
"""What Micronaut and Armeria call the annotations of methods."""


def join_paths(*parts: str) -> str:
    """Paths one below the other, with one slash between them and one in front."""
    path = "/".join(part.strip("/") for part in parts if part.strip("/"))
    return f"/{path}"


def products(prefixes: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Every path below every prefix, each once."""
    ends = list(paths) or [""]
    starts = list(prefixes) or [""]
    return list(dict.fromkeys(join_paths(start, end) for start in starts for end in ends))


def expressions(path: str) -> tuple[tuple[str, str], ...]:
    """Each parameter of a path that has a regular expression, with that: `{id:\\\\d+}`."""
    found: list[tuple[str, str]] = []
    depth = start = 0
    for position, character in enumerate(path):
        if character == "{":
            start = start if depth else position + 1
            depth += 1
        elif character == "}" and depth > 0:
            depth -= 1
            name, _, pattern = path[start:position].partition(":")
            if depth == 0 and pattern.strip():
                found.append((name.strip(), pattern.strip()))
    return tuple(found)


def template(path: str) -> str:
    """The path in the common form: `{id:\\\\d+}` is `{id}`, `{*rest}`, `**` and `{p:.+}` match
    several segments."""
    result: list[str] = []
    depth = 0
    start = 0
    for position, character in enumerate(path):
        if character == "{":
            if depth == 0:
                start = position
            depth += 1
        elif character == "}" and depth > 0:
            depth -= 1
            if depth == 0:
                result.append(_variable(path[start + 1 : position]))
        elif depth == 0:
            result.append(character)
    plain = "".join(result)
    return "/".join(_segment(segment) for segment in plain.split("/"))


_ALTERNATIVES = re.compile(r"[\w./-]*(?:\|[\w./-]*)+")
_OPTIONAL = re.compile(r"\((/?)(.*)\)\?")
_MAX_VARIANTS = 16


def variants(path: str) -> list[str]:
    """The paths that a template of JAX-RS stands for where its variables may be empty, or be parts
    of words: `{scope: (\\w+)?}{slash:|/}items` is `/items` and `/{scope}/items`."""
    found = [""]
    for part in re.split(r"(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})", path):
        options = _options(part) if part.startswith("{") else [part]
        found = [start + option for start in found for option in options][:_MAX_VARIANTS]
    return list(dict.fromkeys(template(join_paths(re.sub("/{2,}", "/", each))) for each in found))


def _options(variable: str) -> list[str]:
    name, _, pattern = variable[1:-1].partition(":")
    name, pattern = name.strip(), pattern.strip()
    alternatives = pattern.split("|")
    if _ALTERNATIVES.fullmatch(pattern) and any(a in ("", "/") for a in alternatives):
        return alternatives
    optional = _OPTIONAL.fullmatch(pattern)
    if optional is not None:
        return ["", f"{optional.group(1)}{{{name}:{optional.group(2)}}}"]
    return [variable]


def _variable(text: str) -> str:
    name, _, pattern = text.partition(":")
    name = name.strip()
    several = name.startswith("*") or pattern.strip() in (".*", ".+", "^.*$", "^.+$")
    return f"{{{name.lstrip('*')}{'*' if several else ''}}}"


def _segment(segment: str) -> str:
    if segment == "**":
        return "{path*}"
    return "{any}" if segment == "*" else segment
