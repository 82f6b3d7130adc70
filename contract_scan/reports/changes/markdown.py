"""Changes for the comment of a pull request: a table for each level."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.contract_changes import (
    CHANGE_LEVELS,
    ChangeLevel,
    ContractChange,
    ContractChanges,
)
from contract_scan.reports.changes.wording import (
    headline,
    location_text,
    problem_place,
    subjects,
    summary,
)
from contract_scan.reports.markdown_text import code, escape_text, prose

_HEADINGS: dict[ChangeLevel, str] = {
    "breaking": "Breaking",
    "dangerous": "Dangerous",
    "safe": "Safe",
}
_MOST_ROWS = 200
"""Rows of one table: a comment may hold 65,536 characters."""


def render(found: ContractChanges, color: bool) -> Iterator[str]:
    """A heading, the summary, and one table for each level that has changes."""
    yield f"## Contract changes\n\n{escape_text(summary(found))}\n\n"
    yield f"{code(found.base)} → {code(found.revision)}\n"
    for level in CHANGE_LEVELS:
        changes = [one for one in found.changes if one.level == level]
        if changes:
            yield f"\n### {_HEADINGS[level]} ({len(changes)})\n\n"
            yield "| Change | Where | Base | Revision |\n| --- | --- | --- | --- |\n"
            yield from map(_row, changes[:_MOST_ROWS])
            if len(changes) > _MOST_ROWS:
                yield f"\nand {len(changes) - _MOST_ROWS} more\n"
    if found.undetermined:
        yield f"\n### Undetermined ({len(found.undetermined)})\n\n"
        for one in found.undetermined[:_MOST_ROWS]:
            yield f"- {code(one.subject.place)}: {prose(one.reason)}\n"
    if found.problems:
        yield f"\n### Not read ({len(found.problems)})\n\n"
        for problem in found.problems[:_MOST_ROWS]:
            yield f"- {code(problem_place(problem))}: {prose(problem.reason)}\n"


def _row(change: ContractChange) -> str:
    shown, more = subjects(change, 1)
    where = code(shown[0]) + (f" and {more} more" if more else "")
    used = [f"{one.role} {code(location_text(one.origin))}" for one in change.impacts]
    where += f"<br>used: {', '.join(used)}" if used else ""
    base, revision = (
        code(location_text(origin)) if origin.path else ""
        for origin in (change.base, change.revision)
    )
    what = f"{code(change.id)} {prose(headline(change))}"
    return f"| {_cell(what)} | {_cell(where)} | {_cell(base)} | {_cell(revision)} |\n"


def _cell(text: str) -> str:
    """Text that does not end its cell, even inside of a code span."""
    return text.replace("\\|", "|").replace("|", "\\|").replace("\n", " ")
