"""Markdown as a tree of sections, with the line of every part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from markdown_it.token import Token

_FENCE: Final = re.compile(r"\s*+(?P<mark>`{3,}+|~{3,}+)(?P<language>[^`]*+)")
_HEADING: Final = re.compile(r" {0,3}(?P<mark>#{1,6})(?:\s|$)")
_MARKDOWN: Final = frozenset({"markdown", "md"})


class Text(Struct, frozen=True):
    """A paragraph, or an item of a list with the paragraphs below it."""

    content: str
    line: int


class Row(Struct, frozen=True):
    """A row of a table, its cells by their headings in small letters."""

    cells: dict[str, str]
    line: int


class Section(Struct, frozen=True):
    """A heading and what follows it, up to the next heading of its level or above."""

    title: str
    level: int
    line: int
    paragraphs: tuple[Text, ...] = ()
    items: tuple[Text, ...] = ()
    """Of lists, those within items included in their item."""
    rows: tuple[Row, ...] = ()
    body: str = ""
    """Everything up to the first heading within, as it was written."""
    sections: tuple[Section, ...] = ()

    def walk(self) -> Iterator[Section]:
        """This section and all within it, in the order of the text."""
        yield self
        for section in self.sections:
            yield from section.walk()


def read_sections(text: str, *, in_blocks: bool = False) -> tuple[Section, ...]:
    """The outermost sections of a text; with `in_blocks`, those of its fenced blocks of Markdown
    alone."""
    from markdown_it import MarkdownIt  # takes long to import

    lines = text.splitlines()
    if in_blocks:
        inside = _inside_blocks(lines)
        lines = [line if number in inside else "" for number, line in enumerate(lines)]
    # Blocks are all that is needed: the form has no inline marks but code, which places are in, and
    # `[Retry]: later` is an item of it and no address of a link.
    parser = MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])
    tokens = parser.parse("\n".join(lines))
    flat = list(_flat_sections(tokens, lines))
    return _section_tree(flat)


# Private helpers


class _Fence(Struct, frozen=True):
    """A line that begins or ends a block of code."""

    number: int
    """Its position among the lines."""
    mark: str
    """Its backticks or tildes."""
    language: str
    """In small letters; empty: it may end a block."""

    def ends(self, opening: _Fence) -> bool:
        """Whether it is a fence that may end the block that another one begins (CommonMark, Fenced
        code blocks: of the same characters, at least as many, and nothing behind them)."""
        return not self.language and self.mark.startswith(opening.mark)


def _inside_blocks(lines: Sequence[str]) -> set[int]:
    """The positions of lines within fenced blocks of Markdown; one that is not ended goes on to the
    last line.

    Agents put code between fences of the same length within such a block, where CommonMark asks for
    a longer fence around it. A fence with a language then begins code. One without begins code,
    too, where a heading below the first one of the block stands behind the code; else it ends the
    block.
    """
    fences = [fence for number, line in enumerate(lines) if (fence := _fence(number, line))]
    inside: set[int] = set()
    at = 0
    while at < len(fences):
        opening = fences[at]
        is_markdown = opening.language in _MARKDOWN
        end = _end_of_markdown(at, fences, lines) if is_markdown else _end_of_code(at, fences)
        if is_markdown:
            last = fences[end].number if end < len(fences) else len(lines)
            inside |= {*range(opening.number + 1, last)}
        at = end + 1
    return inside


def _fence(number: int, line: str) -> _Fence | None:
    found = _FENCE.fullmatch(line)
    return _Fence(number, found["mark"], found["language"].strip().lower()) if found else None


def _end_of_code(at: int, fences: Sequence[_Fence]) -> int:
    """Which fence ends the block that one begins; their number where none does."""
    later = range(at + 1, len(fences))
    return next((end for end in later if fences[end].ends(fences[at])), len(fences))


def _end_of_markdown(at: int, fences: Sequence[_Fence], lines: Sequence[str]) -> int:
    """The same of a block of Markdown that may hold code."""

    def levels(begin: int, end: int) -> list[int]:
        """Those of the headings between two fences, whatever they are."""
        stop = fences[end].number if end < len(fences) else len(lines)
        found = map(_HEADING.match, lines[fences[begin].number + 1 : stop])
        return [len(heading["mark"]) for heading in found if heading]

    first, *_ = levels(at, at + 1) or [0]
    inner = at + 1
    while inner < len(fences):
        end = _end_of_code(inner, fences)
        if fences[inner].ends(fences[at]) and not (
            first
            and end < len(fences) - 1
            and min(levels(inner, end), default=7) > first
            and next(iter(levels(end, end + 1)), 0) > first
        ):
            return inner
        inner = end + 1
    return len(fences)


def _flat_sections(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Section]:
    """Every section without those within it, in the order of the text."""
    heads = [at for at, token in enumerate(tokens) if _is_heading(token)]
    for place, head in enumerate(heads):
        end = heads[place + 1] if place + 1 < len(heads) else len(tokens)
        last = _first_line(tokens[end]) if end < len(tokens) else len(lines)
        opening = tokens[head]
        content = tokens[head + 3 : end]
        yield Section(
            title=tokens[head + 1].content.strip(),
            level=int(opening.tag[1:]),
            line=_first_line(opening) + 1,
            paragraphs=tuple(_paragraphs(content)),
            items=tuple(_items(content)),
            rows=tuple(_table_rows(content)),
            body="\n".join(lines[_end_line(opening) : last]).strip(),
        )


def _is_heading(token: Token) -> bool:
    return token.type == "heading_open" and token.level == 0


def _first_line(token: Token) -> int:
    return token.map[0] if token.map else 0


def _end_line(token: Token) -> int:
    return token.map[1] if token.map else 0


def _paragraphs(tokens: Sequence[Token]) -> Iterator[Text]:
    for at, token in enumerate(tokens):
        if token.type == "paragraph_open" and token.level == 0:
            yield Text(tokens[at + 1].content.strip(), _first_line(token) + 1)


def _items(tokens: Sequence[Token]) -> Iterator[Text]:
    content: list[str] = []
    line = 0
    for token in tokens:
        match token.type:
            case "list_item_open" if token.level == 1:
                content, line = [], _first_line(token) + 1
            case "inline" | "fence" | "code_block":
                content.append(token.content)
            case "list_item_close" if token.level == 1:
                yield Text("\n".join(content).strip(), line)
            case _:
                pass


def _table_rows(tokens: Sequence[Token]) -> Iterator[Row]:
    headings: list[str] = []
    cells: list[str] = []
    line = 0
    in_head = False
    for token in tokens:
        match token.type:
            case "thead_open":
                in_head = True
            case "thead_close":
                in_head = False
            case "tr_open":
                cells, line = [], _first_line(token) + 1
            case "inline":
                cells.append(token.content.strip())
            case "tr_close" if in_head:
                headings = [cell.lower() for cell in cells]
            case "tr_close":
                yield Row(dict(zip(headings, cells, strict=False)), line)
            case _:
                pass


def _section_tree(flat: Sequence[Section]) -> tuple[Section, ...]:
    """Sections with those of lower levels that follow them inside."""
    found: list[Section] = []
    at = 0
    while at < len(flat):
        end = at + 1
        while end < len(flat) and flat[end].level > flat[at].level:
            end += 1
        found.append(replace(flat[at], sections=_section_tree(flat[at + 1 : end])))
        at = end
    return tuple(found)
