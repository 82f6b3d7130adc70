"""Names of files that are no UTF-8, which neither reports nor the cache can hold."""

from __future__ import annotations

import os


def printable(path: str) -> str:
    """A path in which bytes that are no UTF-8 show as `\\xff`."""
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "backslashreplace")


def is_utf8(path: str) -> bool:
    """Whether the bytes of a path are UTF-8."""
    return path == printable(path)
