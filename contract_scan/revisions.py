"""Two revisions of contracts in, what changed between them out: the flow behind
`api.compare_contracts`."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from contract_scan.clients import git
from contract_scan.errors import ContractError, UsageError
from contract_scan.ir.contract_changes import (
    ContractChange,
    ContractChanges,
    UndeterminedChange,
)
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin
from contract_scan.ir.wire_contract import WireContract
from contract_scan.parsers.contracts.located_tree import DEFAULT_LIMITS
from contract_scan.parsers.contracts.wire.load import (
    CONTRACT_SUFFIXES,
    WireContracts,
    contract_files,
    read_wire_contracts,
    read_wire_document,
)
from contract_scan.scanners.changes.accepted import read_accepted, without_accepted
from contract_scan.scanners.changes.compare import compare_revisions
from contract_scan.scanners.changes.judgements import CHANGE_IDS
from contract_scan.scanners.impact import CodePairing, with_impacts

ContractSource: TypeAlias = Path | str | Mapping[str, object]
"""A file or folder, `git:REF:PATH`, or a document itself."""

Pairings: TypeAlias = Callable[[Sequence[Path]], Sequence[CodePairing]]
"""Files of contracts -> their promises paired with code."""

GIT = "git:"
"""How the name of a source in a revision of git begins."""
_MAX_ROUNDS = 50
"""References from file to file that are followed in a revision."""


class _Side(Struct, frozen=True):
    """One of the two revisions."""

    name: str
    contracts: tuple[WireContract, ...]
    problems: tuple[NotAnalysed, ...]
    label: str = ""
    """What comes before its paths in reports."""
    paths: tuple[Path, ...] = ()
    """Its files; none of a document that stands in no file."""
    folder: str = ""
    """The folder that was named, with a slash at its end; empty for a file."""

    def labelled_origin(self, origin: Origin) -> Origin:
        """A place as reports show it."""
        return replace(origin, path=self.label + origin.path) if origin.path else origin


def compare(
    base: ContractSource,
    revision: ContractSource,
    *,
    here: Path,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
    accepted: Path | None = None,
    pairings: Pairings | None = None,
) -> ContractChanges:
    """As `contract_scan.api.compare_contracts`; `pairings` pairs the contracts in some files with
    code."""
    chosen = _chosen_ids(select, ignore)
    entries = () if accepted is None else read_accepted(accepted)
    with ExitStack() as stack:
        old, new = (_read_side(one, here, stack) for one in (base, revision))
        _refuse_unlike(old, new)
        compared = compare_revisions(old.contracts, new.contracts, (old.folder, new.folder))
        changes = [_shown_change(one, old, new) for one in compared.changes]
        wanted = [one for one in changes if one.id in chosen]
        left = without_accepted(
            wanted, entries, "" if accepted is None else os.path.relpath(accepted, here)
        )
        found = left.changes
        if pairings is not None and found and old.paths:
            found = with_impacts(found, pairings(old.paths))
    undetermined = tuple(_shown_undetermined(one, old, new) for one in compared.undetermined)
    return ContractChanges(
        base=old.name,
        revision=new.name,
        changes=tuple(found),
        suppressed=len(changes) - len(found),
        undetermined=undetermined,
        problems=(*_problems(old), *_problems(new), *left.problems),
        contracts=compared.contracts,
    )


def _refuse_unlike(old: _Side, new: _Side) -> None:
    """Raises where there is nothing that could be compared."""
    for side in (old, new):
        if not side.contracts and side.problems:
            first = side.problems[0]
            raise ContractError(first.reason, side.label + first.path, first.line)
    if not old.contracts and not new.contracts:
        raise UsageError("neither side holds a contract (OpenAPI, AsyncAPI, JSON Schema)")
    if len(old.contracts) == len(new.contracts) == 1 and not (old.folder or new.folder):
        kinds = old.contracts[0].kind, new.contracts[0].kind
        if kinds[0] != kinds[1]:
            raise UsageError(
                f"is {_with_article(kinds[1])}, and `{old.name}` is {_with_article(kinds[0])}:"
                " only revisions of one contract can be compared",
                new.name,
            )


def _with_article(kind: str) -> str:
    names = {"openapi": "an OpenAPI", "asyncapi": "an AsyncAPI", "json-schema": "a JSON Schema"}
    return f"{names.get(kind, kind)} document"


# Ids


def _chosen_ids(select: Collection[str], ignore: Collection[str]) -> frozenset[str]:
    """The ids that are wanted. Raises UsageError for a pattern that fits none."""
    wanted = CHANGE_IDS if not select else frozenset(_matching_ids(select))
    return wanted - frozenset(_matching_ids(ignore))


def _matching_ids(patterns: Collection[str]) -> Iterator[str]:
    for pattern in patterns:
        found = [one for one in CHANGE_IDS if fnmatchcase(one, pattern)]
        if not found:
            import difflib

            close = difflib.get_close_matches(pattern, CHANGE_IDS, n=1)
            hint = f"; did you mean `{close[0]}`?" if close else ""
            raise UsageError(f"no kind of change has the id `{pattern}`{hint}")
        yield from found


# Reading one side


def _read_side(source: ContractSource, here: Path, stack: ExitStack) -> _Side:
    if isinstance(source, Mapping):
        return _document(source)
    if isinstance(source, str) and source.startswith(GIT):
        return _in_git(source, here, stack)
    path = here / source
    if not path.exists():
        raise UsageError("no such file or folder", str(source))
    if path.is_dir():
        return _in_folder(path, str(source), here)
    real = Path(os.path.realpath(path))
    root = _root_around(real.parent)
    found = read_wire_contracts((real,), root)
    return _revision_side(str(source), found, (real,), label=label_of(root, here))


def _document(source: Mapping[str, object]) -> _Side:
    try:
        content = msgspec.json.encode(source)
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise UsageError(f"the document cannot be written as JSON: {error}") from None
    # No file stands around it, so that no reference leads into one.
    with TemporaryDirectory(prefix="contract-scan-") as nowhere:
        found = read_wire_document(content, "document", Path(nowhere))
    return _revision_side("document", found)


def _in_folder(path: Path, name: str, here: Path) -> _Side:
    folder = Path(os.path.realpath(path))
    root = _root_around(folder)
    paths = contract_files(folder)
    found = read_wire_contracts(paths, root)
    inside = "" if folder == root else folder.relative_to(root).as_posix() + "/"
    return _revision_side(name, found, paths, label=label_of(root, here), folder=inside or "/")


def _revision_side(
    name: str,
    found: WireContracts,
    paths: Sequence[Path] = (),
    *,
    label: str = "",
    folder: str = "",
) -> _Side:
    return _Side(name, found.contracts, found.problems, label, tuple(paths), folder)


def _root_around(folder: Path) -> Path:
    """The folder that references may not lead out of: the repository, else the folder itself."""
    for around in (folder, *folder.parents):
        if (around / ".git").exists():
            return around
    return folder


def label_of(root: Path, here: Path) -> str:
    """What leads from the working directory to the root."""
    here = Path(os.path.realpath(here))
    if root == here:
        return ""
    if root.is_relative_to(here):
        return root.relative_to(here).as_posix() + "/"
    if here.is_relative_to(root):
        return ""
    return root.as_posix().rstrip("/") + "/"


# A revision of git


def _in_git(source: str, here: Path, stack: ExitStack) -> _Side:
    """Files of a revision, written to a folder of their own: what is named, and what that leads
    to."""
    revision, separator, path = source.removeprefix(GIT).partition(":")
    if not revision or not separator:
        raise UsageError(f"`{source}` names no file of a revision: write `git:REF:PATH`")
    tree = git.tree_of(here, revision, source)
    wanted = posixpath.normpath(path) if path else "."
    named = _files_at(tree, wanted, here)
    if not named:
        if wanted in tree.unreadable:
            raise ContractError(tree.unreadable[wanted], f"{revision}:{wanted}")
        raise UsageError(f"{source}: there is no such file or folder in that revision")
    root = Path(os.path.realpath(stack.enter_context(TemporaryDirectory(prefix="contract-scan-"))))
    is_folder = named[0] not in tree.objects
    files = [one for one in tree.objects if _is_in(one, named) and _can_be_read(one)]
    if not is_folder:
        files = named
    written: set[str] = set()
    _write(tree, files, root, written, source)
    for _ in range(_MAX_ROUNDS):
        paths = contract_files(root / named[0]) if is_folder else (root / named[0],)
        found = read_wire_contracts(paths, root)
        missing = [one for one in found.missing if one in tree.objects and one not in written]
        if not missing:
            break
        _write(tree, missing, root, written, source)
    folder = f"{named[0]}/" if is_folder else ""
    folder = "/" if folder == "./" else folder
    side = _revision_side(source, found, paths, label=f"{revision}:", folder=folder)
    unread = tuple(
        NotAnalysed(path=path, reason=reason)
        for path, reason in tree.unreadable.items()
        if _can_be_read(path) and _is_in(path, named)
    )
    return replace(side, problems=(*side.problems, *unread))


def _files_at(tree: git.Tree, wanted: str, here: Path) -> list[str]:
    """What a path names: from the top of the repository as for git itself, else from here."""
    inside = Path(os.path.realpath(here)).relative_to(os.path.realpath(tree.top)).as_posix()
    for path in (wanted, posixpath.normpath(posixpath.join(inside, wanted))):
        if path == "." or path in tree.objects or any(_is_in(one, [path]) for one in tree.objects):
            return [path]
    return []


def _is_in(path: str, folders: Sequence[str]) -> bool:
    return any(folder == "." or path.startswith(f"{folder}/") for folder in folders)


def _can_be_read(path: str) -> bool:
    return path.endswith(CONTRACT_SUFFIXES)


def _write(tree: git.Tree, paths: Sequence[str], root: Path, written: set[str], asked: str) -> None:
    if len(written) + len(paths) > DEFAULT_LIMITS.max_files:
        limit = f"{DEFAULT_LIMITS.max_files:,}"
        raise UsageError(f"{asked}: holds more than {limit} files; name a smaller folder")
    for path in paths:
        if tree.sizes[path] > DEFAULT_LIMITS.max_bytes:
            raise ContractError(f"is larger than {DEFAULT_LIMITS.max_bytes // 1_000_000} MB", path)
        file = root / path
        content = git.content_of(tree, path, asked)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        except OSError as error:  # a tree may hold names that no file system takes, or one twice
            raise ContractError(f"cannot be laid out as a file: {error.strerror}", path) from None
        written.add(path)


# Places as reports show them


def _shown_change(change: ContractChange, old: _Side, new: _Side) -> ContractChange:
    subjects = tuple(
        replace(one, contract=(old if change.base.path else new).label + one.contract)
        for one in change.subjects
    )
    return replace(
        change,
        base=old.labelled_origin(change.base),
        revision=new.labelled_origin(change.revision),
        subjects=subjects,
    )


def _shown_undetermined(one: UndeterminedChange, old: _Side, new: _Side) -> UndeterminedChange:
    subject = replace(one.subject, contract=old.label + one.subject.contract)
    return replace(
        one,
        base=old.labelled_origin(one.base),
        revision=new.labelled_origin(one.revision),
        subject=subject,
    )


def _problems(side: _Side) -> Iterator[NotAnalysed]:
    """What could not be read of a side, and what is wrong inside of what could."""
    found = [*side.problems, *(problem for one in side.contracts for problem in one.problems)]
    for problem in dict.fromkeys(found):
        yield replace(problem, path=side.label + problem.path)
