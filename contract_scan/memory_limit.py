"""A limit of the memory that each process of a run may take.

The memory that the process holds is looked at after every twentieth of a second of processor time.
What is held counts, not what is reserved: an allocation is never refused, so that no parser
written in C ends the process, and what goes beyond the limit meanwhile is small. Where the system
does not say what is held (it does on Linux), or has no such timer, there is no limit.

Imports nothing that takes time.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar

    Given = ParamSpec("Given")
    Answer = TypeVar("Answer")

FEW_COLLECTIONS = (5_000_000, 20, 50)
"""How rarely Python looks for garbage in a scan, which makes many values and hardly any garbage: to
look for it as often as by default takes up to two fifths of the time. The limit is there for what
nobody has seen yet."""
DEFAULT = 4096
"""MiB. The largest scans that are known of take 600."""
LEAST = 128
MOST = 16_384
_EVERY = 0.05
_AGAIN = 5.0
"""Seconds of processor time after which it is said once more, where it was not heard."""
_HELD = "/proc/self/statm"


class MemoryLimitError(BaseException):
    """The process holds more than it may. Like an interrupt it is no `Exception`: nobody on the way
    takes it for the failure of what was being done."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return (
            f"more than {self.limit} MiB of memory are needed, and nothing is reported; allow more"
            " with --memory-limit or `memory-limit`, or leave files out with --exclude"
        )


@contextmanager
def few_collections() -> Iterator[None]:
    """Inside, Python looks for garbage as rarely as scans want it."""
    before = gc.get_threshold()
    gc.set_threshold(*FEW_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Watch:
    """What the signal of the timer looks at."""

    def __init__(self) -> None:
        self.limit = DEFAULT
        self._file = -1
        self._page = 0

    def start(self) -> bool:
        """Whether the system tells what is held, and gives time to look."""
        try:
            self._file = os.open(_HELD, os.O_RDONLY | os.O_CLOEXEC)
            self._page = os.sysconf("SC_PAGE_SIZE")
            signal.signal(signal.SIGPROF, self._check_memory)
        except (OSError, ValueError, AttributeError):  # ValueError: not in the first thread
            self.stop()
            return False
        signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)
        return True

    def stop(self) -> None:
        """Look no more."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _check_memory(self, _number: int, _frame: object) -> None:
        held = int(os.pread(self._file, 200, 0).split()[1]) * self._page
        if held > self.limit << 20:
            signal.setitimer(signal.ITIMER_PROF, _AGAIN, _EVERY)
            raise MemoryLimitError(self.limit)


_watches: list[_Watch] = []


def limit_to(mebibytes: int) -> None:
    """The limit of this run, from now on."""
    for watch in _watches:
        watch.limit = mebibytes


def limit() -> int | None:
    """The limit of this run in MiB; None where nothing is watched."""
    return _watches[-1].limit if _watches else None


@contextmanager
def watch_memory(mebibytes: int = DEFAULT) -> Iterator[None]:
    """Raise `MemoryLimitError` in this block as soon as the process holds more. Only the first
    thread can be watched."""
    watch = _Watch()
    watch.limit = mebibytes
    if _watches or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.getsignal(signal.SIGPROF)
    if not watch.start():
        yield
        return
    _watches.append(watch)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        with suppress(ValueError, TypeError):
            signal.signal(signal.SIGPROF, before)
        _watches.remove(watch)
        watch.stop()


def call(
    mebibytes: int | None,
    function: Callable[Given, Answer],
    /,
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Answer:
    """Call a function in another process with the limit that the first one has."""
    if mebibytes is None:
        return function(*args, **kwargs)
    with watch_memory(mebibytes):
        return function(*args, **kwargs)
