"""Examples of the documents are real output: each is typed again, and prints what stands there.

A block of code is an example where the line above it says so: `<!-- typed in: bookshop -->` for
the project of that name in `fixtures/projects`, `<!-- typed in: shop -->` for the small one of the
tests of `check`. All examples of a document are typed in one copy of a project, in their order. A
line `…` stands for any number of lines.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_check import CONTRACT, SOURCE
from tests.forked import forked_programs

ROOT = Path(__file__).parents[1]
EXAMPLE = re.compile(r"^<!-- typed in: (\w+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = sorted(
    file
    for file in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if EXAMPLE.search(file.read_text("utf-8"))
)
ELSEWHERE = "…"


def project(name: str, folder: Path) -> Path:
    """A copy of a project, made where there is none yet."""
    root = folder / name
    if root.exists():
        return root
    if name == "shop":
        (root / "src").mkdir(parents=True)
        (root / "openapi.json").write_text(json.dumps(CONTRACT, indent=2) + "\n", "utf-8")
        (root / "src" / "app.py").write_text(drifted(), "utf-8")
    else:
        shutil.copytree(ROOT / "fixtures" / "projects" / name, root)
    return root


def drifted() -> str:
    """The small service, which sends its total as a text."""
    return SOURCE.replace("total: float", "total: str")


def typed(block: str, root: Path, cache: Path) -> tuple[list[str], list[str]]:
    """What an example says, and what its commands print, both with the commands."""
    lines = block.splitlines()
    printed: list[str] = []
    path = os.pathsep.join([str(forked_programs()), os.environ["PATH"]])
    for line in lines:
        if not line.startswith("$ "):
            continue
        command = line.removeprefix("$ ").partition("  #")[0]
        result = subprocess.run(
            ["bash", "-c", command],
            cwd=root,
            env={"PATH": path, "HOME": str(cache), "TERM": "dumb", "LC_ALL": "C.UTF-8"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        printed += [line, *result.stdout.splitlines()]
    return lines, printed


def first_difference(lines: list[str], printed: list[str]) -> str:
    """The first line of an example that is not printed where it should be; empty where all are."""
    at, anywhere = 0, False
    for line in lines:
        if line == ELSEWHERE:
            anywhere = True
            continue
        if anywhere and line in printed[at:]:
            at = printed.index(line, at)
        if at >= len(printed) or printed[at] != line:
            found = "\n".join(printed[at:] if anywhere else printed[at : at + 1])
            return f"{line!r} stands there, printed is:\n{found}"
        at, anywhere = at + 1, False
    return "" if anywhere or at == len(printed) else f"not there: {printed[at]!r}"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of all examples, so that a project is analysed once."""
    return tmp_path_factory.mktemp("home")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_an_example_prints_what_stands_there(document: Path, tmp_path: Path, cache: Path) -> None:
    for name, block in EXAMPLE.findall(document.read_text("utf-8")):
        assert first_difference(*typed(block, project(name, tmp_path), cache)) == ""


def test_the_pages_that_a_new_user_reads_have_examples() -> None:
    names = {str(document.relative_to(ROOT)) for document in DOCUMENTS}
    assert {"README.md", "docs/start.md", "docs/explain.md", "docs/exceptions.md"} <= names


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["$ x", "one", "two", "three"], ""),
        (["$ x", "…", "three"], ""),
        (["$ x", "one", "…"], ""),
        (["$ x", "one", "two"], "not there: 'three'"),
        (["$ x", "two", "…"], "'two' stands there, printed is:\none"),
        (["$ x", "…", "four"], "'four' stands there, printed is:\none\ntwo\nthree"),
    ],
)
def test_what_stands_there_is_compared_line_by_line(lines: list[str], said: str) -> None:
    assert first_difference(lines, ["$ x", "one", "two", "three"]) == said
