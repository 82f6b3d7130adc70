"""What was read before, kept by content: facts of files and the byte-level pass over them.

Keys hold the content's hash and the version of everything that reads it, so an entry can be stale
but never wrong. Values are msgpack: loading them runs nothing. They lie in packs, files that are
written once and whole: a sealed index, then the values, of which the index has the digests. Nothing
of a pack is looked at before its seal is. A cache that cannot be opened, read or written is no
cache, never an error.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from stat import S_ISREG
from typing import TypeAlias

import msgspec

from contract_scan import unsaved
from contract_scan.parsers.source.dependency_snapshot import INODE, telling_time
from contract_scan.parsers.source.discovery.minified import blake2b
from contract_scan.private_folder import PACK, SEAL, PrivateFolder

FileState: TypeAlias = tuple[int, int, int]
"""By what a file is known again: its size, when it was last changed (ns since the epoch, 0 where
that does not tell) and its inode."""
SeenFile: TypeAlias = tuple[str, int, int, int, bytes]
"""A path, the state of the file, and what was seen of it."""

_LENGTH = 8
"""Bytes that tell how long the index is."""
_LARGEST_INDEX = 100_000_000
_MOST_PACKS = 12
_MOST_BYTES = 256_000_000
"""Of all packs together; beyond it the oldest go."""
_FILES = b"files "
"""What the key of a list of files begins with; the version of what looked at them follows."""
_Index: TypeAlias = list[tuple[bytes, int, bytes]]
"""Of each value its key, its length and its digest."""


def content_key(content: bytes, *parts: str) -> bytes:
    """Key of something derived from `content`; `parts` name what derived it."""
    digest = blake2b(content, digest_size=16)
    for part in parts:
        digest.update(b"\0" + part.encode())
    return digest.digest()


def file_state(path: str, now: int) -> FileState:
    """The state of a file, looked at when it was `now` (ns). Raises OSError."""
    held = unsaved.text_of(path)
    if held is not None:
        return len(held), 0, 0
    state = os.lstat(path)
    return state.st_size, telling_time(state, now), state.st_ino & INODE


def settled_state(path: os.PathLike[str]) -> FileState | None:
    """The state of a regular file that is no link, as it is now; None where it does not tell
    whether the file changes, or nothing is there."""
    if unsaved.text_of(os.fspath(path)) is not None:
        return None
    try:
        state = os.lstat(path)
    except OSError:
        return None
    at = telling_time(state, time.time_ns()) if S_ISREG(state.st_mode) else 0
    return (state.st_size, at, state.st_ino & INODE) if at else None


class Store:
    """Key-value store with a list of files by path and state."""

    def __init__(self, folder: PrivateFolder | None) -> None:
        """`folder` is where the packs lie; None keeps nothing. It is closed with the store."""
        self._folder = folder
        self._pending: dict[bytes, bytes] = {}
        self._files: dict[str, dict[str, SeenFile]] = {}
        self._packs: list[_Pack] = []
        self._where: dict[bytes, _Pack] = {}
        if folder is not None:
            self._read_packs()

    @property
    def keeps(self) -> bool:
        """Whether anything is kept at all."""
        return self._folder is not None

    def get(self, key: bytes) -> bytes | None:
        """The value kept under a key."""
        if key in self._pending:
            return self._pending[key]
        pack = self._where.get(key)
        return None if pack is None else pack.value(key)

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value; written by `commit`."""
        if self._folder is not None:
            self._pending[key] = value

    def files(self, version: str) -> Iterator[SeenFile]:
        """Every file seen before by this version, as it was last."""
        yield from _seen_files(self._packs, _FILES + version.encode()).values()

    def put_files(self, version: str, files: Iterable[SeenFile]) -> None:
        """Remember files as they are now; written by `commit`."""
        if self._folder is not None:
            self._files.setdefault(version, {}).update((file[0], file) for file in files)

    def commit(self) -> None:
        """Write what was put."""
        if self._folder is None or not (self._pending or self._files):
            return
        values = dict(self._pending)
        size = sum(map(len, values.values()))
        merged: list[_Pack] = []
        # Each pack is more than twice as large as all that is newer, so that there are few.
        while self._packs and (self._packs[-1].size <= 2 * size or len(self._packs) >= _MOST_PACKS):
            merged.append(self._packs.pop())
            size += merged[-1].size
        merged.reverse()
        older = {key: value for pack in merged for key, value in pack.values()}
        written = {**older, **values, **self._merged_lists(merged)}
        pack = _write(self._folder, written)
        self._pending.clear()
        self._files.clear()
        if pack is None:
            self._packs += merged
            return
        self._packs.append(pack)
        self._where.update(dict.fromkeys(written, pack))
        for old in merged:
            old.close()
            self._folder.remove(old.name)
        self._forget_oldest()
        self._folder.forget_unfinished(time.time())

    def close(self) -> None:
        """Let go of the files."""
        for pack in self._packs:
            pack.close()
        self._packs.clear()
        self._where.clear()
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    def _read_packs(self) -> None:
        assert self._folder is not None
        for name in self._folder.names(PACK):
            pack = _open_pack(self._folder, name)
            if pack is None:
                self._folder.remove(name)  # cut short, or not sealed by this user
                continue
            self._packs.append(pack)
            self._where.update(dict.fromkeys(pack.keys, pack))

    def _merged_lists(self, merged: list[_Pack]) -> dict[bytes, bytes]:
        """The lists of files in these packs, together with what was put."""
        keys = {key for pack in merged for key in pack.keys if key.startswith(_FILES)}
        keys |= {_FILES + version.encode() for version in self._files}
        found = {}
        for key in keys:
            files = _seen_files(merged, key)
            files |= self._files.get(key.removeprefix(_FILES).decode(), {})
            found[key] = msgspec.msgpack.encode([*files.values()])
        return found

    def _forget_oldest(self) -> None:
        assert self._folder is not None
        while len(self._packs) > 1 and sum(pack.size for pack in self._packs) > _MOST_BYTES:
            pack = self._packs.pop(0)
            pack.close()
            self._folder.remove(pack.name)
            self._where = {key: each for key, each in self._where.items() if each is not pack}


