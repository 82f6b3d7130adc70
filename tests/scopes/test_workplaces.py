"""Branches, working trees and tasks of scopes, in a real repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.scopes.repositories import BACKEND, SCOPES, Repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Repository(folder)


def start(*words: str) -> int:
    return main(
        ["scopes", "start", "../scopes.md", "--base", "main", "--feature", "Refunds", *words]
    )


def finish() -> int:
    return main(["scopes", "finish", "../scopes.md", "--worktrees", "../trees"])


def test_a_hook_may_start_scopes_while_its_commit_is_made(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = repository.folder / ".git" / "index"
    before = index.read_bytes()
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    assert start("--worktrees", "../trees") == 0
    assert index.read_bytes() == before
    monkeypatch.delenv("GIT_INDEX_FILE")
    place = tmp_path / "trees" / "backend"
    assert repository.git("-C", str(place), "status", "--porcelain") == ""


def test_every_scope_gets_a_branch_a_working_tree_and_a_task(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert start("--worktrees", "../trees") == 0
    backend, page = json.loads(capsys.readouterr().out)
    place = tmp_path / "trees" / "backend"
    assert (place / "openapi.yaml").is_file()
    assert repository.git("-C", str(place), "branch", "--show-current") == "main--backend"
    assert [page["id"], page["branch"]] == ["page", "main--page"]
    assert backend == {
        "id": "backend",
        "subject": "Refunds: Refunds backend",
        "executor": "rePACT",
        "branch": "main--backend",
        "metadata": {
            "scope_contract": {
                "name": "Refunds backend",
                "identity": {"scope_id": "backend", "parent_scope": "root", "executor": "rePACT"},
                "deliverables": ["services/app.py", "services/test_app.py", "GET /refunds/{id}"],
                "interfaces": {"exports": ["type Refund"], "imports": []},
                "constraints": {"shared_files": ["web/money.ts"], "conventions": []},
            },
            "worktree_path": str(place),
            "nesting_depth": 1,
        },
        "prompt": (
            "Work on the scope `backend` of: Refunds\n\nWhen you are done, commit your work to the "
            "branch of this folder and hand back a `Handoff:` with its six fields, and a `Contract "
            "Fulfillment:` that says of every deliverable whether it is delivered (✅) or not "
            "(❌).\n"
        ),
        "cwd": "",
    }


def test_agent_teams_are_handed_the_contract_in_the_prompt(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scopes = SCOPES.replace("scope_id: page\n", "scope_id: page\n  executor: agent teams\n")
    (tmp_path / "scopes.md").write_text(scopes)
    assert start("--worktrees", "../trees") == 0
    _, page = json.loads(capsys.readouterr().out)
    assert page["executor"] == "Agent Teams"
    assert page["metadata"] == {}
    assert page["cwd"] == str(tmp_path / "trees" / "page")
    assert "  imports:\n    - GET /refunds/{refundId} from backend\n" in page["prompt"]
    assert "This scope lies 1 level deep: do not divide it again.\n" in page["prompt"]


def test_what_is_committed_is_tidied_away_and_the_rest_stays(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert start("--worktrees", "../trees") == 0
    place = tmp_path / "trees" / "backend"
    for name, text in BACKEND.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    capsys.readouterr()
    assert finish() == 1
    assert capsys.readouterr().out == "backend stays: services/app.py and 1 more is not committed\n"
    assert [one.name for one in (tmp_path / "trees").iterdir()] == ["backend"]
    repository.git("-C", str(place), "add", "--all")
    repository.git("-C", str(place), "commit", "-q", "-m", "work")
    assert finish() == 0
    assert list((tmp_path / "trees").iterdir()) == []
    assert repository.git("show", "main--backend:services/app.py").startswith("from fastapi")


@pytest.mark.parametrize(
    ("prepare", "words", "message"),
    [
        (
            [],
            ["--worktrees", "trees"],
            "trees: lies in the repository, where scans would look into it",
        ),
        (
            ["branch", "main--page"],
            ["--worktrees", "../trees"],
            "{root}: branch `main--page` is there already",
        ),
        (
            ["worktree", "add", "-q", "../trees/page", "-b", "other"],
            ["--worktrees", "../trees"],
            "{trees}/page: is there already; `scopes finish` removes it",
        ),
        ([], ["--worktrees", "../trees", "--base", "gone"], "{root}: git knows no commit `gone`"),
    ],
)
def test_all_working_trees_are_made_or_none(
    prepare: list[str],
    words: list[str],
    message: str,
    repository: Repository,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if prepare:
        repository.git(*prepare)
    before = repository.git("worktree", "list"), repository.git("branch", "--list")
    assert start(*words) == 2
    places = {"root": repository.folder.resolve(), "trees": (tmp_path / "trees").resolve()}
    assert capsys.readouterr() == ("", f"contract-scan: {message.format(**places)}\n")
    assert (repository.git("worktree", "list"), repository.git("branch", "--list")) == before


def test_where_one_cannot_be_made_the_others_are_taken_back(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trees").mkdir()
    repository.git("branch", "main--page/inner")  # so that no branch can be called `main--page`
    assert start("--worktrees", "../trees") == 2
    assert "cannot lock ref" in capsys.readouterr().err
    assert list((tmp_path / "trees").iterdir()) == []
    assert repository.git("branch", "--list").split() == ["*", "main", "main--page/inner"]


def test_an_executor_that_nobody_knows(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scopes = SCOPES.replace("scope_id: page\n", "scope_id: page\n  executor: nobody\n")
    (tmp_path / "scopes.md").write_text(scopes)
    assert start("--worktrees", "../trees") == 2
    assert capsys.readouterr().err == (
        "contract-scan: there is no executor 'nobody'; there are rePACT, Agent Teams\n"
    )
    assert not (tmp_path / "trees").exists()


def test_no_hook_or_filter_of_the_repository_is_run(repository: Repository, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    repository.commit({".gitattributes": "*.ts filter=own\n"})
    repository.git("config", "filter.own.smudge", f"touch {mark}")
    hook = repository.folder / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    assert start("--worktrees", "../trees") == 0
    assert finish() == 0
    assert not mark.exists()
    repository.git("worktree", "add", "-q", str(tmp_path / "plain"))
    assert mark.exists()  # so git by itself would have run them
