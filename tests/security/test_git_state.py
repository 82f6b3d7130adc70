"""What git keeps about a repository, or is told by its environment, hides no change."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.clients.git_merges import write_files
from tests.cli.test_changed import APP, NEW, git, orders, project, told

__all__ = ["project"]


def said_by_git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org", *words]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def drift(folder: Path) -> None:
    (folder / "orders.py").write_text(orders("int"), encoding="utf-8")


def _assumes_a_file_to_be_unchanged(folder: Path) -> str:
    git(folder, "update-index", "--assume-unchanged", "orders.py")
    drift(folder)
    return "HEAD"


def _leaves_a_file_out_that_is_there(folder: Path) -> str:
    git(folder, "config", "core.sparseCheckout", "true")
    git(folder, "config", "sparse.expectFilesOutsideOfPatterns", "true")
    git(folder, "update-index", "--skip-worktree", "orders.py")
    drift(folder)
    return "HEAD"


def _looks_at_times_and_sizes_alone(folder: Path) -> str:
    os.utime(folder / "orders.py", (1_000_000_000, 1_000_000_000))
    git(folder, "update-index", "-q", "--refresh")
    git(folder, "config", "core.checkStat", "minimal")
    git(folder, "config", "core.trustCtime", "false")
    unpacked = folder / ".git" / "unpacked"
    unpacked.write_text(orders("int"), encoding="utf-8")
    os.utime(unpacked, (1_000_000_000, 1_000_000_000))
    unpacked.replace(folder / "orders.py")
    return "HEAD"


def _replaces_a_commit(folder: Path) -> str:
    before = said_by_git(folder, "rev-parse", "HEAD")
    drift(folder)
    git(folder, "add", "orders.py")
    tree = said_by_git(folder, "write-tree")
    git(folder, "replace", before, said_by_git(folder, "commit-tree", tree, "-m", "Other"))
    return before


def _grafts_a_commit_onto_the_next_one(folder: Path) -> str:
    before = said_by_git(folder, "rev-parse", "HEAD")
    drift(folder)
    git(folder, "commit", "--all", "--quiet", "--message=Next")
    grafts = folder / ".git" / "info" / "grafts"
    grafts.parent.mkdir(exist_ok=True)
    grafts.write_text(f"{before} {said_by_git(folder, 'rev-parse', 'HEAD')}\n")
    return before


WAYS = (
    _assumes_a_file_to_be_unchanged,
    _leaves_a_file_out_that_is_there,
    _looks_at_times_and_sizes_alone,
    _replaces_a_commit,
    _grafts_a_commit_onto_the_next_one,
)
"""Each hides a change from git, and returns the revision since which it was made."""


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
def test_a_change_that_git_hides_is_told(
    project: Path, way: Callable[[Path], str], capsys: pytest.CaptureFixture[str]
) -> None:
    revision = way(project)
    since = said_by_git(project, "merge-base", revision, "HEAD")
    assert said_by_git(project, "diff", since) == "", "git hides nothing: this shows nothing"
    assert told(capsys, f"--changed={revision}") == [NEW]


RENAMED = [
    ("missing-endpoint", "openapi.yaml", ""),
    ("undocumented-endpoint", "orders.py", ""),
]


def rename_route(folder: Path) -> None:
    text = orders().replace('"/orders"', '"/bestellungen"')
    (folder / "orders.py").write_text(text, encoding="utf-8")


def test_a_route_that_is_taken_from_an_unwatched_file_is_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "update-index", "--assume-unchanged", "orders.py")
    rename_route(project)
    assert told(capsys, "--changed") == RENAMED


def test_files_that_a_sparse_checkout_leaves_out_are_not_changed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "sparse-checkout", "set", "--no-cone", "/*", "!/orders.py")
    assert not (project / "orders.py").exists()
    assert told(capsys, "--changed") == []


def test_a_file_whose_name_differs_in_case_from_a_tracked_one_is_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "ORDERS.py").write_text(orders("int"), encoding="utf-8")
    if (project / "Orders.PY").exists():
        pytest.skip("this file system does not tell case")
    (project / "app.py").write_text(APP.replace("orders", "ORDERS"), encoding="utf-8")
    git(project, "config", "core.ignoreCase", "true")
    assert said_by_git(project, "ls-files", "--others") == ""
    assert ("type", "ORDERS.py", "[].id") in told(capsys)


def test_a_file_that_is_called_like_a_revision_is_not_taken_for_one(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "HEAD").touch()
    drift(project)
    assert told(capsys, "--changed") == [NEW]


def test_settings_of_paths_for_other_commands_change_no_answer(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    rename_route(project)
    git(project, "add", "orders.py")
    assert told(capsys, "--staged") == RENAMED


def test_the_index_of_a_hook_is_not_written_where_another_one_is_needed(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    index = project / ".git" / "index"
    drift(project)
    git(project, "add", "orders.py")
    before = index.read_bytes()
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    place = tmp_path_factory.mktemp("place")
    write_files(project, "HEAD", place)
    assert (place / "files" / "orders.py").read_text(encoding="utf-8") == orders()
    assert index.read_bytes() == before
    assert main(["check", "--staged", "--quiet"]) == 1


def test_a_hook_tells_of_its_own_repository_alone(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = tmp_path_factory.mktemp("other")
    for name in ("openapi.yaml", "app.py", "items.py", "orders.py"):
        (other / name).write_bytes((project / name).read_bytes())
    drift(other)
    git(other, "init", "--quiet")
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "--message=Begin")
    for name, value, option in (
        ("GIT_INDEX_FILE", ".git/index", "--staged"),
        ("GIT_DIR", ".git", "--changed"),
    ):
        with monkeypatch.context() as hook:
            hook.setenv(name, str(project / value))
            assert told(capsys, str(other), option) == []


def test_files_elsewhere_are_not_compared_in_the_place_of_those_that_are_scanned(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Hooks that deploy set `GIT_WORK_TREE` to the place of that."""
    deployed = tmp_path_factory.mktemp("deployed")
    git(project, "worktree", "add", "--quiet", "--detach", str(deployed / "shop"))
    drift(project)
    monkeypatch.setenv("GIT_WORK_TREE", str(deployed / "shop"))
    assert told(capsys, "--changed") == [NEW]
    monkeypatch.setenv("GIT_DIR", str(project / ".git"))
    assert told(capsys, "--changed") == [NEW]


def test_a_hook_of_a_linked_work_tree_is_heard_in_its_folders(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "worktree", "add", "--quiet", "linked")
    linked = project / "linked"
    service = linked / "service"
    service.mkdir()
    for name in ("openapi.yaml", "app.py", "items.py", "orders.py"):
        (linked / name).rename(service / name)
    git(linked, "add", "--all")
    git(linked, "commit", "--quiet", "--message=Move")
    drift(service)
    git(linked, "add", "--all")
    monkeypatch.chdir(linked)
    monkeypatch.setenv("GIT_DIR", str(project / ".git" / "worktrees" / "linked"))
    assert told(capsys, "service", "--staged") == [NEW]
