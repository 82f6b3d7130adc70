"""Where git looks for files, kept so that it need not look again while nothing can have come.

To list the files of a repository git goes through all of its folders, which takes as long as most
of a run that has nothing new to say. No file comes or goes without a trace: what is tracked stands
in the index, anything else changes the time of the folder that it lies in, and what is ignored is
said in a few files.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import os
import time

from contract_scan.clients.index import tracked_in
from contract_scan.clients.listing import INDEX_VARIABLE, has_git_variables, listing, tracked_files
from contract_scan.parsers.source.dependency_snapshot import digest_of, telling_time
from contract_scan.parsers.source.discovery.record_codec import (
    join,
    joined_numbers,
    joined_texts,
    split,
    split_numbers,
    split_texts,
)

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

IGNORING = ".gitignore"
LEFT_OUT = (".git", ".contract_scan_cache")
"""Folders in which git lists nothing that counts; the second one ignores itself."""
TOP = "."
"""The root among the folders."""
NO_FINGERPRINT, ABSENT = 0, -1
"""In the place of a time."""


class DirectorySnapshot:
    """The folders that git goes through, and what else decides which files it lists."""

    __slots__ = ("folders", "ignored", "index", "revalidated", "rules", "tracked")

    def __init__(
        self,
        folders: dict[str, int],
        ignored: Sequence[str],
        rules: dict[str, int],
        index: dict[str, int],
        tracked: bytes,
    ) -> None:
        """`folders`, relative to the root, the `rules`, which are files that say what is ignored,
        and the file of the `index` are with their times (ns), `NO_FINGERPRINT` where that would not
        change with them. Without folders nothing is known. `ignored` are those folders in them that
        git does not go into, `tracked` is the digest of what it lists from the index."""
        self.folders = folders
        self.ignored = ignored
        self.rules = rules
        self.index = index
        self.tracked = tracked
        self.revalidated = False
        """Whether something was looked at anew, and tells now whether it changes."""

    def lists_the_same(self, root: str, submodules: Sequence[str], known: bytes) -> bool:
        """Whether git lists what it listed when the digest of that was `known`. It is asked only
        where that may have changed."""
        decides = bool(self.folders) and not submodules and not has_git_variables()
        decides = decides and _are_unchanged(self.rules)
        if decides and self._goes_nowhere_new(root) and self._tracks_the_same(root):
            return True
        listed = listing(root, submodules)
        if listed is None or digest_of(listed) != known:
            return False
        if decides:
            self._renew(root)
        return True

    def _goes_nowhere_new(self, root: str) -> bool:
        lstat = os.lstat  # there are many folders, and hardly anything else is done
        before = _path_prefix(root)
        try:
            for path, at in self.folders.items():
                if lstat(before + path).st_ctime_ns != at:
                    return False
        except OSError:
            return False
        return True

    def _tracks_the_same(self, root: str) -> bool:
        used = os.environ.get(INDEX_VARIABLE)
        own = used is None or os.path.abspath(used) in self.index  # noqa: PTH100 - see above
        if own and _are_unchanged(self.index):
            return True
        names = tracked_in(used or next(iter(self.index), "")) or tracked_files(root)
        if names is None or digest_of(names) != self.tracked:
            return False
        if own:
            self._settle(self.index, [*self.index], "")
        return True

    def _renew(self, root: str) -> None:
        """Take down the times of folders that were written in, as long as git goes through no
        others."""
        before = _path_prefix(root)
        known = {*self.folders, *self.ignored}
        moved = [path for path, at in self.folders.items() if not _is_unchanged(before + path, at)]
        for path in moved:
            try:
                inner, rules = looked_into(root, path)
            except OSError:
                return
            if not known.issuperset(inner) or not self.rules.keys() >= {*rules}:
                return
        self._settle(self.folders, moved, before)

    def _settle(self, times: dict[str, int], paths: Sequence[str], before: str) -> None:
        for path in paths:
            now = time_of(before + path)
            if now > NO_FINGERPRINT and now != times[path]:
                times[path] = now
                self.revalidated = True

    def to_bytes(self) -> bytes:
        """All of it as bytes."""
        return join(
            (
                self.tracked,
                joined_texts(self.ignored),
                *_encode_times(self.folders),
                *_encode_times(self.rules),
                *_encode_times(self.index),
            )
        )


NOWHERE = DirectorySnapshot({}, (), {}, {}, b"")
"""Nothing is known of where git looks."""


def decode_snapshot(content: bytes) -> DirectorySnapshot:
    """What was `encoded`."""
    tracked, ignored, *others = split(content)
    folders, rules, index = (_times(*others[at : at + 2]) for at in (0, 2, 4))
    return DirectorySnapshot(folders, split_texts(ignored), rules, index, tracked)


def looked_into(root: str, folder: str) -> tuple[list[str], list[str]]:
    """The folders in a folder, relative to the root as it is, and the files there that say what is
    ignored, absolute. None of another repository's. Raises OSError."""
    folders, rules = [], []
    before = "" if folder == TOP else f"{folder}/"
    with os.scandir(root if folder == TOP else f"{root}/{folder}") as entries:
        for entry in entries:
            if entry.name == ".git" and folder != TOP:
                return [], []
            if entry.name == IGNORING:
                rules.append(entry.path)
            elif entry.is_dir(follow_symlinks=False) and entry.name not in LEFT_OUT:
                folders.append(before + entry.name)
    return folders, rules


def time_of(path: str) -> int:
    """When something was written, or in a folder: `NO_FINGERPRINT` where it may be written again
    without another time."""
    now = time.time_ns()
    try:
        return telling_time(os.lstat(path), now)
    except OSError:
        return ABSENT


def _path_prefix(root: str) -> str:
    """What to put before the path of a folder. Seen from the root itself, paths are shorter, which
    the system is quicker with."""
    return "" if os.getcwd() == root else f"{root}/"  # noqa: PTH109 - see above


def _are_unchanged(times: Mapping[str, int]) -> bool:
    return all(_is_unchanged(path, at) for path, at in times.items())


def _is_unchanged(path: str, at: int) -> bool:
    try:
        return os.lstat(path).st_ctime_ns == at
    except OSError:
        return at == ABSENT


def _encode_times(times: Mapping[str, int]) -> tuple[bytes, bytes]:
    return joined_texts(times), joined_numbers(times.values(), "q")


def _times(paths: bytes, numbers: bytes) -> dict[str, int]:
    return dict(zip(split_texts(paths), split_numbers(numbers, "q"), strict=True))
