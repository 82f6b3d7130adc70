"""Reading of files that a stranger's repository may have put there: neither a pipe, which would be
waited for, nor a device is read.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from pathlib import Path

READING = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    READING |= getattr(os, _flag, 0)
NOT_THROUGH_LINKS = READING | getattr(os, "O_NOFOLLOW", 0)
"""Flags that open a file to be read, a link not followed and a pipe not waited for."""


def read_regular(file: Path, most: int) -> bytes:
    """At most so many bytes of a regular file, through links. Raises OSError where it cannot be
    opened or is something else."""
    descriptor = os.open(file, READING)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(file))
        with os.fdopen(os.dup(descriptor), "rb") as opened:
            return opened.read(most)
    finally:
        os.close(descriptor)


def read_unlinked(path: str | Path, most: int) -> bytes | None:
    """Content of a regular file of at most so many bytes; None for links, devices and larger files.
    Raises OSError where it cannot be opened."""
    descriptor = os.open(path, NOT_THROUGH_LINKS)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_size > most:
            return None
        chunks = []
        while chunk := os.read(descriptor, 1 << 20):
            chunks.append(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)
