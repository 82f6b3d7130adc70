"""Files that were named and that no scan reads: said, since silence would look like praise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from contract_scan.config import Config

MOST = 5
"""Files that are looked up: lists of names, as hooks give them, hold what is not read as well."""
_OTHERS = ("", ".json", ".md", ".toml", ".yaml", ".yml")
"""Suffixes of what is read that is no code: contracts and settings."""


def skipped_inputs(root: Path, only: Sequence[Path], config: Config) -> Iterator[tuple[str, str]]:
    """Those of the source files named that are left out, each with the reason."""
    from contract_scan.clients.git import listed_files
    from contract_scan.parsers.archives import ARCHIVED, is_archived
    from contract_scan.parsers.source.discovery.discover import PRUNED_FOLDERS, SourceTree
    from contract_scan.parsers.source.discovery.test_code import is_test
    from contract_scan.parsers.source.languages import SUFFIXES

    if len(only) <= MOST:
        for file in only:
            if not file.is_dir() and file.suffix not in SUFFIXES and file.suffix not in _OTHERS:
                path = file.relative_to(root).as_posix()
                yield path, "no language that is read has this suffix"
    files = [file for file in only if file.suffix in SUFFIXES and file.is_file()]
    if not files or len(files) > MOST:
        return
    listed = listed_files(root) if len(files) == 1 else None  # another process: not for hooks
    known = None if listed is None else {*listed}
    for file in files:
        path = file.relative_to(root).as_posix()
        if PRUNED_FOLDERS.intersection(path.split("/")):
            yield path, "code in this folder is never read"
        elif known is not None and path not in known:
            yield path, "git ignores it"
        elif _is_excluded(path, root, config):
            yield path, "it is excluded"
        elif is_test(path) or is_archived(path):
            tree = SourceTree(root, SUFFIXES, listed=listed)
            if tree.is_test(path):
                yield path, "it is test code"
            elif tree.is_left_in_archive(path):
                yield path, f"it is {ARCHIVED}"


def _is_excluded(path: str, root: Path, config: Config) -> bool:
    patterns = (*config.exclude, *config.extend_exclude)
    if not patterns:
        return False
    from contract_scan.config.patterns import Patterns

    return Patterns(patterns, root).match(path)
