"""When to scan: once things are quiet, one scan at a time, and never an outdated one.

Requests that come together are one. A request that comes while the same folder is being scanned
stops that scan, whose answer nobody wants any more, and starts it anew. What the stopped one has
learnt is in the cache.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Generic, TypeVar

from contract_scan.server.scan_worker import Cancelled

QUIET = 0.25
"""Seconds without a further request after which a scan starts."""

Answer = TypeVar("Answer")
Other = TypeVar("Other")


class Schedule(Generic[Answer]):
    """Runs the scans of all folders in one worker thread. Used from the event loop alone."""

    def __init__(
        self,
        work: Callable[[Path, Event], Answer],
        done: Callable[[Path, Answer], None],
        failed: Callable[[Path, Exception], None],
        quiet: float = QUIET,
    ) -> None:
        """`work` runs in the worker; `done` and `failed` are called in the event loop."""
        self._work, self._done, self._failed, self._quiet = work, done, failed, quiet
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="scan")
        self._waiting: dict[Path, asyncio.TimerHandle] = {}
        self._running: dict[Path, Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._watched: list[asyncio.Future[None]] = []

    def request(self, folder: Path) -> None:
        """Scan a folder soon."""
        self._stop(folder)
        loop = asyncio.get_running_loop()
        self._waiting[folder] = loop.call_later(self._quiet, self._start, folder)

    def want(self, folder: Path) -> None:
        """Scan a folder soon, unless a scan is on its way: nothing changed, but somebody looks."""
        if folder not in self._waiting and folder not in self._running:
            self.request(folder)

    async def wait_idle(self, folders: Iterable[Path]) -> None:
        """Wait until no scan of the folders runs or is about to."""
        wanted = [*folders]
        while any(folder in self._waiting or folder in self._running for folder in wanted):
            news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._watched.append(news)
            await news

    def _notify_waiting(self) -> None:
        """Something ended."""
        watched, self._watched = self._watched, []
        for news in watched:
            if not news.done():
                news.set_result(None)

    def forget(self, folder: Path) -> None:
        """Neither scan a folder nor answer of it any more."""
        self._stop(folder)

    def in_worker(self, work: Callable[[], Other]) -> Awaitable[Other]:
        """Do something else in the worker, after what it is doing."""
        return asyncio.get_running_loop().run_in_executor(self._worker, work)

    def close(self) -> None:
        """Stop everything; what runs ends at its next step."""
        for folder in [*self._waiting, *self._running]:
            self._stop(folder)
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _stop(self, folder: Path) -> None:
        if (timer := self._waiting.pop(folder, None)) is not None:
            timer.cancel()
        if (cancelled := self._running.pop(folder, None)) is not None:
            cancelled.set()
        self._notify_waiting()

    def _start(self, folder: Path) -> None:
        self._waiting.pop(folder, None)
        cancelled = self._running[folder] = Event()
        task = asyncio.get_running_loop().create_task(self._run_scan(folder, cancelled))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run_scan(self, folder: Path, cancelled: Event) -> None:
        try:
            await self._scan(folder, cancelled)
        finally:
            self._notify_waiting()

    async def _scan(self, folder: Path, cancelled: Event) -> None:
        loop = asyncio.get_running_loop()
        try:
            answer = await loop.run_in_executor(self._worker, self._work, folder, cancelled)
        except Cancelled:
            return
        except Exception as error:
            if not cancelled.is_set():
                self._failed(folder, error)
            return
        finally:
            if self._running.get(folder) is cancelled:
                del self._running[folder]
        if not cancelled.is_set():
            self._done(folder, answer)
