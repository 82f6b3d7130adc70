"""Edits of files as people make them, before a hook runs."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

_DECLARATION = re.compile(r"\s*(async def|class|def|export|public|function|const)\b")
_ANNOTATION = ("@", "[", "#", "//", "*", "/*")
_PYTHON_BODY = re.compile(r"^\s*(async )?def .*:\s*$|^\s*\).*:\s*$")
_BODY = re.compile(r"(\)|=>|throws [\w, ]+)[^;{}]*\{\s*$|^\s*\{\s*$")
"""The last of a body's beginning, also where its brace stands on a line of its own (C#)."""
_STATEMENTS = {
    ".py": ("note", ""),
    ".ts": ("const note", ";"),
    ".js": ("const note", ";"),
    ".cs": ("var note", ";"),
    ".java": ("int note", ";"),
}
"""How a statement that says nothing begins and ends, by the suffix of the file."""
_SETTLED = 10
"""Seconds ago, at which files were changed: sooner, their time may not tell of the next change."""


class Edits:
    """Puts a comment above a declaration in each of some files, every time another one."""

    def __init__(self, root: Path, paths: tuple[str, ...], *, staged: bool) -> None:
        self._root = root
        self._paths = paths
        self._staged = staged
        self._made = 0

    def make(self) -> None:
        """Edit every file once more."""
        self._made += 1
        for path in self._paths:
            file = self._root / path
            text = file.read_bytes().decode("utf-8", "surrogateescape")
            lines = text.split("\n")
            at = place_of_comment(file) or 0
            indent = re.match(r"\s*", lines[at])
            sign = "#" if path.endswith(".py") else "//"
            lines.insert(at, f"{indent[0] if indent else ''}{sign} note {self._made}")
            file.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
            then = time.time() - _SETTLED - 10_000 + self._made
            os.utime(file, (then, then))
        if self._staged:
            _git(self._root, "add", "--update")


class HandlerEdits:
    """Puts a statement into the handler of a route, every time another one."""

    def __init__(self, root: Path, path: str, line: int) -> None:
        """`line`, from 1, is where the route is written; the body follows it."""
        self._file = root / path
        self._made = 0
        self._lines = self._file.read_bytes().decode("utf-8", "surrogateescape").split("\n")
        begins = _PYTHON_BODY if path.endswith(".py") else _BODY
        after = range(line - 1, len(self._lines))
        self.place = next((at + 1 for at in after if begins.search(self._lines[at])), None)
        """The line, from 0, at which the statement is put; None where no body is found."""

    def make(self) -> None:
        """Edit the file once more."""
        self._made += 1
        at = self.place or 0
        indent = re.match(r"\s*", self._lines[at])
        name, end = _STATEMENTS[self._file.suffix]
        statement = f"{indent[0] if indent else ''}{name}{self._made} = {self._made}{end}"
        lines = [*self._lines[:at], statement, *self._lines[at:]]
        self._file.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
        then = time.time() - _SETTLED - 10_000 + self._made
        os.utime(self._file, (then, then))


def place_of_comment(file: Path) -> int | None:
    """The line, from 0, above which a comment on the first declaration stands; None where there is
    none."""
    lines = file.read_bytes().decode("utf-8", "replace").split("\n")
    for at, line in enumerate(lines):
        if _DECLARATION.match(line):
            while at > 0 and lines[at - 1].lstrip().startswith(_ANNOTATION):
                at -= 1
            return at if at > 1 else None
    return None


def commit(root: Path) -> None:
    """Commit all that is staged."""
    who = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"]
    _git(root, *who, "commit", "--quiet", "--message", "all")


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True)
