"""A real repository with a contract, and contracts of the scopes that build its feature."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.refunds import APP, OPENAPI

SCOPES = """Scope Contract: Refunds backend
Identity:
  scope_id: backend
Deliverables:
  - services/app.py
  - services/test_app.py
  - GET /refunds/{id}
Interfaces:
  exports:
    - type Refund
Constraints:
  shared_files:
    - web/money.ts

Scope Contract: Refunds page
Identity:
  scope_id: page
Deliverables:
  - web/src/**
  - web/money.ts
Interfaces:
  imports:
    - GET /refunds/{refundId} from backend
    - type Refund from backend
"""
PAGE = """export interface Refund {
  id: string;
  amount: number;
}
export function show(refund: Refund): string {
  return refund.id;
}
"""
BACKEND = {"services/app.py": APP, "services/test_app.py": "def test_app(): ...\n"}
WEB = {"web/src/page.ts": PAGE, "web/money.ts": "export const cents = 100;\n"}


class Repository:
    """A repository whose branch `main` has a contract, and a branch for each scope."""

    def __init__(self, folder: Path, files: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "a")
        self.git("config", "user.email", "a@b.example")
        self.commit(
            files or {"openapi.yaml": OPENAPI, "web/money.ts": "export const cents = 10;\n"}
        )
        (folder.parent / "scopes.md").write_text(SCOPES)

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)
        self.git("add", "--all")
        self.git("commit", "-q", "-m", "work")

    def branch(self, name: str, files: Mapping[str, str]) -> None:
        self.git("checkout", "-q", "-b", name, "main")
        self.commit(files)
        self.git("checkout", "-q", "main")
