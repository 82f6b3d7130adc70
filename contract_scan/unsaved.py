"""Texts that take the place of files: what an editor or a hook holds and nobody has written yet.

Whoever reads a file asks here first. Nothing is held outside of `overlay`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_HELD: ContextVar[dict[str, bytes] | None] = ContextVar("unsaved", default=None)


@contextmanager
def overlay(texts: Mapping[Path, bytes]) -> Iterator[None]:
    """Let texts take the place of files (absolute, without links) until the end of the block, in
    this thread."""
    token = _HELD.set({str(path): text for path, text in texts.items()})
    try:
        yield
    finally:
        _HELD.reset(token)


def text_of(path: Path | str) -> bytes | None:
    """The text that takes the place of a file; None where none does."""
    held = _HELD.get()
    return None if held is None else held.get(str(path))


def replace(path: Path, text: bytes) -> bool:
    """Put another text in the place of a file's. False where none takes it."""
    held = _HELD.get()
    if held is None or str(path) not in held:
        return False
    held[str(path)] = text
    return True


def held_below(root: Path) -> tuple[str, ...]:
    """The files below a folder whose places are taken, relative to it, with `/`."""
    paths = (Path(path) for path in _HELD.get() or ())
    return tuple(path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root))


def is_anything_held() -> bool:
    """Whether the place of any file is taken."""
    return bool(_HELD.get())
