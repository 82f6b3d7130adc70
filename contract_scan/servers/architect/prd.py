"""A requirements document in Markdown -> sections, statements and tables, each with its line.

Code blocks and HTML are no requirements and are not read. The text is data: none of it is obeyed.
"""

from __future__ import annotations

import re

from msgspec import Struct

from contract_scan.errors import UsageError
from contract_scan.servers.architect.names import plain_text, without_number
from contract_scan.servers.architect.vocabulary import PARTS, term

LARGEST_TEXT = 1_000_000
"""Characters of a document."""
LONGEST_STATEMENT = 2_000
"""Characters that are read of one statement or cell."""
_SPACES = "\r\n\t\f\xa0\ufeff\u2003\u2009\u200b\u200d\u2028\u202f\u3000"
_BOLD_LINE = re.compile(r"^(?:\*\*(?P<stars>[^*]+)\*\*|__(?P<lines>[^_]+)__):?$")
_BOLD_PART, _BOLD_INNER = 7, 8
"""Levels of lines in bold letters that serve as headings: those of parts that are known by their
words, and what stands in them."""
_LABEL_PART = 9
"""Level of a line with a colon before a list, in a document without such headings."""
_LINE_END = re.compile(r"\r\n|\n|\r")


class Statement(Struct, frozen=True):
    """A line of a paragraph, or an item of a list."""

    text: str
    """As it is written, marks of emphasis and code included."""
    line: int
    depth: int
    """0: a paragraph; 1: an item of a list; 2 and more: an item below an item."""
    under: str
    """The item or line with a colon at its end that it stands below, as plain text without that
    colon; empty: none."""


class Row(Struct, frozen=True):
    """A row of a table."""

    cells: tuple[str, ...]
    line: int


class Table(Struct, frozen=True):
    """A table with its headings."""

    headings: tuple[str, ...]
    rows: tuple[Row, ...]


class Section(Struct, frozen=True):
    """A heading and what stands directly below it."""

    title: str
    """Plain text without the number before it; empty for what stands before every heading."""
    level: int
    line: int
    parent: int | None
    """Index of the section that it is a part of."""
    statements: tuple[Statement, ...]
    tables: tuple[Table, ...]


class Prd(Struct, frozen=True):
    """A document."""

    title: str
    """Its first heading; empty where it has none."""
    sections: tuple[Section, ...]
    malformed: tuple[int, ...]
    """Lines that look like tables and are none."""

    def ancestors(self, index: int) -> tuple[int, ...]:
        """A section and everything that it is a part of, the section first."""
        found = [index]
        while (above := self.sections[found[-1]].parent) is not None:
            found.append(above)
        return tuple(found)


class _Open:
    """A section that is being read."""

    def __init__(self, title: str, level: int, line: int, parent: int | None) -> None:
        self.title, self.level, self.line, self.parent = title, level, line, parent
        self.statements: list[Statement] = []
        self.tables: list[Table] = []

    def section(self) -> Section:
        """The section as it is now."""
        return Section(
            self.title,
            self.level,
            self.line,
            self.parent,
            tuple(self.statements),
            tuple(self.tables),
        )


