"""What was printed is said again after edits that change nothing of it, also where the report is
limited to what a commit changes; and whatever is edited, the command says what it says without a
cache."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from contract_scan.clients import git
from contract_scan.clients.changes import STAGED, changes
from contract_scan.parsers.source.languages import SUFFIXES
from tests.cli.test_again import (
    BOOKSHOP,
    CONTRACT,
    EDITS,
    JSON,
    NOTHING,
    OLD,
    ORDERS,
    Project,
)

SIGNS = {".cs": "//", ".java": "//", ".py": "#", ".ts": "//"}
ROUTE = "services/orders/orders/api/orders.py"


def _git(root: Path, *words: str) -> None:
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(root), *settings, *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two services of the bookshop in one commit, all of it written long ago."""
    root = tmp_path_factory.mktemp("original") / "bookshop"
    others = shutil.ignore_patterns("admin", "catalog", "gateway")
    shutil.copytree(BOOKSHOP, root, ignore=others)
    _git(root.parent, "init", "--quiet", str(root))
    _git(root, "add", "--all", "--force")
    _git(root, "commit", "--quiet", "--message", "one")
    for path in root.rglob("*"):
        os.utime(path, (OLD, OLD))
    return root


@pytest.fixture
def project(
    original: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Project:
    root = Path(shutil.copytree(original, tmp_path / "bookshop"))
    monkeypatch.chdir(root)
    return Project(root, capsys)


def _first(lines: list[str], *words: str) -> int:
    return next(n for n, line in enumerate(lines) if n > 1 and line.lstrip().startswith(words))


def _with_comment(text: str, suffix: str) -> str:
    """A comment and a blank line above the first class or function, and what is annotated there."""
    lines = text.split("\n")
    at = _first(lines, "class", "def", "async def", "public", "export", "[")
    while lines[at - 1].lstrip().startswith(("@", "[")):
        at -= 1
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return "\n".join([*lines[:at], f"{indent}{SIGNS[suffix]} a word", "", *lines[at:]])


def _commented(project: Project) -> dict[str, str]:
    """Every source file in which something may be declared, with a comment above it."""
    found = {}
    for path in project.sources():
        text = (project.root / path).read_text(encoding="utf-8")
        try:
            found[path] = _with_comment(text, Path(path).suffix)
        except StopIteration:
            continue
    return found


def test_a_comment_in_a_file_that_nothing_is_said_of_changes_nothing(project: Project) -> None:
    words = (*JSON, "--select", "CONTRACT-004")
    printed = project.run(*words).printed
    silent = [path for path in _commented(project) if Path(path).name not in printed]
    texts = _commented(project)
    said = project.run(*silent, *words)
    for path in silent:
        (project.root / path).write_text(texts[path], encoding="utf-8")
    assert len(silent) > 10
    assert project.again(*silent, *words) == said
    assert project.run(*silent, *words, "--no-cache") == said


UNSET = {
    "App.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup></PropertyGroup></Project>',
    "Owner.cs": """namespace App;

public class Owner { public string Name { get; set; } public string Title { get; set; } }
""",
    "Tool.cs": """namespace App;

public class Book { public string Title { get; set; } }
public class Tool { public void Clear(Book book) { book.Title = null; } }
""",
    "Controller.cs": """namespace App;

[ApiController, Route("owners")]
public class OwnersController : ControllerBase
{
    [HttpGet("{id}")]
    public IActionResult Get(string id) { return Ok(new Owner { Name = "x" }); }
}
""",
    "openapi.yaml": """openapi: 3.0.3
info: {title: T, version: "1"}
paths:
  /owners/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200":
          description: ""
          content:
            application/json:
              schema: {type: object, properties: {title: {type: string}}}
""",
}


def test_a_comment_where_a_member_of_an_object_is_set_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All files that set a member of the name are looked through, of which only that counts."""
    for path, text in UNSET.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
        os.utime(tmp_path / path, (OLD, OLD))
    _git(tmp_path, "init", "--quiet")
    _git(tmp_path, "add", "--all")
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path, capsys)
    said = project.run(*JSON)
    assert "null" in said.printed
    tool = tmp_path / "Tool.cs"
    tool.write_text(_with_comment(UNSET["Tool.cs"], ".cs"), encoding="utf-8")
    os.utime(tool, (OLD + 1, OLD + 1))
    assert project.again(*JSON) == said
    tool.write_text(UNSET["Tool.cs"].replace("Book book", "Owner book"), encoding="utf-8")
    os.utime(tool, (OLD + 2, OLD + 2))
    assert project.again(*JSON) == NOTHING
    assert project.run(*JSON) != said


def test_one_edit_follows_the_other(project: Project) -> None:
    words = (*JSON, "--select", "CONTRACT-004")
    path = "services/orders/orders/repository.py"
    said = project.run(path, *words)
    for number, text in enumerate(("\n", "# the end\n", "\n\n", "# now\n")):
        project.append(path, text)
        os.utime(project.root / path, (OLD + number + 1, OLD + number + 1))
        assert project.again(path, *words) == said


def test_a_comment_above_what_is_told_moves_it(project: Project) -> None:
    words = ("--output-format", "concise")
    said = project.run(*words)
    text = (project.root / ORDERS).read_text(encoding="utf-8")
    (project.root / ORDERS).write_text(_with_comment(text, ".py"), encoding="utf-8")
    assert project.again(*words) == NOTHING
    assert project.is_right(*words)
    assert project.run(*words) != said


def test_what_no_longer_holds_of_one_part_is_forgotten_alone(project: Project) -> None:
    """The whole names the file, the part does not."""
    words = (*JSON, "--select", "CONTRACT-001")
    project.run(*words)
    printed = project.run("services/orders", *words).printed
    path = next(path for path in _commented(project) if Path(path).name not in printed)
    project.run(path, *words)
    other = project.root / ORDERS
    other.write_text(_with_comment(other.read_text(encoding="utf-8"), ".py"), encoding="utf-8")
    os.utime(other, (OLD + 9, OLD + 9))
    assert project.again(path, *words) == project.run(path, *words, "--no-cache")
    assert project.again(*words) == NOTHING
    assert project.is_right(*words)


# ---------------------------------------------------------------------- what a commit changes


@pytest.mark.parametrize("option", ["--staged", "--changed", "--changed=HEAD"])
def test_what_was_said_of_a_change_is_said_of_the_next(project: Project, option: str) -> None:
    words = (option, "--output-format", "concise")
    said = project.run(*words)
    assert "No other violation" in said.printed
    assert project.again(*words) == said
    project.append("services/orders/orders/repository.py", "\n# the end\n")
    _git(project.root, "add", "--all")
    assert project.again(*words) == project.run(*words, "--no-cache")
    project.append(CONTRACT, "# the end\n")
    _git(project.root, "add", "--all")
    assert project.again(*words) == NOTHING
    assert project.is_right(*words)


def test_a_branch_is_compared_with_where_it_parted(project: Project) -> None:
    words = ("--changed=main", "--output-format", "concise")
    _git(project.root, "branch", "--force", "main")
    _git(project.root, "checkout", "--quiet", "-B", "work")
    project.append(ORDERS, "\nlate = 1\n")
    _git(project.root, "commit", "--quiet", "--all", "--message", "two")
    right = project.run(*words, "--no-cache")
    assert "orders.py" in right.printed
    assert project.run(*words) == right
    assert project.again(*words) == right
    assert project.again("--changed=nowhere", *words[1:]) == NOTHING


def test_a_route_that_a_commit_takes_away_is_told(project: Project) -> None:
    words = ("--staged", "--output-format", "concise")
    project.run(*words)
    file = project.root / ROUTE
    text = file.read_text(encoding="utf-8")
    lines = text.split("\n")
    at = _first(lines, "@router.get")
    file.write_text("\n".join([*lines[:at], *lines[at + 1 :]]), encoding="utf-8")
    _git(project.root, "add", "--all")
    right = project.run(*words, "--no-cache")
    assert "CONTRACT-002" in right.printed
    assert project.run(*words) == right
    assert project.again(*words) == right
    file.write_text(text, encoding="utf-8")
    _git(project.root, "add", "--all")
    assert project.is_right(*words)


def test_paths_limit_a_change_further(project: Project) -> None:
    project.append(ORDERS, "\nlate = 1\n")
    for words in (
        ["--changed", ORDERS, "contracts"],
        ["--changed", "contracts", "services/payments"],
    ):
        right = project.run(*words, "--no-cache")
        assert project.run(*words) == right
        assert project.again(*words) == right


def _both(root: Path, since: str) -> tuple[object, object]:
    suffixes = tuple(SUFFIXES)
    full = (
        git.staged_changes(root, suffixes)
        if since == STAGED
        else git.changed_since(root, since, suffixes)
    )
    names = sorted(file.relative_to(root).as_posix() for file in full.files)
    return changes(str(root), since, suffixes), (names, full.removed)


@pytest.mark.parametrize("since", [STAGED, "HEAD", "HEAD~1"])
def test_changes_are_told_as_git_is_asked_for_them_elsewhere(project: Project, since: str) -> None:
    root = project.root
    project.append(CONTRACT, "# two\n")
    _git(root, "commit", "--quiet", "--all", "--message", "two")
    (root / "a b é\"'.py").write_text("late = 1\n-- x\n")
    text = (root / ORDERS).read_text(encoding="utf-8")
    (root / ORDERS).write_text(text.replace("return", "yield"), encoding="utf-8")
    (root / CONTRACT).unlink()
    _git(root, "add", "--all")
    (root / "new.py").write_text("x = 1\n")
    short, full = _both(root, since)
    assert short == full


def test_links_and_submodules_are_left_to_the_command(project: Project) -> None:
    (project.root / "link.py").symlink_to(ORDERS)
    _git(project.root, "add", "--all")
    assert changes(str(project.root), STAGED, tuple(SUFFIXES)) is None
    assert changes(str(project.root), "nowhere", tuple(SUFFIXES)) is None


# ---------------------------------------------------------------------- any edit

PIECES = ("{sign} a word", "{sign} it calls orders.get(1)", "", "{sign} contract-scan: ignore x",
          "/* a\n b */", "pass", "return null;")  # fmt: skip
KINDS = len(PIECES) + len(EDITS)
BREAKING = {4, 5, 6, *range(KINDS - 3, KINDS)}
"""Those after which a file may not be read any more."""


def _with_line(chance: random.Random, text: str, piece: str) -> str:
    """A further line at a random place."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines.insert(at, indent + piece)
    return "\n".join(lines)


def _edit(chance: random.Random, file: Path, number: int) -> None:
    """Edit a file in the way of a number."""
    text = file.read_text(encoding="utf-8")
    if number < len(PIECES):
        sign = SIGNS.get(file.suffix, "#")
        text = _with_line(chance, text, PIECES[number].format(sign=sign))
    else:
        text = EDITS[number - len(PIECES)](chance, text)
    file.write_text(text, encoding="utf-8")
    at = OLD + chance.randrange(10_000)
    os.utime(file, (at, at))


@pytest.mark.parametrize(
    ("seed", "words"), [(0, ("--staged", *JSON)), (1, ("--changed",))], ids=["staged", "changed"]
)
def test_no_edit_is_missed_in_what_a_commit_changes(
    project: Project, seed: int, words: tuple[str, ...]
) -> None:
    """Each of the two makes one half of all kinds of edits, those that break a file last."""
    chance = random.Random(seed)
    project.run(*words)
    kinds = sorted(range(KINDS), key=BREAKING.__contains__)[seed::2]
    for start in range(0, len(kinds), 2):
        names = [chance.choice(project.sources()), chance.choice((ORDERS, CONTRACT))]
        for name, number in zip(names, kinds[start : start + 2], strict=False):
            _edit(chance, project.root / name, number)
        _git(project.root, "add", "--all")
        right = project.run(*words, "--no-cache")
        assert project.again(*words) in (right, NOTHING)
        assert project.run(*words) == right
        if start % 4:
            _git(project.root, "commit", "--quiet", "--message", "more")
