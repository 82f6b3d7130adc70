"""A fleet on a cluster of several worker processes, one of which is killed in the middle."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from contract_scan import to_json
from contract_scan.cli import status
from contract_scan.errors import UsageError
from contract_scan.fleet import executors
from contract_scan.fleet.executors import open_executor
from contract_scan.fleet.journal import Journal
from contract_scan.fleet.repositories import read_repositories
from contract_scan.fleet.run import FinishedRepository, FleetOutcome, scan_fleet
from tests.fleet.fleets import NAMES, SHOP, run_fleet

distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")

LISTED = SHOP / "fleet.yaml"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes of a thread each."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as started:
        yield started


@pytest.fixture(scope="module")
def report() -> bytes:
    """What processes of this machine say."""
    return run_fleet(LISTED, "--output-format", "json").stdout.encode()


def _scan(
    address: str, finished: Callable[[FinishedRepository], None], kept: Path | None = None
) -> FleetOutcome:
    """What a run on a cluster says; what it reads is kept in a folder, where there is one."""
    with (
        open_executor(f"dask:{address}", 1) as opened,
        closing(Journal(str(LISTED), place=str(kept) if kept else False)) as journal,
    ):
        return scan_fleet(
            read_repositories(LISTED), opened, cache=False, journal=journal, finished=finished
        )


class _Relay:
    """A way to a scheduler that can be cut off."""

    def __init__(self, address: str) -> None:
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        self._target = (host, int(port))
        self._open: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listening.getsockname()[1]}"
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and take no further ones."""
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listening.accept()
                there = socket.create_connection(self._target)
                self._open += (here, there)
                for pair in ((here, there), (there, here)):
                    Thread(target=_copy, args=pair, daemon=True).start()


def _copy(here: socket.socket, there: socket.socket) -> None:
    with suppress(OSError):
        while piece := here.recv(1 << 16):
            there.sendall(piece)
        there.shutdown(socket.SHUT_WR)


def test_a_worker_that_is_killed_costs_nothing(cluster: Any, report: bytes) -> None:
    killed: list[int] = []

    def kill_a_busy_worker(one: FinishedRepository) -> None:
        if killed or one.done > 1:
            return
        processes = cluster.scheduler_info["workers"]
        with distributed.Client(cluster, set_as_default=False) as client:
            busy = [address for address, tasks in client.processing().items() if tasks]
            pids = client.run(os.getpid, workers=busy[:1])
        assert len(processes) == 2
        killed.extend(pids.values())
        os.kill(killed[0], signal.SIGKILL)

    outcome = _scan(cluster.scheduler_address, kill_a_busy_worker)
    assert len(killed) == 1
    assert outcome.failures == {}
    assert to_json(outcome.report).encode() == report


def test_the_command_says_the_same_on_a_cluster(cluster: Any, report: bytes) -> None:
    run = run_fleet(
        LISTED, "--executor", f"dask:{cluster.scheduler_address}", "--output-format", "json"
    )
    assert (run.returncode, run.stdout.encode()) == (status.VIOLATIONS, report)
    assert [line.partition(" ")[0] for line in run.stderr.splitlines()] == [
        f"[{n}/5]" for n in range(1, 6)
    ]


def test_a_scheduler_that_is_lost_on_the_way_costs_what_was_not_read(
    cluster: Any, report: bytes, tmp_path: Path
) -> None:
    relay = _Relay(cluster.scheduler_address)
    finished: list[FinishedRepository] = []

    def cut_after_the_first(one: FinishedRepository) -> None:
        finished.append(one)
        relay.cut()

    outcome = _scan(relay.address, cut_after_the_first, kept=tmp_path)
    read = {one.name for one in finished if not one.failure}
    lost = f"the Dask scheduler at {relay.address} is gone; go on with --resume"
    assert finished[0].name in read
    assert outcome.failures == {name: lost for name in NAMES if name not in read} != {}
    assert len(finished) == len(NAMES)
    resumed: list[FinishedRepository] = []
    whole = _scan(cluster.scheduler_address, resumed.append, kept=tmp_path)
    assert {one.name for one in resumed if one.resumed} == read
    assert to_json(whole.report).encode() == report


def test_a_scheduler_without_a_worker_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "CONNECTING", 1.0)
    with distributed.LocalCluster(
        n_workers=0, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    ) as empty:
        address = empty.scheduler_address
        with pytest.raises(UsageError) as raised, open_executor(f"dask:{address}", 1):
            pass
    assert str(raised.value) == (
        f"the Dask scheduler at {address} has no worker; start some with `dask worker`"
    )


def test_a_scheduler_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{closed.getsockname()[1]}"
    run = run_fleet(LISTED, "--executor", f"dask:{address}", timeout=40)
    assert run.returncode == status.COULD_NOT_JUDGE
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"contract-scan: no Dask scheduler answers at {address} (")
    assert line.endswith("; start one with `dask scheduler`")


def test_an_address_is_asked_for() -> None:
    run = run_fleet(LISTED, "--executor", "dask")
    assert (run.returncode, run.stderr) == (
        status.COULD_NOT_JUDGE,
        "contract-scan: `dask` needs the address of a scheduler: --executor dask:HOST:8786\n",
    )
