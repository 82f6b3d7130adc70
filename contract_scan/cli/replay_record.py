"""What was printed, and what that rests on, as it is written to the cache.

A record answers one question: the words of a command but for its paths, in one folder. It holds
what was said of the whole, and of every part of the report that was asked for.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

from contract_scan.cli import directory_snapshot as walked
from contract_scan.cli.directory_snapshot import NOWHERE
from contract_scan.parsers.source.dependency_snapshot import DependencySnapshot, Files, digest_of
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
    from contract_scan.cli.directory_snapshot import DirectorySnapshot
    from contract_scan.parsers.source.dependency_snapshot import EquivalentChange
    from contract_scan.parsers.source.discovery.file_fingerprints import FingerprintTable

_HEAD = b"contract-scan record 5\n"
PYTHON = "*.py"
MOST_SAID = 24
"""Parts of one report that are kept."""
MOST_BYTES = 8_000_000


class RecordedOutput:
    """One output."""

    __slots__ = ("rests", "status", "text")

    def __init__(self, status: int, text: bytes, rests: list[str]) -> None:
        """The exit status, what was printed, and the files of which every byte counts for it, since
        it shows their lines or tells how to mend them; `*.py` stands for all of Python."""
        self.status = status
        self.text = text
        self.rests = rests

    def holds(self, changed: EquivalentChange) -> bool:
        """Whether it would be said the same though these files have changed: none of them counts
        with every byte, and no place is named in one whose lines may have moved."""
        rests = any(
            path in self.rests or (path.endswith(".py") and PYTHON in self.rests)
            for path in (*changed.longer, *changed.other)
        )
        return not rests and not any(map(self._names, changed.other))

    def _names(self, path: str) -> bool:
        name = path[path.rfind("/") + 1 :]
        # Anything else may be written in another way.
        plain = name.isascii() and name.replace(".", "").replace("-", "").isidentifier()
        return not plain or name.encode() in self.text


class Record:
    """What was said, and what has to be as it was for it to be said again."""

    __slots__ = ("_traces", "day", "mentioned", "mentions", "missing", "said", "standing", "walked")

    def __init__(
        self,
        standing: DependencySnapshot,
        *,
        day: str,
        mentioned: list[str],
        mentions: list[int],
        missing: list[str],
        said: dict[bytes, RecordedOutput],
        traces: bytes = b"",
        walked: DirectorySnapshot = NOWHERE,
    ) -> None:
        """`day` is the date (ISO) where it matters. `mentions` are three positions in the
        `mentioned` paths (or -1) for each entry of the report; `missing` are the number of an entry
        and the word that it misses in the code, one after the other. `said` has what was said by
        `part`. `traces` are the sources' (see `FingerprintTable.encoded`); `walked`
        is where git looked for files."""
        self._traces: bytes | FingerprintTable = traces
        self.standing = standing
        self.day = day
        self.mentioned = mentioned
        self.mentions = mentions
        self.missing = missing
        self.said = said
        self.walked = walked

    @property
    def revalidated(self) -> bool:
        """Whether something was looked at anew, and will tell whether it changes."""
        return self.standing.revalidated or self.walked.revalidated

    def part(self, only: list[str], removed: str = "") -> bytes:
        """The key of the part of the report that concerns some files and folders (none: all), or
        what a change took away that `removed` these lines."""
        if not only:
            return b"all"
        files, folders = {*only}, tuple(f"{path}/" for path in only)
        inside = {
            position
            for position, path in enumerate(self.mentioned)
            if path in files or path.startswith(folders)
        }
        entries = zip(*[iter(self.mentions)] * 3, strict=True)
        touched = {n for n, three in enumerate(entries) if not inside.isdisjoint(three)}
        if removed:
            from contract_scan.scanners.deleted_in_change import is_named

            pairs = zip(self.missing[::2], self.missing[1::2], strict=True)
            touched |= {int(n) for n, word in pairs if is_named(word, removed)}
        return digest_of(repr(sorted(touched)).encode())

    def fingerprints(self) -> FingerprintTable:
        """What is known of the sources."""
        from contract_scan.parsers.source.discovery import file_fingerprints as traces

        if isinstance(self._traces, bytes):
            self._traces = traces.decode_table(self._traces)
        return self._traces

    def forget(self, changed: EquivalentChange) -> None:
        """Drop what would be said otherwise now that these files have changed."""
        self.said = {key: said for key, said in self.said.items() if said.holds(changed)}

    def to_bytes(self) -> bytes:
        """All of it as bytes."""
        standing = self.standing
        parts = [
            standing.listing,
            self.day.encode(),
            b"%d" % standing.largest,
            joined_texts(standing.absent),
            joined_texts(standing.links),
            joined_texts(standing.folders),
            joined_texts(standing.submodules),
            *_files(standing.others),
            *_files(standing.sources),
            joined_texts(self.mentioned),
            joined_numbers(self.mentions, "i"),
            joined_texts(self.missing),
            self._traces if isinstance(self._traces, bytes) else self._traces.to_bytes(),
            self.walked.to_bytes(),
        ]
        for key, said in self.said.items():
            parts += [b"%d " % said.status + key, joined_texts(said.rests), said.text]
        body = join(parts)
        return _HEAD + body


def decode_record(content: bytes) -> Record | None:
    """The record that some bytes hold; None where they hold none."""
    if not content.startswith(_HEAD):
        return None
    parts = split(content, len(_HEAD))
    listing, day, largest, absent, links, folders, submodules = parts[:7]
    standing = DependencySnapshot(
        listing=listing,
        sources=_files_in(parts[11:15]),
        others=_files_in(parts[7:11]),
        absent=split_texts(absent),
        links=split_texts(links),
        folders=split_texts(folders),
        submodules=split_texts(submodules),
        largest=int(largest),
    )
    said = {}
    for head, rests, text in zip(parts[20::3], parts[21::3], parts[22::3], strict=True):
        status, key = head.split(b" ", 1)
        said[key] = RecordedOutput(int(status), text, split_texts(rests))
    return Record(
        standing,
        day=day.decode(),
        mentioned=split_texts(parts[15]),
        mentions=split_numbers(parts[16], "i"),
        missing=split_texts(parts[17]),
        said=said,
        traces=parts[18],
        walked=walked.decode_snapshot(parts[19]),
    )


def _files(files: Files) -> tuple[bytes, bytes, bytes, bytes]:
    return (
        joined_texts(files.paths),
        joined_numbers(files.states, "q"),
        bytes(files.digests),
        bytes(files.trimmed),
    )


def _files_in(parts: list[bytes]) -> Files:
    paths, states, digests, trimmed = parts
    numbers = split_numbers(states, "q")
    return Files(split_texts(paths), numbers, bytearray(digests), bytearray(trimmed))
