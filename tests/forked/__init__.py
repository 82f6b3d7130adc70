"""Processes of Python that start in a hundredth of the time: forked off one that has imported the
product already.

What is started is a process of its own, with its own arguments, working directory, environment (in
`/proc` as well, by which processes are found), standard streams, exit status and signals. What it
does not show is how Python itself starts: tests of imports, of flags and of limits that a process
inherits start the real interpreter.
"""

from __future__ import annotations

import atexit
import functools
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_ENVIRONMENT = dict(os.environ)
"""That of before the first test: what a test ends by its environment is not what others need."""
_ROOM = {"ROOM_FOR_ENVIRONMENT": " " * 120_000}
"""Every process that is forked writes its own environment there."""


def forked_python(*before: str) -> str:
    """A program that takes the place of `sys.executable`: `-m module`, `-c program` or the path of
    a script, with arguments. It works as long as this process runs. What is `before` runs the
    process that is copied, as `setpriv` does."""
    return str(forked_programs(*before) / "python")


@functools.cache
def forked_programs(*before: str) -> Path:
    """A folder for `PATH` with that program, as `python`, and the command `contract-scan`. Where
    there is no Linux they start the real interpreter."""
    folder = Path(tempfile.mkdtemp(prefix="contract-scan-forked-"))
    if sys.platform == "linux":
        server = _Server(folder / "socket", before)
        _servers.append(server)
        words = [sys.executable, "-I", "-S", str(_HERE / "client.py"), str(server.address)]
    else:
        server, words = None, [*before, sys.executable]
    atexit.register(_end, server, folder, os.getpid())
    programs = folder / "bin"
    programs.mkdir()
    for name, more in (("python", ""), ("contract-scan", " -m contract_scan")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)}{more} "$@"\n')
        program.chmod(0o755)
    return programs


def start_ended_servers() -> bool:
    """Start again whatever tests fork from and has ended: whether anything had."""
    ended = [server for server in _servers if server.process.poll() is not None]
    for server in ended:
        server.start()
    return bool(ended)


class _Server:
    """The process that others are forked off, at an address that stays when it starts again."""

    def __init__(self, address: Path, before: Sequence[str]) -> None:
        self.address = address
        self._before = before
        self.start()

    def start(self) -> None:
        self.address.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
            listening.bind(str(self.address))
            listening.listen(128)
            number = listening.fileno()
            self.process = subprocess.Popen(
                [*self._before, sys.executable, str(_HERE / "server.py"), str(number), str(_ROOT)],
                stdin=subprocess.PIPE,  # it ends when this process ends
                pass_fds=[number],
                cwd="/",
                env={**_ENVIRONMENT, **_ROOM},
                start_new_session=True,
            )


_servers: list[_Server] = []


def _end(server: _Server | None, folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        if server is not None:
            server.process.communicate()
        shutil.rmtree(folder, ignore_errors=True)
