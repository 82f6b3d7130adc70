"""A program that runs beside us, with everything it starts: its lines as they come, and its end.

The program gets a session of its own, so that Ctrl-C in the terminal reaches us alone, and one
signal reaches it together with its children, grandchildren and servers it left in the background.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from contract_scan.clients.processes import ProcessError

LONGEST_LINE: Final = 32_000_000
"""Bytes; what follows in a longer line is dropped."""

_TERMINAL: Final = {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
_STDERR_KEPT: Final = 20_000
_PIECE: Final = 65_536
_AFTER_KILL: Final = 10.0
"""Seconds that the system gets to end what was killed."""
_ERRORS_READ: Final = 2.0
"""Seconds in which its last errors are read: what it left elsewhere may hold them open."""


class ProcessGroup:
    """A running program and what it started. Used within one running event loop.

    Threads move bytes between its pipes and the loop, so that a program which does not read its
    input, or leaves its output open to a child, cannot block anything.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], terminal: tuple[IO[bytes], IO[bytes]] | None = None
    ) -> None:
        """`terminal`: what is typed into the program's terminal, and what shows on it."""
        self._process = process
        typed, screen = terminal or (process.stdin, process.stdout)
        self._stdin, self._stdout = _pipe(typed), _pipe(screen)
        self._loop = asyncio.get_running_loop()
        self._exited = asyncio.Event()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._input: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr = b""
        self._ends_with_input = terminal is None  # a program in a terminal does not
        reading = self._read_output if terminal is None else self._read_screen
        self._reading_errors = threading.Thread(target=self._read_errors, daemon=True)
        self._reading_errors.start()
        for work in (self._write_input, reading, self._wait):
            threading.Thread(target=work, daemon=True).start()

    @classmethod
    def start(
        cls,
        arguments: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str] | None = None,
        without: Collection[str] = (),
    ) -> ProcessGroup:
        """Start a program. `environment` is set besides what is set already, less the variables
        `without`. Raises ProcessError when it cannot be started."""
        variables = _variables(environment, without)
        return cls(_start_process(arguments, cwd, variables, subprocess.PIPE, subprocess.PIPE))

    @classmethod
    def start_in_terminal(
        cls,
        arguments: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str] | None = None,
        without: Collection[str] = (),
    ) -> ProcessGroup:
        """Start a program in a terminal of its own that nobody sees. What is written is typed
        there, what the program shows is dropped: it has no lines. Raises ProcessError, also where
        the system has no such terminals."""
        try:
            import pty

            master, slave = pty.openpty()
        except (ImportError, OSError):
            raise ProcessError("this system has no pseudo-terminals") from None
        variables = {**_variables(environment, without), **_TERMINAL}
        try:
            process = _start_process(arguments, cwd, variables, slave, slave)
        except ProcessError:
            os.close(master)
            raise
        finally:
            os.close(slave)
        # The two ends are closed by different threads.
        return cls(process, (os.fdopen(os.dup(master), "wb", 0), os.fdopen(master, "rb", 0)))

    @property
    def pid(self) -> int:
        """The id of the program; on POSIX that of its session and group, too."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._process.returncode if self._exited.is_set() else None

    @property
    def complaint(self) -> str:
        """The last line that it wrote to its standard error."""
        lines = self._stderr.decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def write(self, data: bytes) -> None:
        """Send bytes to its standard input. Never blocks; lost where it reads no more."""
        self._input.put(data)

    def close_input(self) -> None:
        """Say that nothing more will be sent."""
        self._ends_with_input = False
        self._input.put(None)

    async def lines(self) -> AsyncIterator[bytes]:
        """The lines of its standard output without their ends, until it has exited."""
        while True:
            line = await self._lines.get()
            if line is None:
                self._lines.put_nowait(None)
                return
            yield line

    async def wait_exit(self) -> int:
        """Wait until the program has exited; returns its status."""
        await self._exited.wait()
        return int(self._process.returncode)

    async def end(self, patience: float = 5.0) -> None:
        """End it with everything it started: close its input, terminate it, kill it, with
        `patience` seconds after each of the first two. One whose input is closed already does not
        end by that. Where this is cancelled, it is killed."""
        try:
            waited = patience if self._ends_with_input else 0.0
            self.close_input()
            if not await self._exits_within(waited):
                self._signal(signal.SIGTERM)
                await self._exits_within(patience)
        finally:
            self._kill()
        await self._exits_within(_AFTER_KILL)

    async def _exits_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._exited.wait()
        except TimeoutError:
            return False
        return True

    def _kill(self) -> None:
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, number: signal.Signals) -> None:
        # A group lives as long as any process in it, so that its id cannot be another's while
        # there is something to signal.
        if sys.platform == "win32":
            subprocess.run(
                ["taskkill", "/T", "/F", "/PID", str(self.pid)], capture_output=True, check=False
            )
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    # What the threads do. They end with the program, whose pipes are closed once its whole group
    # is gone.

    def _write_input(self) -> None:
        stream = self._stdin
        with contextlib.suppress(OSError, ValueError):
            while (data := self._input.get()) is not None:
                stream.write(data)
                stream.flush()
        with contextlib.suppress(OSError):
            stream.close()

    def _read_output(self) -> None:
        stream, rest = self._stdout, bytearray()
        while piece := os.read(stream.fileno(), _PIECE):
            *whole, last = piece.split(b"\n")
            for part in whole:
                self._pass_on((bytes(rest) + part)[:LONGEST_LINE].removesuffix(b"\r"))
                rest.clear()
            rest += last[: max(0, LONGEST_LINE - len(rest))]
        if rest:
            self._pass_on(bytes(rest))
        self._pass_on(None)
        stream.close()

    def _read_screen(self) -> None:
        with contextlib.suppress(OSError):  # the program has closed the terminal
            while os.read(self._stdout.fileno(), _PIECE):
                pass
        self._pass_on(None)
        self._stdout.close()

    def _read_errors(self) -> None:
        stream = _pipe(self._process.stderr)
        while piece := os.read(stream.fileno(), _PIECE):
            self._stderr = (self._stderr + piece)[-_STDERR_KEPT:]
        stream.close()

    def _wait(self) -> None:
        self._process.wait()
        self._kill()  # what it left in the background
        self._input.put(None)
        self._reading_errors.join(_ERRORS_READ)  # longer only where a process holds them open
        self._in_loop(self._exited.set)

    def _pass_on(self, line: bytes | None) -> None:
        self._in_loop(lambda: self._lines.put_nowait(line))

    def _in_loop(self, call: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(call)


def _variables(environment: Mapping[str, str] | None, without: Collection[str]) -> dict[str, str]:
    inherited = {key: value for key, value in os.environ.items() if key not in without}
    return {**inherited, **(environment or {})}


def _start_process(
    arguments: Sequence[str], cwd: Path, variables: Mapping[str, str], stdin: int, stdout: int
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            arguments,
            cwd=cwd,
            env=variables,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # Windows has it
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ProcessError(f"cannot start `{arguments[0]}`: {why}") from None


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
