"""Markdown as a tree of sections, with the line of every part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from markdown_it.token import Token

_FENCES: Final = ("```", "~~~")
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
    # Blocks are all that is needed: the form has no inline marks but code, which places are in.
    tokens = MarkdownIt("commonmark").enable("table").disable("inline").parse("\n".join(lines))
    flat = list(_flat_sections(tokens, lines))
    return _nested(flat)


# Private helpers


def _inside_blocks(lines: Sequence[str]) -> set[int]:
    """The positions of lines within fenced blocks of Markdown. A block within one has a language
    where it begins, which tells its end from that of the block around it."""
    inside: set[int] = set()
    opened = -1
    within = 0
    for number, line in enumerate(lines):
        mark = line.strip()
        fence = next((one for one in _FENCES if mark.startswith(one)), "")
        if not fence:
            continue
        language = mark.lstrip(fence[0]).strip().lower()
        if opened < 0:
            opened = number if language in _MARKDOWN else opened
        elif language:
            within += 1
        elif within:
            within -= 1
        else:
            inside |= {*range(opened + 1, number)}
            opened = -1
    return inside


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
            rows=tuple(_rows(content)),
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


def _rows(tokens: Sequence[Token]) -> Iterator[Row]:
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


def _nested(flat: Sequence[Section]) -> tuple[Section, ...]:
    """Sections with those of lower levels that follow them inside."""
    found: list[Section] = []
    at = 0
    while at < len(flat):
        end = at + 1
        while end < len(flat) and flat[end].level > flat[at].level:
            end += 1
        found.append(replace(flat[at], sections=_nested(flat[at + 1 : end])))
        at = end
    return tuple(found)
