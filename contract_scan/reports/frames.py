"""Code frames: a line of a file with the place in it marked.

40 | def get_order(id: str):
41 |     return JSONResponse(order, status_code=201)
   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ found: 201
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.reports.display import clip, display, width
from contract_scan.reports.lines import Lines

MAX_WIDTH = 160
TAB = 4
LEAD = 40
"""Columns shown before the marked place where a line has to be clipped on the left, at most."""
NARROWEST = 20
"""Columns that are used at least."""


class Frame(Struct, frozen=True, kw_only=True):
    """One place to show."""

    origin: Origin
    arrow: str
    """`-->` for the place itself, `:::` for the one it is compared with."""
    mark: str
    """`^` or `-`."""
    label: str = ""
    before: int = 0
    """How many lines before it to show as well."""


class Row(Struct, frozen=True, kw_only=True):
    """One line of a frame below its heading, in parts so that each can be coloured."""

    number: int = 0
    """0 where the row is no line of the file."""
    text: str = ""
    mark: str = ""
    """The underline with its label; `text` is then the space before it."""


def frame_rows(frame: Frame, lines: Lines, columns: int = MAX_WIDTH) -> Iterator[Row]:
    """The rows of a frame, in so many columns: nothing where the line cannot be read. What stands
    below a line is never cut away: it says what is wrong."""
    columns = max(min(columns, MAX_WIDTH), NARROWEST)
    span = frame.origin.span
    line = lines.line(frame.origin.path, span.line)
    if line is None:
        return
    for number in range(max(1, span.line - frame.before), span.line):
        above = lines.line(frame.origin.path, number)
        if above is not None and above.strip():
            yield Row(number=number, text=_safe(above.rstrip(), columns))
    start = min(max(span.column - 1, 0), len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    end = min(max(end, start), len(line))
    text, offset, length = _window(line.rstrip(), start, end, columns)
    yield Row(number=span.line, text=text)
    label = display(frame.label)
    underline = frame.mark * length
    yield Row(
        text=" " * offset,
        mark=clip(f"{underline} {label}" if label else underline, max(MAX_WIDTH - offset, 20)),
    )


def dedent_rows(found: Iterable[Row]) -> list[Row]:
    """Rows without the blanks that all of them begin with: a narrow page has no room for these."""
    listed = list(found)
    shared = min((_blanks(row) for row in listed), default=0)
    return [replace(row, text=row.text[shared:]) for row in listed]


def _blanks(row: Row) -> int:
    return len(row.text) - len(row.text.lstrip(" "))


def _safe(text: str, columns: int) -> str:
    return clip(display(text.expandtabs(TAB)), columns)


def _window(line: str, start: int, end: int, columns: int) -> tuple[str, int, int]:
    """The part of a line to show, where the mark starts in it, and how long the mark is.

    Tabs are expanded and unsafe characters escaped first: both move what follows.
    """
    before = display(line[:start].expandtabs(TAB))
    marked = display(line[start:end].expandtabs(TAB))
    shown = _safe_rest(line, start)
    offset, length = width(before), max(width(marked), 1)
    if width(before) + width(shown) <= columns:
        return before + shown, offset, length
    lead = min(LEAD, columns // 4)
    if offset + min(length, lead) > columns - lead:
        tail = _last_columns(before, lead)
        before, offset = "…" + tail, width(tail) + 1
    room = columns - offset
    return before + clip(shown, room), offset, min(length, room)


def _safe_rest(line: str, start: int) -> str:
    """The line from `start` on, with tabs expanded to the stops of the whole line."""
    return display(line.expandtabs(TAB)[len(line[:start].expandtabs(TAB)) :])


def _last_columns(text: str, columns: int) -> str:
    used = 0
    for index in range(len(text) - 1, -1, -1):
        used += width(text[index])
        if used > columns:
            return text[index + 1 :]
    return text
