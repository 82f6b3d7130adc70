"""Measuring commands: what they cost, with everything they start."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.measure import Command, python, ratio, seconds

BARE = ("-c", "pass")


def test_the_cost_of_a_child_counts(tmp_path: Path) -> None:
    work = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass"
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}])"
    used, status = seconds(Command(python("-c", start), tmp_path))
    assert (used > 0.2, status) == (True, 0)


def test_a_command_runs_in_its_folder_after_its_preparation(tmp_path: Path) -> None:
    script = "import sys, pathlib; sys.exit(pathlib.Path('made').exists())"
    command = Command(python("-c", script), tmp_path, (tmp_path / "made").touch)
    assert seconds(command)[1] == 1


def test_a_ratio_runs_the_pairs_and_one_more_of_each(tmp_path: Path) -> None:
    runs: list[str] = []
    one = Command(python(*BARE), tmp_path, lambda: runs.append("one"))
    other = Command(python(*BARE), tmp_path, lambda: runs.append("other"))
    ratio(one, other, pairs=2)
    assert runs == ["one", "other"] * 3


def test_a_command_that_breaks_is_not_measured(tmp_path: Path) -> None:
    broken = Command(python("-c", "raise SystemExit(3)"), tmp_path)
    with pytest.raises(RuntimeError, match="exit status 3"):
        ratio(broken, broken, pairs=1)
