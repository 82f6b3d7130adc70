"""Patterns of paths, each as seen from the folder that it is relative to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from contract_scan.config.values import Pattern

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_STARS = 5
"""A pattern with many wildcards may take hours on a path that is made for it."""


class Patterns:
    """Matches paths below a root, given relative to it."""

    def __init__(self, patterns: Iterable[Pattern], root: Path) -> None:
        """Patterns follow each other as the lines of a `.gitignore`: `!` takes back what one
        before it, of the same folder, matches."""
        from pathspec import GitIgnoreSpec

        self._root = str(root)
        self._groups: list[tuple[str, GitIgnoreSpec]] = [
            (str(base or root), GitIgnoreSpec.from_lines(pattern.text for pattern in group))
            for base, group in groupby(patterns, key=lambda pattern: pattern.base)
        ]

    def match(self, path: str) -> bool:
        """Whether a pattern matches a file."""
        return any(self._matches(base, spec, path) for base, spec in self._groups)

    def _matches(self, base: str, spec: GitIgnoreSpec, path: str) -> bool:
        if base == self._root:  # the usual case, for every file of a project
            seen = path
        else:
            seen = os.path.relpath(f"{self._root}/{path}", base).replace(os.sep, "/")
        return not seen.startswith("../") and spec.match_file(seen)


def wrong_pattern(text: str) -> str:
    """What is wrong with a pattern, in words; empty: nothing is."""
    if len(re.findall(r"\*+", text)) > MAX_STARS:
        return f"has more than {MAX_STARS} wildcards"
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([text])
    except ValueError:
        return "is no pattern of files"
    return ""
