"""Processes of servers that speak JSON."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from typing import IO, Any, TypeAlias

SECONDS = 300.0
"""How long one answer may take."""

Read: TypeAlias = Callable[[IO[bytes]], bytes | None]
"""Reads one message; None at the end of the stream."""


class JsonProcess:
    """A server process; what it says arrives in `messages`."""

    def __init__(self, command: list[str], cwd: Path, read: Read) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.messages: Queue[dict[str, Any]] = Queue()
        threading.Thread(target=self._listen, args=(read,), daemon=True).start()

    def write(self, data: bytes) -> None:
        """Send bytes to the server."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def close(self) -> None:
        """Kill the server."""
        self._process.kill()
        self._process.wait()

    def _listen(self, read: Read) -> None:
        assert self._process.stdout is not None
        while (body := read(self._process.stdout)) is not None:
            self.messages.put(json.loads(body))


def with_headers(stream: IO[bytes]) -> bytes | None:
    """A message with a `Content-Length` header."""
    length = 0
    while (line := stream.readline()) not in (b"\r\n", b"\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return stream.read(length) if line else None


def one_line(stream: IO[bytes]) -> bytes | None:
    """A message on a line of its own."""
    return stream.readline() or None
