"""Pages of cases in Markdown: one heading a case, below it files in fences that name them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt


class Fence(NamedTuple):
    """A block of a page: ```` ```python app.py ````."""

    language: str
    file: str
    content: str


def sections(text: str) -> Iterator[tuple[str, list[Fence]]]:
    """The fences below every second-level heading of a page."""
    heading, fences = "", list[Fence]()
    tokens = MarkdownIt().parse(text)
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            if heading:
                yield heading, fences
            heading, fences = tokens[index + 1].content, []
        elif token.type == "fence":
            language, _, file = token.info.strip().partition(" ")
            assert file, f"a block without a file name under `{heading}`"
            fences.append(Fence(language, file, token.content))
    yield heading, fences
