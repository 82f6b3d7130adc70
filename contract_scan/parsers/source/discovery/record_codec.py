"""Pieces of bytes in a row, as they are written to the cache.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Iterable


def join(parts: Iterable[bytes]) -> bytes:
    """All pieces in one, which `split` takes apart."""
    parts = [*parts]
    return b" ".join(b"%d" % len(part) for part in parts) + b"\n" + b"".join(parts)


def split(content: bytes, start: int = 0) -> list[bytes]:
    """The pieces that were `joined`, which begin at the `start`."""
    at = content.index(b"\n", start) + 1
    parts = []
    for length in map(int, content[start : at - 1].split()):
        parts.append(content[at : at + length])
        at += length
    return parts


def joined_texts(texts: Iterable[str]) -> bytes:
    """Texts in one piece. They hold no NUL, and one alone is not empty."""
    return "\0".join(texts).encode("utf-8", "surrogateescape")


def split_texts(content: bytes) -> list[str]:
    """The texts that were put into one piece."""
    return content.decode("utf-8", "surrogateescape").split("\0") if content else []


def joined_numbers(numbers: Iterable[int], kind: str) -> bytes:
    """Numbers in one piece, each written as the kind of an `array`."""
    from array import array

    return array(kind, numbers).tobytes()


def split_numbers(content: bytes, kind: str) -> list[int]:
    """The numbers that were put into one piece."""
    found: list[int] = memoryview(content).cast(kind).tolist()  # type: ignore[call-overload]
    return found
