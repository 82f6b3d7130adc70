"""What was printed, and what that rests on, as it is written to the cache.

A record answers one question: the words of a command but for its paths, in one folder. It holds
what was said of the whole, and of every part of the report that was asked for.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

# ruff: noqa: PTH105, PTH123 (pathlib takes longer than all of this)
from __future__ import annotations

import os

from contract_scan.parsers.source.standing import DIGEST, Files, Standing, digest_of

_HEAD = b"contract-scan record 2\n"
_NONE = -1
PYTHON = "*.py"
MOST_SAID = 24
"""Parts of one report that are kept."""
MOST_BYTES = 8_000_000


class Said:
    """One output."""

    __slots__ = ("rests", "status", "text")

    def __init__(self, status: int, text: bytes, rests: list[str]) -> None:
        """The exit status, what was printed, and the files of which every byte counts for it, since
        it shows their lines or tells how to mend them; `*.py` stands for all of Python."""
        self.status = status
        self.text = text
        self.rests = rests

    def rests_on(self, changed: list[str]) -> bool:
        """Whether one of these files counts with every byte."""
        return any(
            path in self.rests or (path.endswith(".py") and PYTHON in self.rests)
            for path in changed
        )


class Record:
    """What was said, and what has to be as it was for it to be said again."""

    __slots__ = ("day", "mentioned", "mentions", "said", "standing")

    def __init__(
        self,
        standing: Standing,
        *,
        day: str,
        mentioned: list[str],
        mentions: list[int],
        said: dict[bytes, Said],
    ) -> None:
        """`day` is the date (ISO) where it matters. `mentions` are three positions in the
        `mentioned` paths (or -1) for each entry of the report. `said` has what was said by
        `part`."""
        self.standing = standing
        self.day = day
        self.mentioned = mentioned
        self.mentions = mentions
        self.said = said

    def part(self, only: list[str]) -> bytes:
        """The key of the part of the report that concerns some files and folders (none: all)."""
        if not only:
            return b"all"
        files, folders = {*only}, tuple(f"{path}/" for path in only)
        inside = {
            position
            for position, path in enumerate(self.mentioned)
            if path in files or path.startswith(folders)
        }
        entries = zip(*[iter(self.mentions)] * 3, strict=True)
        touched = [n for n, three in enumerate(entries) if not inside.isdisjoint(three)]
        return digest_of(repr(touched).encode())

    def may_be_renewed(self, changed: list[str]) -> bool:
        """Whether all that was said still is, with other blank lines at the end of some files."""
        return not any(said.rests_on(changed) for said in self.said.values())

    def encoded(self) -> bytes:
        """All of it as bytes."""
        standing = self.standing
        parts = [
            standing.listing,
            self.day.encode(),
            b"%d" % standing.largest,
            _joined(standing.absent),
            _joined(standing.links),
            _joined(standing.folders),
            _joined(standing.submodules),
            *_files(standing.others),
            *_files(standing.sources),
            _joined(self.mentioned),
            _numbers(self.mentions, 4),
        ]
        for key, said in self.said.items():
            parts += [b"%d " % said.status + key, _joined(said.rests), said.text]
        body = b" ".join(b"%d" % len(part) for part in parts) + b"\n" + b"".join(parts)
        return _HEAD + digest_of(body) + body


def written(file: str, content: bytes) -> None:
    """Put a record into a file: whole, or, where that cannot be, not at all."""
    beside = f"{file}.{os.getpid()}"
    try:
        with open(beside, "wb") as opened:
            opened.write(content)
        os.replace(beside, file)
    except OSError:
        return


def decoded(content: bytes) -> Record | None:
    """The record that some bytes hold; None where they hold none."""
    if not content.startswith(_HEAD):
        return None
    body = content[len(_HEAD) + DIGEST :]
    if digest_of(body) != content[len(_HEAD) : len(_HEAD) + DIGEST]:
        return None
    lengths, _, rest = body.partition(b"\n")
    parts, at = [], 0
    for length in map(int, lengths.split()):
        parts.append(rest[at : at + length])
        at += length
    listing, day, largest, absent, links, folders, submodules = parts[:7]
    standing = Standing(
        listing=listing,
        sources=_files_in(parts[11:15]),
        others=_files_in(parts[7:11]),
        absent=_split(absent),
        links=_split(links),
        folders=_split(folders),
        submodules=_split(submodules),
        largest=int(largest),
    )
    said = {}
    for head, rests, text in zip(parts[17::3], parts[18::3], parts[19::3], strict=True):
        status, key = head.split(b" ", 1)
        said[key] = Said(int(status), text, _split(rests))
    return Record(
        standing,
        day=day.decode(),
        mentioned=_split(parts[15]),
        mentions=memoryview(parts[16]).cast("i").tolist(),
        said=said,
    )


def _files(files: Files) -> tuple[bytes, bytes, bytes, bytes]:
    return _joined(files.paths), _numbers(files.states, 8), bytes(files.digests), files.trimmed


def _files_in(parts: list[bytes]) -> Files:
    paths, states, digests, trimmed = parts
    numbers = memoryview(states).cast("q").tolist()
    return Files(_split(paths), numbers, bytearray(digests), trimmed)


def _joined(texts: list[str]) -> bytes:
    return "\0".join(texts).encode("utf-8", "surrogateescape")


def _split(joined: bytes) -> list[str]:
    return joined.decode("utf-8", "surrogateescape").split("\0") if joined else []


def _numbers(numbers: list[int], size: int) -> bytes:
    from sys import byteorder

    return b"".join(number.to_bytes(size, byteorder, signed=True) for number in numbers)
