"""Repositories are fetched at their commit, and what a mirror lacks is left out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bench.accuracy.get import GetError, fetch, repositories


def git(folder: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    made = subprocess.run(
        ["git", "-C", str(folder), *settings, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return made.stdout.strip()


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    folder = tmp_path / "origin" / "owner" / "name"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "--quiet")
    git(folder, "config", "uploadpack.allowFilter", "true")
    (folder / "src" / "a.py").write_text("a = 1\n")
    (folder / "large.bin").write_bytes(bytes(5000))
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def test_files_of_a_commit_are_written_but_for_large_ones(tmp_path: Path, origin: Path) -> None:
    commit = git(origin, "rev-parse", "HEAD")
    place = f"file://{tmp_path}/origin/{{repository}}"
    left_out = fetch("owner/name", commit, tmp_path / "to", place, 1000)
    assert left_out == 1
    assert sorted(path.name for path in (tmp_path / "to").rglob("*") if path.is_file()) == [
        ".commit",
        "a.py",
    ]
    assert (tmp_path / "to" / "src" / "a.py").read_text() == "a = 1\n"


def test_what_cannot_be_fetched_says_why(tmp_path: Path) -> None:
    with pytest.raises(GetError, match=r"\w"):
        fetch("owner/none", "0" * 40, tmp_path / "to", f"file://{tmp_path}/{{repository}}", 1000)


def test_every_repository_is_pinned_to_one_commit() -> None:
    assert all(len(commit) == 40 for commit in repositories().values())
