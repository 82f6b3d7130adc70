"""The files below a folder that git knows of, asked for with as little as that takes.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import os

from contract_scan.clients.git_command import OWN_VARIABLES, output_of

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Sequence

TRACKED = ("ls-files", "-z", "--cached")
"""The files that git tracks."""
LISTING = (*TRACKED, "--others", "--exclude-standard")
"""The files that git tracks or does not ignore."""
INDEX_VARIABLE = "GIT_INDEX_FILE"
"""How git tells a hook of the index that it makes a commit of."""
_SETTINGS = "GIT_CONFIG"
"""What the names of variables start with that set what else stands in files."""


def listing(
    folder: str, submodules: Sequence[str] = (), warnings: list[str] | None = None
) -> bytes | None:
    """What git lists below a folder and in the `submodules` there (paths relative to it), each
    path before a NUL; None where it cannot tell, or where the system has no cheap way to ask.
    What it warns of in the folder is added to `warnings`."""
    found = output_of(folder, LISTING, warnings=warnings)
    if found is None:
        return None
    for path in submodules:
        inside = output_of(f"{folder}/{path}", LISTING, environment_outside())
        if inside is None:
            return None
        found += prefix_paths(path, inside)
    return found


def tracked_files(folder: str) -> bytes | None:
    """The files that git tracks: it looks into no folder for this."""
    return output_of(folder, TRACKED)


def has_git_variables() -> bool:
    """Whether variables tell git of a repository or of settings other than those that it finds."""
    others = OWN_VARIABLES - {INDEX_VARIABLE, "GIT_PREFIX"}
    return any(name in others or name.startswith(_SETTINGS) for name in os.environ)


def environment_outside() -> dict[str, str]:
    """The environment without the variables of one repository."""
    return {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}


def prefix_paths(path: str, listed: bytes) -> bytes:
    """Paths listed in a submodule, relative to the folder around it."""
    before = path.encode("utf-8", "surrogateescape") + b"/"
    return b"".join(before + name + b"\0" for name in listed.split(b"\0") if name)
