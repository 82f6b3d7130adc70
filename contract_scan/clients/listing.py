"""The files below a folder that git knows of, asked for with as little as that takes.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import os
import select

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
TRACKED = ("ls-files", "-z", "--cached")
"""The files that git tracks."""
LISTING = (*TRACKED, "--others", "--exclude-standard")
"""The files that git tracks or does not ignore."""
OWN_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
"""What git tells a hook about one repository: wrong for its submodules."""
INDEX_VARIABLE = "GIT_INDEX_FILE"
"""How git tells a hook of the index that it makes a commit of."""
_SETTINGS = "GIT_CONFIG"
"""What the names of variables start with that set what else stands in files."""


def listing(folder: str, submodules: Sequence[str] = ()) -> bytes | None:
    """What git lists below a folder and in the `submodules` there (paths relative to it), each
    path before a NUL; None where it cannot tell, or where the system has no cheap way to ask."""
    found = output_of(folder, LISTING)
    if found is None:
        return None
    for path in submodules:
        inside = output_of(f"{folder}/{path}", LISTING, outside())
        if inside is None:
            return None
        found += below(path, inside)
    return found


def tracked(folder: str) -> bytes | None:
    """What git lists of that alone which it tracks: it looks into no folder for this."""
    return output_of(folder, TRACKED)


def is_told_otherwise() -> bool:
    """Whether variables tell git of a repository or of settings other than those that it finds."""
    others = OWN_VARIABLES - {INDEX_VARIABLE, "GIT_PREFIX"}
    return any(name in others or name.startswith(_SETTINGS) for name in os.environ)


def outside() -> dict[str, str]:
    """The environment without what is said in it of one repository."""
    return {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}


def below(path: str, listed: bytes) -> bytes:
    """What was listed in a submodule, as it is seen from the folder around it."""
    before = path.encode("utf-8", "surrogateescape") + b"/"
    return b"".join(before + name + b"\0" for name in listed.split(b"\0") if name)


def output_of(
    folder: str, words: Sequence[str], environment: Mapping[str, str] = os.environ, none: int = 0
) -> bytes | None:
    """What git prints in a folder; None where it fails, takes too long, or where the system has no
    cheap way to ask. With the status `none` it says that there is nothing to print."""
    if not hasattr(os, "posix_spawnp") or not hasattr(select, "poll"):
        return None
    reading, writing = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writing, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    command = [SAFE[0], "-C", folder, *SAFE[1:], *words]
    try:
        process = os.posix_spawnp(SAFE[0], command, environment, file_actions=actions, setpgroup=0)
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
    return output if os.waitstatus_to_exitcode(status) in (0, none) else None


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
