"""What a server writes to its standard error: the end of it, for messages and the debug log."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

logger = logging.getLogger(__name__)

_LONGEST = 8192
"""Bytes that are remembered: servers may log without end."""

_PATIENCE = 0.5
"""Seconds to wait for the rest once the server has gone; a descendant may hold the pipe open."""


class StandardError:
    """Reads a pipe in a thread of its own until no process holds its other end."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._tail = b""
        self._reader: threading.Thread | None = None

    @contextmanager
    def writable(self) -> Iterator[TextIO]:
        """The end that a process inherits while this is open."""
        reading, writing = os.pipe()
        self._reader = threading.Thread(target=self._read_stream, args=(reading,), daemon=True)
        self._reader.start()
        with os.fdopen(writing, "w", encoding="utf-8") as stream:
            yield stream

    async def last_line(self) -> str:
        """The last line that is not blank, once all is read; empty where there is none."""
        if self._reader is not None:
            await asyncio.to_thread(self._reader.join, _PATIENCE)
        lines = self._tail.decode("utf-8", "replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def _read_stream(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as stream:
            while chunk := stream.read(_LONGEST):
                self._tail = (self._tail + chunk)[-_LONGEST:]
                logger.debug("%s server: %s", self._title, chunk.decode("utf-8", "replace"))