class _Pack:
    """An open pack, of which the index was read."""

    def __init__(self, name: str, descriptor: int, start: int, index: _Index) -> None:
        """The values begin at the `start`."""
        self.name = name
        self.size = start
        self._descriptor = descriptor
        self._places: dict[bytes, tuple[int, int, bytes]] = {}
        for key, length, digest in index:
            self._places[key] = (self.size, length, digest)
            self.size += length

    @property
    def keys(self) -> Iterable[bytes]:
        """Of all values."""
        return self._places.keys()

    def value(self, key: bytes) -> bytes | None:
        """A value; None where it is not there, or not what the index says."""
        if key not in self._places or self._descriptor < 0:
            return None
        start, length, digest = self._places[key]
        try:
            value = _read_at(self._descriptor, start, length)
        except OSError:
            return None
        return value if content_key(value) == digest else None

    def values(self) -> Iterator[tuple[bytes, bytes]]:
        """All values that can be read, with their keys."""
        for key in self._places:
            value = self.value(key)
            if value is not None:
                yield key, value

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _seen_files(packs: Iterable[_Pack], key: bytes) -> dict[str, SeenFile]:
    """The files in lists under a key; what a later pack says of one counts."""
    found: dict[str, SeenFile] = {}
    for pack in packs:
        value = pack.value(key)
        if value is None:
            continue
        try:
            files = msgspec.msgpack.decode(value, type=list[SeenFile])
        except msgspec.DecodeError:
            continue
        found.update((file[0], file) for file in files)
    return found


def _open_pack(folder: PrivateFolder, name: str) -> _Pack | None:
    """A pack, if this user sealed it."""
    try:
        descriptor = folder.descriptor(name)
    except OSError:
        return None
    try:
        head = _read_at(descriptor, 0, SEAL + _LENGTH)
        length = int.from_bytes(head[SEAL:], "big")
        if len(head) == SEAL + _LENGTH and length <= _LARGEST_INDEX:
            index = _read_at(descriptor, SEAL + _LENGTH, length)
            if folder.seal(name, index) == head[:SEAL]:
                decoded = msgspec.msgpack.decode(index, type=_Index)
                return _Pack(name, descriptor, SEAL + _LENGTH + length, decoded)
    except (OSError, msgspec.DecodeError):
        pass
    os.close(descriptor)
    return None


def _write(folder: PrivateFolder, values: Mapping[bytes, bytes]) -> _Pack | None:
    """A new pack; None where it cannot be written."""
    name = f"{PACK}-{time.time_ns():016x}{os.urandom(8).hex()}"
    index: _Index = [(key, len(value), content_key(value)) for key, value in values.items()]
    encoded = msgspec.msgpack.encode(index)
    head = folder.seal(name, encoded) + len(encoded).to_bytes(_LENGTH, "big") + encoded
    return (
        _open_pack(folder, name) if folder.write(name, (head, b"".join(values.values()))) else None
    )


def _read_at(descriptor: int, start: int, length: int) -> bytes:
    found = _piece(descriptor, start, length)
    while len(found) < length:
        more = _piece(descriptor, start + len(found), length - len(found))
        if not more:
            break
        found += more
    return found


def _piece(descriptor: int, start: int, length: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, start)
    os.lseek(descriptor, start, os.SEEK_SET)
    return os.read(descriptor, length)
