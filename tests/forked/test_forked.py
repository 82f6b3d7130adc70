"""What a forked process shows of itself, and what becomes of tests when their server ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from contract_scan.clients.process_tree import end_processes, mark_of
from tests.forked import forked_python, start_ended_servers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux alone")
OF_ITS_OWN = ("env",)
"""Runs a server that no other test uses."""
PARENT = "import os; print(os.getppid())"


def python(*words: str) -> subprocess.CompletedProcess[str]:
    command = [forked_python(*OF_ITS_OWN), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@contextmanager
def waiting(**variables: str) -> Iterator[int]:
    """A forked process that waits, with variables of its own: its id."""
    process = subprocess.Popen(
        [forked_python(*OF_ITS_OWN), "-c", "import os; print(os.getpid(), flush=True); input()"],
        env={**os.environ, **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield int(process.stdout.readline())
    process.communicate()


def test_a_forked_process_is_found_by_its_environment_and_its_server_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MARKED_AS", "all")
    server = int(python("-c", PARENT).stdout)
    with waiting(MARKED_AS="one") as one, waiting(MARKED_AS="other") as other:
        end_processes([], [{"MARKED_AS": "all"}, {"MARKED_AS": "one"}])
        assert [mark_of(each) is not None for each in (server, one, other)] == [True, False, True]


def test_where_the_server_has_ended_a_client_says_so_and_the_next_test_has_a_new_one() -> None:
    server = int(python("-c", PARENT).stdout)
    assert not start_ended_servers()
    os.kill(server, signal.SIGKILL)
    os.waitid(os.P_PID, server, os.WEXITED | os.WNOWAIT)
    done = python("-c", PARENT)
    assert (done.returncode, done.stdout, done.stderr) == (
        70,
        "",
        "the process that tests fork from has ended: [Errno 111] Connection refused\n",
    )
    assert start_ended_servers()
    assert int(python("-c", PARENT).stdout) != server
