"""Putting a member into a mapping of a YAML or JSON file, written as those that are there."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from msgspec import Struct

from contract_scan.fixes.syntax import Replacement
from contract_scan.fixes.text import Text
from contract_scan.parsers.contracts.located_tree import Mapping, Sequence

_DEEPEST = 200
_WORDS = re.compile(r"[A-Za-z$/_][A-Za-z0-9$/_.-]*(?: [A-Za-z0-9_.-]+)*")
_KEY = re.compile(r"[A-Za-z$/_][A-Za-z0-9$/_.{}-]*")
"""What needs no quotes where no braces are around it."""
_NO_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""Words that some version of YAML takes for something else than a text."""
_QUOTES = re.compile(r"(?:^|[:,\[{-])[ \t]*([\"'])", re.MULTILINE)
_SEEN = 100_000
"""Characters of a file that are enough to see how it is written."""


class _Style(Struct, frozen=True):
    """How the members of a mapping are written down."""

    indent: str | None
    """The blanks before a member on a line of its own; None where they share a line."""
    step: str
    """The blanks that one level more takes."""
    quoted: bool
    """Whether everything is in quotes."""
    quote: str
    """The quotes that texts have which need some."""


def add_member(name: str, wanted: object, members: Mapping, text: Text) -> Replacement | None:
    """Put a member behind the last one; None where there is no sure place for it.

    It is written in braces where the last one is, unless it has members that have members.
    """
    if not members:
        return None
    last = _last_key(members)
    key_start, _, start, _ = members.places[last]
    end = _end(members, last, text.text)
    if end is None:
        return None
    style = _style(members, last, text)
    following = text.text[end:].lstrip()
    if following[:1] in ("}", ","):  # the members themselves stand in braces
        apart = ", " if style.indent is None else f",{text.line_end}{style.indent}"
        row = text.text[start:end].split("\n", 1)[0].strip()
        is_spread = row == "{" or (not members[last] and _is_deep(wanted))
        return Replacement(end, end, apart + _in_braces(name, wanted, style, text, is_spread))
    if style.indent is None or text.text[key_start - 1 : key_start] == "{":
        return None
    braces = text.text[start] in "{[" and not _is_deep(wanted)
    rows = [_on_one_line(name, wanted, style)] if braces else _in_lines(name, wanted, style)
    written = text.line_end.join(f"{style.indent}{row}" for row in rows)
    below = text.text.find("\n", end)
    behind = text.text[end : below if below >= 0 else None].strip()
    if behind and not behind.startswith("#"):
        return None
    if below < 0:
        return Replacement(len(text.text), len(text.text), f"{text.line_end}{written}")
    return Replacement(below + 1, below + 1, f"{written}{text.line_end}")


def _is_deep(value: object) -> bool:
    return isinstance(value, dict) and any(isinstance(each, dict) for each in value.values())


def _last_key(container: Mapping) -> str:
    """The key that stands last in the text."""
    return max(container.places, key=lambda key: container.places[key][0])


def _end(container: Mapping, key: str, text: str) -> int | None:
    """Where the text of a member ends; None where that is not for certain."""
    value: object = container[key]
    _, key_end, start, end = container.places[key]
    for _ in range(_DEEPEST):
        if start < key_end or not text[start:end].strip():
            return None  # an alias, or nothing at all
        if text[start] in "|>&*!":
            return None
        if text[start] in "{[" or not isinstance(value, Mapping | Sequence) or not value:
            return end
        if isinstance(value, Mapping):
            key = _last_key(value)
            _, key_end, start, end = value.places[key]
            value = value[key]
        else:
            key_end = start
            start, end = value.places[-1]
            value = value[-1]
    return None


def _style(members: Mapping, last: str, text: Text) -> _Style:
    key_start = members.places[last][0]
    own_line = _blanks_before(key_start, text)
    value = members[last]
    step = "  "
    if own_line is not None and isinstance(value, Mapping) and value:
        inner = _blanks_before(min(place[0] for place in value.places.values()), text)
        if inner is not None and inner.startswith(own_line) and len(inner) > len(own_line):
            step = inner[len(own_line) :]
    quoted = text.text[key_start] == '"'
    return _Style(own_line, step, quoted, '"' if quoted else _quote(text.text))


