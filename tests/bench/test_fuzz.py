"""A short run of the fuzzer, and that it notices what it is there for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.fuzz.__main__ import made
from bench.fuzz.seeds import seeds

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the fuzzer forks and limits memory"
)


def test_an_input_is_a_function_of_its_seed_and_number() -> None:
    known = seeds()
    assert [made(n, 7, known) for n in range(20)] == [made(n, 7, known) for n in range(20)]
    assert made(1, 7, known) != made(1, 8, known)


def test_broken_files_are_taken_well(tmp_path: Path) -> None:
    words = ("-m", "bench.fuzz", "--count", "80", "--seed", "7", "--folder", str(tmp_path))
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("80 inputs, ")
    assert "faults: none;" in done.stdout
