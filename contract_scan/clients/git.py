"""What git knows of a folder. Nothing that a repository configures is run."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.clients.changes import (
    DIFF,
    LISTED,
    new_files,
    paths_of_numstat,
    removed_lines,
    unwatched_files,
)
from contract_scan.clients.git_command import (
    OWN_VARIABLES,
    SETTINGS,
    GitRun,
    can_spawn,
    command,
    needs_overriding,
    overriding_options,
    patience,
    top_of,
)
from contract_scan.clients.listing import LISTING, environment_outside, listing, prefix_paths
from contract_scan.errors import ContractScanError, UsageError

if TYPE_CHECKING:
    from contract_scan.clients.processes import ProcessOutput


def repository_around(folder: Path) -> Path:
    """The folder at or above another one that holds a `.git`. Raises UsageError: there is none."""
    top = top_of(str(folder))
    if top is None:
        raise UsageError("is no git repository", str(folder))
    return Path(top)


def inside_work_tree(folder: Path) -> bool:
    """Whether a `.git` lies in the folder or above it. Starts nothing."""
    resolved = folder.resolve()
    return any((parent / ".git").exists() for parent in (resolved, *resolved.parents))


class FileListing(Struct, frozen=True):
    """The files below a folder that git tracks or does not ignore, those in submodules included."""

    output: bytes
    """As git writes it: each path, relative to the folder, with `/`, before a NUL."""
    submodules: tuple[str, ...] = ()
    """The submodules that are checked out, those in others after these."""
    absent: tuple[str, ...] = ()
    """The submodules that are not: nothing lies in their folders."""
    unlisted: tuple[str, ...] = ()
    """The submodules of whose files git cannot tell anything."""
    unreadable: tuple[tuple[str, str], ...] = ()
    """Folders that git could not look into, relative to the folder, each with the reason."""

    def names(self) -> list[str]:
        """The paths, sorted."""
        names = self.output.decode("utf-8", "surrogateescape").split("\0")
        return sorted({name for name in names if name})


def listed_files(folder: Path) -> list[str] | None:
    """Paths of the files below a folder that git tracks or does not ignore, relative to it, with
    `/`. None where git cannot tell (no git, no repository, ownership it refuses)."""
    found = files_with_submodules(folder)
    return None if found is None else found.names()


def files_with_submodules(folder: Path) -> FileListing | None:
    """The same, with the submodules."""
    if not inside_work_tree(folder):
        return None
    with GitRun():
        return _files_of(folder)


def _files_of(folder: Path) -> FileListing | None:
    warnings: list[str] = []
    output = listing(str(folder), warnings=warnings)
    try:
        if output is None:
            if can_spawn():
                return None  # to ask in another way takes as long and gives no other answer
            output = _run_git(folder, LISTING, warnings=warnings)
        pending = _gitlinks(folder)
    except ContractScanError:
        return None
    present: list[str] = []
    absent: list[str] = []
    unlisted: list[str] = []
    unreadable = [*_unreadable(warnings)]
    while pending:
        path = pending.pop(0)
        inside = folder / path
        try:
            if not _is_checked_out(folder, path):
                (unlisted if _holds_files(folder, path) else absent).append(path)
                continue
            messages: list[str] = []
            output += prefix_paths(path, _run_git(inside, LISTING, inner=True, warnings=messages))
            unreadable += ((f"{path}/{each}", why) for each, why in _unreadable(messages))
            pending += (f"{path}/{deeper}" for deeper in _gitlinks(inside, inner=True))
        except ContractScanError:
            (unlisted if _holds_files(folder, path) else absent).append(path)
        else:
            present.append(path)
    return FileListing(output, (*present,), (*absent,), (*unlisted,), (*unreadable,))


def _holds_files(folder: Path, path: str) -> bool:
    """Whether anything but a `.git` lies in the folder of a submodule, not behind a link."""
    if not _is_behind_no_link(folder, path):
        return False
    try:
        return any(name != ".git" for name in os.listdir(folder / path))  # noqa: PTH208 - faster
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _unreadable(warnings: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The folders that git says it could not look into, and the `.gitignore`s in there that it
    could not read, each with the reason."""
    for line in warnings:
        found = _UNREADABLE.fullmatch(line)
        if found is not None and not found[1].startswith("/"):  # what the user ignores everywhere
            yield found[1].rstrip("/") or ".", found[2]


