"""Reading of files that a stranger's repository may have put there: neither a pipe, which would be
waited for, nor a device is read."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular(file: Path, most: int) -> bytes:
    """At most so many bytes of a regular file, through links. Raises OSError where it cannot be
    opened or is something else."""
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
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
