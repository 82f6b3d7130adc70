"""Contract files that are known by their states to be as they were, so that nobody reads them.

What is kept of a contract is kept by the content of its file, and by which files beside it seem to
be parts of it. Both are looked at again only where the state of one of these files, or the list of
the files beside it, is another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.parsers.contracts.merged_documents import files_beside

State: TypeAlias = tuple[int, int, int]
"""Size, time of the last change and inode of a regular file that is no link."""
StateOf: TypeAlias = Callable[[Path], State | None]
"""The state of a file as it is now; None where it does not tell whether the file changes."""


class KnownState(Struct, frozen=True, array_like=True):
    """What was known of a contract file when it was read."""

    content_hash: str
    key: bytes
    """Under which the documents are kept."""
    beside: tuple[bytes, ...]
    """Names of the files beside it that might be parts of it, as the file system has them: they
    need not be UTF-8."""
    states: tuple[tuple[bytes, State], ...]
    """Of it, and of the files that were read to see whether they are parts, by their paths."""


def encode_state(known: KnownState) -> bytes:
    """What is kept of it."""
    return msgspec.msgpack.encode(known)


def decode_state(kept: bytes | None, path: Path, state_of: StateOf) -> KnownState | None:
    """What was known of a file, if all is as it was."""
    if kept is None:
        return None
    try:
        known = msgspec.msgpack.decode(kept, type=KnownState)
    except msgspec.DecodeError:
        return None
    if any(state_of(Path(os.fsdecode(file))) != state for file, state in known.states):
        return None
    return known if names_beside(path) == known.beside else None


def names_beside(path: Path) -> tuple[bytes, ...]:
    """Names of the files beside a contract that might be parts of it."""
    return tuple(os.fsencode(name) for name in files_beside(path))


def state_key(shown: str, version: str, root: Path, limits: object) -> bytes:
    """What the state of a file is kept under."""
    text = f"{shown}\0{version}\0{root}\0{limits}".encode("utf-8", "surrogateescape")
    return blake2b(text, digest_size=16, person=b"contract state").digest()


class ReadStates:
    """The states of files that are read, each as it was before."""

    def __init__(self, state_of: StateOf) -> None:
        self._state_of = state_of
        self._found: dict[bytes, State | None] = {}

    def note(self, path: Path) -> None:
        """Look at a file that is about to be read."""
        self._found.setdefault(os.fsencode(path), self._state_of(path))

    def all_states(self) -> Iterable[tuple[bytes, State]] | None:
        """All states; None where one of them does not tell whether its file changes."""
        found = [(path, state) for path, state in self._found.items() if state is not None]
        return found if len(found) == len(self._found) else None
