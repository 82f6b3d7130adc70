"""The files below a folder that git knows of, asked for with as little as that takes.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import os
import select

TIMEOUT = 60.0
"""Seconds a git command may take."""

SAFE = (
    "git",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
)
"""How git is called: nothing that a repository configures is run."""
LISTING = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
"""The files that git tracks or does not ignore."""


def listing(folder: str) -> bytes | None:
    """What git lists below a folder, each path before a NUL; None where it cannot tell, or where
    the system has no cheap way to ask."""
    if not hasattr(os, "posix_spawnp") or not hasattr(select, "poll"):
        return None
    reading, writing = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writing, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    words = [SAFE[0], "-C", folder, *SAFE[1:], *LISTING]
    try:
        process = os.posix_spawnp(SAFE[0], words, os.environ, file_actions=actions, setpgroup=0)
    except OSError:
        os.close(reading)
        return None
    finally:
        os.close(writing)
    output = None
    try:
        output = _output(reading)
    finally:
        os.close(reading)
        if output is None:
            os.killpg(process, 9)
        _, status = os.waitpid(process, 0)
    return None if status else output


def _output(reading: int) -> bytes | None:
    """Everything that comes out of a pipe; None where nothing comes for too long."""
    waiting = select.poll()
    waiting.register(reading, select.POLLIN | select.POLLHUP)
    found: list[bytes] = []
    while waiting.poll(TIMEOUT * 1_000):
        chunk = os.read(reading, 1 << 20)
        if not chunk:
            return b"".join(found)
        found.append(chunk)
    return None
