"""The hooks that this repository offers, run by the real pre-commit in a real repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ci.support import ROOT, make_command, make_repository
from tests.cli.test_changed import git, orders

BIN = Path(sys.executable).parent
PRE_COMMIT = shutil.which("pre-commit", path=f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}")

pytestmark = pytest.mark.skipif(PRE_COMMIT is None, reason="pre-commit is not installed")


@pytest.fixture(scope="session")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A repository with this one's hooks, and its revision."""
    folder = tmp_path_factory.mktemp("hooks") / "contract-scan"
    folder.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=Hooks")
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
    )
    return folder, head.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "checkout")


def run(repository: Path, hooks: tuple[Path, str], hook: str, *words: str) -> tuple[int, str]:
    """Status and output of one hook. `language: system` takes the command from the path instead
    of installing it into an environment of its own, which would need a network."""
    source, revision = hooks
    (repository / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {source}\n  rev: {revision}\n  hooks:\n"
        f"  - id: {hook}\n    language: system\n",
        encoding="utf-8",
    )
    git(repository, "add", ".pre-commit-config.yaml")
    environment = {
        **os.environ,
        "PATH": f"{make_command(repository.parent / 'bin').parent}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(repository.parent / "pre-commit"),
    }
    assert PRE_COMMIT is not None
    done = subprocess.run(
        [PRE_COMMIT, "run", "--color", "never", *words],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_whole_project_is_told_whatever_is_staged(
    repository: Path, hooks: tuple[Path, str]
) -> None:
    (repository / "orders.py").write_text(orders() + "\n# changed\n", encoding="utf-8")
    git(repository, "add", "orders.py")
    status, said = run(repository, hooks, "contract-scan")
    assert status == 1
    assert "items.py:8" in said
    assert "exit code: 1" in said


def test_of_staged_files_only_their_own_drift_is_told(
    repository: Path, hooks: tuple[Path, str]
) -> None:
    for hook in ("contract-scan-files", "contract-scan-staged"):
        (repository / "orders.py").write_text(orders("int"), encoding="utf-8")
        git(repository, "add", "orders.py")
        status, said = run(repository, hooks, hook)
        assert status == 1, said
        assert "orders.py:8" in said
        assert "items.py" not in said
        (repository / "orders.py").write_text(orders() + "\n# fine\n", encoding="utf-8")
        git(repository, "add", "orders.py")
        assert run(repository, hooks, hook)[0] == 0


def test_files_that_no_hook_is_about_start_none(repository: Path, hooks: tuple[Path, str]) -> None:
    (repository / "picture.svg").write_text("<svg/>", encoding="utf-8")
    git(repository, "add", "picture.svg")
    run(repository, hooks, "contract-scan")  # writes and stages the configuration
    git(repository, "commit", "--quiet", "--message=Configure")
    (repository / "picture.svg").write_text("<svg></svg>", encoding="utf-8")
    git(repository, "add", "picture.svg")
    status, said = run(repository, hooks, "contract-scan")
    assert (status, "no files to check" in said) == (0, True)


def test_all_files(repository: Path, hooks: tuple[Path, str]) -> None:
    status, said = run(repository, hooks, "contract-scan-files", "--all-files")
    assert status == 1
    assert "items.py:8" in said


def test_the_manifest_is_what_pre_commit_expects() -> None:
    assert PRE_COMMIT is not None
    done = subprocess.run(
        [PRE_COMMIT, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
