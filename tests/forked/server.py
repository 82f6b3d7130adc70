"""Imports the product, and forks a process for every client: `server.py SOCKET ROOT`.

Ends when its standard input does. A process whose client is gone is killed, with all of its group.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import ctypes
import gc
import importlib
import io
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import NamedTuple, NoReturn

STATUS = 8


class Start(NamedTuple):
    """What a client asks for."""

    words: list[str]
    environment: dict[bytes, bytes]
    streams: list[int]
    folder: int


def import_everything() -> None:
    """The product, and what its servers and their clients need."""
    import contract_scan

    own = (
        module.name for module in pkgutil.walk_packages(contract_scan.__path__, "contract_scan.")
    )
    servers = ("mcp", "mcp.server.mcpserver", "mcp.server.fastmcp", "mcp.client.stdio", "pygls")
    for name in (*own, *servers):
        if not name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of an extra that is not installed
                importlib.import_module(name)


class Server:
    """Forks, and tells clients how their processes ended."""

    def __init__(self, listening: socket.socket) -> None:
        self._clients: dict[int, socket.socket] = {}
        self._listening = listening
        self._woken, waking = os.pipe()
        os.set_blocking(waking, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        self._waking = waking

    def wait_for_starts(self) -> Start | None:
        """Returns in the process that was forked, with what it is to do; without it at the end."""
        with selectors.DefaultSelector() as selector:
            for opened in (0, self._woken, self._listening):
                selector.register(opened, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj == 0:
                        return None
                    if key.fileobj == self._woken:
                        os.read(self._woken, 1024)
                        self._tell_ends(selector)
                    elif key.fileobj is self._listening:
                        start = self._fork(selector)
                        if start is not None:
                            return start
                    elif isinstance(key.data, int):
                        self._hand_on(selector, key.data)

    def _fork(self, selector: selectors.BaseSelector) -> Start | None:
        client, _ = self._listening.accept()
        try:
            start = _read_start(client)
        except ConnectionError:  # it was killed while it asked
            start = None
        if start is None:
            client.close()
            return None
        process = os.fork()
        if process == 0:
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for opened in (self._listening, client, *self._clients.values()):
                opened.close()
            for number in (self._woken, self._waking):
                os.close(number)
            return start
        for number in (*start.streams, start.folder):
            os.close(number)
        self._clients[process] = client
        selector.register(client, selectors.EVENT_READ, process)
        return None

    def _hand_on(self, selector: selectors.BaseSelector, process: int) -> None:
        """Hand a signal on to a process, or end it where its client is gone."""
        client = self._clients.get(process)
        if client is None:
            return
        try:
            number = client.recv(1)
        except ConnectionError:
            number = b""
        if number:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number[0])
        else:
            selector.unregister(client)
            for kill in (os.killpg, os.kill):  # it may not lead its group yet
                with contextlib.suppress(ProcessLookupError):
                    kill(process, signal.SIGKILL)
            client.close()
            del self._clients[process]

    def _tell_ends(self, selector: selectors.BaseSelector) -> None:
        while True:
            try:
                process, ended = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            client = self._clients.pop(process, None)
            if client is None:
                continue
            selector.unregister(client)
            status = os.waitstatus_to_exitcode(ended)
            with contextlib.suppress(ConnectionError):
                client.send(status.to_bytes(STATUS, "big", signed=True))
            client.close()


def _read_start(client: socket.socket) -> Start | None:
    files = array.array("i")
    first, ancillary, _, _ = client.recvmsg(8, socket.CMSG_SPACE(4 * files.itemsize))
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            files.frombytes(data)
    if len(files) != 4:
        return None
    length, parts = int.from_bytes(first, "big"), b""
    while len(parts) < length:
        received = client.recv(65536)
        if not received:
            for number in files:
                os.close(number)
            return None
        parts += received
    number_of_words, *rest = parts.split(b"\0")
    words = [os.fsdecode(word) for word in rest[: int(number_of_words)]]
    variables = (each.partition(b"=") for each in rest[int(number_of_words) :])
    environment = {name: value for name, _, value in variables}
    return Start(words, environment, list(files[:3]), files[3])


def become(start: Start) -> None:
    """Take over what the client has: its streams, folder and environment."""
    for number, given in enumerate(start.streams):
        os.dup2(given, number)
    for number in (*start.streams, start.folder):
        if number == start.folder:
            os.fchdir(number)
        os.close(number)
    os.environb.clear()
    os.environb.update(start.environment)
    _show(start.environment)
    tempfile.tempdir = None
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        file = io.FileIO(number, "rb" if number == 0 else "wb", closefd=False)
        buffer = io.BufferedReader(file) if number == 0 else io.BufferedWriter(file)
        stream = io.TextIOWrapper(
            buffer,
            errors="backslashreplace" if number == 2 else "strict",
            line_buffering=number == 2 or os.isatty(number),
            write_through=unbuffered,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _show(environment: dict[bytes, bytes]) -> None:
    """Write an environment to where the system shows it to other processes, see proc(5): over that
    with which this process began, which is long enough."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    shown = b"".join(b"%s=%s\0" % each for each in environment.items())
    if len(shown) >= end - start:
        sys.exit("the environment is longer than that of the process that tests fork from")
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, shown, len(shown))


def run(words: list[str]) -> None:
    """What Python does with these arguments."""
    what, *arguments = words
    more = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    sys.path[:0] = [place for place in more if place not in sys.path]
    if what == "-m":
        sys.argv = arguments
        if not os.environ.get("PYTHONSAFEPATH"):
            sys.path.insert(0, os.getcwd())
        if not hasattr(sys.modules.get(arguments[0]), "__path__"):
            sys.modules.pop(arguments[0], None)  # what is run has not been imported before
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    elif what == "-c":
        program, *arguments = arguments
        sys.argv = ["-c", *arguments]
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
    elif what.startswith("-"):
        sys.exit(f"{what}: no option of a Python that is forked")
    else:
        sys.argv = words
        sys.path.insert(0, os.path.dirname(os.path.abspath(what)))
        runpy.run_path(what, run_name="__main__")


def leave(words: list[str]) -> NoReturn:
    """Run, and end as Python ends, only without putting away all modules first."""
    status = 0
    interrupted = False
    try:
        run(words)
    except SystemExit as asked:
        if isinstance(asked.code, int) or asked.code is None:
            status = asked.code or 0
        else:
            print(asked.code, file=sys.stderr)
            status = 1
    except BaseException as error:
        traceback.print_exc()
        status, interrupted = 1, isinstance(error, KeyboardInterrupt)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(status & 0xFF)


def main() -> None:
    listening = socket.socket(fileno=int(sys.argv[1]))
    sys.path[0] = sys.argv[2]
    import_everything()
    gc.collect()
    gc.freeze()
    start = Server(listening).wait_for_starts()
    if start is not None:
        become(start)
        leave(start.words)


if __name__ == "__main__":
    main()
