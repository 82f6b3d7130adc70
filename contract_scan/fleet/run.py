"""A fleet from its list to its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.fleet.comparison import compare_fleet
from contract_scan.fleet.executors import ExecutorLostError, OpenExecutor
from contract_scan.fleet.journal import Journal
from contract_scan.fleet.reader_process import ReadAnswer, read_batch
from contract_scan.fleet.reading import Reading, ReadRequest, SharedNames, decode_reading
from contract_scan.fleet.repositories import Repository
from contract_scan.scanners.pairing.models import spellings
from contract_scan.scanners.report import Report

_LARGEST: Final = 16
"""Repositories of a batch at most: so much is done again where a worker is lost."""
_BATCHES_PER_WORKER: Final = 4
"""Batches that each worker gets at least, so that all are busy until the end."""
_PATIENCE: Final = 1.0
"""Seconds between two looks at whether the executor is still there."""
_ATTEMPTS: Final = 2
"""Workers that a repository alone may cost before it is named."""


class FinishedRepository(Struct, frozen=True):
    """How it went with one repository."""

    name: str
    done: int
    """How many are finished, this one included."""
    total: int
    failure: str = ""
    """Why it was not scanned; empty: it was."""
    files: int = 0
    cpu: float = 0.0
    """Seconds of processor time."""
    resumed: bool = False
    """Whether an interrupted run had read it."""


Finished: TypeAlias = Callable[[FinishedRepository], None]
"""Called with every repository that is finished."""


class FleetOutcome(Struct, frozen=True, kw_only=True):
    """What a run says of a fleet."""

    report: Report
    failures: Mapping[str, str]
    """The repositories that were not scanned, with the reasons, by name."""


def scan_fleet(
    repositories: Sequence[Repository],
    opened: OpenExecutor,
    *,
    cache: bool | str = True,
    journal: Journal,
    finished: Finished,
) -> FleetOutcome:
    """Read all repositories by an executor, and compare them as one.

    What the `journal` holds is not read again. The outcome does not depend on the executor, on how
    many work for it, or on what was kept.
    """
    failures: dict[str, str] = {}
    wanted = _shared_names(repositories, opened, cache, journal, failures)
    requests = [_request(each, cache, wanted) for each in repositories if each.name not in failures]
    total = len(repositories)
    for position, (name, why) in enumerate(sorted(failures.items()), start=1):
        finished(FinishedRepository(name, position, total, why))
    readings: dict[str, Reading] = {}

    def note_answer(answer: ReadAnswer, *, resumed: bool) -> None:
        if answer.failure:
            failures[answer.name] = answer.failure
            reading = Reading()
        else:
            reading = decode_reading(answer.reading)
            readings[answer.name] = reading
        done = len(readings) + len(failures)
        files = reading.report.files
        said = FinishedRepository(
            answer.name, done, total, answer.failure, files, answer.cpu, resumed
        )
        finished(said)

    _read(requests, opened, journal, note_answer)
    return FleetOutcome(report=compare_fleet(repositories, readings, failures), failures=failures)


def _read(
    requests: Sequence[ReadRequest],
    opened: OpenExecutor,
    journal: Journal,
    take: Callable[..., None],
) -> None:
    left = []
    for request in requests:
        known = journal.answer(request)
        if known is None:
            left.append(request)
        else:
            take(known, resumed=True)
    by_name = {request.name: request for request in left}
    for answer in _answers_to(left, opened):
        journal.keep(by_name[answer.name], answer)
        take(answer, resumed=False)


def _shared_names(
    repositories: Sequence[Repository],
    opened: OpenExecutor,
    cache: bool | str,
    journal: Journal,
    failures: dict[str, str],
) -> SharedNames:
    """What the contracts of shared repositories have all others searched for."""
    requests = [
        msgspec.structs.replace(_request(each, cache, SharedNames()), contracts_only=True)
        for each in repositories
        if each.shared
    ]
    models: set[str] = set()
    addresses: set[str] = set()

    def note_answer(answer: ReadAnswer, *, resumed: bool) -> None:
        if answer.failure:
            failures[answer.name] = answer.failure
            return
        reading = decode_reading(answer.reading)
        for document in (d for unit in reading.units for d in unit.documents):
            models.update(name for model in document.models for name in spellings(model.name))
            addresses.update(channel.address or channel.key for channel in document.channels)

    _read(requests, opened, journal, note_answer)
    return SharedNames(models=tuple(sorted(models)), addresses=tuple(sorted(addresses)))


def _request(repository: Repository, cache: bool | str, wanted: SharedNames) -> ReadRequest:
    return ReadRequest(
        name=repository.name,
        root=str(repository.path),
        contracts=tuple(map(str, repository.contracts)),
        base_path=repository.base_path,
        shared=repository.shared,
        wanted=wanted,
        cache=cache,
        seconds=repository.seconds,
        memory=repository.memory,
    )


def _answers_to(requests: Sequence[ReadRequest], opened: OpenExecutor) -> Iterator[ReadAnswer]:
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
