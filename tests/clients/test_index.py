"""The index of git, read without git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from contract_scan.clients.index import tracked_in
from contract_scan.clients.listing import tracked_files


def _git(root: Path, *words: str) -> None:
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(root), *settings, *words], check=True, capture_output=True)


def _repository(tmp_path: Path, *options: str) -> Path:
    _git(tmp_path, "init", "--quiet", *options)
    for length in range(1, 20):  # entries are filled up to eight bytes
        (tmp_path / ("a" * length)).write_text("x")
    (tmp_path / "d é").mkdir()
    (tmp_path / "d é" / ("b" * 200)).write_text("x")
    _git(tmp_path, "add", "--all")
    _git(tmp_path, "commit", "--quiet", "--message", "one")
    return tmp_path / ".git" / "index"


def test_the_paths_are_those_that_git_lists(tmp_path: Path) -> None:
    index = _repository(tmp_path)
    listed = tracked_files(str(tmp_path))
    assert listed is not None
    assert listed.count(b"\0") == 20
    assert tracked_in(str(index)) == listed


def test_entries_with_more_flags(tmp_path: Path) -> None:
    index = _repository(tmp_path)
    (tmp_path / "later").write_text("x")
    _git(tmp_path, "add", "--intent-to-add", "later")
    assert index.read_bytes()[4:8] == b"\0\0\0\3"
    assert tracked_in(str(index)) == tracked_files(str(tmp_path))


@pytest.mark.parametrize(
    "words",
    [["update-index", "--index-version=4"], ["update-index", "--split-index"]],
    ids=["short paths", "split"],
)
def test_what_is_written_otherwise_is_left_to_git(tmp_path: Path, words: list[str]) -> None:
    index = _repository(tmp_path)
    _git(tmp_path, *words)
    assert tracked_in(str(index)) is None


def test_longer_digests_are_left_to_git(tmp_path: Path) -> None:
    assert tracked_in(str(_repository(tmp_path, "--object-format=sha256"))) is None


def test_what_is_no_index(tmp_path: Path) -> None:
    index = _repository(tmp_path)
    content = index.read_bytes()
    damaged = [content[:length] for length in range(0, len(content), 7)]
    damaged += [b"DIRC" + b"\0\0\0\2" + b"\xff" * 4 + content[12:], content + b"x"]
    for text in damaged:
        index.write_bytes(text)
        assert tracked_in(str(index)) is None
    index.unlink()
    assert tracked_in(str(index)) is None
