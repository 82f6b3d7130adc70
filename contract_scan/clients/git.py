"""What git knows of a folder. Nothing that a repository configures is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from contract_scan.clients.listing import LISTING, SAFE, TIMEOUT, listing
from contract_scan.errors import ContractScanError, UsageError


def inside_work_tree(folder: Path) -> bool:
    """Whether a `.git` lies in the folder or above it. Starts nothing."""
    resolved = folder.resolve()
    return any((parent / ".git").exists() for parent in (resolved, *resolved.parents))


def listed_files(folder: Path) -> list[str] | None:
    """Paths of the files below a folder that git tracks or does not ignore, relative to it, with
    `/`. None where git cannot tell (no git, no repository, ownership it refuses)."""
    output = listed(folder)
    return None if output is None else names_in(output)


def listed(folder: Path) -> bytes | None:
    """The same as git writes it, each path before a NUL."""
    if not inside_work_tree(folder):
        return None
    output = listing(str(folder))
    if output is not None:
        return output
    try:
        return _run(folder, LISTING)
    except ContractScanError:
        return None


def names_in(output: bytes) -> list[str]:
    """The paths in what git listed, sorted."""
    names = output.decode("utf-8", "surrogateescape").split("\0")
    return sorted({name for name in names if name})


class Changes(Struct, frozen=True):
    """What differs from an earlier state."""

    files: tuple[Path, ...]
    """Absolute paths of files that are new, changed or gone."""
    removed: str
    """The lines that are gone from files with the suffixes that were asked for."""


def staged(folder: Path, suffixes: Sequence[str]) -> Changes:
    """What the next commit changes. Raises UsageError where git cannot tell."""
    return _changes(folder, ["--cached"], suffixes, "--staged")


def changed_since(folder: Path, revision: str, suffixes: Sequence[str]) -> Changes:
    """What the working tree changes since a revision, new files included: since the commit at
    which its history and that of HEAD parted. Raises UsageError where git cannot tell."""
    base = _base(folder, revision)
    tracked = _changes(folder, [base], suffixes, "--changed")
    top = _top(folder, "--changed")
    others = ["ls-files", "-z", "--others", "--exclude-standard"]
    new = _paths(_git(top, others, "--changed"), top)
    return Changes((*tracked.files, *new), tracked.removed)


_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color")


def _changes(folder: Path, against: Sequence[str], suffixes: Sequence[str], option: str) -> Changes:
    top = _top(folder, option)
    names = _git(top, [*_DIFF, "--name-only", "-z", *against], option)
    patterns = [f"*{suffix}" for suffix in suffixes]
    lines = _git(top, [*_DIFF, "--unified=0", *against, "--", *patterns], option)
    removed = (
        line[1:]
        for line in lines.decode("utf-8", "replace").splitlines()
        if line.startswith("-") and not line.startswith("---")
    )
    return Changes(_paths(names, top), "\n".join(removed))


def _base(folder: Path, revision: str) -> str:
    """The commit to compare with; of a repository without any, the tree that holds nothing."""
    option = "--changed"
    top = _top(folder, option)
    if not _known(top, "HEAD"):
        if revision == "HEAD":
            return _git(top, ["hash-object", "-t", "tree", "--stdin"], option).decode().strip()
        raise UsageError(f"{option}: there is no commit yet to compare with `{revision}`")
    if not _known(top, revision):
        raise UsageError(f"{option}: git knows no commit `{revision}`{_shallow(top)}")
    if revision == "HEAD":
        return "HEAD"
    try:
        return _run(top, ["merge-base", "--end-of-options", revision, "HEAD"]).decode().strip()
    except ContractScanError:
        raise UsageError(
            f"{option}: `{revision}` and HEAD have no common ancestor{_shallow(top)}"
        ) from None


def _known(top: Path, revision: str) -> bool:
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    try:
        _run(top, words)
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


def _git(folder: Path, words: Sequence[str], option: str) -> bytes:
    try:
        return _run(folder, words)
    except ContractScanError as error:
        raise UsageError(f"{option}: {error.message}", str(folder)) from None


def _run(folder: Path, words: Sequence[str]) -> bytes:
    from contract_scan.clients.processes import run

    return run([*SAFE, *words], cwd=folder, timeout=TIMEOUT).stdout
