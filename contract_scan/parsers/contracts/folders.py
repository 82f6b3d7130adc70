"""Folders whose files promise nothing: installed packages, build output, examples, test data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from re import compile as regex

WORD = regex(r"[a-z0-9]+")
"""A word in the name of a file or folder, in lower case."""
_NOT_OURS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        "node_modules",
        "bower_components",
        "jspm_packages",
        "site-packages",
        "vendor",
        "vendored",
        "third_party",
        "third-party",
        "__pycache__",
        ".mypy_cache",
        ".contract_scan_cache",
        ".github",
        ".gitlab",
        ".circleci",
        ".idea",
        ".vscode",
        "dist",
        "build",
        "target",
        "out",
        "bin",
        "obj",
    }
)
_EXAMPLES = frozenset(
    {
        "test",
        "tests",
        "__tests__",
        "testdata",
        "test-data",
        "test_data",
        "fixtures",
        "__fixtures__",
        "mocks",
        "__mocks__",
        "__snapshots__",
        "snapshots",
        "e2e",
        "samples",
    }
)
EXAMPLE_WORDS = frozenset({"example", "examples"})
"""Words in the name of a folder of examples: `examples`, `request-examples`."""


def files_below(root: Path) -> Iterator[str]:
    """The paths of regular files, relative to `root`, outside of installed packages and build
    output. Links are not followed."""
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            entries = list(os.scandir(root / folder))
        except OSError:
            continue
        for entry in entries:
            shown = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NOT_OURS:
                    pending.append(shown)
            elif entry.is_file(follow_symlinks=False):
                yield shown


def is_left_out(folder: str) -> bool:
    """Whether what is in a folder of that name, in lower case, promises nothing."""
    return (
        folder in _NOT_OURS
        or folder in _EXAMPLES
        or not EXAMPLE_WORDS.isdisjoint(WORD.findall(folder))
    )
