"""Git, called in repositories whose configuration runs programs, fetches, or leads elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.clients.git import files_with_submodules
from contract_scan.clients.git_command import OPTIONS, WITH_HOOKS, TimeBudget
from contract_scan.clients.git_worktrees import uncommitted_files
from contract_scan.scopes.workplaces import Clearance, clear_workplace
from tests.cli.test_changed import NEW, OLD, git, orders, project, told
from tests.cli.test_check import checked
from tests.forked import forked_python
from tests.security.hostile_git import (
    WAYS,
    Listener,
    Trap,
    change,
    lack_an_object,
    pages,
    pages_by_verb,
    trap,
    watches_files_of_a_submodule,
)

__all__ = ["project"]

_ONE_RULE = "--select=CONTRACT-002"
"""Finds nothing here, so that no fix is drafted, which starts no git and takes most of the time."""
VERBS = (
    ("check", _ONE_RULE),
    ("check", _ONE_RULE, "--changed"),
    ("check", _ONE_RULE, "--staged"),
    ("check", _ONE_RULE, "--changed=HEAD~0", "."),
    ("check", _ONE_RULE, "orders.py"),
    ("extract",),
)


@pytest.fixture
def hostile(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Trap:
    return trap(project, tmp_path_factory.mktemp("around") / "outside")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
def test_nothing_that_the_repository_configures_is_run(
    hostile: Trap, way: Callable[[Trap], tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    change(hostile.repository)
    command = way(hostile)
    ran = [verb for verb in VERBS if main([*verb]) not in (0, 1, 2) or hostile.was_run()]
    assert ran == []
    capsys.readouterr()
    hostile.plainly(*command)
    assert hostile.was_run(), "git would not have run it anyway: this shows nothing"


@pytest.mark.parametrize("way", [pages, pages_by_verb])
def test_git_starts_no_pager_even_before_a_terminal(
    hostile: Trap, way: Callable[[Trap], tuple[str, ...]]
) -> None:
    """Into a pipe, which is how its output is read, git starts none anyway."""
    change(hostile.repository)
    command = way(hostile)
    hostile.plainly(*OPTIONS, *command)
    assert not hostile.was_run()
    hostile.plainly(*command)
    assert hostile.was_run(), "git would not have run it anyway: this shows nothing"


def test_every_command_of_git_is_called_with_the_options_that_take_settings_back(
    hostile: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(hostile.repository)
    outside = hostile.program.parent
    (outside / "git").write_text(
        f"#!/bin/sh\nprintf '%s\\0' \"$@\" >>'{outside}/words'\nprintf '\\n' >>'{outside}/words'\n"
        f"exec '{shutil.which('git')}' \"$@\"\n"
    )
    (outside / "git").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(outside), os.environ["PATH"])))
    for verb in VERBS:
        assert main([*verb]) in (0, 1)
    assert main(["roles", "start", "Pay", "--verify", "true", "--id", "pay"]) == 0
    assert main(["hooks", "install", "--git"]) == 0
    monkeypatch.undo()
    called = [
        line.split("\0")[:-1] for line in (outside / "words").read_text().splitlines() if line
    ]
    assert len(called) > 10
    assert [words for words in called if (*words[2 : 2 + len(WITH_HOOKS)],) != WITH_HOOKS] == []


def test_changes_are_told_although_filters_are_not_applied(
    hostile: Trap, capsys: pytest.CaptureFixture[str]
) -> None:
    (hostile.repository / ".gitattributes").write_text("*.py filter=x\n")
    hostile.configure("filter.x.clean", "false", "filter.x.required", "true")
    (hostile.repository / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys, "--changed") == [NEW]


def test_nothing_is_fetched(hostile: Trap, capsys: pytest.CaptureFixture[str]) -> None:
    listener = Listener()
    try:
        change(hostile.repository)
        lack_an_object(hostile, listener.address)
        assert [
            verb for verb in VERBS if main([*verb]) not in (0, 1) or listener.was_called()
        ] == []
        capsys.readouterr()
        hostile.plainly("ls-files", "--others", "--exclude-standard")
        assert listener.was_called(), "git would not have fetched it anyway: this shows nothing"
    finally:
        listener.close()


def test_a_partial_clone_says_what_to_do(hostile: Trap, capsys: pytest.CaptureFixture[str]) -> None:
    lack_an_object(hostile, "http://127.0.0.1:9/nowhere")
    command = ["git", "rev-parse", "HEAD:orders.py"]
    name = subprocess.run(
        command, cwd=hostile.repository, check=True, capture_output=True, text=True
    ).stdout.strip()
    (hostile.repository / ".git" / "objects" / name[:2] / name[2:]).unlink()
    (hostile.repository / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert main(["check", "--changed"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"contract-scan: {hostile.repository}: --changed: `git` failed")
    assert err.endswith(
        "; the clone is partial, and nothing is fetched here: run `git diff` once before\n"
    )


def test_a_program_called_git_in_the_scanned_folder_is_not_run(
    hostile: Trap, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (hostile.repository / "git").write_bytes(hostile.program.read_bytes())
    (hostile.repository / "git").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", os.environ["PATH"])))
    assert told(capsys, "--changed") == []
    assert told(capsys) == [OLD]
    assert not hostile.was_run()


def test_files_are_where_the_git_folder_is_not_where_it_says(
    project: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    victim = tmp_path_factory.mktemp("victim")
    (victim / "orders.py").write_text(orders("int"), encoding="utf-8")
    git(project, "config", "core.worktree", str(victim))
    assert told(capsys) == [OLD]
    assert told(capsys, "--changed") == []
    git(project, "config", "core.worktree", str(project.parent))
    assert told(capsys) == [OLD]
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys, "--changed") == [NEW]


def _is_a_file(project: Path, victim: Path) -> None:
    (project / ".git").write_text(f"gitdir: {victim / '.git'}\n")


def _is_a_link(project: Path, victim: Path) -> None:
    (project / ".git").symlink_to(victim / ".git")


def _has_common_parts(project: Path, victim: Path) -> None:
    (project / ".git").mkdir()
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (project / ".git" / "commondir").write_text(f"{victim / '.git'}\n")


def _names_itself_as_a_work_tree(project: Path, victim: Path) -> None:
    (project / "own").mkdir()
    (project / "own" / "HEAD").write_text("ref: refs/heads/main\n")
    (project / "own" / "commondir").write_text(f"{victim / '.git'}\n")
    (project / "own" / "gitdir").write_text(f"{project / '.git'}\n")
    (project / ".git").write_text("gitdir: own\n")


def _shares_one_as_a_work_tree(project: Path, victim: Path) -> None:
    own = victim.parent / f"{victim.name}-around" / ".git" / "worktrees" / "own"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/main\n")
    (own / "commondir").write_text(f"{victim / '.git'}\n")
    (own / "gitdir").write_text(f"{project / '.git'}\n")
    (project / ".git").write_text(f"gitdir: {own}\n")


def _shares_one_as_a_submodule(project: Path, victim: Path) -> None:
    own = victim.parent / f"{victim.name}-around" / ".git" / "modules" / "own"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/main\n")
    (own / "commondir").write_text(f"{victim / '.git'}\n")
    (own / "config").write_text(f"[core]\nworktree = {project}\n")
    (project / ".git").write_text(f"gitdir: {own}\n")


@pytest.mark.parametrize(
    "elsewhere",
    [
        _is_a_file,
        _is_a_link,
        _has_common_parts,
        _names_itself_as_a_work_tree,
        _shares_one_as_a_work_tree,
        _shares_one_as_a_submodule,
    ],
    ids=lambda function: function.__name__.strip("_"),
)
def test_the_repository_of_somebody_else_is_not_asked(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    elsewhere: Callable[[Path, Path], None],
) -> None:
    victim = tmp_path_factory.mktemp("victim")
    (project / ".git").rename(victim / ".git")
    elsewhere(project, victim)
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys) == [OLD, NEW]
    assert main(["check", "--changed"]) == 2
    assert capsys.readouterr() == (
        "",
        f"contract-scan: {project}: --changed: `.git` leads to a git directory elsewhere"
        " that is not one of this folder\n",
    )
    (victim / ".git" / "hooks" / "pre-commit").unlink(missing_ok=True)
    assert main(["hooks", "install", "--git"]) == 2
    assert not (victim / ".git" / "hooks" / "pre-commit").exists()


def test_a_submodule_behind_a_link_is_not_one(
    project: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    victim = tmp_path_factory.mktemp("victim")
    for folder in (project / "parts" / "inner", victim / "inner"):
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet")
        (folder / "orders.py").write_text(orders("int"), encoding="utf-8")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message=One")
    git(project, "add", "parts/inner")
    git(project, "commit", "--quiet", "--message=Parts")
    (project / "parts").rename(victim / "parts")
    (project / "parts").symlink_to(victim)
    _, report = checked(capsys)
    assert [(each["kind"], each["path"], each["field"]) for each in report["findings"]] == [OLD]
    assert [each["path"] for each in report["not_analysed"]] == ["parts", "parts/inner"]


def test_a_folder_that_looks_like_a_repository_is_none(
    hostile: Trap, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = hostile.repository / "service"
    git(hostile.repository, "init", "--quiet", "--bare", "service")
    (bare / "config").write_text(
        "[core]\nrepositoryformatversion = 0\nbare = false\n"
        f"worktree = {bare}\nfsmonitor = {hostile.program}\n"
    )
    for name in ("openapi.yaml", "orders.py", "items.py", "app.py"):
        (bare / name).write_bytes((hostile.repository / name).read_bytes())
    monkeypatch.chdir(bare)
    assert told(capsys) == [OLD]
    assert not hostile.was_run()
    subprocess.run(["git", "diff"], cwd=bare, capture_output=True, check=False, timeout=300)
    assert hostile.was_run(), "git would not have run it anyway: this shows nothing"


def test_a_pipe_in_the_place_of_patterns_keeps_nobody_waiting(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All commands of a run share their time: what waits is the last one."""
    monkeypatch.setenv("CONTRACT_SCAN_GIT_TIMEOUT", "3")
    (project / "deep").mkdir()
    os.mkfifo(project / ".gitignore")
    os.mkfifo(project / "deep" / ".gitignore")
    os.mkfifo(project / ".git" / "patterns")
    git(project, "config", "core.excludesFile", str(project / ".git" / "patterns"))
    log = tmp_path_factory.mktemp("log") / "started"
    wrapper = tmp_path_factory.mktemp("bin") / "git"
    wrapper.write_text(f"#!/bin/sh\necho >>'{log}'\nexec '{shutil.which('git')}' \"$@\"\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    command = [forked_python(), "-m", "contract_scan", "check", "--output-format", "json"]
    done = subprocess.run(command, cwd=project, capture_output=True, check=False, timeout=55)
    assert done.returncode == 1
    assert [each["path"] for each in json.loads(done.stdout)["findings"]] == ["items.py"]
    assert len(log.read_text()) == 2  # the settings, and the one that waits: none after it
    done = subprocess.run(
        [*command, "--changed"], cwd=project, capture_output=True, check=False, timeout=55
    )
    assert done.returncode == 2
    assert b"`git` took longer than 3 seconds (see CONTRACT_SCAN_GIT_TIMEOUT)" in done.stderr


def test_git_is_waited_for_for_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONTRACT_SCAN_GIT_TIMEOUT", raising=False)
    said = "`git` took longer than 5 seconds (see CONTRACT_SCAN_GIT_TIMEOUT)"
    assert (TimeBudget().seconds_left(), TimeBudget().complaint()) == (5.0, said)


def test_submodules_with_pipes_share_the_time_of_one(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CONTRACT_SCAN_GIT_TIMEOUT", "3")
    for name in ("one", "two", "three"):
        inner = project / name
        inner.mkdir()
        git(inner, "init", "--quiet")
        (inner / "inner.py").write_text("x = 1\n")
        git(inner, "add", "--all")
        git(inner, "commit", "--quiet", "--message=One")
        git(project, "add", name)
        os.mkfifo(inner / ".gitignore")
    log = tmp_path_factory.mktemp("log") / "started"
    wrapper = tmp_path_factory.mktemp("bin") / "git"
    wrapper.write_text(f"#!/bin/sh\necho \"$@\" >>'{log}'\nexec '{shutil.which('git')}' \"$@\"\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    assert main(["check", "--output-format", "json", "--no-cache"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [each["path"] for each in report["not_analysed"]] == [
        f"{name}/.gitignore" for name in ("one", "three", "two")
    ]
    listings = [line for line in log.read_text().splitlines() if line.endswith("exclude-standard")]
    assert len(listings) == 2  # of the project, and of the first one, which waits


PARTS = (
    *("HEAD", "config", "index", "objects", "refs", "info/exclude", "objects/info/alternates"),
)


@pytest.mark.parametrize("part", ["refs/heads", "objects/ab"])
def test_no_folder_of_branches_or_objects_is_elsewhere(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    part: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    victim = tmp_path_factory.mktemp("victim") / "victim"
    folder = project / ".git" / part
    folder.mkdir(exist_ok=True)
    folder.rename(victim)
    folder.symlink_to(victim)
    assert main(["check", "--changed"]) == 2
    said = f"contract-scan: {project}: --changed: `.git/{part}` is a link out of the repository\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("how", ["link", "pipe"])
def test_no_part_of_the_git_directory_is_elsewhere_or_a_pipe(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    part: str,
    how: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    victim = tmp_path_factory.mktemp("victim") / "victim"
    file = project / ".git" / part
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        file.touch()
    file.rename(victim)
    if how == "link":
        file.symlink_to(victim)
    else:
        os.mkfifo(file)
    assert told(capsys) == [OLD]
    assert main(["check", "--changed"]) == 2
    why = "is a link out of the repository" if how == "link" else "is no regular file"
    said = f"contract-scan: {project}: --changed: `.git/{part}` {why}\n"
    assert capsys.readouterr() == ("", said)


def test_a_pipe_that_takes_the_place_of_the_index_between_two_runs(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys) == told(capsys) == [OLD]
    (project / ".git" / "index").unlink()
    os.mkfifo(project / ".git" / "index")
    assert told(capsys) == [OLD]


def test_objects_are_looked_for_in_no_store_elsewhere_unless_that_is_allowed(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = tmp_path_factory.mktemp("store") / "objects"
    (project / ".git" / "objects").rename(store)
    own = project / ".git" / "objects"
    (own / "info").mkdir(parents=True)
    (own / "info" / "alternates").write_text(f"{store}\n")
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys) == [OLD, NEW]
    assert main(["check", "--changed"]) == 2
    out, err = capsys.readouterr()
    assert (out, f"`objects/info/alternates` leads out of the repository, to `{store}`" in err) == (
        "",
        True,
    )
    (project / "between" / "info").mkdir(parents=True)
    (project / "between" / "info" / "alternates").write_text(f"{store}\n")
    (own / "info" / "alternates").write_text("../../between\n")  # inside, and leads on from there
    assert main(["check", "--changed"]) == 2
    assert str(store) in capsys.readouterr().err
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(store))
    assert told(capsys, "--changed") == [NEW]


@pytest.mark.parametrize("part", ["info/exclude", "worktrees/linked/index"])
def test_no_part_of_the_git_directory_of_a_linked_work_tree_is_elsewhere(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    part: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    linked = tmp_path_factory.mktemp("beside") / "linked"
    git(project, "worktree", "add", "--quiet", str(linked))
    monkeypatch.chdir(linked)
    assert told(capsys, "--changed") == []
    victim = tmp_path_factory.mktemp("victim") / "victim"
    file = project / ".git" / part
    file.parent.mkdir(exist_ok=True)
    file.touch()
    file.rename(victim)
    file.symlink_to(victim)
    assert main(["check", "--changed"]) == 2
    name = part.removeprefix("worktrees/linked/")
    said = f"--changed: `.git/{name}` is a link out of the repository\n"
    assert capsys.readouterr() == ("", f"contract-scan: {linked}: {said}")


def test_a_submodule_takes_objects_from_no_store_elsewhere(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    inner = project / "inner"
    inner.mkdir()
    git(inner, "init", "--quiet")
    (inner / "inner.py").write_text("x = 1\n")
    git(inner, "add", "--all")
    git(inner, "commit", "--quiet", "--message=One")
    git(project, "add", "inner")
    git(inner, "config", "core.worktree", "../../../inner")
    (project / ".git" / "modules").mkdir()
    (inner / ".git").rename(project / ".git" / "modules" / "inner")
    (inner / ".git").write_text("gitdir: ../.git/modules/inner\n")
    found = files_with_submodules(project)
    assert found is not None
    assert (found.submodules, found.unlisted) == (("inner",), ())
    store = tmp_path_factory.mktemp("store")
    alternates = project / ".git" / "modules" / "inner" / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_text(f"{store}\n")
    found = files_with_submodules(project)
    assert found is not None
    assert (found.submodules, found.unlisted) == ((), ("inner",))


def test_a_run_of_roles_starts_no_git_that_obeys_a_submodule(hostile: Trap) -> None:
    inner = hostile.repository / "inner"
    watches_files_of_a_submodule(hostile)
    (inner / "new.py").write_text("x = 3\n")
    assert main(["roles", "start", "Pay", "--verify", "true", "--id", "pay"]) == 0
    assert main(["roles", "advance"]) == 1
    assert not hostile.was_run()
    assert {"inner/inner.py", "inner/new.py"} <= {*uncommitted_files(hostile.repository)}
    assert not hostile.was_run()
    hostile.plainly("status", "--porcelain")
    assert hostile.was_run(), "git would not have run it anyway: this shows nothing"


def test_a_working_tree_is_removed_without_the_filters_of_its_own_settings(
    hostile: Trap,
) -> None:
    place = hostile.program.parent / "linked"
    git(hostile.repository, "worktree", "add", "--quiet", str(place))
    hostile.configure("extensions.worktreeConfig", "true")
    settings = hostile.repository / ".git" / "worktrees" / "linked" / "config.worktree"
    settings.write_text(f'[filter "x"]\nclean = {hostile.program}\n')
    (hostile.repository / ".git" / "info" / "attributes").write_text("*.py filter=x\n")
    os.utime(place / "orders.py", (1_000_000_000, 1_000_000_000))
    assert clear_workplace(hostile.repository, place, "linked") == Clearance()
    assert (place.exists(), hostile.was_run()) == (False, False)


def test_a_hook_is_not_written_outside(
    project: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    git(project, "config", "core.hooksPath", str(elsewhere))
    assert main(["hooks", "install", "--git"]) == 2
    assert capsys.readouterr().err == (
        f"contract-scan: {elsewhere}/pre-commit: lies outside of the repository;"
        " nothing is written there\n"
    )
    git(project, "config", "core.hooksPath", ".githooks")
    assert main(["hooks", "install", "--git"]) == 0
    assert (project / ".githooks" / "pre-commit").exists()
    hook = project / ".githooks" / "pre-commit"
    hook.unlink()
    hook.symlink_to(elsewhere / "new")
    assert main(["hooks", "install", "--git"]) == 2
    assert [*elsewhere.iterdir()] == []


def test_a_hook_that_names_the_index_is_heard(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    other = project / ".git" / "other-index"
    other.write_bytes((project / ".git" / "index").read_bytes())
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    git(project, "add", "orders.py")
    assert told(capsys, "--staged") == [NEW]
    monkeypatch.setenv("GIT_DIR", str(project / ".git"))
    assert told(capsys, "--staged") == [NEW]
    monkeypatch.delenv("GIT_INDEX_FILE")
    monkeypatch.delenv("GIT_DIR")
    assert told(capsys, "--staged") == []
