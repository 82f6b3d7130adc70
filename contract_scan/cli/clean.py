"""`contract-scan clean`: remove the caches below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.target import prefix
from contract_scan.errors import UsageError

_NEVER_ENTERED = frozenset({".git", ".hg", ".svn", "node_modules"})


@click.command("clean")
@click.argument("paths", nargs=-1, metavar="[FOLDERS]...", shell_complete=complete_files)
def command(paths: tuple[str, ...]) -> int:
    """Remove the caches in FOLDERS and below (the working directory is the default).

    The next scan takes longer, and says the same. Links are not followed.

    Exit status: 0 removed, or nothing was there; 2 a cache could not be removed.
    """
    import shutil

    from contract_scan.reports.display import display

    here = Path.cwd()
    folders = [here / path for path in paths] or [here]
    for folder, path in zip(folders, paths or (".",), strict=True):
        if not folder.is_dir():
            raise UsageError("no such folder", path)
    found = sorted({cache for folder in folders for cache in _caches(folder.resolve())})
    for cache in found:
        try:
            shutil.rmtree(cache)
        except OSError as error:
            raise UsageError(f"cannot be removed: {error.strerror}", str(cache)) from None
        click.echo(f"Removed {display(prefix(cache, here) or './')}")
    if not found:
        click.echo("No cache was found.")
    return status.CLEAN


def _caches(folder: Path) -> Iterator[Path]:
    """The caches below a folder. One is told by its name and by the tag that every cache bears, so
    that nothing else is ever removed."""
    from contract_scan.parsers.source.store import FOLDER

    for path, folders, _ in os.walk(folder):
        if FOLDER in folders:
            cache = Path(path, FOLDER)
            if (cache / "CACHEDIR.TAG").is_file() and not cache.is_symlink():
                yield cache
        folders[:] = [name for name in folders if name not in _NEVER_ENTERED and name != FOLDER]
