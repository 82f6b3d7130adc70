"""`contract-scan clean`: remove the caches of folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from contract_scan.cache import CacheUnusableError, caches, remove_cache
from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import option
from contract_scan.cli.target import prefix
from contract_scan.errors import UsageError

_NEVER_ENTERED = frozenset({".git", ".hg", ".svn", "node_modules"})
_FORMER = ".contract_scan_cache"
"""Where the cache lay before it had a place outside of repositories."""
_FORMER_TAG = "# A cache of contract-scan.\n"


@click.command("clean")
@click.argument("paths", nargs=-1, metavar="[FOLDERS]...", shell_complete=complete_files)
@option("--all", "everything", is_flag=True, help="Remove the caches of all folders.")
@option(
    "--cache-dir",
    metavar="DIR",
    help="Folder of the caches.  [default: the user's cache folder]",
    shell_complete=complete_files,
)
def command(paths: tuple[str, ...], everything: bool, cache_dir: str | None) -> int:
    """Remove the caches of FOLDERS and of what is below them (the working directory is the
    default).

    The next scan takes longer, and says the same. Caches that former versions left in the FOLDERS
    go as well. Links are not followed, and only files that a cache consists of are removed.

    Exit status: 0 removed, or nothing was there; 2 a cache could not be removed.
    """
    here = Path.cwd()
    folders = [here / path for path in paths] or [here]
    for folder, path in zip(folders, paths or (".",), strict=True):
        if not folder.is_dir():
            raise UsageError("no such folder", path)
    if everything and paths:
        raise UsageError("--all removes the caches of all folders; name none")
    roots = [folder.resolve() for folder in folders]
    found = 0
    try:
        for path, root in caches(cache_dir or True):
            if everything or (root is not None and _is_below(Path(root), roots)):
                _remove(path, root or path, here)
                found += 1
    except CacheUnusableError as error:
        raise UsageError(str(error)) from None
    for cache in sorted({cache for folder in roots for cache in _former(folder)}):
        _remove_former(cache, here)
        found += 1
    if not found:
        click.echo("No cache was found.")
    return status.CLEAN


def _is_below(root: Path, folders: list[Path]) -> bool:
    return any(root.is_relative_to(folder) for folder in folders)


def _remove(path: str, root: str, here: Path) -> None:
    from contract_scan.reports.display import display

    try:
        remove_cache(path)
    except OSError as error:
        raise UsageError(f"cannot be removed: {error.strerror}", path) from None
    click.echo(f"Removed the cache of {display(prefix(Path(root), here) or './')}")


# ---------------------------------------------------------------------- former caches


def _former(folder: Path) -> Iterator[Path]:
    """The caches that former versions left below a folder. One is told by its name and by the tag
    that every cache bore."""
    for path, folders, _ in os.walk(folder):
        if _FORMER in folders:
            cache = Path(path, _FORMER)
            if not cache.is_symlink() and _is_tagged(cache / "CACHEDIR.TAG"):
                yield cache
        folders[:] = [name for name in folders if name not in _NEVER_ENTERED and name != _FORMER]


def _is_tagged(file: Path) -> bool:
    from contract_scan.parsers.source.discovery.discover import read_regular

    return (read_regular(file, 1_000) or b"").endswith(_FORMER_TAG.encode())


def _remove_former(cache: Path, here: Path) -> None:
    """Remove the files that such a cache consists of, and its folders where nothing is left."""
    from contract_scan.reports.display import display

    try:
        for folder in (cache / "texts", cache):
            if folder.is_dir() and not folder.is_symlink():
                for file in sorted(folder.iterdir()):
                    if _is_former(file.name, folder.name) and not file.is_symlink():
                        file.unlink()
                if not any(folder.iterdir()):
                    folder.rmdir()
    except OSError as error:
        raise UsageError(f"cannot be removed: {error.strerror}", str(cache)) from None
    click.echo(f"Removed {display(prefix(cache, here) or './')}")


def _is_former(name: str, folder: str) -> bool:
    import re

    if folder == "texts":
        return re.fullmatch(r"[0-9a-f]{32}(\.\d+)?", name) is not None
    known = (
        r"\.gitignore|CACHEDIR\.TAG|cache-v1\.sqlite(-wal|-shm|-journal)?|said-[0-9a-f]{32}(\.\d+)?"
    )
    return re.fullmatch(known, name) is not None
