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


PLAIN_COLUMNS = 80
"""Columns where there is no terminal, so that what is kept is the same everywhere."""
_LINKING_PROGRAMS = ("Hyper", "Tabby", "WezTerm", "ghostty", "iTerm.app", "rio", "vscode", "zed")
_LINKING_TERMINALS = ("alacritty", "foot", "xterm-ghostty", "xterm-kitty")
_LINKING_VARIABLES = ("DOMTERM", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION")
_FIRST_VTE = 5000
"""GNOME's terminal library, 0.50: the first that has links."""


def columns_of(stream: TextIO) -> int:
    """How wide a stream is: as `COLUMNS` says, else the terminal, else 80."""
    written = os.environ.get("COLUMNS", "")
    if written.isascii() and written.isdigit() and int(written):
        return int(written)
    try:
        return os.get_terminal_size(stream.fileno()).columns or PLAIN_COLUMNS
    except (OSError, ValueError):
        return PLAIN_COLUMNS


def shows_links(choice: ColorChoice, stream: TextIO) -> bool:
    """Whether a stream is a terminal that is known to show links (OSC 8); `FORCE_HYPERLINK` says
    so as well (0: that it is none). The terminals: those of npm's `supports-hyperlinks`, and newer
    ones that document it."""
    forced = os.environ.get("FORCE_HYPERLINK")
    if forced is not None:
        return forced != "0"
    if not stream.isatty() or not wants_color(choice, stream):
        return False
    vte = os.environ.get("VTE_VERSION", "")
    return (
        os.environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or os.environ.get("TERM", "") in _LINKING_TERMINALS
        or any(os.environ.get(name) for name in _LINKING_VARIABLES)
        or (vte.isdigit() and int(vte) >= _FIRST_VTE)
    )


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
