"""The process in which libcst reads code waits for more, and nothing that happens to it matters to
the next draft."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from contract_scan.api import scan
from contract_scan.fixes import python as fixes_of_python
from contract_scan.fixes.plan import plan_in_code
from tests.fixes.projects import python, write
from tests.processes import is_running

SOURCE = python("    id: str\n    price: float = Field(serialization_alias='unit_price')\n")
TITLE = ["name it `unitPrice` on the wire"]
BRINGS_LIBCST_DOWN = f"\n\ndeep = {'-' * 5000}1\n"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere it answers once")


def titles(root: Path) -> list[str]:
    planned = plan_in_code(root, scan(root, cache=False).findings, time.time_ns())
    return [finding.fix.title for finding in planned.findings if finding.fix is not None]


def children() -> list[psutil.Process]:
    words = "contract_scan.fixes.python_child"
    return [each for each in psutil.Process().children() if words in each.cmdline()]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, "app.py", SOURCE)
    return tmp_path


@pytest.fixture
def child(project: Path) -> psutil.Process:
    """The process, after it drafted one fix."""
    assert titles(project) == TITLE
    (found,) = children()
    return found


def test_code_that_brings_libcst_down_costs_nothing_but_its_own_fix(
    project: Path, child: psutil.Process
) -> None:
    write(project, "app.py", SOURCE + BRINGS_LIBCST_DOWN)
    assert titles(project) == []
    write(project, "app.py", SOURCE)
    assert titles(project) == TITLE
    assert children() == [child]


def test_one_that_was_killed_is_started_again(project: Path, child: psutil.Process) -> None:
    child.kill()
    assert titles(project) == TITLE
    (other,) = children()
    assert other != child


def test_one_that_does_not_answer_in_time_is_ended(
    project: Path, child: psutil.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    child.suspend()
    with monkeypatch.context() as patched:
        patched.setattr(fixes_of_python, "TIMEOUT", 1.5)
        assert titles(project) == []
    assert not is_running(child.pid)
    assert titles(project) == TITLE


def test_a_file_that_it_read_for_one_draft_is_read_anew_for_the_next(project: Path) -> None:
    base = "from pydantic import BaseModel\n\n\nclass Base(BaseModel):\n    id: str\n"
    derived = SOURCE.replace("(BaseModel)", "(Base)").replace(
        "\napp =", "from base import Base\napp ="
    )
    write(project, "app.py", derived)
    (project / "base.py").write_text(base)
    assert titles(project) == TITLE
    (project / "base.py").write_text(base.replace("BaseModel)", "object)"))
    fresh = subprocess.run(
        [sys.executable, "-c", ASKED, str(project)], capture_output=True, text=True, check=True
    )
    assert fresh.stdout == f"{titles(project)}\n"


ASKED = """
import sys
from pathlib import Path
from tests.fixes.test_python_child import titles
print(titles(Path(sys.argv[1])))
"""
KILLED = """
import os, signal, sys
from pathlib import Path
from tests.fixes.test_python_child import children, titles
titles(Path(sys.argv[1]))
print(*(each.pid for each in children()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_it_ends_with_the_process_that_asks_however_that_ends(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(project)], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL
    process = int(done.stdout)
    until = time.monotonic() + 30
    while is_running(process) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_running(process)
