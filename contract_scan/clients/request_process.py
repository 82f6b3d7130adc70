"""A program that answers one request after the other, each within a time.

Requests and answers are bytes behind their length (four bytes, the highest first), on standard
input and output. A program that is ready for the first request says so by an empty answer. It is to
end when its input does, as it does when this process ends in whatever way.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from contract_scan.clients.processes import ProcessError, ProcessTimeoutError

_LENGTH: Final = 4
"""Bytes that say how long a message is."""
_STARTING: Final = 60.0
"""Seconds in which a program is ready."""
_PATIENCE: Final = 5.0
"""Seconds in which a program ends whose input has."""


def read_message(stream: IO[bytes]) -> bytes:
    """The next message; empty at the end of the stream."""
    return stream.read(int.from_bytes(stream.read(_LENGTH), "big"))


def write_message(stream: IO[bytes], message: bytes) -> None:
    """Write one message. Raises OSError where nobody reads any more."""
    stream.write(len(message).to_bytes(_LENGTH, "big") + message)
    stream.flush()


class RequestProcess:
    """A running program. Whoever started it closes it."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        silent: bool = False,
    ) -> None:
        """Raises ProcessError where the program cannot be started, or is not ready in a minute.
        `environment` is set besides what is set already. What a `silent` one complains of is shown
        to nobody."""
        try:
            self._process = subprocess.Popen(
                arguments,
                cwd=cwd,
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if silent else None,
                start_new_session=True,
            )
        except OSError as error:
            said = f"cannot start `{arguments[0]}`: {error.strerror}"
            raise ProcessError(said) from error
        try:
            self._read(_LENGTH, time.monotonic() + _STARTING, _STARTING)
        except BaseException:
            self.kill()
            raise

    def answer(self, request: bytes, timeout: float) -> bytes:
        """The answer to a request. After an error the program is gone.

        Raises ProcessTimeoutError after `timeout` seconds, ProcessError where the program ends.
        """
        try:
            return self._answer(request, timeout)
        except BaseException:
            self.kill()
            raise

    def close(self) -> None:
        """Let the program end."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def kill(self) -> None:
        """End the program, and all that it started, at once."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (AttributeError, ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()

    def _answer(self, request: bytes, timeout: float) -> bytes:
        assert self._process.stdin is not None
        try:
            write_message(self._process.stdin, request)
        except OSError:
            raise ProcessError(self._how_it_ended()) from None
        until = time.monotonic() + timeout
        length = int.from_bytes(self._read(_LENGTH, until, timeout), "big")
        return self._read(length, until, timeout)

    def _read(self, length: int, until: float, timeout: float) -> bytes:
        """So many bytes of what the program says. The time is kept by a thread, since not every
        system can wait for a pipe with a limit."""
        assert self._process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(max(0.0, until - time.monotonic()), end)
        timer.daemon = True
        timer.start()
        try:
            found = self._process.stdout.read(length)
        finally:
            timer.cancel()
            timer.join()
        if late.is_set():
            raise ProcessTimeoutError(f"took longer than {timeout:g} seconds")
        if len(found) < length:
            raise ProcessError(self._how_it_ended())
        return found

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            return "the process that read it stopped answering"
        if status < 0:
            return f"the process that read it was ended by signal {-status}"
        return f"the process that read it ended with status {status}"
