"""Routes of Django as templates: with converters, and regular expressions that are plain paths."""

from __future__ import annotations

import re

from contract_scan.ir.operation import Parameter
from contract_scan.ir.origin import Origin
from contract_scan.parsers.source.python.web.path_syntax import PathSyntax, path_parameter

_WORDS = re.compile(r"\(\?P<(?P<name>\w+)>(?P<words>[A-Za-z_]\w*(?:\|[A-Za-z_]\w*)+)\)")
_MOST_PATHS = 16
_PATHS = PathSyntax(
    re.compile(r"<(?:(?P<type>[A-Za-z_]\w*):)?(?P<name>\w+)>"),
    {"int": ("integer", ""), "uuid": ("string", "uuid")},
)


def template(path: str) -> str:
    """`/orders/<int:pk>/` -> `/orders/{pk}/`."""
    return re.sub(r"/{2,}", "/", _PATHS.template(path))


def parameters(path: str, origin: Origin) -> tuple[Parameter, ...]:
    """The path parameters of a route, typed by their converters."""
    typed = {found.name: found for found in _PATHS.parameters(path, origin)}
    names = re.findall(r"\{(\w+)\*?\}", template(path))
    return tuple(typed.get(name) or path_parameter(name, origin) for name in names)


def from_regular_expression(pattern: str) -> str | None:
    """`^orders/(?P<pk>\\d+)/$` -> `orders/{pk}/`; None where it is no plain path."""
    text = pattern.removeprefix("^")
    if text.endswith("$") and not text.endswith("\\$"):
        text = text[:-1]
    text = text.removesuffix("\\Z")
    result: list[str] = []
    position = number = 0
    while position < len(text):
        char = text[position]
        if char == "(":
            end = _closing_bracket(text, position)
            if end is None:
                return None
            named = re.match(r"\(\?P<(\w+)>", text[position:])
            if named is None and text.startswith("(?", position):
                return None
            number += 1
            name = named[1] if named else f"arg{number}"
            inner = text[position + (named.end() if named else 1) : end]
            result.append(_parameter(name, inner))
            position = end + 1
            if position < len(text) and text[position] in "?*+":
                if text[position] != "?":
                    return None
                result.pop()
                position += 1
        elif char == "\\" and position + 1 < len(text) and not text[position + 1].isalnum():
            result.append(text[position + 1])
            position += 2
        elif char in "[]*+|{}^$\\":
            return None
        elif position + 1 < len(text) and text[position + 1] in "?*+{":
            if char != "/" or text[position + 1] != "?":
                return None
            position += 2
        else:
            result.append(char)
            position += 1
    return "".join(result)


def _parameter(name: str, inner: str) -> str:
    """A group as a parameter: of one segment, of several, or with the slash before it."""
    bare = inner.replace("(?:", "").lstrip("(")
    several = inner in (".*", ".+") or (bare.startswith("/") and (")+" in inner or ")*" in inner))
    slash = "/" if bare.startswith("/") else ""
    return f"{slash}{{{name}{'*' if several else ''}}}"


def alternatives(pattern: str) -> tuple[tuple[str, dict[str, str]], ...]:
    """A regular expression with each word that a named group lists, and which word that is:
    `(?P<action>start|stop)`. The pattern itself where no group lists words."""
    found: list[tuple[str, dict[str, str]]] = [(pattern, {})]
    for group in _WORDS.finditer(pattern):
        words = group["words"].split("|")
        if len(found) * len(words) > _MOST_PATHS:
            break
        found = [
            (text.replace(group[0], re.escape(word)), {**chosen, group["name"]: word})
            for text, chosen in found
            for word in words
        ]
    return tuple(found)


def with_and_without(pattern: str) -> tuple[str, ...]:
    """A regular expression with each of its groups without a name that may be there or not, and
    each of the alternatives that such groups list: `^(?:v1/)?orders/`, `(?:jpg|png)`."""
    found: list[str] = [pattern]
    finished: list[str] = []
    while found and len(found) + len(finished) <= _MOST_PATHS:
        text = found.pop()
        start = text.find("(?:")
        while start > 0 and text[start - 1] == "\\":
            start = text.find("(?:", start + 1)
        end = None if start < 0 else _closing_bracket(text, start)
        inner = "" if end is None else text[start + 3 : end]
        rest = "" if end is None else text[end + 1 :]
        if end is None or rest[:1] in ("*", "+", "{") or "(" in inner or "[" in inner:
            finished.append(text)
            continue
        parts = inner.split("|")
        if rest[:1] == "?":
            parts, rest = ["", *parts], rest[1:]
        found += [text[:start] + part + rest for part in reversed(parts)]
    return tuple(finished) if not found else (pattern,)


def _closing_bracket(text: str, start: int) -> int | None:
    """The bracket that closes the one at `start`."""
    depth = 0
    position = start
    in_class = False
    while position < len(text):
        char = text[position]
        if char == "\\":
            position += 2
            continue
        if in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                return position
        position += 1
    return None
