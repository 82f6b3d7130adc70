"""Changes in words, for the reports that people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contract_scan.counted import counted
from contract_scan.ir.contract_changes import CHANGE_LEVELS, ContractChange, ContractChanges
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin


def values(change: ContractChange) -> str:
    """What stood before and what stands now: `a -> b`."""
    if change.before and change.after:
        return f"{change.before} -> {change.after}"
    return change.before or change.after


def headline(change: ContractChange) -> str:
    """What changed, with the values."""
    shown = values(change)
    return f"{change.message}: {shown}" if shown else change.message


def location_text(origin: Origin) -> str:
    """A place as `path:line:column`; empty for what stands in no file."""
    span = origin.span
    return f"{origin.path}:{span.line}:{span.column}" if span.line else origin.path


def problem_place(problem: NotAnalysed) -> str:
    """Where a problem is."""
    return f"{problem.path}:{problem.line}" if problem.line else problem.path


def summary(found: ContractChanges) -> str:
    """How many changes of each level there are, in one sentence."""
    levels = Counter(change.level for change in found.changes)
    counts = [f"{levels[level]} {level}" for level in CHANGE_LEVELS if levels[level]]
    total = counted(len(found.changes), "change")
    first = f"{total} ({', '.join(counts)})" if counts else "No change"
    more = [
        f"{found.suppressed} suppressed" if found.suppressed else "",
        f"{len(found.undetermined)} undetermined" if found.undetermined else "",
        f"{len(found.problems)} not read" if found.problems else "",
    ]
    compared = f"in {counted(found.contracts, 'contract')}"
    return ", ".join([f"{first} {compared}", *filter(None, more)])


def subjects(change: ContractChange, most: int) -> tuple[Sequence[str], int]:
    """The promises that a change shows in, and how many more there are."""
    shown = [one.place or one.contract for one in change.subjects[:most]]
    return shown, len(change.subjects) - len(shown)
