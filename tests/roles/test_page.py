"""The session that docs/roles.md shows, typed as it stands there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from contract_scan.roles.team import TEAM

PAGE = (Path(__file__).parents[2] / "docs" / "roles.md").read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)[number]


@pytest.mark.skipif(sys.platform != "linux", reason="the page shows GNU's sed")
def test_the_session_of_the_page(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    (shop / "services").mkdir(parents=True)
    (shop / "services" / "refunds.py").write_text(block("python", 0))
    (shop / "check.py").write_text(block("python", 1))
    (tmp_path / "PLAN_draft.md").write_text(block("markdown"))
    (tmp_path / "diff.patch").write_text(block("diff"))
    setup = "git init -q -b main && git add -A && git commit -qm Refunds"
    session = block("console")
    script = "\n".join(
        f"echo {shlex.quote(line)}\n{line[2:]}"
        for line in session.splitlines()
        if line.startswith("$ ")
    )
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    names = {
        f"GIT_{role}_{what}": "ann@shop.test"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        ["bash", "-c", f"{setup}\n{script}\n"],
        cwd=shop,
        env={**os.environ, **names, "PATH": places, "PAGER": "cat"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    assert done.stdout == session


def test_the_page_names_every_role_and_what_it_must_not_do() -> None:
    table = PAGE.partition("## What a role must not do")[2].partition("\n\nBeyond")[0]
    rows = re.findall(r"^\| ([a-z_, ]+) \| ([^|]*) \| [^|]* \|$", table, flags=re.MULTILINE)
    named = {
        role: {part.strip() for part in texts.split(",")}
        for roles, texts in rows
        if roles != "role"
        for role in roles.split(", ")
    }
    assert named == {role.name: {one.text for one in role.prohibitions} for role in TEAM}
