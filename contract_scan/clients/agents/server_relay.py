"""Stands between an agent and one of its MCP servers, and notes when the agent knows its tools.

    server_relay.py FILE NAME COMMAND [ARGUMENT …]

The relay starts the server and passes on what both write to each other. NAME is appended to FILE,
as a line of JSON, once the answer to `tools/list` has been passed on, or the server has ended: from
then on nobody has to wait for it. The exit status is that of the server.

A program of its own that imports nothing of the package: it starts whenever agents start servers.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

_NOT_FOUND = 127


class _Watch:
    """Follows one conversation until the tools are known."""

    def __init__(self, file: Path, name: str) -> None:
        self._file = file
        self._name = name
        self._asked: set[object] = set()
        """Ids of requests for the list of tools."""
        self._is_reported = False

    def requests(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """What the agent writes, each line noted before it is passed on and answered."""
        for line in lines:
            self._note_request(line)
            yield line

    def answers(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """What the server writes, each line noted once it has been passed on."""
        for line in lines:
            yield line
            self._note_answer(line)

    def _note_request(self, line: bytes) -> None:
        if not self._is_reported and (message := _message(line)).get("method") == "tools/list":
            self._asked.add(message.get("id"))

    def _note_answer(self, line: bytes) -> None:
        if self._is_reported or not self._asked:
            return
        message = _message(line)
        if "method" in message or message.get("id") not in self._asked:
            return
        result = message.get("result")
        if not (isinstance(result, dict) and result.get("nextCursor")):
            self.tell()

    def tell(self) -> None:
        """Write down that nobody has to wait any longer."""
        if not self._is_reported:
            self._is_reported = True
            with self._file.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(self._name)}\n")


def watched_servers(
    servers: Mapping[str, Mapping[str, Any]], file: Path
) -> dict[str, dict[str, Any]]:
    """Entries of MCP servers in which those that are programs stand behind relays, which write to
    a file. Nothing can stand before a `url`."""
    relay = ["-I", "-S", str(Path(__file__).absolute()), str(file)]
    watched = {}
    for name, entry in servers.items():
        watched[name] = dict(entry)
        if command := entry.get("command"):
            words = [*relay, name, str(command), *entry.get("args", ())]
            watched[name] |= {"command": sys.executable, "args": words}
    return watched


def _message(line: bytes) -> dict[str, Any]:
    try:
        read = json.loads(line)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _pass_on(lines: Iterable[bytes], target: IO[bytes]) -> None:
    """Pass lines on until there are no more, or nobody reads them."""
    with suppress(OSError, ValueError):  # the other end is closed
        for line in lines:
            target.write(line)
            target.flush()


def _pass_on_and_close(lines: Iterable[bytes], target: IO[bytes]) -> None:
    _pass_on(lines, target)
    with suppress(OSError):
        target.close()


def main(words: list[str]) -> int:
    """Relay until the server has ended; gives its status."""
    file, name, *command = words
    watch = _Watch(Path(file), name)
    try:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error.strerror}", file=sys.stderr)
        watch.tell()
        return _NOT_FOUND
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda caught, _: server.send_signal(caught))
    assert server.stdin is not None and server.stdout is not None
    threading.Thread(
        target=_pass_on_and_close,
        args=(watch.requests(sys.stdin.buffer), server.stdin),
        daemon=True,
    ).start()
    _pass_on(watch.answers(server.stdout), sys.stdout.buffer)
    status = server.wait()
    watch.tell()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    ended = main(sys.argv[1:])
    os._exit(ended)  # the thread still reads what the agent may write
