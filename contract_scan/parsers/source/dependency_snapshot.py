"""What something that was made of files rests on, written so that it is checked at once.

The evidence of a report, less what takes long to look at: states and digests of files. Where these
do not tell that everything stands as it did, the evidence itself has to be asked.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import os
import time

from contract_scan.parsers.source.discovery.minified import (
    WIDE_MARKS,
    blake2b,
    is_packed,
    trimmed_key,
)
from contract_scan.regular_file import read_unlinked

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Callable

    from contract_scan.parsers.source.discovery.file_fingerprints import FingerprintTable
    from contract_scan.private_folder import PrivateFolder

SETTLED = 100_000_000
"""Nanoseconds: a file changed more recently than this may change again within the same tick of the
clock that the system notes times by, which ticks every 10 ms at the least."""
INODE = (1 << 63) - 1
"""The bits of the number of an inode that are taken down."""
STATE = 3
"""How many numbers the state of a file has: its size, when it was changed, and its inode."""
SAME, LONGER, OTHER = "same", "longer", "other"
"""What a file may hold that was written again; see `Files.same`."""
DIGEST = 16
"""Bytes of a digest."""
NO_FINGERPRINT = bytes(DIGEST)
"""In the place of a digest."""
LARGEST_OTHER = 50_000_000
"""Bytes of a file that is no source beyond which it is not looked at again."""


def digest_of(content: bytes | memoryview) -> bytes:
    """The digest by which contents are known."""
    return blake2b(content, digest_size=DIGEST).digest()


def telling_time(state: os.stat_result, now: int) -> int:
    """When a file or folder was last changed (ns since the epoch), looked at when it was `now`; 0
    where it may change again without another time.

    This is the time of the inode, which nobody can set: archives and `touch` set that of the
    content. Windows has it not, and a file system that counts in whole seconds may have none of its
    own either; what lies there is known by its content alone.
    """
    at = state.st_ctime_ns
    tells = os.name == "posix" and at % 1_000_000_000 and now - at > SETTLED
    return at if tells else 0


_DOCUMENTS = (".json", ".yaml", ".yml")


class Files:
    """Paths, and for each the state and digests of its file when it was looked at."""

    __slots__ = ("digests", "paths", "revalidated", "states", "trimmed")

    def __init__(
        self, paths: list[str], states: list[int], digests: bytearray, trimmed: bytearray
    ) -> None:
        """For each path `states` hold a size, a time (ns; 0: it does not tell) and an inode,
        `digests` the digest of the content, and `trimmed` what `trimmed_key` gives, or
        `NO_FINGERPRINT` where blank lines at the end may matter; nothing at all where they do for
        every file."""
        self.paths = paths
        self.states = states
        self.digests = digests
        self.trimmed = trimmed
        self.revalidated = False
        """Whether a file has a new state that will tell whether it changes again."""

    def changed_positions(self, root: str) -> list[int]:
        """Positions of the files whose state is not as it was. Raises OSError for one that is
        gone."""
        lstat, states = os.lstat, self.states
        at, found = 0, []
        for path in self.paths:
            state = lstat(root + path)
            if (
                state.st_ctime_ns != states[at + 1]
                or state.st_size != states[at]
                or state.st_ino & INODE != states[at + 2]
            ):
                found.append(at // STATE)
            at += STATE
        return found

    def same(
        self,
        root: str,
        position: int,
        largest: int,
        judge: Callable[[bytes, bytes, bool], bool] | None = None,
    ) -> str | None:
        """Whether a file holds what it held: `SAME`; `LONGER` where it differs in blank lines at
        its end, which change nothing; `OTHER` where `judge` says that it gives the same; else None.
        The judge gets the text, the digest of the one before, and whether the lines are known to
        change nothing. The state of the file is taken down. Raises OSError."""
        path = root + self.paths[position]
        state, now = os.lstat(path), time.time_ns()
        content = read_unlinked(path, largest)
        if content is None:
            return None
        part = slice(position * DIGEST, position * DIGEST + DIGEST)
        known, trimmed = self.digests[part], self.trimmed[part]
        digest = digest_of(content)
        how = SAME
        if digest != known:
            wide = content[:2] in WIDE_MARKS
            is_trimmed = trimmed not in (b"", NO_FINGERPRINT) and not wide
            if is_trimmed and trimmed_key(content) == trimmed and not is_packed(content, path):
                how = LONGER
                if judge is not None:
                    judge(content, bytes(known), True)
            elif not wide and judge is not None and judge(content, bytes(known), False):
                how = OTHER
                if is_trimmed:
                    self.trimmed[part] = trimmed_key(content) or NO_FINGERPRINT
            else:
                return None
        at = telling_time(state, now)
        self.revalidated |= at != 0
        numbers = slice(STATE * position, STATE * position + STATE)
        self.states[numbers] = state.st_size, at, state.st_ino & INODE
        self.digests[part] = digest
        return how


class EquivalentChange:
    """Source files that hold something else, of which the same is taken."""

    __slots__ = ("longer", "other")

    def __init__(self) -> None:
        """`longer` are the paths of those that differ in blank lines at their end, `other` of those
        of which what was taken may stand on other lines."""
        self.longer: list[str] = []
        self.other: list[str] = []


class DependencySnapshot:
    """What has to be as it was."""

    __slots__ = (
        "absent",
        "folders",
        "largest",
        "links",
        "listing",
        "others",
        "sources",
        "submodules",
    )

    def __init__(
        self,
        *,
        listing: bytes,
        sources: Files,
        others: Files,
        absent: list[str],
        links: list[str],
        folders: list[str],
        submodules: list[str],
        largest: int,
    ) -> None:
        """`listing` is the digest of what git lists, in the `submodules` as well. Of `sources` only
        the digest of what was taken counts, of `others` every byte. `absent` must not be there.
        `links` are paths and where they lead, one after the other; `folders` the same with the
        digest of what is below them. Source files of more than `largest` bytes are not read."""
        self.listing = listing
        self.sources = sources
        self.others = others
        self.absent = absent
        self.links = links
        self.folders = folders
        self.submodules = submodules
        self.largest = largest

    @property
    def revalidated(self) -> bool:
        """Whether the state of a file was taken down anew, and will tell whether it changes."""
        return self.sources.revalidated or self.others.revalidated

    def holds(
        self, root: str, traces: Callable[[], FingerprintTable], texts: PrivateFolder
    ) -> EquivalentChange | None:
        """Whether everything is as it was, but for source files that give the same; None where it
        may not be. `root` is put before every path, `texts` is the cache, with the texts that
        `traces` needs. Whether git lists the same is not asked."""
        if any(os.path.lexists(root + path) for path in self.absent):
            return None
        if any(os.path.realpath(path) != leads for path, leads in _pairs(self.links)):
            return None
        if any(digest_below(path) != digest for path, digest in _pairs(self.folders)):
            return None
        try:
            for position in self.others.changed_positions(root):
                if not self.others.same(root, position, LARGEST_OTHER):
                    return None
            changed = EquivalentChange()
            for position in self.sources.changed_positions(root):
                path = self.sources.paths[position]

                def judge(
                    content: bytes,
                    old: bytes,
                    is_known: bool,
                    position: int = position,
                    path: str = path,
                ) -> bool:
                    if is_known:
                        return traces().keep(position, content, texts)
                    return traces().again(position, path, content, old, texts)

                how = self.sources.same(root, position, self.largest, judge)
                if how is None:
                    return None
                if how != SAME:
                    (changed.longer if how == LONGER else changed.other).append(path)
        except OSError:
            return None
        return changed


def digest_below(folder: str) -> str:
    """Digest of the paths of all files below a folder that may hold a contract."""
    names = sorted(
        os.path.join(path, name)  # noqa: PTH118 - see the head of the file
        for path, _, files in os.walk(folder)
        for name in files
        if name.endswith(_DOCUMENTS)
    )
    return digest_of("\0".join(names).encode("utf-8", "surrogateescape")).hex()


def _pairs(flat: list[str]) -> zip[tuple[str, str]]:
    return zip(flat[::2], flat[1::2], strict=True)
