"""`check --watch`: scan again whenever a file changes that a scan may read.

Files are asked for their states now and then, rather than listened to: that works on every file
system (network mounts and containers give no notice), needs nothing to be installed, and takes a
small, bounded share of one core.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from contract_scan.clients.git_command import GitRun, serve_many_runs

if TYPE_CHECKING:
    from contract_scan.config import Config

States: TypeAlias = "dict[str, tuple[int, int, int, int]]"
"""File -> size, time of its last change (ns) and inode."""

SHORTEST = 0.25
"""Seconds between two looks at the files, at least."""
SHARE = 0.1
"""Share of the time that looking may take: where there are many files, it is done less often."""
NAMED = 3
"""Files that are named of those that changed."""
CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""Empties the screen and what can be scrolled back to, and puts the cursor at the top."""

_FURTHER_SUFFIXES = frozenset(
    {
        ".cfg",
        ".csproj",
        ".gradle",
        ".json",
        ".kts",
        ".markdown",
        ".md",
        ".properties",
        ".props",
        ".sln",
        ".slnx",
        ".toml",
        ".txt",
        ".xml",
        ".yaml",
        ".yml",
    }
)
"""Of contracts, configuration and build files."""


def watch(
    check: Callable[[], int],
    folders: Callable[[], Collection[Path]],
    own: Collection[Path],
    *,
    quiet: bool,
) -> NoReturn:
    """Check, and check again after every change, until interrupted.

    `folders` says where to look, anew for each check, since a changed configuration may name
    others. `own` are files that the checks themselves write. What a user can mend ends no watching:
    it is said, and the next change tried.
    """
    from contract_scan.parsers.source.retained_sources import many_runs

    serve_many_runs()
    with many_runs():
        _check_for_ever(check, folders, own, quiet=quiet)


def _check_for_ever(
    check: Callable[[], int],
    folders: Callable[[], Collection[Path]],
    own: Collection[Path],
    *,
    quiet: bool,
) -> NoReturn:
    changed: list[str] = []
    while True:
        watched = folders()
        seen = states(watched, own)
        if sys.stdout.isatty():
            sys.stdout.write(CLEAR)
            sys.stdout.flush()
        if changed and not quiet:
            _print_line(f"[{time.strftime('%H:%M:%S')}] {changes_text(changed)}")
        with GitRun():
            _check_once(check)
        sys.stdout.flush()
        if not quiet:
            _print_line("Watching for changes (Ctrl-C to stop).")
        changed = _wait(watched, own, seen)


def changes_text(changed: list[str]) -> str:
    """Which files changed, the first few by name: `Changed: app.py, openapi.yaml and 3 more.`"""
    from contract_scan.reports.display import display

    here = os.getcwd() + os.sep  # noqa: PTH109 - as in `main`
    names = [display(path.removeprefix(here)) for path in changed]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"Changed: {', '.join(names[:NAMED])}{more}."


def _check_once(check: Callable[[], int]) -> None:
    from contract_scan.cli.main import said_of
    from contract_scan.errors import ContractScanError

    try:
        check()
    except ContractScanError as error:
        _print_line(said_of(error))


def _print_line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _wait(watched: Collection[Path], own: Collection[Path], seen: States) -> list[str]:
    """The files that are other than they were, sorted, once they have come to rest."""
    last = seen
    while True:
        began = time.monotonic()
        now = states(watched, own)
        took = time.monotonic() - began
        if now != seen and now == last:
            return sorted(path for path in {*now, *seen} if now.get(path) != seen.get(path))
        last = now
        time.sleep(max(SHORTEST, took / SHARE))


def folders_to_watch(root: Path, contracts: Iterable[Path], config: Config) -> list[Path]:
    """Where everything lies that the answer of a scan depends on: the root with the build around
    it, the configuration, and contracts from elsewhere."""
    from contract_scan.parsers.source.discovery.discover import build_folders

    _, project = build_folders(root)
    named = [*contracts, *config.contracts, *(c for s in config.services for c in s.contracts)]
    if config.file is not None:
        named.append(config.file)
    around = {path if path.is_dir() else path.parent for path in named}
    return [project, *sorted(path for path in around if not path.is_relative_to(project))]


def states(folders: Iterable[Path], own: Collection[Path]) -> States:
    """The states of all files in folders that a scan may read, but for `own`."""
    from contract_scan.parsers.source.discovery.discover import OUTPUT_FOLDERS, PRUNED_FOLDERS
    from contract_scan.parsers.source.languages import SUFFIXES

    left_out = frozenset(map(str, own))
    found: States = {}
    pending = [str(folder) for folder in folders]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue  # it is gone, or not ours to read
        for entry in entries:
            name = entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    if name not in PRUNED_FOLDERS and name not in OUTPUT_FOLDERS:
                        pending.append(entry.path)
                    continue
                suffix = name[name.rfind(".") :]
                if suffix not in SUFFIXES and suffix not in _FURTHER_SUFFIXES:
                    continue
                if entry.path in left_out:
                    continue
                state = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            found[entry.path] = (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)
    return found
