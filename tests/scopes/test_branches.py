"""Scopes of one feature on branches of a real repository, merged and held against each other."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.scopes.repositories import APP, BACKEND, PAGE, SCOPES, WEB, Repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Repository(folder)


def consolidate(*words: str) -> int:
    return main(["scopes", "consolidate", "../scopes.md", "--base", "main", *words])


def test_scopes_that_keep_their_contracts_become_a_branch(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.branch("main--backend", BACKEND)
    repository.branch("main--page", WEB)
    assert consolidate("--into", "refunds") == 0
    commit = repository.git("rev-parse", "refunds")
    assert capsys.readouterr().out == (
        f"2 scopes: 0 breaches of contracts, 0 undetermined\nrefunds is at {commit}\n"
    )
    assert repository.git("log", "--first-parent", "--format=%s", "refunds").splitlines() == [
        "Merge scope page (main--page)",
        "Merge scope backend (main--backend)",
        "work",
    ]
    assert repository.git("status", "--porcelain") == ""
    assert repository.git("rev-parse", "--abbrev-ref", "HEAD") == "main"


def test_a_scope_that_breaks_its_contract_in_three_ways(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    drifted = APP.replace("amount", "amount_cents")
    repository.branch(
        "main--backend",
        {"services/app.py": drifted, "web/money.ts": "export const cents = 1;\n"},
    )
    repository.branch("main--page", {"web/src/page.ts": PAGE, "web/money.ts": "// cents\n"})
    repository.git("checkout", "-q", "main--page")
    repository.commit({"web/money.ts": "export const cents = 1;\n"})
    repository.git("checkout", "-q", "main")
    assert consolidate("--into", "refunds") == 1
    assert capsys.readouterr().out == (
        "../scopes.md:6: undelivered: backend: services/test_app.py: no such file\n"
        "../scopes.md:13: forbidden-file: backend: web/money.ts was changed; it belongs to a "
        "sibling (`web/money.ts`)\n"
        "../scopes.md:1: broken-promise: backend: services/app.py:7: CONTRACT-001/missing-field: "
        "`GET /refunds/{id}` response 200 lacks `amount`, which the contract requires\n"
        "2 scopes: 3 breaches of contracts, 0 undetermined\n"
    )
    assert repository.git("branch", "--list", "refunds") == ""


def test_a_type_that_siblings_declare_differently(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.branch("main--backend", BACKEND)
    page = PAGE.replace("amount: number", "amount: string")
    repository.branch("main--page", {**WEB, "web/src/page.ts": page})
    assert consolidate() == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("../scopes.md:24: type-conflict: page: web/src/page.ts: ")
    assert first.endswith("(as `backend` declares it)")
    assert last == "2 scopes: 1 breaches of contracts, 0 undetermined"


def test_files_in_conflict_are_named_with_the_scope_that_comes_later(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.branch("one", {**BACKEND, "web/money.ts": "export const cents = 1;\n"})
    repository.branch("two", {**WEB, "web/money.ts": "export const cents = 2;\n"})
    assert consolidate("--branch", "backend=one", "--branch", "page=two") == 1
    assert capsys.readouterr().out == (
        "../scopes.md:13: forbidden-file: backend: web/money.ts was changed; it belongs to a "
        "sibling (`web/money.ts`)\n"
        "../scopes.md:15: merge-conflict: page: web/money.ts is in conflict with what the scopes "
        "before it changed\n"
        "2 scopes: 2 breaches of contracts, 0 undetermined\n"
    )


def test_a_scope_that_could_not_be_done_is_told_once(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.branch("main--backend", BACKEND)
    repository.git("branch", "main--page", "main")
    (tmp_path / "tasks.json").write_text(
        """[
          {"id": "backend", "status": "completed"},
          {"id": "page", "status": "completed",
           "metadata": {"stalled": true, "reason": "no design"}}
        ]"""
    )
    assert consolidate("--tasks", "../tasks.json") == 1
    assert capsys.readouterr().out == (
        "../scopes.md:15: stalled: page: its task is stalled: no design\n"
        "2 scopes: 1 breaches of contracts, 0 undetermined\n"
    )


def test_what_siblings_do_not_offer(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scopes = SCOPES.replace(
        "    - type Refund from backend\n",
        "    - type Refund from backend\n    - type Order from backend\n"
        "    - event refunds.settled\n    - type Order from nobody\n"
        "  exports:\n    - type Refund\n",
    )
    (tmp_path / "scopes.md").write_text(scopes)
    repository.branch("main--backend", BACKEND)
    repository.branch("main--page", WEB)
    assert consolidate() == 1
    assert capsys.readouterr().out == (
        "../scopes.md:29: double-export: page: type Refund is exported by `backend` as well\n"
        "../scopes.md:25: unmet-import: page: type Order from backend: `backend` does not export "
        "it\n"
        "../scopes.md:26: unmet-import: page: event refunds.settled: no sibling exports it\n"
        "../scopes.md:27: unmet-import: page: type Order from nobody: there is no scope `nobody`\n"
        "2 scopes: 4 breaches of contracts, 0 undetermined\n"
    )


def test_a_branch_that_is_moved_leaves_a_backup(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.branch("main--backend", BACKEND)
    repository.branch("main--page", WEB)
    repository.git("branch", "refunds", "main")
    before = repository.git("rev-parse", "main")
    assert consolidate("--into", "refunds") == 0
    backup = f"refs/contract-scan/backup/refunds/{before}"
    assert capsys.readouterr().out.endswith(f"; it was at {backup}\n")
    assert repository.git("rev-parse", backup) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--branch", "page=gone"], "{root}: git knows no commit `gone`"),
        (["--branch", "x=y"], "--branch 'x=y': say ID=VALUE, of backend, page"),
        (["--handoff", "page="], "--handoff 'page=': say ID=VALUE, of backend, page"),
        (
            ["--into", "main"],
            "{root}: branch `main` is checked out; name another one and merge that yourself",
        ),
    ],
)
def test_what_cannot_be_consolidated_is_one_line(
    words: list[str],
    message: str,
    repository: Repository,
    capsys: pytest.CaptureFixture[str],
) -> None:
    repository.branch("main--backend", BACKEND)
    repository.branch("main--page", WEB)
    assert consolidate(*words) == 2
    root = os.path.realpath(repository.folder)
    assert capsys.readouterr().err == f"contract-scan: {message.format(root=root)}\n"


def test_nothing_that_the_repository_configures_is_run(
    repository: Repository, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    repository.commit({".gitattributes": "*.ts merge=own filter=own\n"})
    repository.branch("main--backend", {**BACKEND, "web/money.ts": "export const cents = 1;\n"})
    repository.branch("main--page", {**WEB, "web/money.ts": "export const cents = 2;\n"})
    for key in ("merge.own.driver", "filter.own.smudge", "filter.own.clean", "core.fsmonitor"):
        repository.git("config", key, f"touch {mark}")
    hook = repository.folder / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    assert consolidate() == 1
    assert not mark.exists()
    subprocess.run(
        ["git", "merge-tree", "--write-tree", "main--backend", "main--page"],
        cwd=repository.folder,
        check=False,
        capture_output=True,
    )
    assert mark.exists()  # so git by itself would have run the driver
