"""A run that needs more memory than it may take ends with one line, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux says what a process holds"
)

REACHED = (
    "contract-scan: more than {} MiB of memory are needed, and nothing is reported; allow more with"
    " --memory-limit or `memory-limit`, or leave files out with --exclude\n"
)
TABLES = "\n".join(
    f'const t{n} = {{ a: [{n}, "b", f({n})], c: {{ d: x.y }} }};' for n in range(6_000)
)
"""A text whose facts take many times its length."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "openapi.yaml").write_text(
        "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {}\n"
    )
    _write_files(root, range(3))
    return root


def _write_files(root: Path, numbers: range) -> None:
    for number in numbers:
        route = f'import express from "express";\nexpress().get("/r{number}", (q, r) => {{}});\n'
        (root / f"app{number}.ts").write_text(route + TABLES)


def run(root: Path, *words: str, timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    cache = f"{root}-cache"
    command = [sys.executable, "-m", "contract_scan", *words, "--cache-dir", cache]
    return subprocess.run(
        command,
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ},
        timeout=timeout,
    )


def test_a_run_that_needs_too_much_ends_with_one_line(project: Path) -> None:
    done = run(project, "check", "--memory-limit", "128", "--jobs", "1", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", REACHED.format(128))


def test_so_does_a_run_in_several_processes(project: Path) -> None:
    _write_files(project, range(3, 13))  # four megabytes, from which on they pay
    done = run(project, "check", "--memory-limit", "128", "--jobs", "2", "-q", timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", REACHED.format(128))


def test_reports_that_were_asked_for_say_so(project: Path) -> None:
    (project / "contract-scan.toml").write_text(
        'memory-limit = 128\noutput-format = ["sarif=contract-scan.sarif", "full"]\n'
    )
    before = sorted(path.name for path in project.iterdir())
    done = run(project, "check", "-q", "--jobs", "1")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", REACHED.format(128))
    assert sorted(path.name for path in project.iterdir()) == sorted(
        [*before, "contract-scan.sarif"]
    )
    (invocation,) = json.loads((project / "contract-scan.sarif").read_text())["runs"][0][
        "invocations"
    ]
    assert invocation["executionSuccessful"] is False


def test_what_was_kept_before_the_end_harms_nothing(project: Path) -> None:
    words = ("check", "--allow-empty", "--jobs", "1", "--output-format", "json")
    assert run(project, *words, "--memory-limit", "128").stderr.endswith(REACHED.format(128))
    after, fresh = run(project, *words), run(project, *words, "--no-cache")
    assert after.returncode == fresh.returncode == 0
    assert after.stdout == fresh.stdout


def test_the_limit_is_one_that_a_scan_may_need(project: Path) -> None:
    done = run(project, "check", "--memory-limit", "8")
    assert done.returncode == 2
    assert "8 is not in the range 128<=x<=16384" in done.stderr
