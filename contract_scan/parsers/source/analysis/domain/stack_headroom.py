"""Room for the frames of functions that call each other deeply.

Python keeps frames in pieces of 16 KB and gives a piece back as soon as its last frame ends. What
goes up and down around the end of a piece then asks the operating system for memory at every call:
a tenth of the time of evaluating a large program. A frame that asks for much gets a piece that is
large enough for it, and what that leaves serves all frames above it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_SLOTS = 140_000
"""Values that the large frame asks room for, a little over 1 MB: pieces are powers of two, so that
nearly as much is left. Nothing of it is touched before it is used."""


def with_room(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """The function, run above a frame that leaves room for many more."""

    def run(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        return function(*args, **kwargs)

    run.__code__ = run.__code__.replace(co_stacksize=_SLOTS)
    return wraps(function)(run)
