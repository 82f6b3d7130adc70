"""Find out where git looks for files, so that it need not look next time (`walked`)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from contract_scan.cli.directory_snapshot import (
    ABSENT,
    NO_FINGERPRINT,
    TOP,
    DirectorySnapshot,
    looked_into,
    time_of,
)
from contract_scan.clients.git_command import output_of
from contract_scan.clients.listing import has_git_variables, tracked_files
from contract_scan.parsers.source.dependency_snapshot import SETTLED, digest_of

_MOST_FOLDERS = 20_000
"""Beyond that, asking every folder for its time is not quicker than asking git."""
_MOST_UNKNOWN = 1_000
"""Folders without a listed file in them of which git is asked whether it ignores them."""

_TICK = 20_000_000
"""Nanoseconds: more than the clock goes behind by which the system notes when a file is written."""


def walk(root: str, listed: bytes, since: int) -> DirectorySnapshot | None:
    """Where git looks for the files that it `listed` below the top of a repository; None where that
    is undetermined. What changed after `since` (ns), or soon before, does not tell of more."""
    if has_git_variables():
        return None
    rules, found = _rules(root), _folders(root, listed)
    names, index = tracked_files(root), _git_paths(root, "index")
    if rules is None or found is None or names is None or index is None:
        return None
    if any(os.path.lexists(path) and _change_time(path) > since - _TICK for path in index):
        return None  # what is tracked now may not be what was listed
    folders, ignored, ignoring = found

    def settled(path: str) -> int:
        at = time_of(path)
        if at == NO_FINGERPRINT and not path.startswith(root + os.sep):
            # Of the system or the user: images are made with whole seconds.
            at = _change_time(path)
        return at if at == ABSENT or at < since - SETTLED else NO_FINGERPRINT

    return DirectorySnapshot(
        {path: settled(f"{root}/{path}") for path in folders},
        ignored,
        {path: settled(path) for path in (*rules, *ignoring)},
        {path: settled(path) for path in index},
        digest_of(names),
    )


def _change_time(path: str) -> int:
    return os.lstat(path).st_ctime_ns


def _folders(root: str, listed: bytes) -> tuple[list[str], list[str], list[str]] | None:
    """The folders that git goes through, those in them that it does not go into, and the files
    there that say what is ignored."""
    inner = {*_folders_of(os.fsdecode(listed).split("\0"))}
    folders, ignored, rules = [], [], []
    pending, unknown = [TOP], list[str]()
    while pending or unknown:
        if not pending:
            left_out = _ignored_folders(root, unknown)
            if left_out is None:
                return None
            ignored += left_out
            pending, unknown = sorted({*unknown} - {*left_out}), []
            continue
        folder = pending.pop()
        folders.append(folder)
        if len(folders) > _MOST_FOLDERS:
            return None
        try:
            inside, ignoring = looked_into(root, folder)
        except OSError:
            return None
        rules += ignoring
        for path in inside:
            (pending if path in inner else unknown).append(path)
    return folders, ignored, rules


def _folders_of(paths: list[str]) -> Iterator[str]:
    """The folders that some files lie in."""
    seen: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in seen:
            seen.add(folder)
            yield folder
            folder = folder.rpartition("/")[0]


def _ignored_folders(root: str, folders: list[str]) -> list[str] | None:
    """Those of some folders that git ignores; None where they are too many to ask. Of names that it
    puts in quotes nothing is told: to look at such a folder in vain does no harm."""
    if len(folders) > _MOST_UNKNOWN:
        return None
    asked = ("check-ignore", "--no-index", "--", *(f"./{path}" for path in folders))
    output = output_of(root, asked, none=1)
    if output is None:
        return None
    return [os.fsdecode(path).removeprefix("./") for path in output.split(b"\n") if path]


def _rules(root: str) -> list[str] | None:
    """Files beside those in the folders that have a say in what git ignores, also those that are
    not there; None where one of them counts only at times."""
    own = _git_paths(root, "info/exclude", "config", "config.worktree")
    settings = output_of(root, ("config", "--list", "--name-only", "--show-origin", "-z"))
    named = output_of(root, ("config", "--type=path", "--get", "core.excludesFile"), none=1)
    if own is None or settings is None or named is None:
        return None
    origins = settings.split(b"\0")
    if any(key.startswith(b"includeif.") for key in origins[1::2]):
        return None
    files = {os.fsdecode(origin[5:]) for origin in origins[::2] if origin.startswith(b"file:")}
    home = os.path.expanduser("~")  # noqa: PTH111 - texts are what is compared later
    configured = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    # The file of the user counts where the one that the repository names lies elsewhere.
    excluding = {os.fsdecode(named).removesuffix("\n"), f"{configured}/git/ignore"} - {""}
    files |= {*excluding, f"{home}/.gitconfig", f"{configured}/git/config", *own}
    return sorted({os.path.join(root, file) for file in files})  # noqa: PTH118


def _git_paths(root: str, *names: str) -> list[str] | None:
    """Where files of the repository itself lie."""
    asked = [word for name in names for word in ("--git-path", name)]
    output = output_of(root, ("rev-parse", *asked))
    if output is None:
        return None
    found = os.fsdecode(output).splitlines()
    return [os.path.normpath(os.path.join(root, path)) for path in found]  # noqa: PTH118
