"""Requests in batches over an executor, each of them answered whatever becomes of a worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import Final

import msgspec

from contract_scan.fleet.executors import ExecutorLostError, OpenExecutor
from contract_scan.fleet.reader_process import ReadAnswer, read_batch
from contract_scan.fleet.reading import ReadRequest

_LARGEST: Final = 16
"""Repositories of a batch at most: so much is done again where a worker is lost."""
_BATCHES_PER_WORKER: Final = 4
"""Batches that each worker gets at least, so that all are busy until the end."""
_PATIENCE: Final = 1.0
"""Seconds between two looks at whether the executor is still there."""
_ATTEMPTS: Final = 2
"""Workers that a repository alone may cost before it is named."""


def answers_to(requests: Sequence[ReadRequest], opened: OpenExecutor) -> Iterator[ReadAnswer]:
    """The answer to each request, as they come. A worker that is lost costs its batch another
    attempt, one repository after the other; two that are lost with one repository are its fault."""
    left = {request.name: request for request in requests}
    running: dict[Future[list[bytes]], tuple[Sequence[ReadRequest], int]] = {}
    lost = ""
    try:
        for batch in _batches(requests, opened.width):
            running[_submit(opened, batch)] = (batch, 0)
        while running:
            done, _ = wait(running, timeout=_PATIENCE, return_when=FIRST_COMPLETED)
            if not done:
                opened.require_running()
            for future in done:
                batch, attempt = running.pop(future)
                answers, why = _result(future)
                for answer in answers:
                    left.pop(answer.name, None)
                    yield answer
                if not why:
                    continue
                opened.require_running()
                if len(batch) == 1 and attempt + 1 >= _ATTEMPTS:
                    left.pop(batch[0].name, None)
                    yield ReadAnswer(batch[0].name, failure=why)
                    continue
                again = 0 if len(batch) > 1 else attempt + 1
                running |= {_submit(opened, [each]): ([each], again) for each in batch}
    except ExecutorLostError as error:
        lost = error.message
    for name in left:
        yield ReadAnswer(name, failure=f"{lost}; go on with --resume")


def _batches(requests: Sequence[ReadRequest], width: int) -> Iterator[Sequence[ReadRequest]]:
    size = max(1, min(_LARGEST, len(requests) // (_BATCHES_PER_WORKER * max(1, width))))
    for start in range(0, len(requests), size):
        yield requests[start : start + size]


def _submit(opened: OpenExecutor, batch: Sequence[ReadRequest]) -> Future[list[bytes]]:
    encoded = [msgspec.msgpack.encode(request) for request in batch]
    try:
        return opened.executor.submit(read_batch, encoded)
    except RuntimeError as error:
        raise ExecutorLostError(str(error)) from error


def _result(future: Future[list[bytes]]) -> tuple[list[ReadAnswer], str]:
    """The answers of a batch, or why there are none."""
    try:
        encoded = future.result()
        return [msgspec.msgpack.decode(each, type=ReadAnswer) for each in encoded], ""
    except CancelledError:
        return [], "the worker that read it was lost"
    except ImportError as error:
        return [], f"the worker lacks contract-scan or a part of it ({error}); install it there"
    except Exception as error:  # the executor's own errors: a worker was killed, a task not loaded
        said = str(error).partition("\n")[0][:200]
        return [], f"the worker that read it was lost ({type(error).__name__}: {said})"
