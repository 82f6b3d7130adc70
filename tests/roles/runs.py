"""A real repository with a run of roles in it, and what its roles hand in."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contract_scan.cli.main import main

SOURCE = "def refund():\n    return None\n"
ANALYSIS = "Refunds have to be paid out.\n"
DRAFT = """# Refunds

Status: DRAFT
Scope-Allow: services/
Scope-Deny: services/secrets.py
Gates: verify
Stop:
- three patches failed
Budgets: max_files 2, max_added_lines 5
"""
SIGNED = DRAFT.replace("DRAFT", "SIGNED")
APPROVE = "Verdict: APPROVE\n"
BLOCK = "Verdict: BLOCK\nBlocking Reasons:\n- no test is planned\n"
DEPLOY = "Decision: DEPLOY\nReason: it passes\n"
PASSES = """diff --git a/services/refunds.py b/services/refunds.py
--- a/services/refunds.py
+++ b/services/refunds.py
@@ -1,2 +1,2 @@
 def refund():
-    return None
+    return 1
"""
FAILS = PASSES.replace("return 1", "return 2")
CHECK = "import services.refunds, sys\nprint('checked')\nsys.exit(services.refunds.refund() != 1)\n"
VERIFY = f"{sys.executable} check.py"


class Shop:
    """The repository, and the run `refunds` in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.run = root / ".agent-team" / "runs" / "refunds"

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=Ann", "-c", "user.email=ann@shop.test", *words],
            cwd=self.root,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def hand_in(self, **texts: str) -> None:
        """Write artifacts, by their names without folder and suffix."""
        for name, text in texts.items():
            file = self.run / PLACES[name]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def roles(
        self, capsys: pytest.CaptureFixture[str], verb: str, *words: str
    ) -> tuple[int, dict[str, Any]]:
        """The exit status of a verb, and where the run stands."""
        options = ["--root", str(self.root), "--run", "refunds", "--format", "json"]
        code = main(["roles", verb, *options, *words])
        return code, json.loads(capsys.readouterr().out)

    def advance(self, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, ...]:
        """Step, status, role and target of where the run stands."""
        _, standing = self.roles(capsys, "advance", *words)
        return tuple(standing[key] for key in ("step", "status", "role", "target"))

    def events(self) -> list[str]:
        lines = (self.run / "events.jsonl").read_text().splitlines()
        return [json.loads(line)["event"] for line in lines]


PLACES = {
    "analysis": "artifacts/analysis.md",
    "file_request": "artifacts/file_request.json",
    "draft": "artifacts/PLAN_draft.md",
    "plan": "artifacts/PLAN.md",
    "contract_review": "reviews/review_contract.md",
    "cost_review": "reviews/review_cost.md",
    "adjudication": "artifacts/adjudication.md",
    "patch": "artifacts/diff.patch",
    "deployment": "artifacts/deployment.md",
}


def repository(root: Path) -> Shop:
    """A repository with one commit."""
    shop = Shop(root)
    (root / "services").mkdir(parents=True)
    (root / "services" / "refunds.py").write_text(SOURCE)
    (root / "check.py").write_text(CHECK)
    shop.git("init", "-q", "-b", "main")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "Refunds")
    return shop
