"""A process that ends while it parses costs nothing but the file that ends it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contract_scan.clients.workers import workers
from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.languages import SUFFIXES, load
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.store import Store

LARGE = "# " + "x" * 200_000 + "\n" * 1_000
"""Two files of this size are a batch."""


def _ended_by(marker: bytes, how: signal.Signals, work: Callable[[Any], Any], task: Any) -> Any:
    """What a worker does: a text with the marker is one that its parser does not survive."""
    if any(marker in text for _, text in task[1]):
        os.kill(os.getpid(), how)
    return work(task)


class _Frail(Executor):
    """Real processes, which a signal ends over some texts."""

    how = signal.SIGSEGV
    marker = b"fatal"

    def __init__(self, pool: Executor) -> None:
        self._pool = pool

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._pool.submit(_ended_by, self.marker, self.how, fn, *args, **kwargs)


@contextmanager
def _frail() -> Iterator[Executor]:
    with workers(1) as pool:
        yield _Frail(pool)


@contextmanager
def _sound() -> Iterator[Executor]:
    with workers(1) as pool:
        yield pool


@pytest.fixture
def reader(tmp_path: Path) -> SourceReader:
    for number in range(6):
        text = f"class C{number}: ...\n{LARGE}"
        (tmp_path / f"m{number}.py").write_text("# fatal\n" + text if number == 3 else text)
    tree = SourceTree(tmp_path, SUFFIXES)
    return SourceReader(tree, {"python": load("python")}, Store(None), filter=True)


def _classes(reader: SourceReader) -> list[str]:
    return [one.name for n in range(6) for one in reader.facts(f"m{n}.py").classes]


@pytest.mark.parametrize("how", [signal.SIGSEGV, signal.SIGKILL])
def test_a_file_that_ends_every_process_is_named(
    reader: SourceReader, how: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Frail, "how", how)
    with _frail() as pool:
        reader.parse_ahead([f"m{n}.py" for n in range(6)], pool, one_worker=_frail)
    assert _classes(reader) == ["C0", "C1", "C2", "C4", "C5"]
    assert [(problem.path, problem.is_grave) for problem in reader.problems] == [("m3.py", True)]
    assert reader.problems[0].reason == (
        "is not analysed: the process that parses it ends at once (out of memory, or a defect of a"
        " parser); exclude it, or split it"
    )


def test_where_it_does_not_end_the_next_one_nothing_is_lost(reader: SourceReader) -> None:
    with _frail() as pool:
        reader.parse_ahead([f"m{n}.py" for n in range(6)], pool, one_worker=_sound)
    assert _classes(reader) == ["C0", "C1", "C2", "C3", "C4", "C5"]
    assert reader.problems == []


def test_who_brings_an_executor_alone_hears_of_it(reader: SourceReader) -> None:
    with _frail() as pool, pytest.raises(BrokenExecutor):
        reader.parse_ahead([f"m{n}.py" for n in range(6)], pool)
