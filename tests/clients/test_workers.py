"""Processes that share the work of one scan are gone at its end, whatever they were doing."""

from __future__ import annotations

import subprocess
import sys

INTERRUPTED_WHILE_RESULTS_ARE_SENT = """
from concurrent.futures import FIRST_COMPLETED, wait
from contract_scan.clients.workers import workers

def start():
    with workers(2) as pool:
        sent = [pool.submit(bytes, 40_000_000) for _ in range(6)]
        wait(sent, return_when=FIRST_COMPLETED)
        raise SystemExit(7)

if __name__ == "__main__":
    start()
"""


def test_an_end_while_a_process_sends_its_result_does_not_wait_for_the_rest() -> None:
    command = [sys.executable, "-P", "-c", INTERRUPTED_WHILE_RESULTS_ARE_SENT]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "", "")