_UNREADABLE = re.compile(r"warning: (?:could not open directory|unable to access) '(.*)': ([^:']+)")


def _gitlinks(folder: Path, *, inner: bool = False) -> list[str]:
    """Where submodules belong below a folder, relative to it, sorted."""
    entries = _run_git(folder, ["ls-files", "-z", "--stage"], inner=inner).split(b"\0")
    links = (entry for entry in entries if entry.startswith(b"160000 "))
    return sorted({os.fsdecode(link.partition(b"\t")[2]) for link in links})


def submodules_of(folder: Path, *, inner: bool = False) -> list[str]:
    """Where the submodules below a folder are that are checked out, relative to it, sorted. Raises
    ProcessError."""
    return [path for path in _gitlinks(folder, inner=inner) if _is_checked_out(folder, path)]


def _is_checked_out(folder: Path, path: str) -> bool:
    """Whether a submodule in a folder is. Without a `.git` of its own, git would tell of what is
    around it; behind a link, of what is elsewhere."""
    return _is_behind_no_link(folder, path) and (folder / path / ".git").exists()


def _is_behind_no_link(folder: Path, path: str) -> bool:
    inside = os.path.join(os.path.realpath(folder), path)  # noqa: PTH118 - compared as text
    return os.path.realpath(inside) == os.path.normpath(inside)


class Changes(Struct, frozen=True):
    """What differs from an earlier state."""

    files: tuple[Path, ...]
    """Absolute paths of files that are new, changed or gone."""
    removed: str
    """The lines that are gone from files with the suffixes that were asked for."""


class Tree(Struct, frozen=True):
    """The files of a revision."""

    top: Path
    """The folder of the repository."""
    objects: dict[str, str]
    """Path of a regular file from the top, with `/` -> name of the object that holds its bytes."""
    sizes: dict[str, int]
    """The same -> how many bytes."""
    unreadable: dict[str, str]
    """Entries that are no files with a content of their own, and why."""


_LINKS = {b"120000": "a link", b"160000": "a submodule"}
"""Modes of entries that lead elsewhere."""


def tree_of(folder: Path, revision: str, asked: str) -> Tree:
    """The files of a revision of the repository that a folder belongs to. Errors begin with what
    was `asked`. Raises UsageError where git cannot tell."""
    top = _top(folder, asked)
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}"]
    try:
        tree = _run_git(top, words).decode().strip()
    except ContractScanError:
        raise UsageError(f"{asked}: git knows no revision `{revision}`{_shallow(top)}") from None
    listed = _git(top, ["ls-tree", "-r", "-z", "--long", "--full-tree", tree], asked)
    objects: dict[str, str] = {}
    sizes: dict[str, int] = {}
    unreadable: dict[str, str] = {}
    for entry in listed.split(b"\0")[:-1]:
        about, _, name = entry.partition(b"\t")
        mode, _, identity, size = about.split()
        path = os.fsdecode(name)
        if not _is_plain(path):
            unreadable[path] = "leads out of the repository, or into what belongs to git"
        elif mode in _LINKS:
            unreadable[path] = f"is {_LINKS[mode]}, which is not followed in a revision"
        elif not size.isdigit():
            unreadable[path] = "its content is missing in this repository, or is no file"
        else:
            objects[path], sizes[path] = identity.decode(), int(size)
    return Tree(top, objects, sizes, unreadable)


def content_of(tree: Tree, path: str, asked: str) -> bytes:
    """The bytes of a file of a revision, just as they were committed. Raises UsageError where git
    cannot tell."""
    return _git(tree.top, ["cat-file", "blob", tree.objects[path]], asked)


def _is_plain(path: str) -> bool:
    """Whether a path stays in the folder that it starts in (a hostile tree may hold others)."""
    parts = path.split("/")
    return "\\" not in path and not any(part in ("", ".", "..", ".git") for part in parts)


def staged_changes(folder: Path, suffixes: Sequence[str]) -> Changes:
    """What the next commit changes; in a submodule, up to the commit that it is to be at. Raises
    UsageError if git cannot tell."""
    option = "--staged"
    with GitRun():
        return _changes(_top(folder, option), _Span("HEAD", _INDEX), suffixes, option)


def changed_since(folder: Path, revision: str, suffixes: Sequence[str]) -> Changes:
    """What the working tree changes since a revision, new files and submodules included: since the
    commit at which its history and that of HEAD parted. Raises UsageError where git cannot tell."""
    option = "--changed"
    with GitRun():
        base = _base(folder, revision)
        return _changes(_top(folder, option), _Span(base, _WORK_TREE), suffixes, option)


