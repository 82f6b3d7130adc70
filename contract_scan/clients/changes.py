"""What differs from an earlier state of a repository, asked for with as little as that takes.

The same as `git.staged_changes` and `git.changed_since` say, or nothing where that may be more than
one
comparison tells: submodules, links, files that are not merged yet.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import os

from contract_scan.clients.git_command import DIFF_OPTIONS, output_of

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Iterator

STAGED = "--staged"
DIFF = ("diff", *DIFF_OPTIONS)
OTHERS = ("ls-files", "-z", "--others", "--exclude-standard")
"""The files that are neither tracked nor ignored."""
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
    output = None if base is None else output_of(root, (*words, base))
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
        others = output_of(root, OTHERS)
        if others is None:
            return None
        paths += filter(None, others.split(b"\0"))
    names = sorted({os.fsdecode(path) for path in paths})
    return names, "\n".join(removed_lines(patch.decode("utf-8", "replace"), suffixes))


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
