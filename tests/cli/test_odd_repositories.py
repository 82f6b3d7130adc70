"""`--changed` and `--staged` where a repository is not as most are."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.cli.test_changed import NEW, OLD, git, items, orders, project, refused, told
from tests.cli.test_check import checked

__all__ = ["project"]


def test_a_further_work_tree(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tree = tmp_path_factory.mktemp("trees") / "other"
    git(project, "worktree", "add", "--quiet", "-b", "other", str(tree))
    monkeypatch.chdir(tree)
    (tree / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys, "--changed") == [NEW]


def test_a_submodule_is_a_repository_of_its_own(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    around = tmp_path_factory.mktemp("around")
    git(around, "init", "--quiet")
    allowed = ["-c", "protocol.file.allow=always"]
    git(around, *allowed, "submodule", "--quiet", "add", f"file://{project}", "shop")
    monkeypatch.chdir(around / "shop")
    assert told(capsys, "--changed") == []
    (around / "shop" / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys, "--changed") == [NEW]


@pytest.mark.parametrize("name", ["line\nend\t“quoted”\\.py", "ünï çødé 𝒳.py", "-rf.py", "$(x).py"])
def test_files_of_any_name_that_were_renamed(
    project: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # An application of its own: nothing could import a file of such a name.
    served = items("int").replace("APIRouter()", "FastAPI()")
    (project / "items.py").write_text(served, encoding="utf-8")
    git(project, "commit", "--quiet", "--all", "--message=Serve")
    git(project, "mv", "items.py", f"./{name}")
    for word in ("--staged", "--changed"):
        assert told(capsys, word) == [("type", name, "[].sku")]


def test_while_a_merge_is_in_progress(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(project, "checkout", "--quiet", "-b", "other")
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    git(project, "commit", "--quiet", "--all", "--message=Other")
    git(project, "checkout", "--quiet", "main")
    (project / "orders.py").write_text(orders("bool"), encoding="utf-8")
    git(project, "commit", "--quiet", "--all", "--message=Main")
    git(project, "merge", "--quiet", "--strategy=ours", "--no-commit", "other")
    assert told(capsys, "--changed=other") == [NEW]
    conflict = orders("int").replace(
        "    id: int\n", "<<<<<<< HEAD\n    id: int\n=======\n    id: bool\n>>>>>>> other\n"
    )
    (project / "orders.py").write_text(conflict, encoding="utf-8")
    _, report = checked(capsys, "--changed")
    assert [(each["path"], each["line"], each["reason"]) for each in report["not_analysed"]] == [
        ("orders.py", 8, "holds the markers of a merge conflict; resolve it")
    ]


def test_a_sparse_checkout(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "docs").mkdir()
    (project / "docs" / "more.py").write_text("", encoding="utf-8")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=More")
    git(project, "sparse-checkout", "set", "--no-cone", "/*", "!/docs/")
    assert not (project / "docs" / "more.py").exists()
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys, "--changed") == [NEW]


def test_line_ends_that_git_changes_are_no_change(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "config", "core.autocrlf", "true")
    (project / "items.py").write_bytes(items("int").replace("\n", "\r\n").encode())
    assert told(capsys, "--changed") == []
    (project / "items.py").write_bytes(items("int").replace("\n", "\r\n").encode() + b"# \r\n")
    assert told(capsys, "--changed") == [OLD]


def test_nothing_that_a_repository_configures_is_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for key in ("core.fsmonitor", "diff.external", "core.sshCommand", "core.pager"):
        git(project, "config", key, f"touch {project}/pwned")
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    (project / ".gitattributes").write_text("*.py diff=own\n", encoding="utf-8")
    git(project, "config", "diff.own.textconv", f"touch {project}/pwned; cat")
    assert told(capsys, "--changed") == [NEW]
    assert not (project / "pwned").exists()


def test_a_repository_of_somebody_else(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("HOME", str(project))
    said = refused(capsys, "--changed")
    assert said.count("\n") == 1
    assert "detected dubious ownership in repository" in said
    assert main(["check", "--no-cache"]) == 1