def current_commit(folder: Path) -> str:
    """The commit that is checked out; empty where there is none, or where git cannot tell."""
    if not inside_work_tree(folder):
        return ""
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"]
    try:
        return _run_git(folder, words).decode().strip()
    except ContractScanError:
        return ""


_INDEX = ""
_WORK_TREE = "*"
_NO_COMMIT = "0" * 40


class _Span(Struct, frozen=True):
    """From one state of a repository to another."""

    since: str
    until: str
    """A commit, the index or the working tree."""

    def ends(self) -> list[str]:
        """Those of the two that are commits."""
        return [end for end in (self.since, self.until) if end not in (_INDEX, _WORK_TREE)]

    def words(self) -> list[str]:
        if self.until == _INDEX:
            return ["--cached"]
        return [self.since] if self.until == _WORK_TREE else [self.since, self.until]


def _changes(
    top: Path, span: _Span, suffixes: Sequence[str], option: str, *, inner: bool = False
) -> Changes:
    """What differs in a repository and, each looked at for itself, in its submodules."""
    words = span.words()
    names = _git(top, [*DIFF, "--numstat", "-z", *words, "--"], option, inner=inner)
    patterns = [f"*{suffix}" for suffix in suffixes]
    lines = _git(top, [*DIFF, "--unified=0", *words, "--", *patterns], option, inner=inner)
    removed = [*removed_lines(lines.decode("utf-8", "replace"))]
    files = {*_paths(b"\0".join(paths_of_numstat(names)), top)}
    if span.until == _WORK_TREE:
        listed = _git(top, LISTED, option, inner=inner)
        unwatched = unwatched_files(listed, str(top))
        files |= {*_paths(b"\0".join((*new_files(listed), *unwatched)), top)}
        removed += _lines_of(unwatched, top, span.since, suffixes, option, inner=inner)
    for path in _gitlinks(top, inner=inner):
        submodule = top / path
        within = _span_in_submodule(top, path, span, inner=inner)
        if within is None or within.since == within.until:
            continue
        if not all(_revision_exists(submodule, end, inner=True) for end in within.ends()):
            files.add(submodule)  # how it was is undetermined: all of it counts
            continue
        found = _changes(submodule, within, suffixes, option, inner=True)
        files = {*(files - {submodule}), *found.files}
        removed.append(found.removed)
    return Changes(tuple(sorted(files)), "\n".join(removed))


def _lines_of(
    names: Sequence[bytes],
    top: Path,
    revision: str,
    suffixes: Sequence[str],
    option: str,
    *,
    inner: bool,
) -> Iterator[str]:
    """All lines that some files had in a revision, of those with one of the suffixes: which of them
    are gone is undetermined."""
    asked = [f":(literal){os.fsdecode(name)}" for name in names]
    asked = [word for word in asked if word.endswith((*suffixes,))]
    if not asked:
        return
    words = [*DIFF, "--unified=0", revision, _empty_tree(top, option, inner=inner)]
    for at in range(0, len(asked), _AT_ONCE):
        lines = _git(top, [*words, "--", *asked[at : at + _AT_ONCE]], option, inner=inner)
        yield from removed_lines(lines.decode("utf-8", "replace"))


_AT_ONCE = 500
"""Paths in one command."""


def _span_in_submodule(top: Path, path: str, span: _Span, *, inner: bool) -> _Span | None:
    """The same span for a submodule; None where it is not checked out."""
    if not _is_checked_out(top, path):
        return None

    def commit(state: str) -> str:
        words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{state}:{path}"]
        try:
            return _run_git(top, words, inner=inner).decode().strip()
        except ContractScanError:
            return _NO_COMMIT

    until = span.until if span.until == _WORK_TREE else commit(span.until)
    return _Span(commit(span.since), until)


def _base(folder: Path, revision: str) -> str:
    """The commit to compare with; of a repository without any, the tree that holds nothing."""
    option = "--changed"
    top = _top(folder, option)
    if not _revision_exists(top, "HEAD"):
        if revision == "HEAD":
            return _empty_tree(top, option)
        raise UsageError(f"{option}: there is no commit yet to compare with `{revision}`")
    if not _revision_exists(top, revision):
        raise UsageError(f"{option}: git knows no commit `{revision}`{_shallow(top)}")
    if revision == "HEAD":
        return "HEAD"
    try:
        return _run_git(top, ["merge-base", "--end-of-options", revision, "HEAD"]).decode().strip()
    except ContractScanError:
        raise UsageError(
            f"{option}: `{revision}` and HEAD have no common ancestor{_shallow(top)}"
        ) from None