def read_prd(text: str) -> Prd:
    """The document.

    Raises UsageError for a text that is empty, too large, binary, or without any structure.
    """
    if not text.strip():
        raise UsageError("prd_text is empty; give the text of a requirements document")
    if len(text) > LARGEST_TEXT:
        raise UsageError(
            f"prd_text has {len(text)} characters, at most {LARGEST_TEXT} are read; "
            "give its parts one by one"
        )
    strange = sum(not (letter.isprintable() or letter in _SPACES) for letter in text)
    if "\0" in text or strange * 20 > len(text):
        raise UsageError("prd_text is no text but binary data; give Markdown")
    prd = _Reader(text.removeprefix("\ufeff")).parse_document()
    structured = (
        one.title or one.tables or any(statement.depth for statement in one.statements)
        for one in prd.sections
    )
    if not any(structured):
        raise UsageError(
            "prd_text has no headings, lists or tables to derive services from; write it as "
            "Markdown with a heading for each service and entity"
        )
    return prd


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._sections = [_Open("", 0, 1, None)]
        self._malformed: list[int] = []

    def parse_document(self) -> Prd:
        from markdown_it import MarkdownIt  # takes long to import

        tokens = MarkdownIt("commonmark").enable("table").disable("inline").parse(self._text)
        items: list[str] = []  # the open items, outermost first
        heading = 0
        headings: list[str] = []
        cells: list[str] = []
        rows: list[Row] = []
        in_head = in_table = False
        label = ""  # the line with a colon at its end before a list
        for token in tokens:
            line = token.map[0] + 1 if token.map else 0
            match token.type:
                case "heading_open":
                    heading, label = int(token.tag[1:]), ""
                case "heading_close":
                    heading = 0
                case "table_open":
                    in_table, headings, rows = True, [], []
                case "table_close":
                    in_table = False
                    self._sections[-1].tables.append(Table(tuple(headings), tuple(rows)))
                case "thead_open":
                    in_head = True
                case "thead_close":
                    in_head = False
                case "tr_open":
                    cells = []
                    row_line = line
                case "tr_close" if in_head:
                    headings = cells
                case "tr_close":
                    rows.append(Row(tuple(cells), row_line))
                case "list_item_open":
                    items.append("")
                case "list_item_close":
                    items.pop()
                case "inline" if in_table:
                    cells.append(token.content[:LONGEST_STATEMENT])
                case "inline" if heading:
                    self._open(token.content, heading, line)
                case "inline" if items and not items[-1]:
                    text = " ".join(token.content.split())[:LONGEST_STATEMENT]
                    under = items[-2] if len(items) > 1 else label
                    items[-1] = plain_text(text).removesuffix(":")
                    self._sections[-1].statements.append(
                        Statement(text, line, len(items), under.strip())
                    )
                case "inline":
                    label = self._paragraph(token.content, line) if not items else label
                case _:
                    pass
        title = next((one.title for one in self._sections if one.title), "")
        sections = tuple(one.section() for one in self._sections)
        return Prd(title, sections, tuple(self._malformed))

    def _open(self, content: str, level: int, line: int) -> None:
        parent: int | None = len(self._sections) - 1
        while parent is not None and self._sections[parent].level >= level:
            parent = self._sections[parent].parent
        title = without_number(content)[:LONGEST_STATEMENT]
        self._sections.append(_Open(title, level, line, parent or None))

    def _opened_by(self, text: str, line: int, *, is_last: bool) -> bool:
        """Whether a line that is no heading of Markdown serves as one: in bold letters alone, or
        with a colon before a list where no heading says what the document is about here."""
        bold = _BOLD_LINE.match(text)
        if bold:
            title = (bold["stars"] or bold["lines"]).strip().removesuffix(":")
            if term(title) in PARTS:
                self._open(title, _BOLD_PART, line)
                return True
            around = self._sections[-1]
            if around.level in (_BOLD_PART, _BOLD_INNER) or term(around.title) in PARTS:
                self._open(title, _BOLD_INNER, line)
                return True
            return False
        is_label = is_last and text.endswith(":") and term(text.removesuffix(":")) in PARTS
        if is_label and self._sections[-1].level in (0, 1, _LABEL_PART):
            self._open(text.removesuffix(":"), _LABEL_PART, line)
            return True
        return False

    def _paragraph(self, content: str, first: int) -> str:
        """Take the lines of a paragraph. What a list that follows is labelled with."""
        lines = _LINE_END.split(content)
        if any(one.lstrip().startswith("|") and one.count("|") > 2 for one in lines):
            self._malformed.append(first)
            return ""
        for offset, one in enumerate(lines):
            text = one.strip()[:LONGEST_STATEMENT]
            if self._opened_by(text, first + offset, is_last=offset == len(lines) - 1):
                continue
            self._sections[-1].statements.append(Statement(text, first + offset, 0, ""))
        last = plain_text(lines[-1])
        return last.removesuffix(":") if last.endswith(":") else ""
