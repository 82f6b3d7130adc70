"""One process at a time in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def folder_lock(folder: Path) -> Iterator[bool]:
    """Whether the folder is this process's alone, as long as the block lasts; False where another
    one has it. The system lets go of it with the process, however that ends. Where there are no
    such locks, as on Windows and on some network file systems, nobody is kept out.

    Raises OSError where the folder cannot be opened.
    """
    try:
        import fcntl
    except ImportError:
        yield True
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        is_free = True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_free = False
        except OSError:
            pass  # some network file systems have no locks
        yield is_free
    finally:
        os.close(descriptor)
