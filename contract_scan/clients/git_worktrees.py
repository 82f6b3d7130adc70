"""Working trees of branches. Nothing that a repository configures is run, but for filters of files
that are committed (`commit_all`). What git tells a hook does not count here (`inner`): each working
tree has an index of its own, and `git worktree add` writes the one that the environment names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan.clients.git import run_git, submodules_of
from contract_scan.clients.git_merges import commit_of, commit_tree, set_branch
from contract_scan.clients.processes import ProcessError
from contract_scan.errors import UsageError

PATIENCE = 600.0
"""Seconds that git may take to write or remove the files of a working tree."""


class Worktree(Struct, frozen=True):
    """A working tree of a repository."""

    path: Path
    branch: str
    """Empty where it is at no branch."""


def worktrees(folder: Path) -> tuple[Worktree, ...]:
    """Every working tree of a repository that is there, the main one first."""
    listed = os.fsdecode(
        run_git(folder, ["worktree", "list", "--porcelain", "-z"], inner=True).stdout
    )
    found: list[Worktree] = []
    for block in listed.split("\0\0"):
        lines = dict(line.partition(" ")[::2] for line in block.split("\0") if line)
        if "worktree" in lines and "prunable" not in lines:
            branch = lines.get("branch", "").removeprefix("refs/heads/")
            found.append(Worktree(Path(lines["worktree"]), branch))
    return tuple(found)


def add_worktree(folder: Path, path: Path, branch: str, commit: str) -> None:
    """Make a branch at a commit, and a working tree of it. Raises UsageError where git refuses."""
    words = ["worktree", "add", "--quiet", "-b", branch, "--", str(path), commit]
    try:
        run_git(folder, words, inner=True, seconds=PATIENCE)
    except ProcessError as error:
        raise UsageError(error.message, str(path)) from None


def add_detached_worktree(folder: Path, path: Path, commit: str) -> None:
    """Make a working tree of a commit, at no branch. Raises UsageError where git refuses."""
    words = ["worktree", "add", "--quiet", "--detach", "--", str(path), commit]
    try:
        run_git(folder, words, inner=True, seconds=PATIENCE)
    except ProcessError as error:
        raise UsageError(error.message, str(path)) from None


def discard_worktree(folder: Path, path: Path) -> None:
    """Remove a working tree with whatever is in it. Raises UsageError where git refuses."""
    words = ["worktree", "remove", "--force", "--", str(path)]
    try:
        run_git(folder, words, inner=True, seconds=PATIENCE)
    except ProcessError as error:
        raise UsageError(error.message, str(path)) from None


def uncommitted_files(worktree: Path) -> tuple[str, ...]:
    """Files of a working tree that are new or differ from its commit, and those of its submodules.
    Raises UsageError where git cannot tell."""
    try:
        return tuple(_uncommitted_files(worktree))
    except ProcessError as error:
        raise UsageError(error.message, str(worktree)) from None


def _uncommitted_files(worktree: Path) -> Iterator[str]:
    """The same. Each submodule is looked at for itself: the git that git starts in one obeys the
    configuration there."""
    words = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"]
    words.append("--ignore-submodules=dirty")
    output = os.fsdecode(run_git(worktree, words, inner=True, seconds=PATIENCE).stdout)
    yield from (entry[3:] for entry in output.split("\0") if entry)
    for path in submodules_of(worktree, inner=True):
        yield from (f"{path}/{name}" for name in _uncommitted_files(worktree / path))


def commit_all(worktree: Worktree, message: str, leaving_out: Sequence[str] = ()) -> None:
    """Commit everything that differs in a working tree to its branch, without any hook; files and
    folders whose names are among the patterns `leaving_out` stay as they are. Raises UsageError
    where a merge is not finished, git knows nobody as the author, or refuses."""
    folder = worktree.path

    def output(*words: str) -> str:
        return os.fsdecode(run_git(folder, words, inner=True, seconds=PATIENCE).stdout).strip()

    try:
        before = commit_of(folder, "HEAD")
        merging = ["rev-parse", "--verify", "--quiet", "MERGE_HEAD"]
        if run_git(folder, merging, inner=True, accepted=(0, 1)).stdout or output(
            "ls-files", "--unmerged"
        ):
            raise UsageError("a merge there is not finished", str(folder))
        output(
            *("add", "--all", "--", ":(top)"),
            *(f":(top,exclude,glob)**/{one}{end}" for one in leaving_out for end in ("", "/**")),
        )
        tree = output("write-tree")
        if tree != output("rev-parse", f"{before}^{{tree}}"):
            set_branch(
                folder, worktree.branch, commit_tree(folder, tree, (before,), message), before
            )
    except ProcessError as error:
        raise UsageError(error.message, str(folder)) from None


def remove_worktree(folder: Path, path: Path) -> None:
    """Remove a working tree in which nothing is uncommitted; its branch stays. Raises UsageError
    where git refuses."""
    try:
        words = ["worktree", "remove", "--", str(path)]
        run_git(folder, words, inner=True, seconds=PATIENCE, others=[path])
    except ProcessError as error:
        raise UsageError(error.message, str(path)) from None


def branches_with(folder: Path, commit: str) -> tuple[str, ...]:
    """The full names of the branches, of others' as well, whose histories hold a commit. Raises
    UsageError where git knows no such commit."""
    words = ["for-each-ref", "--format=%(refname)", "--contains", commit]
    try:
        output = run_git(folder, [*words, "refs/heads", "refs/remotes"]).stdout
    except ProcessError as error:
        raise UsageError(error.message, str(folder)) from None
    return tuple(os.fsdecode(output).split())


def remove_branch(folder: Path, branch: str) -> None:
    """Remove a branch, whether or not it was merged."""
    run_git(folder, ["branch", "--quiet", "-D", "--", branch])
