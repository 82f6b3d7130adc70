"""Processes that share the work of one scan.

A terminal sends Ctrl-C to every process of a command. Only the first is to hear it, and never while
it is starting another, which would leave both waiting for each other.

`multiprocessing` starts processes with `python -c`, which imports from the working directory first:
that is the scanned folder as a rule, and nothing in it is to be run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from typing import Any, ParamSpec, TypeVar

from contract_scan import memory_limit
from contract_scan.import_path import SafePath

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_MEMORY = (signal.SIGPROF,) if hasattr(signal, "SIGPROF") else ()
"""The signal by which `memory_limit` looks at what is held, and may end what is being done."""

_WAITS_FOR_A_READER = sys.version_info[:3] < (3, 11, 5)
"""Whether an executor that has lost a process waits until somebody reads what was on its way there:
https://github.com/python/cpython/issues/94777."""


@contextmanager
def workers(jobs: int) -> Iterator[Executor]:
    """An executor with so many processes. They are gone at the end of the block; where that is
    interrupted, at once."""
    method = "forkserver" if os.name == "posix" else "spawn"
    if method == "forkserver":
        _start_server()
    before = {*multiprocessing.active_children()}
    with _Pool(jobs, mp_context=multiprocessing.get_context(method)) as pool:
        try:
            yield pool
        except BaseException:
            with _block_signals(signal.SIGINT, *_MEMORY):
                pool.expect_no_result()
                for process in {*multiprocessing.active_children()} - before:
                    process.kill()
                pool.shutdown(wait=True, cancel_futures=True)
            raise


class _Pool(ProcessPoolExecutor):
    def __init__(self, jobs: int, mp_context: BaseContext) -> None:
        super().__init__(jobs, mp_context)
        tasks: Any = getattr(self, "_call_queue", None)  # no public way leads there
        if _WAITS_FOR_A_READER and tasks is not None:
            # The thread that writes tasks closes their reader as well, perhaps at the same moment.
            tasks._reader.close = _under_lock(tasks._reader.close)

    def expect_no_result(self) -> None:
        """Let whoever reads results hear of their end once the processes are gone.

        A process that is killed while it sends a result has sent a part of it. The rest is waited
        for as long as anybody can write to the pipe, and this process can.
        """
        results: Any = getattr(self, "_result_queue", None)  # no public way leads there
        if results is not None:
            results._writer.close()
        self._discard_tasks()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End, also where a process was killed with more on its way to it than a pipe holds."""
        if getattr(self, "_broken", False):
            self._discard_tasks()
        super().shutdown(wait, cancel_futures=cancel_futures)

    def _discard_tasks(self) -> None:
        tasks: Any = getattr(self, "_call_queue", None)  # no public way leads there
        if _WAITS_FOR_A_READER and tasks is not None:
            tasks._reader.close()

    def submit(
        self, fn: Callable[Given, Answer], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Answer]:
        """Starts processes and threads, which inherit that they are not disturbed."""
        with _block_signals(signal.SIGINT, *_MEMORY), SafePath():
            found: Future[Any] = super().submit(
                memory_limit.call, memory_limit.limit(), fn, *args, **kwargs
            )
            return found


def _under_lock(close: Callable[[], None]) -> Callable[[], None]:
    """The same, of which each call begins after the one before it has ended."""
    lock = threading.Lock()

    def close_alone() -> None:
        with lock:
            close()

    return close_alone


def _start_server() -> None:
    """Start what workers are forked from."""
    from multiprocessing import forkserver, resource_tracker

    with SafePath():
        resource_tracker.ensure_running()  # lifts the block where the server starts it
    with _block_signals(signal.SIGINT), SafePath():  # not `_MEMORY`: what is blocked is inherited
        forkserver.ensure_running()


@contextmanager
def _block_signals(*signals: int) -> Iterator[None]:
    """Block these signals; one that comes meanwhile is delivered afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
