"""Commands of a hook that git itself has started: what git tells it, it tells of the repository
that commits, and of the index that the commit is made of."""

from __future__ import annotations

import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.cli.test_changed import git, orders, project
from tests.forked import forked_programs
from tests.scopes.repositories import Repository

__all__ = ["project"]


@dataclass(frozen=True)
class Committed:
    """What the hook of one commit saw and said."""

    variables: dict[str, str]
    """Of git, as the hook was handed them."""
    status: int
    """Exit status of its command."""
    said: str


def commit(folder: Path, words: list[str], *options: str) -> Committed:
    """Commit in a folder, with a hook that runs a command of ours."""
    common = Path(git_output(folder, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    out = common / "said"
    out.mkdir(exist_ok=True)
    hook = common / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        "#!/bin/sh\n"
        f"env >'{out}/env'\n"
        f"{shlex.join(['contract-scan', *words])} >'{out}/text' 2>&1\n"
        f"echo $? >'{out}/status'\n"
    )
    hook.chmod(0o755)
    path = os.pathsep.join((str(forked_programs()), os.environ["PATH"]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path)
        git(folder, "commit", "--quiet", "--message=Change", *options)
    told = dict(line.partition("=")[::2] for line in (out / "env").read_text().splitlines())
    return Committed(
        variables={name: told[name] for name in ("GIT_DIR", "GIT_INDEX_FILE") if name in told},
        status=int((out / "status").read_text()),
        said=(out / "text").read_text(),
    )


def git_output(folder: Path, *words: str) -> str:
    """What git says in a folder."""
    done = subprocess.run(
        ["git", *words], cwd=folder, check=True, capture_output=True, text=True, timeout=300
    )
    return done.stdout.strip()


def scopes_repository(folder: Path) -> Repository:
    """A repository beside a file of scope contracts."""
    (folder / "repository").mkdir()
    return Repository(folder / "repository")


def linked(repository: Path) -> Path:
    """A working tree of the repository elsewhere, for whose hooks git sets `GIT_DIR` as well."""
    place = repository.parent / "linked"
    git(repository, "worktree", "add", "--quiet", "-b", "linked", str(place))
    return place


@pytest.mark.parametrize(
    ("options", "is_linked", "index"),
    [
        ((), False, "index"),
        (("--all",), False, "index.lock"),
        (("orders.py",), False, "next-index-"),
        (("--all",), True, "index.lock"),
    ],
    ids=["staged", "all", "one file", "linked"],
)
def test_the_index_that_the_commit_is_made_of_is_compared(
    project: Path, options: tuple[str, ...], is_linked: bool, index: str
) -> None:
    folder = linked(project) if is_linked else project
    (folder / "orders.py").write_text(orders("int"), encoding="utf-8")
    if not options:
        git(folder, "add", "orders.py")
    (folder / "new.py").write_text("", encoding="utf-8")
    check = ["check", "--staged", "--no-cache", "--quiet", "--output-format", "concise"]
    done = commit(folder, check, *options)
    assert Path(done.variables["GIT_INDEX_FILE"]).name.startswith(index)
    assert ("GIT_DIR" in done.variables) == is_linked
    assert (done.status, [line.partition(" ")[0] for line in done.said.splitlines()]) == (
        1,
        ["orders.py:8:9:"],
    )
    assert git_output(folder, "diff", "--name-only", "HEAD~", "HEAD") == "orders.py"
    assert git_output(folder, "status", "--porcelain") == "?? new.py"


@pytest.mark.parametrize("is_linked", [False, True], ids=["its own tree", "linked"])
def test_scopes_are_started_and_finished(tmp_path: Path, is_linked: bool) -> None:
    repository = scopes_repository(tmp_path)
    folder = linked(repository.folder) if is_linked else repository.folder
    trees = ["../scopes.md", "--worktrees", "../trees"]
    (folder / "web" / "money.ts").write_text("export const cents = 100;\n")
    start = ["scopes", "start", *trees, "--base", "main", "--feature", "Refunds"]
    done = commit(folder, start, "--all")
    assert done.status == 0, done.said
    assert ("GIT_DIR" in done.variables) == is_linked
    assert git_output(folder, "diff", "--name-only", "HEAD~", "HEAD") == "web/money.ts"
    assert git_output(folder, "status", "--porcelain") == ""
    for scope in ("backend", "page"):
        place = tmp_path / "trees" / scope
        assert git_output(place, "branch", "--show-current") == f"main--{scope}"
        assert git_output(place, "status", "--porcelain") == ""
        assert (place / "web" / "money.ts").read_text() == "export const cents = 10;\n"
    (folder / "web" / "money.ts").write_text("export const cents = 1000;\n")
    done = commit(folder, ["scopes", "finish", *trees], "--all")
    assert done.status == 0, done.said
    assert [*(tmp_path / "trees").iterdir()] == []
    assert git_output(folder, "diff", "--name-only", "HEAD~", "HEAD") == "web/money.ts"
    assert git_output(folder, "status", "--porcelain") == ""


@pytest.mark.parametrize("is_linked", [False, True], ids=["its own tree", "linked"])
def test_roles_begin_and_look_at_what_was_handed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_linked: bool
) -> None:
    repository = scopes_repository(tmp_path)
    folder = linked(repository.folder) if is_linked else repository.folder
    began = git_output(folder, "rev-parse", "HEAD")
    (folder / "web" / "money.ts").write_text("export const cents = 100;\n")
    words = ["roles", "start", "Pay", "--verify", "true", "--id", "pay"]
    done = commit(folder, words, "web/money.ts")
    assert done.status == 0, done.said
    assert ("GIT_DIR" in done.variables) == is_linked
    assert git_output(folder, "diff", "--name-only", "HEAD~", "HEAD") == "web/money.ts"
    assert git_output(folder, "log", "-1", "--format=%P") == began
    (folder / "web" / "money.ts").write_text("export const cents = 1000;\n")
    inside = commit(folder, ["roles", "advance"], "web/money.ts")
    monkeypatch.chdir(folder)
    assert git_output(folder, "diff", "--name-only", "HEAD~", "HEAD") == "web/money.ts"
    assert main(["roles", "advance"]) == inside.status == 1
