"""Ctrl-C while other processes work: the terminal tells all of them, and none may be left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests.fixes.projects import java, write

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0


def processes_of(session: int) -> set[int]:
    """The processes of a session that are alive."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if folder.name.isdigit() and int(fields[3]) == session and fields[0] != "Z":
            found.add(int(folder.name))
    return found


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    method = "    @GetMapping\n    public String find{0}() {{ return store.find({0}); }}\n"
    methods = "".join(method.format(n) for n in range(250))
    source = java("String id").replace("class OrderController {\n", "class C {\n" + methods)
    write(tmp_path, "App.java", source)
    for number in range(320):
        (tmp_path / f"C{number}.java").write_text(source)
    report = tmp_path / "report.json"
    options = ("--isolated", "--no-cache", "--jobs", "2", "--output-format", f"json={report}")
    process = subprocess.Popen(
        [sys.executable, "-m", "contract_scan", "check", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while len(processes_of(process.pid)) < 4:  # itself, what starts workers, two of them
            assert process.poll() is None, "it ended before it had started others"
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE)
        assert (process.returncode, stdout, stderr) == (130, b"", b"")
        while processes_of(process.pid):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert not report.exists()
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".report")]


EARLY = """\
import importlib.metadata, runpy, sys

way, interrupted = sys.argv[1:]
sys.argv[1:] = ["check"]


class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == interrupted:
            raise KeyboardInterrupt


sys.meta_path.insert(0, Interrupted())
if way == "module":
    runpy.run_module("contract_scan", run_name="__main__")
else:  # what the script says that pip writes for it
    sys.exit(importlib.metadata.EntryPoint("contract-scan", way, "console_scripts").load()())
"""
CONSOLE_SCRIPT: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["scripts"]["contract-scan"]


@pytest.mark.parametrize("way", ["module", CONSOLE_SCRIPT])
@pytest.mark.parametrize(
    "module", ["contract_scan.cli.main", "contract_scan.cli.output_replay", "click", "msgspec"]
)
def test_an_interrupt_while_something_is_imported_leaves_no_traceback(
    way: str, module: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY, way, module],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
