"""What a result should say and does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from contract_scan.agent_results.result import (
    SEVERITIES,
    STATUSES,
    AgentResult,
    Location,
    band_of,
)
from contract_scan.regular_file import read_regular

DefectKind: TypeAlias = Literal[
    "missing-section",
    "unknown-status",
    "no-confidence",
    "unjustified-confidence",
    "unsupported-confidence",
    "long-summary",
    "no-location",
    "unknown-location",
    "no-severity",
    "no-next-steps",
    "no-resolution",
]

LONGEST_SUMMARY: Final = 500
"""Tokens of a summary (the subagent contract's limit)."""
LETTERS_PER_TOKEN: Final = 4
"""Of English text on average, as the makers of tokenizers say; no tokenizer is needed for a limit
that is itself a rough one."""

_LARGEST_FILE: Final = 16_000_000
"""Bytes of a file whose lines are counted; one that is larger has every line."""


class Defect(Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a result."""

    kind: DefectKind
    message: str
    line: int


def defects(result: AgentResult, root: Path | None = None) -> list[Defect]:
    """What is wrong with a result, by line.

    With a `root`, places must exist there: relative paths to files inside it, with so many lines.
    """
    found = [
        *_status_defects(result),
        *_section_defects(result),
        *_summary_defects(result),
        *_confidence_defects(result),
        *_place_defects(result, root),
        *_severity_defects(result),
        *_outlook_defects(result),
    ]
    return sorted(found, key=lambda defect: (defect.line, defect.kind))


# Private helpers


class _Required(Struct, frozen=True):
    """A section that a result must have."""

    title: str
    is_given: Callable[[AgentResult], bool]


_OF_A_RESULT: Final = (
    _Required("Findings", lambda result: bool(result.findings)),
    _Required("Key References", lambda result: bool(result.references)),
)
_OF_A_FAILURE: Final = (
    _Required("Error Details", lambda result: result.error is not None),
    _Required("Attempted Actions", lambda result: bool(result.attempted_actions)),
    _Required("Root Cause Analysis", lambda result: bool(result.root_cause)),
    _Required("Recovery Options", lambda result: bool(result.recovery_options)),
    _Required("Blockers", lambda result: bool(result.blockers)),
)


def _status_defects(result: AgentResult) -> Iterator[Defect]:
    if result.status is None:
        names = ", ".join(STATUSES)
        message = f"the status of {result.agent} is none of {names}"
        yield Defect(kind="unknown-status", message=message, line=result.line)


def _section_defects(result: AgentResult) -> Iterator[Defect]:
    for required in _OF_A_FAILURE if result.status == "FAILED" else _OF_A_RESULT:
        if not required.is_given(result):
            yield Defect(
                kind="missing-section",
                message=f"{result.agent} says nothing under `{required.title}`",
                line=result.line,
            )


def _summary_defects(result: AgentResult) -> Iterator[Defect]:
    tokens = -(-len(result.summary) // LETTERS_PER_TOKEN)
    if not result.summary:
        message = f"{result.agent} says nothing under `Summary`"
        yield Defect(kind="missing-section", message=message, line=result.line)
    elif tokens > LONGEST_SUMMARY:
        message = f"the summary has about {tokens} tokens; at most {LONGEST_SUMMARY} are allowed"
        yield Defect(kind="long-summary", message=message, line=result.line)


def _confidence_defects(result: AgentResult) -> Iterator[Defect]:
    confidence = result.confidence
    if confidence is None:
        if result.status != "FAILED":
            message = f"{result.agent} gives no confidence from 0 to 100"
            yield Defect(kind="no-confidence", message=message, line=result.line)
        return
    if confidence.score > 100:
        message = f"the confidence {confidence.score:g} is above 100"
        yield Defect(kind="no-confidence", message=message, line=confidence.line)
        return
    if not confidence.justification:
        message = f"the confidence {confidence.score:g} is not justified; add ` - REASON`"
        yield Defect(kind="unjustified-confidence", message=message, line=confidence.line)
    band = band_of(confidence.score)
    if band.lowest >= _EVIDENCE_FROM and not any(_named_locations(result)):
        message = (
            f"the confidence {confidence.score:g} ({band.name}) asks for {band.evidence}; the "
            "result names no line of a file"
        )
        yield Defect(kind="unsupported-confidence", message=message, line=confidence.line)


_EVIDENCE_FROM: Final = 85.0
"""The lowest confidence that rests on evidence in the code (`BANDS`)."""


def _named_locations(result: AgentResult) -> Iterator[tuple[Location, int]]:
    """The places that a result names, and the line that names each."""
    for reference in result.references:
        if reference.location is not None:
            yield reference.location, reference.line
    for issue in result.issues:
        if issue.location is not None:
            yield issue.location, issue.line


def _place_defects(result: AgentResult, root: Path | None) -> Iterator[Defect]:
    for reference in result.references:
        if reference.location is None:
            message = f"the reference `{reference.item}` names no `file:line`"
            yield Defect(kind="no-location", message=message, line=reference.line)
    for issue in result.issues:
        if issue.location is None:
            message = f"the issue `{issue.id or issue.title}` names no `file:line`"
            yield Defect(kind="no-location", message=message, line=issue.line)
    if root is not None:
        lines = _LineCounts(root)
        for location, line in _named_locations(result):
            if problem := lines.problem(location):
                message = f"`{location}`: {problem}"
                yield Defect(kind="unknown-location", message=message, line=line)


class _LineCounts:
    """How many lines the files of a folder have, each counted once."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._counts: dict[str, int | None] = {}

    def problem(self, location: Location) -> str:
        """Why a place does not exist; empty where it does."""
        path = PurePosixPath(location.path.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
            return "is no path inside the folder"
        if location.path not in self._counts:
            self._counts[location.path] = self._count(self._root / path)
        count = self._counts[location.path]
        if count is None:
            return "there is no such file"
        return f"the file has {count} lines" if location.line > count else ""

    def _count(self, path: Path) -> int | None:
        """The lines of a regular file inside the folder; None where there is none."""
        try:
            if not path.resolve().is_relative_to(self._root) or not path.is_file():
                return None
            if path.stat().st_size > _LARGEST_FILE:
                return _LARGEST_FILE
            text = read_regular(path, _LARGEST_FILE)
        except OSError:
            return None
        return text.count(b"\n") + (not text.endswith(b"\n") and bool(text))


def _severity_defects(result: AgentResult) -> Iterator[Defect]:
    for issue in result.issues:
        if issue.severity is None:
            message = (
                f"the severity of the issue `{issue.id or issue.title}` is none of "
                f"{', '.join(SEVERITIES)}"
            )
            yield Defect(kind="no-severity", message=message, line=issue.line)


def _outlook_defects(result: AgentResult) -> Iterator[Defect]:
    unfinished = result.status == "PARTIAL" or (result.issues and result.status == "SUCCESS")
    if unfinished and not result.next_steps and not result.blockers:
        message = f"{result.agent} left something open and names no next step and no blocker"
        yield Defect(kind="no-next-steps", message=message, line=result.line)
    for blocker in result.blockers:
        if not blocker.resolution:
            message = f"the blocker `{blocker.description:.60}` says nothing of its resolution"
            yield Defect(kind="no-resolution", message=message, line=blocker.line)
