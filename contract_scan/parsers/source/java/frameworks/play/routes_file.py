"""The routes files of Play: `GET /orders/:id  controllers.Orders.get(id: Long)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import Span

_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_PATTERN = re.compile(r"\$([A-Za-z_]\w*)<")
MAX_LINES = 20_000


class Argument(Struct, frozen=True):
    """A parameter of an action, as the routes file declares it."""

    name: str
    type: str = "String"
    has_default: bool = False
    fixed: bool = False
    """Whether the route itself gives the value."""


class Line(Struct, frozen=True):
    """A route, or (method `->`) the routes of another file below a path."""

    method: str
    path: str
    target: str
    """The action (`controllers.Orders.get`), or the router that is included."""
    arguments: tuple[Argument, ...]
    span: Span


def lines(content: bytes) -> Iterator[Line]:
    """The routes of a file, in order; lines that are none are left out."""
    text = content.decode("utf-8", "replace")
    for number, written in enumerate(text.splitlines()[:MAX_LINES], 1):
        parts = written.split(None, 2)
        if len(parts) < 3 or parts[0] not in _VERBS | {"->"} or not parts[1].startswith("/"):
            continue
        called = parts[2].partition(" #")[0].strip()
        target, _, rest = called.partition("(")
        inside = rest.rpartition(")")[0] if rest else ""
        span = Span(number, 1, number, len(written) + 1)
        arguments = tuple(_argument(item) for item in _split_arguments(inside))
        name = target.strip().lstrip("@")
        yield Line(parts[0], template(parts[1]), name, arguments, span)


def template(path: str) -> str:
    """A path in the common form: `:id`, `*rest`, `$id<[0-9]+>`."""
    found: list[str] = []
    for part in _segments(path):
        pattern = _PATTERN.match(part)
        if pattern is not None:
            found.append(f"{{{pattern.group(1)}}}")
        elif part.startswith(":") and len(part) > 1:
            found.append(f"{{{part[1:]}}}")
        elif part.startswith("*") and len(part) > 1:
            found.append(f"{{{part[1:]}*}}")
        else:
            found.append(part)
    return "/".join(found)


def _segments(path: str) -> list[str]:
    """The parts between slashes, those of regular expressions left whole."""
    found = [""]
    depth = 0
    for character in path:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "/" and depth <= 0:
            found.append("")
        else:
            found[-1] += character
    return found


def _split_arguments(text: str) -> Iterator[str]:
    """The arguments of a call, at the commas outside of brackets and quotes."""
    depth, start, quoted = 0, 0, False
    for position, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    if text[start:].strip():
        yield text[start:]


def _argument(text: str) -> Argument:
    """`page: Int ?= 1`, `path = "/public"`, `id`."""
    declared, default, _ = text.partition("?=")
    fixed = ""
    if not default:
        declared, fixed, _ = text.partition("=")
    name, _, type = declared.partition(":")
    return Argument(name.strip(), type.strip() or "String", bool(default), bool(fixed))
