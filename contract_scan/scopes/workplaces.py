"""A branch and a working tree for every scope: made together, and removed when nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from contract_scan.clients import git_merges
from contract_scan.clients.git import repository_around
from contract_scan.clients.git_worktrees import (
    add_worktree,
    branches_with,
    remove_branch,
    remove_worktree,
    uncommitted_files,
    worktrees,
)
from contract_scan.clients.processes import ProcessError
from contract_scan.errors import UsageError
from contract_scan.scopes.contract import ScopeContract


def make_workplaces(
    root: Path, contracts: Sequence[ScopeContract], base: str, branches: Mapping[str, str], at: Path
) -> dict[str, Path]:
    """A working tree for every scope, by its id, in a folder that lies outside of the repository,
    each at a new branch that begins at `base`. All of them, or none.

    Raises UsageError where the folder lies in the repository, a branch or folder is there already,
    or git refuses.
    """
    top = repository_around(root)
    folder = at.resolve()
    if folder.is_relative_to(top):
        raise UsageError("lies in the repository, where scans would look into it", str(at))
    commit = git_merges.commit_of(top, base)
    places = {contract.scope_id: folder / contract.scope_id for contract in contracts}
    for scope_id, place in places.items():
        if place.exists():
            raise UsageError("is there already; `scopes finish` removes it", str(place))
        if git_merges.branch_commit(top, branches[scope_id]) is not None:
            raise UsageError(f"branch `{branches[scope_id]}` is there already", str(top))
    made: list[str] = []
    try:
        for scope_id, place in places.items():
            add_worktree(top, place, branches[scope_id], commit)
            made.append(scope_id)
    except BaseException:
        for scope_id in made:
            remove_worktree(top, places[scope_id])
            remove_branch(top, branches[scope_id])
        raise
    return places


class Clearance(Struct, frozen=True):
    """What became of a working tree that nobody needs any more, and of its branch."""

    retained: str = ""
    """Why the working tree is still there; empty: it is not."""
    branch: Literal["stays", "deleted", "gone"] = "stays"
    """`gone`: it was not there before."""


def remove_workplaces(
    root: Path,
    contracts: Sequence[ScopeContract],
    at: Path,
    branches: Mapping[str, str],
    *,
    delete_merged: bool = False,
    in_use: Callable[[Path], str] = lambda _: "",
) -> dict[str, Clearance]:
    """Remove the working trees of scopes from which nothing would be lost, and say what became of
    each that was there, by scope id.

    `delete_merged` also removes branches whose commits another branch has. `in_use` says why a
    folder is needed; empty: it is not.
    """
    top = repository_around(root)
    folder = at.resolve()
    there = {one.path.resolve() for one in worktrees(top)}
    return {
        contract.scope_id: clear_workplace(
            top,
            folder / contract.scope_id,
            branches[contract.scope_id],
            delete_merged=delete_merged,
            in_use=in_use(folder / contract.scope_id),
        )
        for contract in contracts
        if folder / contract.scope_id in there
    }


def clear_workplace(
    top: Path, place: Path, branch: str, *, delete_merged: bool = False, in_use: str = ""
) -> Clearance:
    """Remove a working tree, unless it is in use, or holds what git has nowhere else: files that
    are not committed, or commits that are on no branch. Files that git ignores go with it.

    With `delete_merged`, its branch is removed as well where another one has all its commits.
    Raises UsageError where git refuses.
    """
    retained = in_use or _retention_reason(place)
    if retained:
        return Clearance(retained)
    if place.exists():
        remove_worktree(top, place)
    commit = git_merges.branch_commit(top, branch)
    if commit is None:
        return Clearance(branch="gone")
    if not delete_merged or set(branches_with(top, commit)) <= {f"refs/heads/{branch}"}:
        return Clearance()
    try:
        remove_branch(top, branch)
    except ProcessError:  # another working tree is at it
        return Clearance()
    return Clearance(branch="deleted")


def _retention_reason(place: Path) -> str:
    if not place.exists():
        return ""
    uncommitted = uncommitted_files(place)
    if uncommitted:
        more = f" and {len(uncommitted) - 1} more" if len(uncommitted) > 1 else ""
        return f"{uncommitted[0]}{more} is not committed"
    commit = git_merges.commit_of(place, "HEAD")
    return "" if branches_with(place, commit) else f"its commit {commit[:12]} is on no branch"
