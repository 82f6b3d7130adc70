"""The written form of scope contracts and handoffs: a title, keys with a colon, values or bullets.

    Scope Contract: Backend API
    Identity:
      scope_id: backend-api
    Deliverables:
      - src/orders/api.py

The same in Markdown counts too: keys as headings, in bold, in code marks or behind bullets, and the
whole in a fenced block. A heading that is no key, a rule (`---`) and the end of the fence end it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.scopes.contract import Item, ScopeContractError

_BULLET: Final = re.compile(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.*)")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+(.*)")
_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})")
_RULE: Final = re.compile(r"\s{0,3}([-*_])(?:\s*\1){2,}\s*")
_BOLD: Final = re.compile(r"(\*\*|__)[^*_].*\1")
_MARKS: Final = re.compile(r"^[*_`]+|[*_`]+$")
_COMMENT: Final = re.compile(r"(?:^|(?<!\s)\s++)#\s.*")
_NOTHING: Final = frozenset({"", "[]", "none", "n/a", "-", "—"})


class Entry(Struct, frozen=True):
    """A key with what is written behind it and below it."""

    key: str
    line: int
    items: tuple[Item, ...] = ()
    """A value behind the colon is one item; `[a, b]` is several; `[]` and `none` are none."""


class Outline(Struct, frozen=True):
    """One titled block."""

    title: str
    line: int
    entries: tuple[Entry, ...] = ()

    def entry(self, key: str) -> Entry | None:
        """The entry of a key; none where it is not written."""
        return next((one for one in self.entries if one.key == key), None)

    def items(self, key: str) -> tuple[Item, ...]:
        """What is written at a key."""
        found = self.entry(key)
        return () if found is None else found.items


class Grammar(Struct, frozen=True):
    """What may stand in a block."""

    title: str
    """What its first line begins with."""
    keys: Mapping[str, str]
    """Keys as they are written, in small letters with blanks, and what each is called."""
    sections: frozenset[str]
    """Keys that hold keys and no items."""
    ended_by: tuple[str, ...] = ()
    """Titles of other blocks."""


def read_outlines(text: str, grammar: Grammar, path: str) -> list[Outline]:
    """Every block of a text that begins with the title.

    Raises ScopeContractError for a line that is neither a key nor an item, and for a key that is
    given twice.
    """
    found: list[Outline] = []
    reader: _Reader | None = None
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if _FENCE.match(line):
            fenced = not fenced
            if reader is not None and not fenced:
                found, reader = [*found, reader.outline()], None
            continue
        begins = _text_after_title(line, grammar.title)
        if begins is not None:
            found += [] if reader is None else [reader.outline()]
            reader = _Reader(Outline(begins, number), grammar, path)
        elif reader is not None and (
            any(_text_after_title(line, other) is not None for other in grammar.ended_by)
            or not reader.read(line, number)
        ):
            found, reader = [*found, reader.outline()], None
    return found if reader is None else [*found, reader.outline()]


def list_lines(items: tuple[Item, ...], indent: str) -> Iterator[str]:
    """The lines of a list below its key."""
    return (f"{indent}- {' '.join(item.text.split())}" for item in items)


# Private helpers


class _Reader:
    """Reads the lines of one block."""

    def __init__(self, outline: Outline, grammar: Grammar, path: str) -> None:
        self._outline = outline
        self._grammar = grammar
        self._path = path
        self._entries: list[Entry] = []
        self._indent = 0
        self._bulleted = False
        """Whether the last key stood behind a bullet: bullets of the same depth are keys then."""

    def outline(self) -> Outline:
        return replace(self._outline, entries=tuple(self._entries))

    def read(self, line: str, number: int) -> bool:
        """Take a line; false where it ends the block."""
        if not line.strip():
            return True
        if _RULE.fullmatch(line):
            return False
        heading = _HEADING.fullmatch(line)
        bullet = None if heading else _BULLET.fullmatch(line)
        indent = len(bullet[1]) if bullet else len(line) - len(line.lstrip())
        content = _title(heading[1]) if heading else bullet[2] if bullet else line.strip()
        is_item = bullet is not None and self._takes_items(indent)
        key = None if is_item else self._key(content, colon=heading is None)
        if key is not None:
            self._begin(*key, number, indent, bullet is not None)
        elif heading:
            return False
        elif bullet is not None and self._in_list():
            self._add(Item(content.strip(), number))
        elif self._entries and self._entries[-1].items and indent > self._indent:
            self._continue(content)
        else:
            raise ScopeContractError(
                f"{content!r:.60} is no key of {self._outline.title!r:.60} and no item of a list; "
                "begin items with `- `",
                self._path,
                number,
            )
        return True

    def _takes_items(self, indent: int) -> bool:
        return self._in_list() and (
            indent > self._indent or (indent == self._indent and not self._bulleted)
        )

    def _in_list(self) -> bool:
        return bool(self._entries) and self._entries[-1].key not in self._grammar.sections

    def _key(self, content: str, *, colon: bool) -> tuple[str, str] | None:
        name, mark, value = content.partition(":")
        if colon and not mark and _BOLD.fullmatch(content) is None:
            return None
        word = _MARKS.sub("", name.strip()).lower().replace("_", " ").strip()
        found = self._grammar.keys.get(word)
        return None if found is None else (found, _MARKS.sub("", value.strip()))

    def _begin(self, key: str, value: str, number: int, indent: int, bulleted: bool) -> None:
        for other in self._entries:
            if other.key == key:
                raise ScopeContractError(
                    f"`{key}` is given twice, first in line {other.line}", self._path, number
                )
        inline = tuple(Item(text, number) for text in _values(value))
        if inline and key in self._grammar.sections:
            raise ScopeContractError(f"`{key}` holds keys of its own, no value", self._path, number)
        self._entries.append(Entry(key, number, inline))
        self._indent, self._bulleted = indent, bulleted

    def _add(self, item: Item) -> None:
        last = self._entries[-1]
        if item.text.lower() not in _NOTHING:
            self._entries[-1] = replace(last, items=(*last.items, item))

    def _continue(self, content: str) -> None:
        last = self._entries[-1]
        *before, item = last.items
        longer = Item(f"{item.text} {content}", item.line)
        self._entries[-1] = replace(last, items=(*before, longer))


def _text_after_title(line: str, title: str) -> str | None:
    """What follows the title, where a line has it."""
    heading = _HEADING.fullmatch(line)
    content = _MARKS.sub("", (_title(heading[1]) if heading else line).strip())
    if not content.lower().startswith(title.lower()):
        return None
    name = content[len(title) :]
    bare = _MARKS.sub("", name.strip())
    return _MARKS.sub("", bare.removeprefix(":").strip()) if bare[:1] in ("", ":") else None


def _title(written: str) -> str:
    """The words of a heading, without the `#` that may close it."""
    return written.rstrip().rstrip("#").rstrip()


def _values(value: str) -> Iterator[str]:
    text = _COMMENT.sub("", value).strip()
    if text.lower() in _NOTHING:
        return
    if not (text.startswith("[") and text.endswith("]")):
        yield text
        return
    depth, begin = 0, 1
    for position, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if (char == "," and depth == 1) or (position == len(text) - 1):
            one = text[begin:position].strip().strip("\"'")
            if one:
                yield one
            begin = position + 1
