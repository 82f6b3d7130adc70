"""Pipes and files without end in the place of files that a verb reads: none is waited for, none is
read whole, each is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LARGE = 3 << 30
"""Bytes, none of which takes room on the disk."""
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from contract_scan.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
CONTRACT = 'openapi: 3.0.3\ninfo: {title: t, version: "1"}\npaths: {}\n'
NO_FILE = "cannot be read: it is no regular file"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="named pipes are POSIX")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a contract."""
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / "openapi.yaml").write_text(CONTRACT)
    return tmp_path


def refused(repository: Path, *words: str) -> str:
    """The one line with which a command ends, in a process that may not take much memory."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *words],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=300,  # without an end where a pipe is waited for
    )
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("contract-scan-baseline.json", ("check", "--no-cache")),
        ("contract-scan-baseline.json", ("baseline", "update", "--no-cache")),
        (".git/hooks/pre-commit", ("hooks", "install", "--git")),
        (".git/hooks/pre-commit", ("hooks", "uninstall", "--git")),
        ("accepted.txt", ("diff", "openapi.yaml", "openapi.yaml", "--accepted", "accepted.txt")),
        ("scopes.md", ("scopes", "show", "scopes.md")),
        ("PRD.md", ("build", "--prd", "PRD.md")),
        ("results.md", ("results", "check", "results.md")),
        (".agent-team/STATE.json", ("build", "--status")),
    ],
)
def test_no_pipe_is_waited_for(name: str, words: tuple[str, ...], repository: Path) -> None:
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).unlink(missing_ok=True)
    os.mkfifo(repository / name)
    assert refused(repository, *words) == f"contract-scan: {name}: {NO_FILE}\n"


@pytest.mark.parametrize(
    ("name", "words", "reason"),
    [
        (
            "contract-scan-baseline.json",
            ("check", "--no-cache"),
            "is larger than 100 MB: not a baseline",
        ),
        (
            "accepted.txt",
            ("diff", "openapi.yaml", "openapi.yaml", "--accepted", "accepted.txt"),
            "is larger than 1 MB",
        ),
        ("scopes.md", ("scopes", "show", "scopes.md"), "is larger than 1 MB"),
        ("contract-scan.toml", ("check",), "is larger than 1 MB: not a configuration"),
        (
            ".agent-team/config.yaml",
            ("build", "--prd", "openapi.yaml", "--dry-run"),
            "is larger than 1 MB",
        ),
    ],
)
def test_no_large_file_is_read_whole(
    name: str, words: tuple[str, ...], reason: str, repository: Path
) -> None:
    (repository / name).parent.mkdir(exist_ok=True)
    with (repository / name).open("wb") as opened:
        opened.truncate(LARGE)
    assert refused(repository, *words) == f"contract-scan: {name}: {reason}\n"
