"""Fixes of Python: drafted with libcst, in a process of its own.

libcst can crash on hostile code, and take very long. So another process reads the code, with a time
limit, and hands back what to write where.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from contract_scan.clients.processes import ProcessError, run_program
from contract_scan.fixes.change import Change
from contract_scan.fixes.syntax import Draft, Replacement
from contract_scan.fixes.text import Text
from contract_scan.ir.origin import Origin, Span

TIMEOUT = 30.0
"""Seconds that the code of all files together may take."""
_CHILD = "contract_scan.fixes.python_child"
_PACKAGE = str(Path(__file__).parents[2])


class Job(Protocol):
    """One file, and what is asked of places in it."""

    @property
    def path(self) -> str: ...
    @property
    def text(self) -> Text: ...
    @property
    def changes(self) -> tuple[tuple[Origin, Change], ...]: ...


class _Answer(Struct, frozen=True):
    title: str
    safe: bool
    edits: tuple[tuple[Span, str], ...]


class _ChildResponse(Struct, frozen=True):
    answers: list[list[_Answer | None]]
    consulted: tuple[str, ...]


def is_available() -> bool:
    """Whether what is needed is installed."""
    return find_spec("libcst") is not None


def drafts(
    root: Path, jobs: Sequence[Job]
) -> tuple[list[Sequence[Draft | None]], frozenset[str] | None]:
    """What the changes mean for each file, and the further files that were looked for or read, as
    paths below the root; None where not everything could be found out. Where one of the files
    cannot be read to the end, the others are tried without it."""
    if not jobs or not is_available():
        return [_no_drafts(job) for job in jobs], frozenset()
    return _drafts_of(root, jobs, time.monotonic() + TIMEOUT)


def _drafts_of(
    root: Path, jobs: Sequence[Job], deadline: float
) -> tuple[list[Sequence[Draft | None]], frozenset[str] | None]:
    left = deadline - time.monotonic()
    if left < 1:
        return [_no_drafts(job) for job in jobs], None
    # Half of the time that is left: the other half is for those that are tried again.
    said = _ask(root, jobs, left / 2)
    if said is not None:
        paths = (Path(path) for path in said.consulted)
        consulted = (p.relative_to(root).as_posix() for p in paths if p.is_relative_to(root))
        found = [_drafts(job, answer) for job, answer in zip(jobs, said.answers, strict=True)]
        return found, frozenset(consulted)
    if len(jobs) == 1:
        return [_no_drafts(jobs[0])], None
    middle = len(jobs) // 2
    first, _ = _drafts_of(root, jobs[:middle], deadline)
    second, _ = _drafts_of(root, jobs[middle:], deadline)
    return first + second, None


def _no_drafts(job: Job) -> Sequence[Draft | None]:
    return [None for _ in job.changes]


def _ask(root: Path, jobs: Sequence[Job], timeout: float) -> _ChildResponse | None:
    asked = [
        {
            "path": str(root / job.path),
            "root": str(root),
            "text": job.text.text,
            "changes": [
                {
                    "kind": type(change).__name__,
                    "span": origin.span,
                    **msgspec.structs.asdict(change),
                }
                for origin, change in job.changes
            ],
        }
        for job in jobs
    ]
    with tempfile.TemporaryDirectory(prefix="contract-scan-") as folder:
        handed = Path(folder) / "asked.json"
        handed.write_bytes(msgspec.json.encode(asked))
        arguments = (sys.executable, "-P", "-m", _CHILD, str(handed))
        try:
            printed = run_program(
                arguments,
                cwd=Path(folder),
                timeout=timeout,
                environment={"PYTHONPATH": _PACKAGE},
            ).stdout
            return msgspec.json.decode(printed, type=_ChildResponse)
        except (ProcessError, msgspec.DecodeError):
            return None


def _drafts(job: Job, answers: Sequence[_Answer | None]) -> Sequence[Draft | None]:
    return [None if answer is None else _draft(job.text, answer) for answer in answers]


def _draft(text: Text, answer: _Answer) -> Draft:
    replacements = tuple(
        Replacement(
            text.offset(span.line, span.column), text.offset(span.end_line, span.end_column), new
        )
        for span, new in answer.edits
    )
    return Draft(answer.title, answer.safe, replacements)
