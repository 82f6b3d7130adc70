"""Patches applied by git, and what it keeps about a repository. Nothing that the repository
configures is run."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from contract_scan.clients.changes import is_unwatched
from contract_scan.clients.git import run_git
from contract_scan.clients.processes import ProcessError
from contract_scan.errors import UsageError


def patch_problem(folder: Path, commit: str, patch: Path) -> str:
    """Why a patch cannot be applied to a commit; empty: it can. Nothing is changed."""
    with tempfile.TemporaryDirectory() as place:
        variables = {"GIT_INDEX_FILE": os.path.join(place, "index")}  # noqa: PTH118 - a text
        try:
            run_git(folder, ["read-tree", commit], variables=variables)
            words = ["apply", "--cached", "--check", "--whitespace=nowarn", "--", str(patch)]
            run_git(folder, words, variables=variables)
        except ProcessError as error:
            return error.message
    return ""


def apply_patch(folder: Path, patch: Path) -> None:
    """Apply a patch to the files of a working tree, wholly or not at all. Raises UsageError where
    it does not fit them."""
    try:
        run_git(folder, ["apply", "--whitespace=nowarn", "--", str(patch)])
    except ProcessError as error:
        raise UsageError(error.message, str(patch)) from None


def is_applied(folder: Path, patch: Path) -> bool:
    """Whether the files of a working tree are as a patch leaves them."""
    words = ["apply", "--reverse", "--check", "--whitespace=nowarn", "--", str(patch)]
    return run_git(folder, words, accepted=(0, 1)).status == 0


def branch_commits(folder: Path) -> dict[str, str]:
    """The commits that all branches are at, by their whole names."""
    words = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"]
    listed = os.fsdecode(run_git(folder, words).stdout)
    return dict(line.split(" ", 1) for line in listed.splitlines())


def administrative_files(folder: Path) -> dict[str, Path]:
    """The files in which git keeps what is checked out, the settings and the hooks of a repository,
    and what it does not look at, by names that are the same wherever its git directory is."""
    words = ["rev-parse", "--git-dir", "--git-common-dir"]
    own, common = (folder / one for one in os.fsdecode(run_git(folder, words).stdout).splitlines())
    hooks = common / "hooks"
    found = {f".git/hooks/{file.name}": file for file in hooks.iterdir()} if hooks.is_dir() else {}
    hiding = {f".git/info/{name}": common / "info" / name for name in ("exclude", "attributes")}
    return {**found, **hiding, ".git/HEAD": own / "HEAD", ".git/config": common / "config"}


def hidden_files(folder: Path) -> tuple[str, ...]:
    """The files of a working tree whose changes git was told not to look at, sorted."""
    listed = os.fsdecode(run_git(folder, ["ls-files", "-v", "-z", "--full-name"]).stdout)
    return tuple(sorted(one[2:] for one in listed.split("\0") if is_unwatched(one)))
