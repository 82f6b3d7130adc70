"""Branches merged without a working tree. Nothing that a repository configures is run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan.clients.changes import DIFF, paths_of_numstat
from contract_scan.clients.git import run_git
from contract_scan.clients.processes import ProcessError
from contract_scan.errors import UsageError

_CONFLICTS = 1
"""The status of `git merge-tree` where files are in conflict."""


class Merge(Struct, frozen=True):
    """Two commits as one tree."""

    tree: str
    """Its id; files in conflict hold both sides between marks."""
    conflicts: tuple[str, ...]
    """Paths, sorted; none where it could be merged."""


def commit_of(folder: Path, revision: str) -> str:
    """The id of the commit that a revision names. Raises UsageError where there is none."""
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    try:
        return _output(folder, words).strip()
    except ProcessError:
        raise UsageError(f"git knows no commit `{revision}`", str(folder)) from None


def parting_of(folder: Path, one: str, other: str) -> str:
    """The id of the commit at which the histories of two commits parted. Raises UsageError where
    they have nothing in common."""
    try:
        return _output(folder, ["merge-base", one, other]).strip()
    except ProcessError:
        message = f"{one:.10} and {other:.10} have no common ancestor"
        raise UsageError(message, str(folder)) from None


def files_of(folder: Path, tree: str) -> tuple[str, ...]:
    """The paths of all files of a tree or commit, from the top of the repository."""
    listed = _output(folder, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree])
    return tuple(name for name in listed.split("\0") if name)


def content_of(folder: Path, tree: str, path: str) -> bytes | None:
    """What a file holds in a tree or commit; None where there is no such file."""
    try:
        return run_git(folder, ["cat-file", "blob", f"{tree}:{path}"]).stdout
    except ProcessError:
        return None


def changed_files(folder: Path, since: str, until: str) -> tuple[str, ...]:
    """The paths of files that are new, changed or gone from one commit to another."""
    output = run_git(folder, [*DIFF, "--numstat", "-z", since, until, "--"]).stdout
    return tuple(sorted(map(os.fsdecode, paths_of_numstat(output))))


def merge(folder: Path, ours: str, theirs: str) -> Merge:
    """Two commits merged. Raises UsageError where git is older than 2.38."""
    words = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs]
    try:
        done = run_git(folder, words, accepted=(0, _CONFLICTS))
    except ProcessError as error:
        raise UsageError(
            f"{error.message}; to merge branches, git 2.38 or later is needed", str(folder)
        ) from None
    tree, *conflicts = os.fsdecode(done.stdout).split("\0")
    return Merge(tree, tuple(sorted({name for name in conflicts if name})))


def commit_tree(folder: Path, tree: str, parents: Sequence[str], message: str) -> str:
    """The id of a new commit, which no branch has yet. Raises UsageError where git knows nobody as
    its author."""
    words = ["commit-tree", tree, *(word for parent in parents for word in ("-p", parent))]
    try:
        return _output(folder, [*words, "-m", message]).strip()
    except ProcessError as error:
        raise UsageError(error.message, str(folder)) from None


def set_branch(folder: Path, branch: str, commit: str, before: str | None) -> None:
    """Let a branch be at a commit, where it is at `before` as yet; None: where there is none of
    that name. Raises UsageError where it is elsewhere, or its name is not allowed."""
    reference = f"refs/heads/{branch}"
    try:
        run_git(folder, ["check-ref-format", reference])
        run_git(folder, ["update-ref", "--end-of-options", reference, commit, before or "0" * 40])
    except ProcessError as error:
        raise UsageError(f"branch `{branch}`: {error.message}", str(folder)) from None


def set_backup(folder: Path, reference: str, commit: str) -> None:
    """Keep a commit under a reference of ours, `refs/contract-scan/…`."""
    run_git(folder, ["update-ref", "--end-of-options", reference, commit])


def branch_commit(folder: Path, branch: str) -> str | None:
    """The commit that a branch is at; None where there is no such branch."""
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"refs/heads/{branch}"]
    try:
        return _output(folder, words).strip()
    except ProcessError:
        return None


def write_files(folder: Path, tree: str, into: Path) -> None:
    """Write the files of a tree or commit into an empty folder, without any filter."""
    variables = {"GIT_INDEX_FILE": str(into / ".index")}
    run_git(folder, ["read-tree", tree], variables=variables)
    files = into / "files"
    files.mkdir()
    run_git(folder, ["checkout-index", "--all", f"--prefix={files}/"], variables=variables)


def _output(folder: Path, words: Sequence[str]) -> str:
    return os.fsdecode(run_git(folder, words).stdout)