def _quote(text: str) -> str:
    """The quotes that are usual in a text of YAML."""
    found = Counter(_QUOTES.findall(text, 0, _SEEN))
    return "'" if found["'"] > found['"'] else '"'


def _blanks_before(offset: int, text: Text) -> str | None:
    """The blanks between the start of a line and a place; None where more stands there."""
    line, _ = text.place(offset)
    before = text.text[text.offset(line, 1) : offset]
    return None if before.strip() else before


def _in_lines(name: str, wanted: object, style: _Style) -> list[str]:
    """A member in lines of YAML."""
    key = _key(name, style, braces=False)
    rows = _value_rows(wanted, style)
    return [f"{key}: {rows}"] if isinstance(rows, str) else [f"{key}:", *_deeper(rows, style.step)]


def _value_rows(value: object, style: _Style) -> str | list[str]:
    """A value: what fits behind its key, or the lines below it."""
    if isinstance(value, dict) and value:
        return [row for key, each in value.items() for row in _in_lines(key, each, style)]
    if isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        found = []
        for each in value:
            rows = _value_rows(each, style)
            first, *rest = [rows] if isinstance(rows, str) else rows
            found += [f"- {first}", *_deeper(rest, "  ")]
        return found
    return _scalar_text(value, style)


def _deeper(rows: list[str], step: str) -> list[str]:
    return [f"{step}{row}" for row in rows]


def _on_one_line(name: str, wanted: object, style: _Style) -> str:
    key = _key(name, style, braces=True)
    return f"{key}: {_inline(wanted, style)}"


def _inline(value: object, style: _Style) -> str:
    """A value in braces, on one line."""
    if isinstance(value, dict) and value:
        members = (
            f"{_key(key, style, braces=True)}: {_inline(each, style)}"
            for key, each in value.items()
        )
        return f"{{ {', '.join(members)} }}"
    if isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        return f"[{', '.join(_inline(each, style) for each in value)}]"
    return _scalar_text(value, style)


def _in_braces(name: str, wanted: object, style: _Style, text: Text, is_spread: bool) -> str:
    """A member among braces, over several lines where it `is_spread`: where the one before it is,
    or has nothing in it that would tell."""
    if style.indent is None or not is_spread:
        return _on_one_line(name, wanted, style)
    rows = _multiline_rows(wanted, style)
    key = _key(name, style, braces=True)
    return f"{key}: " + f"{text.line_end}{style.indent}".join(rows)


def _multiline_rows(value: object, style: _Style) -> list[str]:
    """A value in braces, over several lines."""
    items: list[tuple[str, Any]] = []
    if isinstance(value, dict) and value:
        items = [(f"{_key(k, style, braces=True)}: ", v) for k, v in value.items()]
    elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        items = [("", each) for each in value]
    else:
        return [_scalar_text(value, style)]
    rows: list[str] = []
    for key, each in items:
        first, *rest = _multiline_rows(each, style)
        inner = [f"{key}{first}", *rest]
        inner[-1] += ","
        rows += _deeper(inner, style.step)
    rows[-1] = rows[-1].removesuffix(",")
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return [opening, *rows, closing]


def _key(name: str, style: _Style, *, braces: bool) -> str:
    plain = _KEY.fullmatch(name) and name.lower() not in _NO_TEXT
    if braces and re.search(r"[{}]", name):
        plain = None
    return _quote_text(name, style) if style.quoted or not plain else name


def _scalar_text(value: object, style: _Style) -> str:
    """A value without members: words need no quotes in YAML, and have them in JSON."""
    if isinstance(value, list):
        return f"[{', '.join(_scalar_text(each, style) for each in value)}]"
    if isinstance(value, str):
        is_plain = _WORDS.fullmatch(value) and value.lower() not in _NO_TEXT
        return value if is_plain and not style.quoted else _quote_text(value, style)
    return json.dumps(value)


def _quote_text(value: str, style: _Style) -> str:
    if style.quote == "'" and value.isprintable():
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return json.dumps(value, ensure_ascii=not value.isprintable())
