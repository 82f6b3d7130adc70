"""Patterns of paths, each as seen from the folder that it is relative to."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from contract_scan.config.values import Pattern

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_LETTERS = 4_096
"""Letters of a pattern: what is longer than any path (`PATH_MAX` of Linux) matches none, and takes
seconds to compile."""
MAX_STARS = 5
"""A pattern with many wildcards may take hours on a path that is made for it."""


class Patterns:
    """Matches paths below a root, given relative to it."""

    def __init__(self, patterns: Iterable[Pattern], root: Path) -> None:
        """Patterns follow each other as the lines of a `.gitignore`: `!` takes back what one
        before it, of the same folder, matches."""
        self._root = str(root)
        self._groups: list[tuple[str, GitIgnoreSpec]] = [
            (str(base or root), readable_lines([pattern.text for pattern in group]))
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
    if len(text) > MAX_LETTERS:
        return f"has more than {MAX_LETTERS} letters"
    if len(re.findall(r"\*+", text)) > MAX_STARS:
        return f"has more than {MAX_STARS} wildcards"
    return "" if _spec([text]) is not None else "is no pattern of files"


def readable_lines(lines: Sequence[str]) -> GitIgnoreSpec:
    """What the lines of a `.gitignore` match; lines that are no patterns match nothing, as for
    git itself."""
    lines = [line for line in lines if len(line) <= MAX_LETTERS]
    whole = _spec(lines)
    if whole is not None:
        return whole
    from pathspec import GitIgnoreSpec

    kept = [line for line in lines if _spec([line]) is not None]
    return GitIgnoreSpec.from_lines(kept)


def _spec(lines: Sequence[str]) -> GitIgnoreSpec | None:
    """None where a line is no pattern: `[?--]` has a range that runs backwards."""
    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of sets in sets, in later Pythons
        try:
            return GitIgnoreSpec.from_lines(lines)
        except (ValueError, re.error):
            return None