def _empty_tree(top: Path, option: str, *, inner: bool = False) -> str:
    """The tree that holds nothing."""
    words = ["hash-object", "-t", "tree", "--stdin"]
    return _git(top, words, option, inner=inner).decode().strip()


def _revision_exists(top: Path, revision: str, *, inner: bool = False) -> bool:
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    try:
        _run_git(top, words, inner=inner)
    except ContractScanError:
        return False
    return True


def _shallow(top: Path) -> str:
    """What to do where a clone lacks history."""
    is_shallow = _git(top, ["rev-parse", "--is-shallow-repository"], "--changed")
    if is_shallow.strip() != b"true":
        return ""
    return "; the clone is shallow: fetch its whole history (`git fetch --unshallow`)"


def _top(folder: Path, option: str) -> Path:
    if not inside_work_tree(folder):
        raise UsageError(f"{option} needs a git repository, and this is none", str(folder))
    output = _git(folder, ["rev-parse", "--show-toplevel"], option)
    return Path(output.decode("utf-8", "surrogateescape").removesuffix("\n"))


def _paths(output: bytes, top: Path) -> tuple[Path, ...]:
    names = output.decode("utf-8", "surrogateescape").split("\0")
    return tuple(top / name for name in names if name)


def _git(folder: Path, words: Sequence[str], option: str, *, inner: bool = False) -> bytes:
    try:
        return _run_git(folder, words, inner=inner)
    except ContractScanError as error:
        hint = _PARTIAL if words[0] == "diff" and _is_partial(folder, inner=inner) else ""
        raise UsageError(f"{option}: {error.message}{hint}", str(folder)) from None


_PARTIAL = "; the clone is partial, and nothing is fetched here: run `git diff` once before"


def _is_partial(folder: Path, *, inner: bool) -> bool:
    """Whether a clone lacks objects on purpose, which git would fetch when it needs them."""
    try:
        settings = _run_git(folder, SETTINGS, inner=inner)
    except ContractScanError:
        return False
    return b"\0extensions.partialclone\n" in settings


def run_git(
    folder: Path,
    words: Sequence[str],
    *,
    inner: bool = False,
    accepted: Collection[int] = (0,),
    variables: Mapping[str, str] | None = None,
    seconds: float | None = None,
    others: Sequence[Path] = (),
) -> ProcessOutput:
    """What git prints and how it ends, where that is one of the statuses that are `accepted`. In a
    submodule (`inner`), what a hook is told of the repository around it does not count. It may take
    `seconds`, else what is left of the run (`GitRun`). `others` are further working trees that git
    is started in by this command, each with settings of its own. Raises
    ProcessError where git cannot be started, fails otherwise, or takes too long."""
    from contract_scan.clients.processes import ProcessError, ProcessTimeoutError, run_program

    environment = environment_outside() if inner else dict(os.environ)
    started = command(str(folder), environment)
    if isinstance(started, str):
        raise ProcessError(started)
    before, safe_variables = started
    for place in (folder, *others) if needs_overriding(words) else ():
        settings = run_git(place, SETTINGS, inner=inner).stdout
        before += overriding_options(str(place), settings, environment)
    waiting = patience()
    timeout = waiting.seconds_left() if seconds is None else seconds
    if not timeout:
        raise ProcessError(waiting.complaint())
    began = time.monotonic()
    try:
        return run_program(
            [*before, *words],
            name="git",
            cwd=folder,
            timeout=timeout,
            environment={**safe_variables, **(variables or {})},
            without=OWN_VARIABLES,
            accepted=accepted,
        )
    except ProcessTimeoutError as error:
        raise ProcessError(waiting.complaint() if seconds is None else error.message) from None
    finally:
        if seconds is None:
            waiting.spend(time.monotonic() - began)


def _run_git(
    folder: Path, words: Sequence[str], *, inner: bool = False, warnings: list[str] | None = None
) -> bytes:
    """What git prints; what it warns of is added to `warnings`."""
    found = run_git(folder, words, inner=inner)
    if warnings is not None:
        warnings += os.fsdecode(found.stderr).splitlines()
    return found.stdout
