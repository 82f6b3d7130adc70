"""Measuring commands: what they cost, with everything they start."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.edits import HandlerEdits
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


def test_a_ratio_by_the_clock_counts_waiting(tmp_path: Path) -> None:
    waits = Command(python("-c", "import time; time.sleep(0.3)"), tmp_path)
    found = ratio(waits, Command(python(*BARE), tmp_path), pairs=1, clock=True)
    assert found.cost > 0.3


@pytest.mark.parametrize(
    ("name", "text", "edited"),
    [
        (
            "app.py",
            "@app.get('/a')\ndef a(\n    b: int,\n) -> int:\n    return b\n",
            "@app.get('/a')\ndef a(\n    b: int,\n) -> int:\n    note2 = 2\n    return b\n",
        ),
        (
            "A.cs",
            "[HttpGet]\npublic int A() {\n  return 1;\n}\n",
            "[HttpGet]\npublic int A() {\n  var note2 = 2;\n  return 1;\n}\n",
        ),
    ],
)
def test_each_edit_of_a_handler_takes_the_place_of_the_last(
    name: str, text: str, edited: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    handler = HandlerEdits(tmp_path, name, 1)
    handler.make()
    handler.make()
    assert (tmp_path / name).read_text() == edited
