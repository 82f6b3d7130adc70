"""Git is not asked again for the files of a repository while none can have come or gone; and
whatever comes or goes, the same is known as git knows."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from contract_scan.cli.directory_snapshot import DirectorySnapshot, decode_snapshot
from contract_scan.cli.directory_walk import walk
from contract_scan.clients import listing as asked_of_git
from contract_scan.clients.listing import listing
from contract_scan.parsers.source.dependency_snapshot import digest_of
from tests.caches import rest

OLD = 1_700_000_000


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with files that are tracked, new and ignored."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    top = (tmp_path / "code").resolve()
    for name, text in {
        ".gitignore": "*.log\nbuilt/\n",
        "src/app.py": "x = 1\n",
        "src/deep/er/one.py": "",
        "src/logs/a.log": "",
        "built/deep/out.py": "",
        "empty/er/.keep.log": "",
        "new/file.py": "",
        "inner/lib/b.py": "",
    }.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    _git(top.parent, "init", "--quiet", str(top))
    _git(top / "inner", "init", "--quiet")
    _git(top, "add", ".gitignore", "src")
    rest()
    return top


def _walked(root: Path) -> tuple[DirectorySnapshot, bytes]:
    """What is known after a run, as it is read again, and the digest of what git lists."""
    listed = listing(str(root))
    assert listed is not None
    found = walk(str(root), listed, time.time_ns())
    assert found is not None
    return decode_snapshot(found.to_bytes()), digest_of(listed)


def _without_git(walked: DirectorySnapshot, root: Path, known: bytes) -> bool:
    """Whether the same is listed, as far as that is known without git."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        return walked.lists_the_same(str(root), (), known)


def test_git_is_not_needed_while_nothing_comes_or_goes(root: Path) -> None:
    walked, known = _walked(root)
    assert {*walked.folders} == {
        ".", "src", "src/deep", "src/deep/er", "src/logs", "empty", "empty/er", "new", "inner"
    }  # fmt: skip
    assert walked.ignored == ["built"]
    assert _without_git(walked, root, known)
    (root / "src" / "app.py").write_text("x = 2\n")
    (root / "built" / "more.py").write_text("")
    _git(root, "add", "--update")
    assert _without_git(walked, root, known)
    assert not walked.lists_the_same(str(root), ("inner",), known)  # nobody has listed it so


def _new_in_an_empty_folder(root: Path) -> None:
    (root / "empty" / "er" / "late.py").write_text("")


def _ignores_more(root: Path) -> None:
    with (root / ".gitignore").open("a") as opened:
        opened.write("new/\n")


def _ignores_more_below(root: Path) -> None:
    (root / "new" / ".gitignore").write_text("*.py\n.gitignore\n")


def _ignores_more_for_itself(root: Path) -> None:
    (root / ".git" / "info" / "exclude").write_text("new\n")


def _ignores_more_for_the_user(root: Path) -> None:
    (root.parent / "home" / ".config" / "git").mkdir(parents=True)
    (root.parent / "home" / ".config" / "git" / "ignore").write_text("new\n")


def _ignores_by_another_file(root: Path) -> None:
    (root / ".git" / "more").write_text("new\n")
    _git(root, "config", "core.excludesFile", ".git/more")


def _tracks_no_longer(root: Path) -> None:
    (root / "src" / "app.py").unlink()
    _git(root, "rm", "--cached", "--quiet", "src/app.py")


def _is_no_repository_any_more(root: Path) -> None:
    (root / "inner" / ".git").rename(root / "inner" / "gone.log")


@pytest.mark.parametrize(
    "change",
    [
        _new_in_an_empty_folder,
        _ignores_more,
        _ignores_more_below,
        _ignores_more_for_itself,
        _ignores_more_for_the_user,
        _ignores_by_another_file,
        _tracks_no_longer,
        _is_no_repository_any_more,
    ],
    ids=lambda change: change.__name__.strip("_"),
)
def test_what_changes_the_list_is_seen(root: Path, change: Callable[[Path], None]) -> None:
    walked, known = _walked(root)
    change(root)
    now = listing(str(root))
    assert now is not None
    assert digest_of(now) != known
    assert not walked.lists_the_same(str(root), (), known)


def test_a_folder_that_was_written_in_is_known_again_once_it_rests(root: Path) -> None:
    walked, known = _walked(root)
    (root / "src" / "app.py").rename(root / "src" / "moved.log")
    (root / "src" / "moved.log").rename(root / "src" / "app.py")
    assert not _without_git(walked, root, known)
    assert walked.lists_the_same(str(root), (), known)
    assert not walked.revalidated  # it was written in just now, and may be again within that time
    rest()
    assert walked.lists_the_same(str(root), (), known)
    assert walked.revalidated
    assert _without_git(decode_snapshot(walked.to_bytes()), root, known)


def test_a_new_folder_is_not_taken_for_known(root: Path) -> None:
    """Nothing lies in it yet; what comes there later would not be seen."""
    walked, known = _walked(root)
    (root / "src" / "fresh").mkdir()
    rest()
    assert walked.lists_the_same(str(root), (), known)
    assert not _without_git(walked, root, known)


def test_another_index_is_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook of `git commit --all` is told of one that is not yet the one of the repository."""
    walked, known = _walked(root)
    other = root / ".git" / "next-index"
    other.write_bytes((root / ".git" / "index").read_bytes())
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    assert _without_git(walked, root, known)
    _git(root, "rm", "--cached", "--quiet", "src/deep/er/one.py")
    assert not _without_git(walked, root, known)
    monkeypatch.setenv("GIT_DIR", str(root / ".git"))
    assert not _without_git(walked, root, known)


def test_what_is_undetermined_is_not_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = listing(str(root)) or b""
    assert walk(str(root), listed, OLD * 1_000_000_000) is None  # the index is younger
    with monkeypatch.context() as patch:
        patch.setenv("GIT_CONFIG_COUNT", "0")
        assert walk(str(root), listed, time.time_ns()) is None
    _git(root, "config", "includeIf.onbranch:work.path", "more")
    assert walk(str(root), listed, time.time_ns()) is None
    assert asked_of_git.has_git_variables() is False


@pytest.mark.parametrize("seed", range(4))
def test_nothing_that_comes_or_goes_is_missed(root: Path, seed: int) -> None:
    chance = random.Random(seed)
    walked, known = _walked(root)
    for number in range(25):
        folders = [path for path in root.rglob("*") if path.is_dir() and ".git" not in path.parts]
        folder = chance.choice(folders)
        name = chance.choice(("a.py", "b.log", "c.py", "built"))
        match chance.randrange(5):
            case 0:
                (folder / name).mkdir(exist_ok=True) if name == "built" else (
                    folder / name
                ).write_text("")
            case 1 if (folder / name).is_file():
                (folder / name).unlink()
            case 2:
                _git(root, "add", "--all", "--", "src", "new")
            case 3:
                (folder / ".gitignore").write_text(chance.choice(("*.log\n", "c.py\n", "")))
            case _:
                (folder / f"d{number}").mkdir()
        if chance.random() < 0.5:
            os.utime(folder, (OLD, OLD))  # anybody can set it
        now = listing(str(root))
        assert now is not None
        assert walked.lists_the_same(str(root), (), known) == (digest_of(now) == known)
        if chance.random() < 0.3:
            rest()
            walked, known = _walked(root)
