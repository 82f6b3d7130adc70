"""The program that reads repositories, one request after the other, until its input ends.

It ends with the process that started it. `read_batch`, which asks it, ends it where a repository
takes longer than it may, and has another one read the rest.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue

import msgspec
from msgspec import Struct

from contract_scan import __version__
from contract_scan.clients.processes import ProcessError, ProcessTimeoutError
from contract_scan.clients.request_process import RequestProcess, read_message, write_message
from contract_scan.errors import ContractScanError
from contract_scan.fleet.reading import ReadRequest, read_repository
from contract_scan.import_path import SAFE_PATH
from contract_scan.memory_limit import MemoryLimitError, limit_to, watch_memory

_MOST_READ = 50
"""Repositories after which a process is replaced, so that none grows for ever."""


class ReadAnswer(Struct, frozen=True):
    """What came of reading one repository."""

    name: str
    reading: bytes = b""
    """A `Reading` in msgpack; empty where there is none."""
    failure: str = ""
    """Why there is none."""
    ended: bool = False
    """Whether the process that read it ended, so that another one may get it done."""
    cpu: float = 0.0
    """Seconds of processor time that it took."""


def read_batch(requests: Sequence[bytes]) -> list[bytes]:
    """Read some repositories (each a `ReadRequest` in msgpack), and answer each with a `ReadAnswer`
    in msgpack. Whatever one of them does to the process that reads it, the others are read."""
    answers: list[bytes] = []
    for encoded in requests:
        request = msgspec.msgpack.decode(encoded, type=ReadRequest)
        answer = _answer_of_process(request, encoded, waiting=_idle)
        if answer.ended:  # by a new process: those that wait may have ended as well
            answer = _answer_of_process(request, encoded, waiting=[])
        answers.append(msgspec.msgpack.encode(answer))
    return answers


def end_readers() -> None:
    """End all processes that this one started to read repositories."""
    _idle.clear()
    for reader in tuple(_running):
        reader.process.kill()
    _running.clear()


class _Reader:
    """A process that reads, and how many repositories it has read."""

    def __init__(self) -> None:
        self.process = _start()
        self.read = 0


_running: set[_Reader] = set()
_idle: list[_Reader] = []
"""Those of them that wait for the next batch: to start one takes longer than to read a small
repository."""


def _answer_of_process(request: ReadRequest, encoded: bytes, waiting: list[_Reader]) -> ReadAnswer:
    """The answer of one of the processes that wait, or of a new one where none does."""
    if request.version != __version__:
        why = f"the machine that read it has contract-scan {__version__}, not {request.version}"
        return ReadAnswer(request.name, failure=f"{why}; install the same on all")
    try:
        reader = waiting.pop() if waiting else _Reader()
    except ProcessError as error:
        return ReadAnswer(request.name, failure=str(error), ended=True)
    _running.add(reader)
    try:
        answer = reader.process.answer(encoded, request.seconds)
        found = msgspec.msgpack.decode(answer, type=ReadAnswer)
    except ProcessTimeoutError:
        _running.discard(reader)
        why = f"took longer than {request.seconds:g} seconds"
        return ReadAnswer(request.name, failure=f"{why}; give it a larger `seconds` in the list")
    except (ProcessError, OSError, ValueError) as error:
        _running.discard(reader)
        return ReadAnswer(request.name, failure=str(error), ended=True)
    reader.read += 1
    if reader.read < _MOST_READ and not found.failure:
        _idle.append(reader)
    else:
        _running.discard(reader)
        reader.process.close()
    return found


def _start() -> RequestProcess:
    """The process lies in the folder of the package: no module of a working directory is run."""
    arguments = (sys.executable, "-P", "-m", "contract_scan.fleet.reader_process")
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))
    environment = {SAFE_PATH: "1", "PYTHONPATH": path}
    return RequestProcess(arguments, cwd=Path("/").resolve(), environment=environment)


# ---------------------------------------------------------------------- in the process


def main() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that prints may come between answers
    write_message(answers, b"")
    with watch_memory():
        for encoded in _requests():
            request = msgspec.msgpack.decode(encoded, type=ReadRequest)
            write_message(answers, msgspec.msgpack.encode(_answer(request)))


def _requests() -> Iterator[bytes]:
    """Requests as they come. Where nobody asks any more, the process ends, whatever it does."""
    coming: SimpleQueue[bytes] = SimpleQueue()

    def receive() -> None:
        while request := read_message(sys.stdin.buffer):
            coming.put(request)
        os._exit(0)

    threading.Thread(target=receive, daemon=True).start()
    while True:
        yield coming.get()


def _answer(request: ReadRequest) -> ReadAnswer:
    try:
        if not Path(request.root).is_dir():
            return ReadAnswer(request.name, failure="there is no such folder; check it out there")
        os.listdir(request.root)  # noqa: PTH208 (raises where the folder may not be read)
        limit_to(request.memory)
        since = time.process_time()
        reading = read_repository(request)
        return ReadAnswer(request.name, reading, cpu=time.process_time() - since)
    except MemoryLimitError as error:
        needed = f"more than {error.limit} MiB of memory are needed"
        return ReadAnswer(request.name, failure=f"{needed}; give it a larger `memory` in the list")
    except ContractScanError as error:
        return ReadAnswer(request.name, failure=str(error))
    except OSError as error:
        at = "" if error.filename in (None, request.root) else f" ({error.filename})"
        said = f"it cannot be read: {error.strerror or error}{at}"
        return ReadAnswer(request.name, failure=f"{said}; name a folder that this user may read")
    except Exception as error:  # a defect of ours costs one repository, and is named
        return ReadAnswer(request.name, failure=f"internal error: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
