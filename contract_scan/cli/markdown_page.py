"""A page of Markdown as a terminal shows it: headings in bold, code set off, tables in columns.

For our own pages, which hold paragraphs, lists, tables, code and links; anything else is shown as
it is written.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from contract_scan.reports.display import display, width
from contract_scan.reports.paint import BLUE, BOLD, CYAN, Paint

INDENT = "    "
"""Before every line of code."""


def rendered_page(text: str, columns: int) -> Iterator[str]:
    """The lines of a page, none of its prose longer than so many columns."""
    paint = Paint(True)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    place = 0
    while place < len(tokens):
        token = tokens[place]
        block = [token] if token.nesting == 0 else _block(tokens[place:])
        yield from _lines(block, columns, paint)
        yield ""
        place += len(block)


def _block(tokens: Sequence[Token]) -> list[Token]:
    """The tokens from one that opens to the one that closes it."""
    depth = 0
    for number, token in enumerate(tokens, start=1):
        depth += token.nesting
        if depth == 0:
            return list(tokens[:number])
    return list(tokens)


def _lines(block: Sequence[Token], columns: int, paint: Paint) -> Iterator[str]:
    first = block[0]
    match first.type:
        case "heading_open":
            yield paint(display(_plain_text(block[1])), BOLD, BLUE)
        case "fence" | "code_block":
            for line in first.content.splitlines():
                yield paint(INDENT + display(line), CYAN)
        case "bullet_list_open" | "ordered_list_open":
            yield from _items(block, columns, paint)
        case "table_open":
            yield from _table_rows(block, paint)
        case _:
            for token in block:
                if token.type == "inline":
                    yield from _paragraph(token, columns, "", "", paint)


def _items(block: Sequence[Token], columns: int, paint: Paint) -> Iterator[str]:
    depth = 0
    lead = ""
    for token in block:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "list_item_open":
            mark = f"{token.info}{token.markup}" if token.info else "•"
            lead = f"{'  ' * (depth - 1)}{mark} "
        elif token.type == "inline":
            yield from _paragraph(token, columns, lead, " " * len(lead), paint)
            lead = " " * len(lead)


def _table_rows(block: Sequence[Token], paint: Paint) -> Iterator[str]:
    rows: list[list[Token]] = []
    for token in block:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token)
    widths = [
        max(width(display(_plain_text(cell))) for cell in column)
        for column in zip(*rows, strict=True)
    ]
    for number, row in enumerate(rows):
        cells = []
        for cell, columns in zip(row, widths, strict=True):
            text = display(_plain_text(cell))
            shown = paint(text, BOLD) if number == 0 else _inline(cell, paint)
            cells.append(shown + " " * (columns - width(text)))
        yield "  ".join(cells).rstrip()


def _paragraph(token: Token, columns: int, lead: str, indent: str, paint: Paint) -> Iterator[str]:
    """Prose, folded. Code in it is painted afterwards: colours take no columns."""
    folded = textwrap.wrap(
        display(_plain_text(token, code="`")),
        max(columns, 20),
        initial_indent=lead,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    inside = False
    for line in folded:
        pieces = line.split("`")
        shown = ""
        for number, piece in enumerate(pieces):
            if number:
                inside = not inside
            shown += paint(piece, CYAN) if inside else piece
        yield shown


def _inline(token: Token, paint: Paint) -> str:
    return "".join(
        paint(display(child.content), CYAN) if child.type == "code_inline" else _text_of(child)
        for child in token.children or ()
    )


def _plain_text(token: Token, code: str = "") -> str:
    """What an inline token says, without its markup, code between two `code`."""
    return "".join(
        f"{code}{child.content}{code}" if child.type == "code_inline" else _text_of(child)
        for child in token.children or ()
    )


def _text_of(child: Token) -> str:
    return " " if child.type in ("softbreak", "hardbreak") else child.content
