"""A folder of one user, in which every entry bears a seal that only this user can make.

What is read from here is believed, so that nothing counts that somebody else may have put there: no
link is followed, nothing but regular files of this user is opened, and an entry without the right
seal for its name is none. Nothing is ever removed but what bears a name of ours.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

# ruff: noqa: PTH118, PTH208 (pathlib takes longer, and opens no folder)
from __future__ import annotations

import os

try:
    from _blake2 import blake2b as blake2b
except ImportError:
    from hashlib import blake2b as blake2b

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Iterable

SEAL = 32
"""Bytes of a seal, and of a key."""
LARGEST = 100_000_000
"""Bytes of an entry, whatever a damaged folder says."""
RECORD, TEXT, PACK = "said", "text", "pack"
"""The kinds of entries: what was printed, texts of files, everything else."""
_UNFINISHED = "part"
"""The kind of a file that is being written."""
_DIGITS = 32
"""Hexadecimal ones, after the kind of an entry."""
_READING = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_WRITING = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_KIND_OF_FILE, _REGULAR, _FOLDER = 0o170000, 0o100000, 0o040000
_OF_OTHERS = 0o077
_STALE = 3600.0
"""Seconds after which nobody is still writing an unfinished file."""


class PrivateFolder:
    """An open folder. Whoever opened it closes it."""

    __slots__ = ("_descriptor", "_key", "path")

    def __init__(self, path: str, key: bytes) -> None:
        """Opens the folder at `path`; `key` is what its entries are sealed with. Raises OSError for
        what is no folder of this user, and for a link to one."""
        self.path = path
        self._key = key
        self._descriptor: int | None = None
        if os.name == "posix":
            folder = getattr(os, "O_DIRECTORY", 0)
            self._descriptor = os.open(path, _READING | folder)
            state = os.fstat(self._descriptor)
        else:
            state = os.lstat(path)
        if state.st_mode & _KIND_OF_FILE != _FOLDER or not _is_own(state):
            self.close()
            raise PermissionError(1, "belongs to somebody else", path)

    def close(self) -> None:
        """Let go of the folder."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def restrict(self) -> None:
        """Keep everybody else out. Raises OSError."""
        if self._descriptor is not None and os.fstat(self._descriptor).st_mode & _OF_OTHERS:
            os.fchmod(self._descriptor, 0o700)

    def seal(self, name: str, content: bytes) -> bytes:
        """What shows that this user gave the entry of this name this content."""
        digest = blake2b(name.encode() + b"\0", key=self._key, digest_size=SEAL)
        digest.update(content)
        return digest.digest()

    def descriptor(self, name: str) -> int:
        """An open descriptor of a file in here. Raises OSError for anything but a regular file of
        this user."""
        found = os.open(self._path_of(name), _READING, dir_fd=self._descriptor)
        try:
            state = os.fstat(found)
            if state.st_mode & _KIND_OF_FILE != _REGULAR or not _is_own(state):
                raise PermissionError(1, "is no regular file of this user", name)
        except BaseException:
            os.close(found)
            raise
        return found

    def read(self, name: str) -> bytes | None:
        """The bytes of a file in here, sealed or not; None where it cannot be read."""
        found = self._read_parts(name, 0)
        return None if found is None else found[1]

    def _read_parts(self, name: str, first: int) -> tuple[bytes, bytes] | None:
        """So many first bytes of a file in here, and the others, which are not copied."""
        try:
            descriptor = self.descriptor(name)
        except OSError:
            return None
        try:
            size = os.fstat(descriptor).st_size
            if size > LARGEST:
                return None
            return os.read(descriptor, first), _read_whole(descriptor, size)
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def get(self, name: str) -> bytes | None:
        """The content of an entry; None where there is none that this user sealed."""
        found = self._read_parts(name, SEAL)
        if found is None:
            return None
        seal, content = found
        return content if self.seal(name, content) == seal else None

    def put(self, name: str, content: bytes) -> bool:
        """Give an entry its content: whole, or, where that cannot be, not at all (False)."""
        return self.write(name, (self.seal(name, content), content))

    def write(self, name: str, pieces: Iterable[bytes]) -> bool:
        """Put a file in here: whole, or, where that cannot be, not at all (False)."""
        beside = f"{_UNFINISHED}-{os.urandom(_DIGITS // 2).hex()}"
        try:
            descriptor = os.open(self._path_of(beside), _WRITING, 0o600, dir_fd=self._descriptor)
        except OSError:
            return False
        try:
            try:
                for piece in pieces:
                    write_all(descriptor, piece)
            finally:
                os.close(descriptor)
            os.replace(
                self._path_of(beside),
                self._path_of(name),
                src_dir_fd=self._descriptor,
                dst_dir_fd=self._descriptor,
            )
        except OSError:
            self._unlink(beside)
            return False
        except BaseException:
            self._unlink(beside)
            raise
        return True

    def names(self, kind: str) -> list[str]:
        """The names of the entries of one kind, sorted."""
        return sorted(name for name in self._file_names() if is_entry(name, kind))

    def changed_at(self, name: str) -> float:
        """When a file in here was last written, in seconds since the epoch; 0 where there is
        none."""
        try:
            state = os.stat(self._path_of(name), dir_fd=self._descriptor, follow_symlinks=False)
        except OSError:
            return 0.0
        return state.st_mtime

    def remove(self, name: str) -> None:
        """Remove an entry, if it is a regular file. Other names are left alone."""
        if any(is_entry(name, kind) for kind in (RECORD, TEXT, PACK, _UNFINISHED)):
            self._unlink(name)

    def forget_unfinished(self, now: float) -> None:
        """Remove what a process began to write that was ended meanwhile."""
        for name in self.names(_UNFINISHED):
            if now - self.changed_at(name) > _STALE:
                self.remove(name)

    def clear(self, others: Iterable[str] = ()) -> None:
        """Remove all entries, and the files of these `others` names."""
        for kind in (RECORD, TEXT, PACK, _UNFINISHED):
            for name in self.names(kind):
                self._unlink(name)
        for name in others:
            self._unlink(name)

    def is_empty(self) -> bool:
        """Whether nothing at all lies in here."""
        return not self._file_names()

    def _file_names(self) -> list[str]:
        try:
            return os.listdir(self.path if self._descriptor is None else self._descriptor)
        except OSError:
            return []

    def _unlink(self, name: str) -> None:
        try:
            state = os.stat(self._path_of(name), dir_fd=self._descriptor, follow_symlinks=False)
            if state.st_mode & _KIND_OF_FILE == _REGULAR:
                os.unlink(self._path_of(name), dir_fd=self._descriptor)
        except OSError:
            return

    def _path_of(self, name: str) -> str:
        return os.path.join(self.path, name) if self._descriptor is None else name


def is_entry(name: str, kind: str) -> bool:
    """Whether a name is one that entries of a kind bear."""
    before, digits = name[: len(kind) + 1], name[len(kind) + 1 :]
    return before == f"{kind}-" and len(digits) == _DIGITS and not digits.strip("0123456789abcdef")


def write_all(descriptor: int, content: bytes) -> None:
    """Write everything to a descriptor. Raises OSError."""
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def _read_whole(descriptor: int, size: int) -> bytes:
    chunks = []
    while chunk := os.read(descriptor, max(1, min(size + 1, 1 << 24))):
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _is_own(state: os.stat_result) -> bool:
    return os.name != "posix" or state.st_uid == os.geteuid()
