"""Keep modules of the working directory from being imported in the place of installed ones.

`python -m` and `python -c` put the working directory before everything that is installed. A scan is
mostly started in the folder that it scans, and a `json.py` in there would be run.

Imports nothing that is not there anyway when Python starts, before the path is in order.
"""

# ruff: noqa: PTH109, PTH120 (pathlib is not imported yet)
from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing it would look into the working directory
if TYPE_CHECKING:
    from types import TracebackType

SAFE_PATH = "PYTHONSAFEPATH"
"""The variable with which Python leaves the working directory out, like `-P`."""


def leave_out_working_directory() -> None:
    """Take the working directory from the beginning of the path, where `python -m` has put it;
    unless it is where this package itself was found."""
    if sys.flags.safe_path or not sys.path:
        return
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # it is gone, and nothing can be imported from it
        return
    own = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if os.path.realpath(sys.path[0] or ".") == here != own:
        del sys.path[0]


class SafePath:
    """What is started inside of this `with` block does not import from its working directory."""

    def __enter__(self) -> None:
        self._before = os.environ.get(SAFE_PATH)
        os.environ[SAFE_PATH] = "1"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._before is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = self._before
