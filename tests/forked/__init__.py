"""Processes of Python that start in a hundredth of the time: forked off one that has imported the
product already.

What is started is a process of its own, with its own arguments, working directory, environment,
standard streams, exit status and signals. What it does not show is how Python itself starts:
tests of imports, of flags and of limits that a process inherits start the real interpreter.
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
        address = folder / "socket"
        server = _server(address, before)
        words = [sys.executable, "-I", "-S", str(_HERE / "client.py"), str(address)]
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


def _server(address: Path, before: Sequence[str]) -> subprocess.Popen[bytes]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(str(address))
        listening.listen(128)
        number = listening.fileno()
        return subprocess.Popen(
            [*before, sys.executable, str(_HERE / "server.py"), str(number), str(_ROOT)],
            stdin=subprocess.PIPE,  # it ends when this process ends
            pass_fds=[number],
            cwd="/",
            start_new_session=True,
        )


def _end(server: subprocess.Popen[bytes] | None, folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        if server is not None:
            server.communicate()
        shutil.rmtree(folder, ignore_errors=True)
