"""The branches of scopes, merged without touching any working tree, and what the engine says of the
result.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
from msgspec import Struct

from contract_scan.api import Extraction, extract, scan
from contract_scan.clients import git_merges
from contract_scan.clients.git_command import top_of
from contract_scan.clients.git_worktrees import worktrees
from contract_scan.errors import UsageError
from contract_scan.ir.violation import Finding
from contract_scan.reports import extract_json_schema
from contract_scan.reports.report import Report
from contract_scan.scopes.consolidation import (
    BrokenPromise,
    ScopeBranch,
    TypeConflict,
    Whole,
    provider_of,
)
from contract_scan.scopes.contract import ScopeContract
from contract_scan.scopes.handoff import Fulfillment
from contract_scan.scopes.items import named_by
from contract_scan.scopes.paths import covers
from contract_scan.scopes.tasks import TaskOutcome
from contract_scan.scopes.working_tree import delivery_from

BACKUPS: Final = "refs/contract-scan/backup"
"""Below it, the commits at which branches were before they were moved."""
_DEFINITIONS: Final = "#/$defs/"


class Merged(Struct, frozen=True, kw_only=True):
    """Branches of scopes as one commit."""

    top: Path
    """The folder of the repository."""
    commit: str
    """All scopes that could be merged; no branch is at it."""
    branches: dict[str, ScopeBranch]
    """By scope id."""


def merge_scopes(
    root: Path,
    contracts: Sequence[ScopeContract],
    base: str,
    names: Mapping[str, str],
    fulfillments: Mapping[str, Fulfillment],
    outcomes: Mapping[str, TaskOutcome],
) -> Merged:
    """Merge the branch of every scope into the commit `base`, in the order of the contracts, each
    with a merge commit of its own. A branch that is in conflict is left out.

    `names`, `fulfillments` and `outcomes` are by scope id. Raises UsageError where git cannot tell,
    or there is no such branch.
    """
    top = top_of(str(root))
    if top is None:
        raise UsageError("is no git repository", str(root))
    folder = Path(top)
    commit = git_merges.commit_of(folder, base)
    found: dict[str, ScopeBranch] = {}
    for contract in contracts:
        name = names[contract.scope_id]
        theirs = git_merges.commit_of(folder, name)
        parted = git_merges.parting_of(folder, git_merges.commit_of(folder, base), theirs)
        merge = git_merges.merge(folder, commit, theirs)
        if not merge.conflicts:
            message = f"Merge scope {contract.scope_id} ({name})"
            commit = git_merges.commit_tree(folder, merge.tree, (commit, theirs), message)
        found[contract.scope_id] = ScopeBranch(
            scope_id=contract.scope_id,
            files=frozenset(git_merges.files_of(folder, theirs)),
            changed=frozenset(git_merges.changed_files(folder, parted, theirs)),
            conflicts=merge.conflicts,
            fulfillment=fulfillments.get(contract.scope_id),
            outcome=outcomes.get(contract.scope_id),
        )
    return Merged(top=folder, commit=commit, branches=found)


def keep_as_branch(merged: Merged, branch: str) -> str:
    """Let a branch be at the merged commit; where it was before is kept under a reference, whose
    name is returned (empty: there was no such branch).

    Raises UsageError where a working tree has the branch checked out, which would no longer be what
    the branch says.
    """
    if any(one.branch == branch for one in worktrees(merged.top)):
        raise UsageError(
            f"branch `{branch}` is checked out; name another one and merge that yourself",
            str(merged.top),
        )
    before = git_merges.branch_commit(merged.top, branch)
    backup = ""
    if before is not None:
        backup = f"{BACKUPS}/{branch}/{before}"
        git_merges.set_backup(merged.top, backup, before)
    git_merges.set_branch(merged.top, branch, merged.commit, before)
    return backup


def whole_of(merged: Merged, contracts: Sequence[ScopeContract]) -> Whole:
    """What the engine says of the merged commit: its endpoints, channels and types, the types that
    siblings declare differently, and the promises of contracts in it that are broken."""
    with _files_of(merged.top, merged.commit) as folder:
        found = extract(folder, cache=False)
        names = frozenset(git_merges.files_of(merged.top, merged.commit))
        report = scan(folder, cache=False, allow_empty=True)
        broken = tuple(_broken_promises(report))
        # A sibling that keeps to the contract differs from a type that breaks it: told once.
        wrong_types = {one.type for one in broken}
        return Whole(
            delivery=delivery_from(found, files=names, changed=frozenset()),
            type_conflicts=tuple(
                conflict
                for conflict in _type_conflicts(folder, found, contracts, merged.branches)
                if conflict.name not in wrong_types
            ),
            broken_promises=broken,
            not_analysed=tuple(one for one in report.not_analysed if one.is_grave and one.path),
        )


def text_at(merged: Merged, path: str) -> bytes | None:
    """A file of the merged commit; None where it has none of this path."""
    return git_merges.content_of(merged.top, merged.commit, path)


# Private helpers


@contextmanager
def _files_of(top: Path, commit: str) -> Iterator[Path]:
    with TemporaryDirectory(prefix="contract-scan-") as temporary:
        into = Path(temporary)
        git_merges.write_files(top, commit, into)
        yield into / "files"


def _broken_promises(report: Report) -> Iterator[BrokenPromise]:
    for problem in report.problems:
        place = problem.code
        if problem.severity == "error" and place is not None:
            yield BrokenPromise(
                path=place.path,
                line=place.span.line,
                rule=problem.name,
                message=problem.title,
                type=problem.code_type,
                findings=problem.places,
            )


def _type_conflicts(
    folder: Path,
    found: Extraction,
    contracts: Sequence[ScopeContract],
    branches: Mapping[str, ScopeBranch],
) -> Iterator[TypeConflict]:
    """For each type that a scope imports: what its own code says of it otherwise than the code of
    the scope that provides it."""
    by_id = {contract.scope_id: contract for contract in contracts}
    for contract in contracts:
        for item in contract.imports:
            named = named_by(item)
            provider = provider_of(item, contract, contracts)
            if named.kind in ("type", "name") and provider in by_id:
                theirs = _scope_files(by_id[provider], branches[provider])
                ours = _scope_files(contract, branches[contract.scope_id]) - theirs
                for finding in _differences(folder, found, named.name, theirs, ours):
                    path = finding.origin.path
                    yield TypeConflict(
                        consumer=contract.scope_id,
                        name=named.name,
                        message=f"{path}: {finding.message} (as `{provider}` declares it)",
                        finding=finding,
                    )


def _scope_files(contract: ScopeContract, branch: ScopeBranch) -> frozenset[str]:
    """The files that a scope changed, or that are its deliverables."""
    patterns = [
        named.name
        for named in map(named_by, contract.deliverables)
        if named.kind in ("file", "pattern")
    ]
    delivered = {path for path in branch.files if any(covers(one, path) for one in patterns)}
    return frozenset(delivered | branch.changed)


def _differences(
    folder: Path, found: Extraction, name: str, theirs: frozenset[str], ours: frozenset[str]
) -> Iterator[Finding]:
    """Where the code of one scope declares a type otherwise than that of another."""
    document = extract_json_schema.document(found)
    declared = [
        definition
        for definition in document["$defs"].values()
        if _declares(definition, name, theirs, found)
    ]
    if len(declared) != 1:
        return  # not declared there, or in several ways, of which nobody can say which is meant
    with TemporaryDirectory(prefix="contract-scan-") as temporary:
        root = Path(temporary)
        for path in ours:
            if (folder / path).is_file() and not (folder / path).is_symlink():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / path, root / path)
        schema = root / f"{name}.schema.json"
        schema.write_bytes(msgspec.json.encode(_standalone(name, declared[0], document)))
        report = scan(root, contracts=(schema,), cache=False, allow_empty=True)
        for finding in report.findings:
            if finding.model == name and finding.origin.path in ours:
                yield finding


def _declares(
    definition: Mapping[str, Any], name: str, files: frozenset[str], found: Extraction
) -> bool:
    """Whether a definition is that of a type of the name in one of the files."""
    path, _, line = definition.get("x-source", "").rpartition(":")
    return path in files and any(
        model.name == name and model.origin.path == path and str(model.origin.span.line) == line
        for model in found.models
    )


def _standalone(
    name: str, definition: Mapping[str, Any], document: Mapping[str, Any]
) -> dict[str, Any]:
    """A definition, by the name of its type, with those that it refers to."""
    used: dict[str, Any] = {name: definition}
    pending = list(_references(definition))
    while pending:
        key = pending.pop()
        if key not in used:
            used[key] = document["$defs"][key]
            pending += _references(used[key])
    return {"$schema": document["$schema"], "$defs": used}


def _references(value: object) -> Iterator[str]:
    """The names of definitions that a schema refers to."""
    if isinstance(value, Mapping):
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith(_DEFINITIONS):
            yield target.removeprefix(_DEFINITIONS).replace("~1", "/").replace("~0", "~")
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
