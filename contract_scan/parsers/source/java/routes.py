"""Paths of routes, as Spring and JAX-RS write them."""

from __future__ import annotations

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


def joined(*parts: str) -> str:
    """Paths one below the other, with one slash between them and one in front."""
    path = "/".join(part.strip("/") for part in parts if part.strip("/"))
    return f"/{path}"


def products(prefixes: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Every path below every prefix, each once."""
    ends = list(paths) or [""]
    starts = list(prefixes) or [""]
    return list(dict.fromkeys(joined(start, end) for start in starts for end in ends))


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


def _variable(text: str) -> str:
    name, _, pattern = text.partition(":")
    name = name.strip()
    several = name.startswith("*") or pattern.strip() in (".*", ".+", "^.*$", "^.+$")
    return f"{{{name.lstrip('*')}{'*' if several else ''}}}"


def _segment(segment: str) -> str:
    if segment == "**":
        return "{path*}"
    return "{any}" if segment == "*" else segment
