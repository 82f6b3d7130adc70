"""Run another program: one place, list-form arguments, no shell, a time limit, its own group."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan.errors import ContractScanError


class ProcessError(ContractScanError):
    """A program could not be started, failed, or took longer than it may."""


class ProcessTimeoutError(ProcessError):
    """A program took longer than it may."""


class ProcessOutput(Struct, frozen=True):
    """What a program that ended well printed."""

    stdout: bytes
    stderr: bytes
    status: int = 0


def run_program(
    arguments: Sequence[str],
    *,
    cwd: Path,
    timeout: float,
    environment: Mapping[str, str] | None = None,
    without: Collection[str] = (),
    name: str = "",
    accepted: Collection[int] = (0,),
) -> ProcessOutput:
    """Run a program to its end.

    `environment` is set besides what is set already, less the variables `without`.
    `timeout` is in seconds; when it passes, the program and everything it started is killed.
    `name` is what messages call the program; empty: as it is started. Statuses that are `accepted`
    are no failure.
    Raises ProcessError when the program is not there, fails, or is too slow.
    """
    shown = name or arguments[0]
    inherited = {key: value for key, value in os.environ.items() if key not in without}
    try:
        process = subprocess.Popen(
            arguments,
            cwd=cwd,
            env={**inherited, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ProcessError(f"cannot start `{shown}`: {error.strerror}") from error
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _kill_group(process)
        raise ProcessTimeoutError(f"`{shown}` took longer than {timeout:g} seconds") from None
    except BaseException:
        _kill_group(process)
        raise
    if process.returncode not in accepted:
        said = _complaint(stderr.decode("utf-8", "replace"))
        raise ProcessError(f"`{shown}` failed with status {process.returncode}: {said}")
    return ProcessOutput(stdout, stderr, process.returncode)


def start_detached(arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str]) -> int:
    """Start a program that outlives this one, in a session of its own and without a terminal, and
    return its process id. `environment` is set besides what is set already.

    Raises ProcessError when it cannot be started.
    """
    try:
        process = subprocess.Popen(
            arguments,
            cwd=cwd,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise ProcessError(f"cannot start `{arguments[0]}`: {error.strerror}") from error
    return process.pid


def run_in_foreground(arguments: Sequence[str], *, cwd: Path, without: Collection[str] = ()) -> int:
    """Run a program in the terminal of this one, and return its exit status, negative for a signal.

    An exception that a signal handler raises meanwhile goes on; the program then runs on as well.
    Raises ProcessError when it cannot be started.
    """
    inherited = {key: value for key, value in os.environ.items() if key not in without}
    try:
        process = subprocess.Popen(arguments, cwd=cwd, env=inherited)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ProcessError(f"cannot start `{arguments[0]}`: {why}") from None
    return process.wait()


def _complaint(stderr: str) -> str:
    """The line that says what went wrong: the last one, unless one is marked as fatal, which git
    follows with advice."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("fatal: ")]
    return (fatal[:1] or lines[-1:] or ["no message"])[0]


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.communicate()
