"""Scans in processes of their own: what each said, what it cost, and whether that is all right.

A process is forked from one that has everything imported, scans a few inputs one after the other
and tells of each. Where it dies or takes too long, the input it was at is to blame, and another
process goes on with the next.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

SECONDS = 10.0
"""Processor time that a scan may take."""
PATIENCE = 60.0
"""Seconds after which it is looked at: one that has used its processor time by then is ended, and
so is one that has used none. On a machine that others use as well, seconds alone say little."""
_HARDLY_ANY = 0.05
"""Seconds of processor time within `PATIENCE` with which a scan hangs."""
MEMORY = 1 << 30
"""Bytes of memory that a scan may have."""
_TRACEBACK = re.compile(rb"Traceback \(most recent call last\)|internal error|Fatal Python error")
_READER_FAILED = re.compile(rb"reading [^\n\"]{1,60} failed \(\w+")
_TOO_MUCH_MEMORY = re.compile(rb"contract-scan: [^\n]*(?:of memory are needed|no more memory)")


class Outcome(Struct, frozen=True):
    """What became of one scan."""

    number: int
    status: int
    """The exit status; less than 0 where a signal ended it."""
    seconds: float
    megabytes: float
    """The most memory of its process so far."""
    fault: str = ""
    """What is wrong with it; empty: nothing."""
    said: str = ""
    """What it printed, where something is wrong."""


def warm_up(folders: Sequence[Path]) -> None:
    """Import what scans need, by scanning."""
    import gc

    for folder in folders:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            _scan(["check", str(folder), "--no-cache", "--jobs", "1"])
    gc.collect()
    gc.freeze()


def judged(
    numbers: Sequence[int], prepare: Callable[[int, Path], Sequence[str]], scratch: Path
) -> Iterator[Outcome]:
    """Scan inputs one after the other. `prepare` writes an input into a folder and gives the words
    of the command."""
    left = list(numbers)
    while left:
        for outcome in _batch(tuple(left), prepare, scratch):
            left.remove(outcome.number)
            yield outcome


def _batch(
    numbers: Sequence[int], prepare: Callable[[int, Path], Sequence[str]], scratch: Path
) -> Iterator[Outcome]:
    """What one process says of its inputs; the last outcome is that of the one it died of."""
    output = scratch / "output"
    reading, writing = os.pipe()
    start, before = time.monotonic(), 0.0
    process = os.fork()
    if not process:
        os.close(reading)
        _become(numbers, prepare, scratch, output, writing)
    os.close(writing)
    expected = iter(numbers)
    number = next(expected, None)
    fault = ""
    with os.fdopen(reading, "rb", buffering=0) as pipe:  # `select` must see what is left
        while number is not None:
            ready = _waited_for(pipe, process, before)
            line = pipe.readline() if ready else b""
            if not line:
                fault = "" if ready else "slow"
                os.kill(process, signal.SIGKILL) if fault else None
                break
            yield msgspec.json.decode(line, type=Outcome)
            start, before = time.monotonic(), _processor_time(process)
            number = next(expected, None)
    _, status, used = os.wait4(process, 0)
    if number is not None:
        code = os.waitstatus_to_exitcode(status)
        said = output.read_text(encoding="utf-8", errors="replace") if output.exists() else ""
        seconds, megabytes = time.monotonic() - start, used.ru_maxrss / 1024
        yield Outcome(number, code, seconds, megabytes, fault or f"died with {code}", said)


def _waited_for(pipe: io.FileIO, process: int, before: float) -> bool:
    """Whether a process tells of its scan, and takes no more processor time for it than it may."""
    used = before
    while not select.select([pipe], [], [], PATIENCE)[0]:
        last, used = used, _processor_time(process)
        if used - before > SECONDS or used - last < _HARDLY_ANY:
            return False
    return True


def _processor_time(process: int) -> float:
    """Seconds of processor time that a process and those that it started have used; they are known
    on Linux alone."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        started = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:
        return 0.0
    fields = state.rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # and of those that have ended
    return own + sum(_processor_time(int(child)) for child in started.split())


def _become(
    numbers: Sequence[int],
    prepare: Callable[[int, Path], Sequence[str]],
    scratch: Path,
    output: Path,
    writing: int,
) -> None:
    """Be the process that scans, and never return."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY + (512 << 20),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["CONTRACT_SCAN_TRACEBACK"] = "1"
    try:
        for number in numbers:
            folder = scratch / f"{number}"
            folder.mkdir()
            words = prepare(number, folder)
            os.write(writing, msgspec.json.encode(_outcome(number, words, folder, output)) + b"\n")
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(70)


def _outcome(number: int, words: Sequence[str], folder: Path, output: Path) -> Outcome:
    sink = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    os.close(sink)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    os.chdir(folder)
    start = time.process_time()
    status = 70
    try:
        status = _scan(words)
    except BaseException:
        traceback.print_exc()
    seconds = time.process_time() - start
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    said = output.read_bytes()
    fault = _fault(status, said, seconds, megabytes)
    shown = said[-20_000:].decode("utf-8", "replace") if fault else ""
    return Outcome(number, status, seconds, megabytes, fault, shown)


def _fault(status: int, said: bytes, seconds: float, megabytes: float) -> str:
    if _TRACEBACK.search(said):
        return "traceback"
    if status not in (0, 1, 2):
        return f"status {status}"
    if _READER_FAILED.search(said):
        return "reader failed"
    if seconds > SECONDS:
        return "slow"
    too_large = megabytes > MEMORY / (1 << 20) or _TOO_MUCH_MEMORY.search(said)
    return "memory" if too_large else ""


def _scan(words: Sequence[str]) -> int:
    from contract_scan.cli.main import main

    return main(words)
