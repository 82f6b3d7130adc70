"""Patches as git writes them: which files they touch, and whether the plan allows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from contract_scan.counted import counted
from contract_scan.roles.key_lines import ArtifactError
from contract_scan.roles.plans import Plan

_HUNK: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_RENAMES: Final = ("rename from ", "rename to ", "copy from ", "copy to ")
_MODES: Final = ("new file mode ", "new mode ", "old mode ", "deleted file mode ")
_REGULAR: Final = ("100644", "100755")


class Patch(Struct, frozen=True):
    """What a patch touches."""

    files: tuple[str, ...]
    """Sorted, relative to the top of the repository; of a rename both."""
    added_lines: int


def read_patch(text: str, path: str) -> Patch:
    """A patch. Raises ArtifactError, with the line, where it is none that git writes: it begins
    with `diff --git`, is text, has whole hunks, and touches regular files of the repository only.
    """
    reader = _Reader(text.split("\n"), path)
    reader.read()
    return Patch(tuple(sorted(reader.files)), reader.added)


def outside_plan(patch: Patch, plan: Plan) -> str:
    """What a patch does that the plan does not allow; empty: nothing."""
    foreign = [file for file in patch.files if not plan.allows(file)]
    if foreign:
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        return f"it touches {', '.join(foreign[:3])}{more}, which the plan does not allow"
    if len(patch.files) > plan.max_files:
        return f"it touches {counted(len(patch.files), 'file')}; the plan allows {plan.max_files}"
    if patch.added_lines > plan.max_added_lines:
        return f"it adds {patch.added_lines} lines; the plan allows {plan.max_added_lines}"
    return ""


class _Reader:
    """Goes through the lines of a patch; a hunk is as long as its head says, whatever stands in
    it."""

    def __init__(self, lines: list[str], path: str) -> None:
        self._lines = lines if lines[-1] else lines[:-1]
        self._path = path
        self._at = 0
        self.files: set[str] = set()
        self.added = 0

    def read(self) -> None:
        if not (self._lines and self._lines[0].startswith("diff --git ")):
            raise self._error("must begin with `diff --git`; write it with `git diff`")
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.startswith("@@ "):
                self._hunk(line)
            elif line.startswith(("--- ", "+++ ")):
                self._named(line[4:].split("\t")[0])
            elif line.startswith("diff --git "):
                self.files.update(self._header_names(line.removeprefix("diff --git ")))
            elif line.startswith(_RENAMES):
                self._add(line.split(" ", 2)[2])
            elif line.startswith(_MODES):
                self._mode(line.rsplit(" ", 1)[1])
            elif line.startswith(("Binary files ", "GIT binary patch")):
                raise self._error("has a binary file; patches are text")
            elif line and not line.startswith(("index ", "similarity ", "dissimilarity ", "\\ ")):
                raise self._error(f"is no line of a patch: {line!r:.60}")
        if not self.files:
            raise self._error("touches no file")

    def _hunk(self, head: str) -> None:
        found = _HUNK.match(head)
        if found is None:
            raise self._error(f"is no head of a hunk: {head!r:.60}")
        old, new = (int(count) if count is not None else 1 for count in found.groups())
        while old > 0 or new > 0:
            if self._at >= len(self._lines):
                raise self._error("ends within a hunk")
            sign = self._lines[self._at][:1]
            self._at += 1
            if sign == "+":
                new -= 1
                self.added += 1
            elif sign == "-":
                old -= 1
            elif sign in (" ", ""):
                old, new = old - 1, new - 1
            elif sign != "\\":
                raise self._error("is no line of a hunk")

    def _header_names(self, names: str) -> Iterator[str]:
        """The two names of a file behind `diff --git`. Where they differ, they stand in lines of
        their own as well."""
        middle = len(names) // 2
        first, second = names[:middle], names[middle + 1 :]
        if first.startswith("a/") and second == "b/" + first[2:]:
            yield self._valid_path(first[2:])

    def _named(self, name: str) -> None:
        if name != "/dev/null":
            self._add(name, prefixed=True)

    def _add(self, name: str, *, prefixed: bool = False) -> None:
        if prefixed and not name.startswith(("a/", "b/")):
            raise self._error(f"names {name!r:.60} without `a/` or `b/`")
        self.files.add(self._valid_path(name[2:] if prefixed else name))

    def _valid_path(self, name: str) -> str:
        parts = name.split("/")
        if name.startswith(('"', "/")) or "\\" in name or {"", ".", ".."} & set(parts):
            raise self._error(f"{name!r:.60} is no path in the repository with plain characters")
        if parts[0].lower() == ".git":
            raise self._error(f"{name!r:.60} belongs to git")
        return name

    def _mode(self, mode: str) -> None:
        if mode not in _REGULAR:
            raise self._error(f"makes something with the mode {mode:.20}; only files are made")

    def _error(self, message: str) -> ArtifactError:
        return ArtifactError(message, self._path, max(1, self._at))
