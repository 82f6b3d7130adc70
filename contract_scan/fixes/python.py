"""Fixes of Python: drafted with libcst, in a process of its own.

libcst can crash on hostile code, and take very long. So another process reads the code, with a time
limit, and hands back what to write where. It is started for the first code that is to be fixed, and
waits for more until this process ends: to start it takes longer than most drafts.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from contract_scan.clients.processes import ProcessError, ProcessTimeoutError
from contract_scan.clients.request_process import RequestProcess
from contract_scan.fixes.change import Change
from contract_scan.fixes.syntax import Draft, Replacement
from contract_scan.fixes.text import Text
from contract_scan.ir.origin import Origin, Span

TIMEOUT = 30.0
"""Seconds that the code of all files together may take."""
CAN_FORK = hasattr(os, "fork")
"""Whether each request is answered by a copy of the process that waits."""
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
    answer = _child.answer(msgspec.json.encode(asked), timeout)
    try:
        return None if answer is None else msgspec.json.decode(answer, type=_ChildResponse)
    except msgspec.DecodeError:
        return None


class _Child:
    """The process that drafts, for all threads of this one; a copy of this process starts its
    own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: RequestProcess | None = None

    def answer(self, request: bytes, timeout: float) -> bytes | None:
        """What it says; None where it takes longer than it may, or cannot be started. One that
        ended while it had nothing to do is started again."""
        with self._lock:
            waited = self._process is not None
            try:
                return self._answer(request, timeout)
            except ProcessTimeoutError:
                return None
            except ProcessError:
                if not waited:
                    return None
            try:
                return self._answer(request, timeout)
            except ProcessError:
                return None

    def _answer(self, request: bytes, timeout: float) -> bytes:
        process, self._process = self._process or _start(), None
        answer = process.answer(request, timeout)
        if CAN_FORK:
            self._process = process
        else:
            process.close()  # it answers once
        return answer

    def kill(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def forget(self) -> None:
        """Leave it to the process of which this one is a copy."""
        self._lock = threading.Lock()  # another thread may have held the other one
        self._process = None


def _start() -> RequestProcess:
    """Its working directory is none of which anything could be imported."""
    arguments = (sys.executable, "-P", "-m", _CHILD)
    root = Path(_PACKAGE).anchor
    environment = {"PYTHONPATH": _PACKAGE}
    return RequestProcess(arguments, cwd=Path(root), environment=environment, silent=True)


_child = _Child()
atexit.register(_child.kill)
if CAN_FORK:
    os.register_at_fork(after_in_child=_child.forget)


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
