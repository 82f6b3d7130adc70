"""The pre-commit hook, in a real repository, by real commits."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.ci.support import make_command, make_repository
from tests.cli.test_changed import git, orders

HOOK = ".git/hooks/pre-commit"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_repository(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["hooks", *words])
    out, err = capsys.readouterr()
    return status, out, err


def commit(repository: Path) -> subprocess.CompletedProcess[str]:
    """A commit of everything, as a user makes it, with the command on the path."""
    command = make_command(repository / ".git" / "bin")
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    own = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=0"]
    return subprocess.run(
        ["git", *own, "commit", "--quiet", "--all", "--message=Next"],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_commit_that_breaks_a_promise_is_stopped_and_one_that_keeps_it_goes_through(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "install", "--git") == (0, f"{HOOK}: installed\n", "")
    assert (repository / HOOK).stat().st_mode & stat.S_IXUSR
    (repository / "orders.py").write_text(orders("int"), encoding="utf-8")
    stopped = commit(repository)
    assert stopped.returncode == 1
    told = stopped.stdout + stopped.stderr
    assert "orders.py:8" in told
    assert "items.py" not in told
    (repository / "orders.py").write_text(orders() + "\n# fine\n", encoding="utf-8")
    assert commit(repository).returncode == 0


def test_installing_again_brings_the_hook_up_to_date_and_it_can_be_taken_away(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "install", "--git")
    before = (repository / HOOK).read_text(encoding="utf-8")
    assert said(capsys, "install", "--git") == (0, f"{HOOK}: brought up to date\n", "")
    assert (repository / HOOK).read_text(encoding="utf-8") == before
    assert said(capsys, "uninstall", "--git") == (0, f"{HOOK}: removed\n", "")
    assert not (repository / HOOK).exists()
    assert said(capsys, "uninstall", "--git") == (0, "there is no hook of contract-scan\n", "")


def test_the_hook_of_somebody_else_is_left_alone(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / HOOK).write_text("#!/bin/sh\nmake lint\n", encoding="utf-8")
    assert said(capsys, "install", "--git") == (
        2,
        "",
        f"contract-scan: {HOOK}: another hook is there already; add this line to it: "
        "contract-scan check --staged || exit 1\n",
    )
    assert (repository / HOOK).read_text(encoding="utf-8") == "#!/bin/sh\nmake lint\n"
    assert said(capsys, "uninstall", "--git")[1] == "there is no hook of contract-scan\n"


def test_settings_may_move_the_folder_of_hooks(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(repository, "config", "core.hooksPath", ".githooks")
    assert said(capsys, "install", "--git") == (0, ".githooks/pre-commit: installed\n", "")
    (repository / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert commit(repository).returncode == 1


def test_what_is_missing_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said(capsys, "install") == (
        2,
        "",
        "contract-scan: say which hook is meant: --git\n",
    )
    assert said(capsys, "install", "--git") == (
        2,
        "",
        f"contract-scan: {tmp_path}: is in no git repository\n",
    )
