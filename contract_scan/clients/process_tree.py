"""Processes that somebody else started: whether one still runs, and the end of all that belong
together.

A process id alone says little, since the system gives it to another process later. An id with the
moment at which the process began is told apart from every later one.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    import psutil

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_START_FIELD: Final = 19
"""Of `/proc/PID/stat` behind the name of the program: `starttime`, see proc(5)."""
_SHORT: Final = 0.02
"""Seconds between two looks at processes that are to end."""
_ENDED_STATES: Final = ("Z", "X")


class ProcessMark(Struct, frozen=True):
    """One process, and never another one that gets its id later."""

    pid: int
    started: str
    """The moment at which it began, in a form that other values of the same machine are compared
    with. On Linux it does not depend on the clock, which may be set."""


def mark_of(pid: int) -> ProcessMark | None:
    """The process that has an id now; None where there is none, or one that has ended."""
    started = _started_on_linux(pid) if sys.platform == "linux" else _start_time(pid)
    return ProcessMark(pid, started) if started else None


def own_mark() -> ProcessMark:
    """This process."""
    mark = mark_of(os.getpid())
    assert mark is not None
    return mark


def is_running(mark: ProcessMark) -> bool:
    """Whether this very process runs."""
    return mark_of(mark.pid) == mark


def end_processes(
    marks: Iterable[ProcessMark],
    environments: Sequence[Mapping[str, str]],
    patience: float = 0.5,
) -> None:
    """End processes, what they started, what runs in their terminal sessions, and every process
    whose environment has all values of one of `environments`: also one that has left its parent,
    group and session.

    They are asked to end, and killed after `patience` seconds. This process is left alone, and so
    are those of other users.
    """
    import psutil

    roots = {mark.pid for mark in marks if is_running(mark)}
    found = _member_processes(roots, environments)
    for process in found:
        _signal(process, psutil.Process.terminate)
    _wait_for_end(found, patience)
    # What they started meanwhile belongs to them, too.
    rest = {*(one for one in found if one.is_running()), *_member_processes(set(), environments)}
    for process in rest:
        _signal(process, psutil.Process.kill)
    _wait_for_end(list(rest), patience)


def _wait_for_end(processes: Sequence[psutil.Process], patience: float) -> None:
    """Wait until processes have ended, for so many seconds at most. One that its parent has not
    asked about yet has ended."""
    import psutil

    def works(process: psutil.Process) -> bool:
        try:
            return process.is_running() and process.status() not in (
                psutil.STATUS_ZOMBIE,
                psutil.STATUS_DEAD,
            )
        except psutil.Error:
            return False

    end = time.monotonic() + patience
    while any(map(works, processes)) and time.monotonic() < end:
        time.sleep(_SHORT)
    psutil.wait_procs(processes, timeout=0)  # our own children among them are asked about


def _member_processes(
    roots: set[int], environments: Sequence[Mapping[str, str]]
) -> list[psutil.Process]:
    import psutil

    own = os.getpid()
    sessions = {pid for pid in roots if _session_of(pid) == pid}
    descendants: set[int] = set()
    for pid in roots:
        try:
            below = psutil.Process(pid).children(recursive=True)
        except psutil.Error:
            continue
        descendants |= {pid, *(child.pid for child in below)}
    return [
        process
        for process in psutil.process_iter()
        if process.pid != own
        and (
            process.pid in descendants
            or _session_of(process.pid) in sessions
            or _has_environment(process, environments)
        )
    ]


def _session_of(pid: int) -> int:
    """The terminal session that a process belongs to; 0 where nobody can tell."""
    try:
        return os.getsid(pid)
    except (OSError, AttributeError):
        return 0


def _has_environment(process: psutil.Process, environments: Sequence[Mapping[str, str]]) -> bool:
    import psutil

    try:
        found = process.environ()
    except (psutil.Error, OSError):
        return False
    return any(wanted.items() <= found.items() for wanted in environments)


def _signal(process: psutil.Process, how: Callable[[psutil.Process], None]) -> None:
    import psutil

    try:
        how(process)
    except psutil.Error:
        return


def _started_on_linux(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in _ENDED_STATES else f"{boot}/{fields[_START_FIELD]}"


def _start_time(pid: int) -> str:
    import psutil

    try:
        process = psutil.Process(pid)
        ended = process.status() == psutil.STATUS_ZOMBIE
        return "" if ended else f"{process.create_time():.2f}"
    except psutil.Error:
        return ""
