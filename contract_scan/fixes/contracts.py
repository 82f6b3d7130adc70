"""Fixes of contracts: fields that the code sends and an OpenAPI file does not mention.

Text is put in at the place where it belongs, so that comments, order and everything else stay as
they are. Read again, the file must say what it said before, and the new field.
"""

from __future__ import annotations

import json

from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.fixes.change import AddProperty, WireType
from contract_scan.fixes.syntax import Draft, Replacement
from contract_scan.fixes.text import Text
from contract_scan.parsers.contracts.positions import Mapping, Node, Sequence, open_text

_DEEPEST = 200


class _Style(Struct, frozen=True):
    """How the members of a mapping are written down."""

    indent: str | None
    """The blanks before a member on a line of its own; None where they share a line."""
    step: str
    """The blanks that one level more takes."""
    quoted: bool


def add_property(change: AddProperty, pointer: str, text: Text, path: str) -> Draft | None:
    """Add a property to the schema at a pointer; None where there is no sure place for it."""
    try:
        file = open_text(text.utf8, path)
        schema = file.root.at(pointer)
        properties = schema.get("properties") if schema is not None else None
        wanted = _schema(change.wanted, file.root)
        if properties is None or wanted is None or properties.has(change.name):
            return None
        value = properties.value
        edit = _edit(change.name, wanted, value, text) if isinstance(value, Mapping) else None
        if edit is None:
            return None
        after = text.text[: edit.start] + edit.text + text.text[edit.end :]
        again = open_text(after.encode(), path)
        place = again.root.at(f"{pointer}/properties")
        if place is None or not isinstance(place.value, Mapping):
            return None
        if place.value.pop(change.name, None) != wanted or again.tree.value != file.tree.value:
            return None
    except (ContractError, RecursionError):
        return None
    return Draft(f"add `{change.name}` to the contract", False, (edit,))


def _schema(wanted: WireType, root: Node) -> dict[str, object] | None:
    """The schema of a simple type, as the version of the document writes it; None for what is no
    OpenAPI document."""
    version = root.text("openapi")
    if not version and not root.has("swagger"):
        return None
    found: dict[str, object] = {"type": wanted.type}
    if wanted.nullable and version.startswith("3.0"):
        found["nullable"] = True
    elif wanted.nullable and version.startswith("3."):
        found["type"] = [wanted.type, "null"]
    elif wanted.nullable:
        return None
    return {**found, "format": wanted.format} if wanted.format else found


def _edit(
    name: str, wanted: dict[str, object], properties: Mapping, text: Text
) -> Replacement | None:
    """The new member behind the last one."""
    if not properties:
        return None
    last = _last(properties)
    key_start, _, start, _ = properties.places[last]
    end = _end(properties, last, text.text)
    if end is None:
        return None
    style = _style(properties, last, text)
    following = text.text[end:].lstrip()
    if following[:1] in ("}", ","):  # the members themselves stand in braces
        apart = ", " if style.indent is None else f",{text.line_end}{style.indent}"
        return Replacement(end, end, apart + _in_braces(name, wanted, style, start, text))
    if style.indent is None or text.text[key_start - 1 : key_start] == "{":
        return None
    braces = text.text[start] in "{["
    rows = [_on_one_line(name, wanted, style)] if braces else _in_lines(name, wanted, style)
    written = text.line_end.join(f"{style.indent}{row}" for row in rows)
    below = text.text.find("\n", end)
    behind = text.text[end : below if below >= 0 else None].strip()
    if behind and not behind.startswith("#"):
        return None
    if below < 0:
        return Replacement(len(text.text), len(text.text), f"{text.line_end}{written}")
    return Replacement(below + 1, below + 1, f"{written}{text.line_end}")


def _last(container: Mapping) -> str:
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
            key = _last(value)
            _, key_end, start, end = value.places[key]
            value = value[key]
        else:
            key_end = start
            start, end = value.places[-1]
            value = value[-1]
    return None


def _style(properties: Mapping, last: str, text: Text) -> _Style:
    key_start = properties.places[last][0]
    own_line = _blanks_before(key_start, text)
    value = properties[last]
    step = "  "
    if own_line is not None and isinstance(value, Mapping) and value:
        inner = _blanks_before(min(place[0] for place in value.places.values()), text)
        if inner is not None and inner.startswith(own_line) and len(inner) > len(own_line):
            step = inner[len(own_line) :]
    return _Style(own_line, step, text.text[key_start] == '"')


def _blanks_before(offset: int, text: Text) -> str | None:
    """The blanks between the start of a line and a place; None where more stands there."""
    line, _ = text.place(offset)
    before = text.text[text.offset(line, 1) : offset]
    return None if before.strip() else before


def _in_lines(name: str, wanted: dict[str, object], style: _Style) -> list[str]:
    rows = [f"{_key(name, style)}:"]
    return rows + [f"{style.step}{_key(key, style)}: {_plain(v)}" for key, v in wanted.items()]


def _on_one_line(name: str, wanted: dict[str, object], style: _Style) -> str:
    inner = ", ".join(f"{_key(key, style)}: {_plain(v, style)}" for key, v in wanted.items())
    return f"{_key(name, style)}: {{ {inner} }}"


def _in_braces(name: str, wanted: dict[str, object], style: _Style, start: int, text: Text) -> str:
    """A member among braces, over as many lines as the one before it."""
    first_line = text.text[start:].split("\n", 1)[0].strip()
    if style.indent is None or first_line != "{":
        return _on_one_line(name, wanted, style)
    rows = f",{text.line_end}".join(
        f"{style.indent}{style.step}{_key(key, style)}: {_plain(value, style)}"
        for key, value in wanted.items()
    )
    return f"{_key(name, style)}: {{{text.line_end}{rows}{text.line_end}{style.indent}}}"


def _key(name: str, style: _Style) -> str:
    return json.dumps(name) if style.quoted or not name.isalnum() else name


def _plain(value: object, style: _Style | None = None) -> str:
    """A value of a schema: words need no quotes in YAML, and have them in JSON."""
    if isinstance(value, list):
        return f"[{', '.join(json.dumps(each) for each in value)}]"
    quoted = style is not None and style.quoted
    return json.dumps(value) if quoted or not isinstance(value, str) else value
