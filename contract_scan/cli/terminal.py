"""What the terminal can show, and progress on it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias

if TYPE_CHECKING:
    from contract_scan.ir.document import NotAnalysed

ColorChoice: TypeAlias = Literal["auto", "always", "never"]

PATIENCE = 1.0
"""Seconds. Work that is done sooner shows no progress."""
BETWEEN = 0.1
"""Seconds between two updates."""


def wants_color(choice: ColorChoice, stream: TextIO) -> bool:
    """Whether to colour a stream: as the option says, else the environment, else a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def name_problems(problems: Iterable[NotAnalysed], before: str) -> None:
    """Say on the error stream what was not read, each in one line, with `before` put before its
    path."""
    from contract_scan.reports.display import display
    from contract_scan.reports.order import problems_in_order

    for problem in problems_in_order(problems):
        line = f":{problem.line}" if problem.line else ""
        place = f"{before}{problem.path}{line}" or "."
        print(display(f"{place}: {problem.reason}"), file=sys.stderr)


class Progress:
    """One line on the error stream, redrawn in place and wiped at the end.

    Only on a terminal and only once the work has taken a while.
    """

    def __init__(
        self, stream: TextIO | None = None, *, enabled: bool = True, patience: float = PATIENCE
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._enabled = enabled and self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + patience
        self._drawn = False

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Say how far a stage of the work is."""
        if not self._enabled:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + BETWEEN
        self._drawn = True
        count = f" {done}/{total}" if total else ""
        self._stream.write(f"\r\x1b[K{stage}{count}")
        self._stream.flush()

    def clear(self) -> None:
        """Wipe the line."""
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._drawn = False
