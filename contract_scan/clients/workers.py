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
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from contract_scan import memory_limit
from contract_scan.import_path import SafePath

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


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
            with _blocked_interrupts():
                for process in {*multiprocessing.active_children()} - before:
                    process.kill()
                pool.shutdown(wait=True, cancel_futures=True)
            raise


class _Pool(ProcessPoolExecutor):
    def submit(
        self, fn: Callable[Given, Answer], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Answer]:
        """Starts processes and threads, which inherit that they are not disturbed."""
        with _blocked_interrupts(), SafePath():
            found: Future[Any] = super().submit(
                memory_limit.call, memory_limit.limit(), fn, *args, **kwargs
            )
            return found


def _start_server() -> None:
    """Start what workers are forked from."""
    from multiprocessing import forkserver, resource_tracker

    with SafePath():
        resource_tracker.ensure_running()  # lifts the block where the server starts it
    with _blocked_interrupts(), SafePath():
        forkserver.ensure_running()


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Block interrupts; one that comes meanwhile is delivered afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
