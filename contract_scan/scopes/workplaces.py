"""A branch and a working tree for every scope: made together, and removed when nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from contract_scan.clients import git_merges
from contract_scan.clients.git_command import top_of
from contract_scan.clients.git_worktrees import (
    add_worktree,
    remove_branch,
    remove_worktree,
    uncommitted_files,
    worktrees,
)
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
    top = _top(root)
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


def remove_workplaces(
    root: Path, contracts: Sequence[ScopeContract], at: Path
) -> dict[str, tuple[str, ...]]:
    """Remove the working trees of scopes in which everything is committed; branches stay. Returns
    those that are left, by scope id, with the files that are not committed."""
    top = _top(root)
    folder = at.resolve()
    there = {one.path.resolve() for one in worktrees(top)}
    left: dict[str, tuple[str, ...]] = {}
    for contract in contracts:
        place = folder / contract.scope_id
        if place not in there:
            continue
        uncommitted = uncommitted_files(place)
        if uncommitted:
            left[contract.scope_id] = uncommitted
        else:
            remove_worktree(top, place)
    return left


def _top(root: Path) -> Path:
    top = top_of(str(root))
    if top is None:
        raise UsageError("is no git repository", str(root))
    return Path(top)
