"""Who deals with which breach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main
from tests.scopes.repositories import APP, BACKEND, PAGE, SCOPES, WEB, Repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Repository(folder)


def triaged(folder: Path, status: int, *words: str) -> list[dict[str, Any]]:
    words = ("../scopes.md", "--base", "main", "--triage", "../triage.json", *words)
    assert main(["scopes", "consolidate", *words]) == status
    found = json.loads((folder / "triage.json").read_text())
    assert isinstance(found, list)
    return found


def test_a_scope_mends_what_it_broke(repository: Repository, tmp_path: Path) -> None:
    repository.branch("main--backend", {"services/app.py": APP})
    repository.branch("main--page", WEB)
    assert triaged(tmp_path, 1) == [
        {
            "scope_id": "backend",
            "branch": "main--backend",
            "action": "mend",
            "breaches": ["undelivered: services/test_app.py: no such file"],
            "blocker_task": "",
            "prompt": (
                "The scope `backend` does not keep its contract. Mend this on the branch "
                "`main--backend`:\n\n- undelivered: services/test_app.py: no such file\n\n"
                "When you are done, commit your work to the branch of this folder and hand back a "
                "`Handoff:` with its six fields, and a `Contract Fulfillment:` that says of every "
                "deliverable whether it is delivered (✅) or not (❌).\n"
            ),
        }
    ]


def test_what_no_scope_can_mend_is_for_its_parent_or_waits(
    repository: Repository, tmp_path: Path
) -> None:
    imports = "    - type Refund from backend\n"
    contracts = SCOPES.replace(imports, f"{imports}    - type Order from backend\n")
    (tmp_path / "scopes.md").write_text(contracts)
    page = PAGE.replace("amount: number", "amount: string")
    repository.branch("main--page", {**WEB, "web/src/page.ts": page})
    repository.git("branch", "main--backend", "main")
    (tmp_path / "tasks.json").write_text(
        """[{"id": "backend", "status": "completed",
            "metadata": {"blocked": true, "blocker_task": "12"}}]"""
    )
    found = triaged(tmp_path, 1, "--tasks", "../tasks.json")
    told = [(one["scope_id"], one["action"], one["blocker_task"]) for one in found]
    assert told == [("backend", "wait", "12"), ("page", "decide", "")]
    assert [one["prompt"] for one in found] == ["", ""]
    assert found[1]["breaches"] == [
        "unmet-import: type Order from backend: `backend` does not export it"
    ]


def test_where_nothing_is_broken_nobody_has_anything_to_do(
    repository: Repository, tmp_path: Path
) -> None:
    repository.branch("main--backend", BACKEND)
    repository.branch("main--page", WEB)
    assert triaged(tmp_path, 0, "--into", "refunds") == []
