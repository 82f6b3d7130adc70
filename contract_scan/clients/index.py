"""The files that git tracks, read from its index: starting git takes longer.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import os

_HEAD = 12
_VERSIONS = (2, 3)
"""Others write paths in a shorter way."""
_DIGEST = 20
_FLAGS = 60
"""Where the flags of an entry stand; before them are its states and a digest."""
_EXTENDED = 0x40
"""In the first byte of the flags: two more bytes of them follow."""


def tracked_in(file: str) -> bytes | None:
    """The paths in an index, as `git ls-files -z --cached` writes them at the top of a repository;
    None where it cannot be read so."""
    try:
        with open(file, "rb", opener=_without_waiting) as opened:
            content = opened.read()
    except (OSError, ValueError):
        return None
    if content[:4] != b"DIRC" or int.from_bytes(content[4:8], "big") not in _VERSIONS:
        return None
    paths, at, find = [], _HEAD, content.find
    for _ in range(int.from_bytes(content[8:_HEAD], "big")):
        if at + _FLAGS >= len(content):
            return None
        start = at + _FLAGS + (4 if content[at + _FLAGS] & _EXTENDED else 2)
        end = find(b"\0", start)
        if end < 0:
            return None
        paths.append(content[start:end])
        at += (end - at + 8) & ~7
    return b"\0".join((*paths, b"")) if _ends(content, at) else None


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe in its place is empty."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _ends(content: bytes, at: int) -> bool:
    """Whether nothing follows but what may be passed over: extensions whose names start with a
    capital letter, and a digest."""
    while len(content) - _DIGEST > at >= _HEAD:
        if not content[at : at + 1].isupper():
            return False
        at += 8 + int.from_bytes(content[at + 4 : at + 8], "big")
    return at == len(content) - _DIGEST
