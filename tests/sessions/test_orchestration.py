"""The example of docs/orchestration.md: two scopes, built by agents in sessions, one of which
breaks its contract in three ways.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.forked import forked_python
from tests.sessions.project import Project, needs_tmux

PAGE = Path(__file__).parents[2] / "docs" / "orchestration.md"
_FILE = re.compile(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PROGRAMS = {"scope": "contract_scan.cli.sessions", "contract-scan": "contract_scan"}


@pytest.fixture
def text(project: Project) -> str:
    """The page, with the files that it shows in a repository."""
    page = PAGE.read_text(encoding="utf-8")
    for name, content in _FILE.findall(page):
        file = project.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    project.git("init", "--quiet", "--initial-branch", "main")
    project.git("config", "user.name", "a")
    project.git("config", "user.email", "a@b.example")
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "The start")
    return page


def run(project: Project, example: str, **variables: str) -> str:
    """Run the commands of an example, and return it with what they print."""
    programs = project.folder.parent / "bin"
    programs.mkdir(exist_ok=True)
    for name, module in _PROGRAMS.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{forked_python()}" -m {module} "$@"\n')
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    configuration = str(project.folder / "sessions.toml")
    environment = {**os.environ, "PATH": path, "SCOPE_CONFIG": configuration, **variables}
    printed = ""
    for command in re.findall(r"^\$ (.*)$", example, re.MULTILINE):
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=project.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )
        printed += f"$ {command}\n{done.stdout}"
    return printed


def results_of(project: Project) -> list[dict[str, Any]]:
    found = json.loads((project.folder.parent / "results.json").read_text())
    assert found["timed_out"] == []
    return list(found["results"])


@pytest.mark.parametrize(
    "variables",
    [{"SCOPE_NO_TMUX": "1"}, pytest.param({}, marks=needs_tmux)],
    ids=["plain", "tmux"],
)
def test_exactly_the_three_breaches_are_told(
    project: Project, text: str, variables: dict[str, str]
) -> None:
    for example in _CONSOLE.findall(text):
        assert run(project, example, **variables) == example
    backend, page = results_of(project)
    assert (backend["result"], page["result"]) == ("Built the endpoint.", "Built the page.")
    assert backend["contract"] == {
        "scope_id": "backend",
        "state": "findings",
        "findings": [
            {
                "rule": "SCOPE-001",
                "kind": "undelivered",
                "message": "services/test_app.py: no such file",
                "line": backend["contract"]["findings"][0]["line"],
            },
            {
                "rule": "SCOPE-002",
                "kind": "forbidden-file",
                "message": "web/money.ts was changed; it belongs to a sibling (`web/money.ts`)",
                "line": backend["contract"]["findings"][1]["line"],
            },
        ],
        "problem": None,
    }
    assert page["contract"] == {
        "scope_id": "page",
        "state": "delivered",
        "findings": [],
        "problem": None,
    }
    assert project.git("branch", "--list", "refunds") == ""
