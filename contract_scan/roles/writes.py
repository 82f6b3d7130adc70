"""What a role wrote, held against what it may write: found by what differs, whoever says what."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from contract_scan.clients.git_patches import administrative_files, branch_commits, hidden_files
from contract_scan.clients.git_worktrees import uncommitted_files
from contract_scan.roles import layout
from contract_scan.roles.key_lines import ArtifactError
from contract_scan.roles.layout import FileKind, kind_of
from contract_scan.roles.run_folder import LARGEST_ARTIFACT, RunFolder, digest, fingerprint
from contract_scan.roles.state import Snapshot
from contract_scan.roles.team import Prohibition, Role, RoleName, Step, prohibition_of

UNCHANGED: Final = "as committed"
ABSENT: Final = "not there"
_LONGEST_DIFF: Final = 200
_GIT: Final = ("refs/", ".git/")
_IN_RUNS: Final = f"{layout.RUNS}/"

Place: TypeAlias = Literal["run", "repository"]


class Change(Struct, frozen=True):
    """A file, a branch or a setting that is not what it was."""

    place: Place
    path: str
    before: str
    after: str

    @property
    def kind(self) -> FileKind:
        """What it is that changed."""
        if self.place == "run":
            return kind_of(self.path)
        if self.path == layout.POINTER:
            return "run pointer"
        return "repository" if self.path.startswith(_GIT) else "source"


class Breach(Struct, frozen=True, kw_only=True):
    """Something that a role did and must not do, with what shows it."""

    role: RoleName
    step: Step
    prohibition: str
    """Its id."""
    must_not: str
    place: Place
    path: str
    before: str
    after: str
    detail: str = ""
    """What an output says that it must not; empty where it is about where the role wrote."""
    rejected: str = ""
    """Where what was written is kept, in the folder of the run."""
    diff: tuple[str, ...] = ()
    """What was written, against what was there, for texts of the run."""


def snapshot(root: Path, folder: RunFolder) -> Snapshot:
    """What is there now: all files of the run, and of the repository those that are not committed,
    its branches, settings and hooks. Files that git ignores are not looked at. Raises UsageError
    where git cannot tell."""
    repository = branch_commits(root)
    for name, file in administrative_files(root).items():
        repository[name] = fingerprint(file)
    for name in hidden_files(root):
        repository[f".git/index/{name}"] = fingerprint(root / name)
    for name in uncommitted_files(root):
        if not name.startswith(_IN_RUNS):
            repository[name] = fingerprint(root / name)
    repository[layout.POINTER] = fingerprint(root / layout.POINTER)
    return Snapshot(folder.fingerprints(), repository)


def changes(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Everything that differs, sorted by path."""
    yield from _changes_between("run", before.run, after.run, ABSENT)
    yield from _changes_between("repository", before.repository, after.repository, UNCHANGED)


def breach_of(change: Change, roles: Sequence[Role], step: Step) -> Breach | None:
    """What a change breaks that one of some roles made; None where one of them may make it. It
    counts against the first."""
    if change.place == "run" and any(role.may_write(change.path, step) for role in roles):
        return None
    role = roles[0]
    return breach(change, role, step, prohibition_of(role, change.kind))


def breach(
    change: Change, role: Role, step: Step, prohibition: Prohibition, detail: str = ""
) -> Breach:
    """A change as what a role must not do."""
    return Breach(
        role=role.name,
        step=step,
        prohibition=prohibition.id,
        must_not=prohibition.text,
        place=change.place,
        path=change.path,
        before=change.before,
        after=change.after,
        detail=detail,
    )


def keep_contents(folder: RunFolder, before: Snapshot) -> None:
    """Keep what the artifacts of a run hold, so that it can be put back."""
    for name, mark in before.run.items():
        if kind_of(name) == "record" or folder.raw(_copy_path(mark)) is not None:
            continue
        try:
            raw = folder.raw(name)
        except ArtifactError:
            continue
        if raw is not None:
            folder.write(_copy_path(mark), raw)


def undo(folder: RunFolder, found: Sequence[Breach], first: int) -> list[Breach]:
    """Put back the files of a run that were changed against the rules, and record each breach as
    evidence, numbered from `first`; what was written is kept. Files of the repository stay as they
    are: they are not ours."""
    in_run = [one for one in found if one.place == "run"]
    shown = {one.path: _diff(folder, one) for one in in_run}
    for one in in_run:
        if one.after != ABSENT:
            folder.move(one.path, _copy_path(one.after))
    for one in in_run:
        content = folder.raw(_copy_path(one.before)) if one.before != ABSENT else None
        if content is not None and digest(content) == one.before:
            folder.write(one.path, content)
    recorded: list[Breach] = []
    for number, one in enumerate(found, start=first):
        is_kept = one.place == "run" and one.after != ABSENT
        rejected = _copy_path(one.after) if is_kept else ""
        whole = replace(one, diff=shown.get(one.path, ()), rejected=rejected)
        evidence = msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"
        folder.write(f"{layout.EVIDENCE}/{number:04}.json", evidence)
        recorded.append(whole)
    return recorded


# Private helpers


def _copy_path(mark: str) -> str:
    """Where contents are kept. A mark may hold what a link leads to, which is no name of ours."""
    return f"{layout.KEPT}/{digest(mark.encode())}"


def _changes_between(
    place: Place, before: Mapping[str, str], after: Mapping[str, str], default: str
) -> Iterator[Change]:
    for path in sorted({*before, *after}):
        old, new = before.get(path, default), after.get(path, default)
        if old != new:
            yield Change(place, path, old, new)


def _diff(folder: RunFolder, found: Breach) -> tuple[str, ...]:
    """The lines of a text that changed; none where one side is no text."""
    try:
        old = folder.text(_copy_path(found.before)) if found.before != ABSENT else ""
        new = folder.text(found.path) if found.after != ABSENT else ""
    except ArtifactError:
        return ()
    if old is None or new is None or len(old) + len(new) > LARGEST_ARTIFACT // 10:
        return ()
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "after", lineterm="")
    return tuple(lines)[:_LONGEST_DIFF]
