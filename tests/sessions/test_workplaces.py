"""Working trees of sessions are removed where nothing is lost by it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contract_scan.cli.main import main as contract_scan
from contract_scan.cli.sessions import main
from contract_scan.scopes.markdown_form import read_markdown
from contract_scan.sessions.lifecycle import abort, resume
from tests.sessions.project import Project

COMMIT = ("-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "-m")


@pytest.fixture
def shop(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose branch `main` has one file."""
    project.git("init", "--quiet", "--initial-branch", "main")
    (project.folder / "a.txt").write_text("a\n")
    project.git("add", "a.txt")
    project.git(*COMMIT, "one")
    monkeypatch.chdir(project.folder)
    return project


def trees(project: Project) -> Path:
    return project.folder.parent / "trees"


def branches(project: Project) -> list[str]:
    return project.git("branch", "--format=%(refname:short)").split()


def committed(project: Project, session_id: str, file: str) -> None:
    """What an agent commits in the working tree of its session."""
    place = str(trees(project) / session_id)
    (trees(project) / session_id / file).write_text("new\n")
    project.git("-C", place, "add", file)
    project.git("-C", place, *COMMIT, "work")


def test_what_is_committed_can_go_and_its_branch_stays(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.spawn("say it", worktrees=trees(shop))
    shop.ended("0")
    committed(shop, "0", "b.txt")
    assert main(["finish"]) == 0
    assert capsys.readouterr().out == "0: branch scope/0 stays\n"
    assert not (trees(shop) / "0").exists()
    assert branches(shop) == ["main", "scope/0"]
    assert shop.now("0").state == "done"
    assert main(["finish"]) == 0
    assert capsys.readouterr().out == ""


def test_a_branch_that_was_merged_can_go_too(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in ("b.txt", "c.txt"):
        session = shop.spawn("say it", worktrees=trees(shop))
        shop.ended(session.id)
        committed(shop, session.id, file)
    shop.git("merge", "--quiet", "scope/0")
    assert main(["finish", "--delete-merged"]) == 0
    assert capsys.readouterr().out == "0: branch scope/0 is deleted\n1: branch scope/1 stays\n"
    assert branches(shop) == ["main", "scope/1"]


def test_an_aborted_session_that_did_nothing_leaves_nothing(shop: Project) -> None:
    shop.spawn("sleep 600", worktrees=trees(shop))
    abort(shop.store, "0")
    assert main(["finish", "0", "--delete-merged"]) == 0
    assert branches(shop) == ["main"]
    assert list(trees(shop).iterdir()) == []


def test_nothing_that_is_not_committed_is_lost(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.spawn("write b.txt b\nwrite c.txt c\nfail 1", worktrees=trees(shop))
    shop.ended("0")
    assert main(["finish", "--delete-merged"]) == 1
    assert capsys.readouterr().out == "0 stays: b.txt and 1 more is not committed\n"
    assert (trees(shop) / "0" / "c.txt").read_text() == "c\n"


@pytest.fixture
def author(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git knows who commits."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "t")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "t@t")


@pytest.mark.usefixtures("author")
def test_what_an_agent_did_not_commit_is_committed_when_its_session_is_done(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop.folder / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (shop.folder / ".git" / "hooks" / "pre-commit").chmod(0o755)
    shop.spawn("write b.txt b\nwrite a.txt changed", worktrees=trees(shop))
    shop.ended("0")
    assert shop.git("log", "--format=%s|%b", "main..scope/0") == (
        "write b.txt b write a.txt changed|Session 0 of fake"
    )
    assert shop.git("diff", "--name-only", "main", "scope/0") == "a.txt\nb.txt"
    assert main(["finish"]) == 0
    assert capsys.readouterr().out == "0: branch scope/0 stays\n"
    shop.spawn("say it", worktrees=trees(shop))
    shop.ended("1")
    assert shop.git("rev-parse", "scope/1") == shop.git("rev-parse", "main")


AIDER = """#!/bin/sh
echo 1 > .aider.chat.history.md
mkdir -p part/.aider.tags.cache.v4
echo 1 | tee part/.aider.tags.cache.v4/cache.db > part/b.txt
"""


@pytest.mark.usefixtures("author")
def test_what_an_agent_keeps_for_itself_is_not_committed(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = shop.folder.parent / "bin" / "aider"
    program.parent.mkdir()
    program.write_text(AIDER)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    shop.spawn("Write it", worktrees=trees(shop), agent="aider")
    shop.ended("0")
    assert shop.git("diff", "--name-only", "main", "scope/0") == "part/b.txt"


@pytest.mark.usefixtures("author")
def test_in_the_working_tree_of_a_scope_too_but_not_in_the_main_one(shop: Project) -> None:
    (contract,) = read_markdown(CONTRACT)
    shop.git("worktree", "add", "--quiet", "-b", "main--part", "../trees/part", "main")
    shop.spawn("write b.txt b", cwd=trees(shop) / "part", contract=contract)
    shop.spawn("write b.txt b", contract=contract)
    shop.ended("0", "1")
    assert shop.git("diff", "--name-only", "main", "main--part") == "b.txt"
    assert shop.git("status", "--porcelain", "b.txt") == "?? b.txt"


@pytest.mark.usefixtures("author")
def test_a_merge_that_an_agent_left_half_done_is_not_committed(shop: Project) -> None:
    shop.git("checkout", "--quiet", "-b", "other")
    (shop.folder / "a.txt").write_text("other\n")
    shop.git(*COMMIT, "other", "a.txt")
    shop.git("checkout", "--quiet", "main")
    (shop.folder / "a.txt").write_text("main\n")
    shop.git(*COMMIT, "main", "a.txt")
    shop.spawn("git merge other", worktrees=trees(shop))
    shop.ended("0")
    assert shop.git("rev-parse", "scope/0") == shop.git("rev-parse", "main")
    output = (shop.store.folder_of("0") / "output").read_text()
    assert output.endswith("its work is not committed: a merge there is not finished\n")


def test_commits_that_are_on_no_branch_are_not_lost(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.spawn("say it", worktrees=trees(shop))
    shop.ended("0")
    place = str(trees(shop) / "0")
    shop.git("-C", place, "checkout", "--quiet", "--detach")
    committed(shop, "0", "b.txt")
    commit = shop.git("-C", place, "rev-parse", "HEAD")
    assert main(["finish"]) == 1
    assert capsys.readouterr().out == f"0 stays: its commit {commit[:12]} is on no branch\n"


def test_where_a_session_works_nothing_is_removed(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.spawn("sleep 600", worktrees=trees(shop))
    shop.until(lambda: shop.now("0").state == "running")
    assert main(["finish", "0"]) == 1
    assert capsys.readouterr().out == "0 stays: session 0 has not ended\n"
    assert main(["finish"]) == 0
    assert (trees(shop) / "0").is_dir()
    shop.spawn("sleep 600", cwd=trees(shop) / "0")
    abort(shop.store, "0")
    assert main(["finish", "0"]) == 1
    assert capsys.readouterr().out == "0 stays: session 1 works in it\n"


def test_a_working_tree_of_another_repository_stays_whatever_a_record_says(
    shop: Project, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path_factory.mktemp("other")
    shop.git("clone", "--quiet", str(shop.folder), str(other / "main"))
    linked = other / "linked"
    shop.git("-C", str(other / "main"), "worktree", "add", "--quiet", str(linked))
    shop.spawn("say it", worktrees=trees(shop))
    shop.ended("0")
    shop.store.put_text("0", "cwd", f"{linked}\n")
    shop.store.put_text("0", "branch", "linked\n")
    assert main(["finish", "--delete-merged"]) == 1
    said = f"0 stays: {linked} is no working tree of {shop.folder}\n"
    assert capsys.readouterr().out == said
    assert (linked / "a.txt").exists()


def test_what_a_session_prints_goes_through_no_link(shop: Project) -> None:
    shop.spawn("say it")
    shop.ended("0")
    elsewhere = shop.folder.parent / "elsewhere"
    elsewhere.touch()
    output = shop.store.folder_of("0") / "output"
    output.unlink()
    output.symlink_to(elsewhere)
    resume(shop.store, "0")
    (session,) = shop.ended("0")
    assert (session.state, elsewhere.read_text()) == ("aborted", "")
    assert "/output: cannot be written: " in session.reason


def test_sessions_without_a_working_tree_of_their_own(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.spawn("say it")
    shop.ended("0")
    assert main(["finish", "0"]) == 1
    assert capsys.readouterr().err == "scope: session 0 has no working tree of its own\n"


CONTRACT = """Scope Contract: Part
Identity:
  scope_id: part
Deliverables:
  - b.txt
"""


def test_the_working_tree_of_a_scope_stays_while_a_session_works_in_it(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop.folder.parent / "scopes.md").write_text(CONTRACT)
    files = ["../scopes.md", "--worktrees", "../trees"]
    words = ["--base", "main", "--feature", "F", "--output-file", "../tasks.json"]
    assert contract_scan(["scopes", "start", *files, *words]) == 0
    shop.spawn("sleep 600", cwd=trees(shop) / "part")
    finish = ["scopes", "finish", *files, "--base", "main", "--delete-merged"]
    assert contract_scan(finish) == 1
    assert capsys.readouterr().out == ("part stays: session 0 works in it; `scope list` shows it\n")
    abort(shop.store, "0")
    committed(shop, "part", "b.txt")
    assert contract_scan(["scopes", "finish", *files]) == 0
    assert branches(shop) == ["main", "main--part"]
    shop.git("merge", "--quiet", "main--part")
    shop.git("worktree", "add", "--quiet", "../trees/part", "main--part")
    capsys.readouterr()
    assert contract_scan(finish) == 0
    assert capsys.readouterr().out == "branch main--part is deleted\n"
    assert branches(shop) == ["main"]
