"""Patterns of paths, each as seen from the folder that it is relative to."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from contract_scan.config.values import Pattern

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Patterns:
    """Matches paths below a root, given relative to it."""

    def __init__(self, patterns: Iterable[Pattern], root: Path) -> None:
        """Patterns follow each other as the lines of a `.gitignore`: `!` takes back what one
        before it, of the same folder, matches."""
        from pathspec import GitIgnoreSpec

        self._groups: list[tuple[str, GitIgnoreSpec]] = [
            (_way(base, root), GitIgnoreSpec.from_lines(pattern.text for pattern in group))
            for base, group in groupby(patterns, key=lambda pattern: pattern.base)
        ]

    def match(self, path: str) -> bool:
        """Whether a pattern matches a file."""
        return any(_matches(way, spec, path) for way, spec in self._groups)


def _way(base: Path | None, root: Path) -> str:
    """How to get from a folder to the root; empty where it is the root."""
    way = Path(os.path.relpath(root, base)).as_posix() if base is not None else "."
    return "" if way == "." else way


def _matches(way: str, spec: GitIgnoreSpec, path: str) -> bool:
    seen = posixpath.normpath(posixpath.join(way, path))
    return not seen.startswith("../") and spec.match_file(seen)
