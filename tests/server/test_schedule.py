"""When scans run: one at a time, merged, and never an outdated one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Event

from contract_scan.server.scan_worker import Cancelled
from contract_scan.server.schedule import Schedule

HERE, THERE = Path("/here"), Path("/there")


class Work:
    """Work that runs until it is let go, or is not wanted any more."""

    def __init__(self) -> None:
        self.begun: list[Path] = []
        self.cancelled: list[Path] = []
        self.may_end = Event()
        self.runs = Event()
        self.at_once = 0
        self.most_at_once = 0

    def __call__(self, folder: Path, cancelled: Event) -> int:
        self.begun.append(folder)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.runs.set()
        try:
            while not self.may_end.wait(0.005):
                if cancelled.is_set():
                    self.cancelled.append(folder)
                    raise Cancelled
        finally:
            self.at_once -= 1
        return len(self.begun)


class Answers:
    """What became of the scans."""

    def __init__(self) -> None:
        self.done: list[tuple[Path, int]] = []
        self.failed: list[tuple[Path, str]] = []
        self.some = asyncio.Event()

    def scanned(self, folder: Path, answer: int) -> None:
        self.done.append((folder, answer))
        self.some.set()

    def broken(self, folder: Path, error: Exception) -> None:
        self.failed.append((folder, str(error)))
        self.some.set()


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(asyncio.ensure_future(test()), 60)

    asyncio.run(limited())


def test_requests_that_come_together_are_one() -> None:
    async def test() -> None:
        work, answers = Work(), Answers()
        work.may_end.set()
        schedule = Schedule(work, answers.scanned, answers.broken, quiet=0.01)
        for _ in range(20):
            schedule.request(HERE)
        await answers.some.wait()
        schedule.close()
        assert answers.done == [(HERE, 1)]

    run(test)


def test_a_newer_request_stops_the_scan_that_runs() -> None:
    async def test() -> None:
        work, answers = Work(), Answers()
        schedule = Schedule(work, answers.scanned, answers.broken, quiet=0)
        schedule.request(HERE)
        await asyncio.to_thread(work.runs.wait)
        work.runs.clear()
        schedule.request(HERE)
        await asyncio.to_thread(work.runs.wait)
        work.may_end.set()
        await answers.some.wait()
        schedule.close()
        assert work.cancelled == [HERE]
        assert answers.done == [(HERE, 2)]

    run(test)


def test_who_only_looks_stops_nothing() -> None:
    async def test() -> None:
        work, answers = Work(), Answers()
        schedule = Schedule(work, answers.scanned, answers.broken, quiet=0)
        schedule.want(HERE)
        await asyncio.to_thread(work.runs.wait)
        schedule.want(HERE)
        work.may_end.set()
        await answers.some.wait()
        schedule.close()
        assert (work.cancelled, answers.done) == ([], [(HERE, 1)])

    run(test)


def test_folders_wait_for_each_other() -> None:
    async def test() -> None:
        work, answers = Work(), Answers()
        schedule = Schedule(work, answers.scanned, answers.broken, quiet=0)
        schedule.request(HERE)
        await asyncio.to_thread(work.runs.wait)
        schedule.request(THERE)
        await asyncio.sleep(0)
        work.may_end.set()
        while len(answers.done) < 2:
            answers.some.clear()
            await answers.some.wait()
        schedule.close()
        assert answers.done == [(HERE, 1), (THERE, 2)]
        assert (work.most_at_once, work.cancelled) == (1, [])

    run(test)


def test_of_a_forgotten_folder_nothing_is_said() -> None:
    async def test() -> None:
        work, answers = Work(), Answers()
        schedule = Schedule(work, answers.scanned, answers.broken, quiet=0)
        schedule.request(HERE)
        await asyncio.to_thread(work.runs.wait)
        schedule.forget(HERE)
        work.may_end.set()
        schedule.request(THERE)
        await answers.some.wait()
        schedule.close()
        assert [folder for folder, _ in answers.done] == [THERE]

    run(test)


def test_a_scan_that_fails_is_told_and_the_next_one_runs() -> None:
    async def test() -> None:
        answers = Answers()

        def work(folder: Path, cancelled: Event) -> int:
            if folder == HERE:
                raise ValueError("no")
            return 1

        schedule = Schedule(work, answers.scanned, answers.broken, quiet=0)
        schedule.request(HERE)
        await answers.some.wait()
        answers.some.clear()
        schedule.request(THERE)
        await answers.some.wait()
        assert await schedule.in_worker(lambda: "more") == "more"
        schedule.close()
        assert (answers.failed, answers.done) == ([(HERE, "no")], [(THERE, 1)])

    run(test)


def test_while_a_scan_runs_the_loop_goes_on() -> None:
    async def test() -> None:
        work, answers = Work(), Answers()
        schedule = Schedule(work, answers.scanned, answers.broken, quiet=0)
        schedule.request(HERE)
        await asyncio.to_thread(work.runs.wait)
        turns = 0
        for _ in range(100):
            await asyncio.sleep(0)
            turns += 1
        assert (turns, answers.done) == (100, [])
        work.may_end.set()
        await answers.some.wait()
        schedule.close()

    run(test)
