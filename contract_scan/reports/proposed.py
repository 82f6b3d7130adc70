"""What a fix changes, line by line, for people to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from contract_scan.ir.fix import Edit, Fix
from contract_scan.ir.violation import Finding
from contract_scan.reports.lines import Lines


class ProposedLine(Struct, frozen=True):
    """One line of a file before or after."""

    sign: Literal["-", "+"]
    number: int
    """Before the change: of a new line, that of the line it comes in front of or in place of."""
    text: str


def command_for(finding: Finding) -> str:
    """The command that makes the fix of a finding."""
    unsafe = finding.fix is not None and not finding.fix.safe
    return f"contract-scan check --fix{' --unsafe-fixes' if unsafe else ''}"


def proposed_lines(fix: Fix, lines: Lines) -> Iterator[ProposedLine]:
    """The lines that go and those that come, in the order of the file."""
    for edits in _nearby(sorted(fix.edits)):
        first, last = edits[0].span.line, max(edit.span.end_line for edit in edits)
        before = [lines.line(fix.path, number) or "" for number in range(first, last + 1)]
        after = _apply_edits(before, edits, first)
        head = _common_prefix_length(before, after)
        tail = _common_prefix_length(before[head:][::-1], after[head:][::-1])
        for index in range(head, len(before) - tail):
            yield ProposedLine("-", first + index, before[index])
        for index in range(head, len(after) - tail):
            yield ProposedLine("+", first + min(index, len(before) - 1), after[index])


def _nearby(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Edits that touch the same lines, together."""
    group: list[Edit] = []
    for edit in edits:
        if group and edit.span.line > max(each.span.end_line for each in group):
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _apply_edits(before: Sequence[str], edits: Sequence[Edit], first: int) -> list[str]:
    """The lines with the edits put in, the last of them first so that places stay."""
    text = "\n".join(before)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line) + 1)
    for edit in reversed(edits):
        span = edit.span
        start = min(starts[span.line - first] + span.column - 1, len(text))
        end = min(starts[span.end_line - first] + span.end_column - 1, len(text))
        text = text[:start] + edit.text.replace("\r\n", "\n") + text[end:]
    return text.split("\n")


def _common_prefix_length(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two lists begin with alike."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
