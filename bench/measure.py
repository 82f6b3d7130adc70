"""Processor time of commands, and the ratio of two of them on a machine that others use as well."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple


class Command(NamedTuple):
    """A process to run, and what has to be done before each run (not measured)."""

    words: Sequence[str]
    folder: Path
    before: Callable[[], None] = lambda: None
    package: Path = Path(__file__).parents[1]
    """Where Python finds the package."""


class Usage(NamedTuple):
    """What one run took, with everything that it started."""

    cpu: float
    """Seconds of user and system time."""
    wall: float
    """Seconds on the clock."""
    peak: int
    """The most memory of one process, in bytes."""
    status: int
    """The exit status."""


class Ratio(NamedTuple):
    """What one command costs, measured by another."""

    value: float
    """Median of the ratios of pairs that ran one after the other."""
    cost: float
    """Median seconds of the first."""
    yardstick: float
    """Median seconds of the second."""


def python(*words: str, isolated: bool = False) -> list[str]:
    """A command for this interpreter."""
    return [sys.executable, *(["-I"] if isolated else []), *words]


def seconds(command: Command) -> tuple[float, int]:
    """User and system time of one run, with everything that it started, and its exit status."""
    used = usage(command)
    return used.cpu, used.status


def usage(command: Command) -> Usage:
    """What one run takes."""
    command.before()
    environment = {**os.environ, "PYTHONPATH": str(command.package)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed command is compiled once
    words = ["env", "-C", str(command.folder), *command.words]
    silence = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in (0, 1, 2)]
    since = time.monotonic()
    process = os.posix_spawnp("env", words, environment, file_actions=silence)
    _, status, used = os.wait4(process, 0)
    return Usage(
        used.ru_utime + used.ru_stime,
        time.monotonic() - since,
        used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        os.waitstatus_to_exitcode(status),
    )


def ratio(command: Command, yardstick: Command, pairs: int, *, clock: bool = False) -> Ratio:
    """Run both in turn, `pairs` times, after one run of each that does not count. What counts is
    processor time, or with `clock` the time that passes.

    Raises RuntimeError where a run fails rather than finds something.
    """

    def cost(each: Command) -> float:
        used = usage(each)
        if used.status not in (0, 1, 2):
            raise RuntimeError(f"exit status {used.status}: {' '.join(each.words)}")
        return used.wall if clock else used.cpu

    for each in (command, yardstick):
        cost(each)
    costs = [(cost(command), cost(yardstick)) for _ in range(pairs)]
    return Ratio(
        statistics.median(cost / other for cost, other in costs),
        statistics.median(cost for cost, _ in costs),
        statistics.median(other for _, other in costs),
    )
