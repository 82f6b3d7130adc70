"""Files that a command is given and reads as a whole."""

from __future__ import annotations

from pathlib import Path

from contract_scan.errors import UsageError
from contract_scan.regular_file import read_regular

LARGEST_TEXT = 1_000_000
"""Bytes of a text that people or agents write."""


def read_text(name: str, largest: int = LARGEST_TEXT) -> str:
    """The text of a file. Raises UsageError where it cannot be read, is larger than `largest`
    bytes, or is not UTF-8."""
    try:
        return read_bytes(name, largest).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("is not UTF-8; save it as UTF-8", name) from error


def read_bytes(name: str, largest: int) -> bytes:
    """The content of a file. Raises UsageError where it cannot be read, is no regular file, or is
    larger than `largest` bytes."""
    try:
        raw = read_regular(Path.cwd() / name, largest + 1)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", name) from error
    if len(raw) > largest:
        raise UsageError(f"is larger than {largest // 1_000_000} MB", name)
    return raw
