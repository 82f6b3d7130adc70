"""Changes for people: what changed, where it shows, and both places."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.contract_changes import ChangeLevel, ContractChange, ContractChanges
from contract_scan.reports.changes.wording import (
    headline,
    location_text,
    problem_place,
    subjects,
    summary,
)
from contract_scan.reports.display import display
from contract_scan.reports.paint import BLUE, BOLD, CYAN, RED, YELLOW, Paint

_COLORS: dict[ChangeLevel, str] = {"breaking": RED, "dangerous": YELLOW, "safe": CYAN}
_MOST = 5
"""Promises that are listed for one change."""


def render(found: ContractChanges, color: bool) -> Iterator[str]:
    """Every change with its places, then what could not be said, then the summary."""
    paint = Paint(color)
    for change in found.changes:
        yield from _change(change, paint)
        yield "\n"
    for one in found.undetermined:
        yield f"{paint('undetermined', BOLD)} {display(one.reason)}\n"
        yield f"  {display(one.subject.place)}\n"
        yield _revision_lines(location_text(one.base), location_text(one.revision), paint)
        yield "\n"
    for problem in found.problems:
        what = display(f"{problem_place(problem)}: {problem.reason}")
        yield f"{paint('not read', BOLD)} {what}\n"
    if found.problems:
        yield "\n"
    yield f"{display(summary(found))}: {display(found.base)} -> {display(found.revision)}\n"


def _change(change: ContractChange, paint: Paint) -> Iterator[str]:
    level = paint(change.level, _COLORS[change.level], BOLD)
    yield f"{level} {paint(change.id, BOLD)} {display(headline(change))}\n"
    shown, more = subjects(change, _MOST)
    for line in shown:
        yield f"  {display(line)}\n"
    if more:
        yield f"  and {more} more\n"
    yield _revision_lines(location_text(change.base), location_text(change.revision), paint)
    for impact in change.impacts:
        fields = f" ({', '.join(impact.fields)})" if impact.fields else ""
        where = f"{impact.role} {impact.subject}{fields}: {location_text(impact.origin)}"
        yield f"  {paint('used', BLUE)} {display(where)}\n"


def _revision_lines(base: str, revision: str, paint: Paint) -> str:
    lines = [
        f"  {paint('base', BLUE)}     {display(base)}\n" if base else "",
        f"  {paint('revision', BLUE)} {display(revision)}\n" if revision else "",
    ]
    return "".join(lines)
