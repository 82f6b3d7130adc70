"""What differs from an earlier state of a repository, asked for with as little as that takes.

The same as `git.staged_changes` and `git.changed_since` say, or nothing where that may be more than
one
comparison tells: submodules, links, files that are not merged yet.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import os

from contract_scan.clients.git_command import DIFF_OPTIONS, output_of
from contract_scan.clients.listing import LISTING

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Iterator

STAGED = "--staged"
DIFF = ("diff", *DIFF_OPTIONS)
LISTED = (*LISTING, "-v")
"""The files that are tracked or not ignored, each behind a letter for how git takes it."""
_FILE = (b"000000", b"100644", b"100755")
_SIMPLE = (b"A", b"D", b"M", b"T")


def changes(
    root: str, since: str, suffixes: tuple[str, ...], *, lines: bool = True
) -> tuple[list[str], str] | None:
    """The paths, relative to the top of a repository, of all files that are new, changed or gone,
    and the lines that are gone from those with one of the suffixes. `since` is `STAGED` or the
    revision that the working tree is compared with. Where the `lines` are not wanted, they are not
    asked for. None where more would have to be asked."""
    if "GIT_WORK_TREE" in os.environ:
        return None
    base = "--cached" if since == STAGED else _base(root, since)
    words = (*DIFF, "--raw", "--numstat", "-z", *(("--patch", "--unified=0") if lines else ()))
    output = None if base is None else output_of(root, (*words, base, "--"))
    if output is None:
        return None
    at = 0
    while output[at : at + 1] == b":":
        about, path, _ = output[at:].split(b"\0", 2)
        old, new, _, _, status = about[1:].split(b" ")
        if old not in _FILE or new not in _FILE or status not in _SIMPLE:
            return None
        at += len(about) + len(path) + 2
    counts, _, patch = output[at:].partition(b"\0\0")
    paths = paths_of_numstat(counts)
    if since != STAGED:
        listed = output_of(root, LISTED)
        if listed is None or unwatched_files(listed, root):
            return None
        paths += new_files(listed)
    names = sorted({os.fsdecode(path) for path in paths})
    return names, "\n".join(removed_lines(patch.decode("utf-8", "replace"), suffixes))


def new_files(listed: bytes) -> list[bytes]:
    """The files in the output of `LISTED` that git does not track."""
    return [each[2:] for each in listed.split(b"\0") if each.startswith(b"? ")]


def is_unwatched(entry: str | bytes) -> bool:
    """Whether git was told not to look at the changes of a file in the output of `LISTED`: it takes
    it for unchanged (`update-index --assume-unchanged`), or for left out (`--skip-worktree`)."""
    return entry[:1].islower() or entry[:1] in ("S", b"S")


def unwatched_files(listed: bytes, folder: str) -> list[bytes]:
    """Those files of a folder, but for the ones that are left out and are not there, as in a sparse
    checkout."""
    entries = filter(is_unwatched, listed.split(b"\0"))
    inside = os.fsencode(folder) + b"/"
    return [each[2:] for each in entries if each[:1] == b"h" or os.path.lexists(inside + each[2:])]


def paths_of_numstat(output: bytes) -> list[bytes]:
    """The paths in the output of `git diff --numstat -z`: files that differ. Other formats also
    list files that were written again unchanged, since git may not note that in the index here."""
    return [record.split(b"\t", 2)[2] for record in output.split(b"\0") if record]


def _base(root: str, revision: str) -> str | None:
    if revision == "HEAD":
        return revision
    found = output_of(root, ("merge-base", "--end-of-options", revision, "HEAD"))
    return None if found is None else found.decode().strip()


def removed_lines(patch: str, suffixes: tuple[str, ...] = ("",)) -> Iterator[str]:
    """The lines that a patch takes away from files with one of the suffixes. Only a line feed ends
    a line: other separators are part of what the files say."""
    counts = is_content = False
    for line in patch.split("\n"):
        if line.startswith("diff --git "):
            counts, is_content = line.removesuffix('"').endswith(suffixes), False
        elif line.startswith("@@ "):
            is_content = True
        elif counts and is_content and line.startswith("-"):
            yield line[1:].removesuffix("\r")
