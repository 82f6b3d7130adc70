"""Places as SARIF writes them: addresses relative to the repository, columns in UTF-16 units.

With them come the line hashes that GitHub code scanning recognises an alert by
(`primaryLocationLineHash`). GitHub hashes the next hundred characters from the start of a line,
without blanks and with every line end as `\n`, so that an alert keeps its identity when lines are
inserted above it. The numbers here must equal the ones that its upload step computes.
"""

from __future__ import annotations

import os
import posixpath
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from contract_scan import unsaved
from contract_scan.ir.fix import Edit
from contract_scan.ir.origin import Origin
from contract_scan.reports.lines import Lines
from contract_scan.reports.report import Setting

LARGEST_HASHED = 2_000_000
"""Bytes. A larger file gets no line hashes; the upload step computes them where it must."""
_BLOCK = 100
_BASE = 37
_END_OF_FILE = 0xFFFF
_UTF_16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"
_MASK = (1 << 64) - 1
_POWERS = [pow(_BASE, _BLOCK - 1 - index, 1 << 64) for index in range(_BLOCK)]


class SarifLocations:
    """Turns origins into SARIF locations."""

    def __init__(self, setting: Setting) -> None:
        self._root = setting.root
        self._lines = Lines(setting.root)
        self._hashes: dict[str, list[str]] = {}
        self._prefix = _relative_root(setting.root, setting.repository)
        self.part = self._prefix or "default"
        """Tells the runs of several folders of one repository apart."""
        self.working_directory = ""
        """Set once an address could not be made relative to the repository."""

    def location(self, origin: Origin) -> dict[str, Any]:
        """A SARIF location with all four numbers of its region."""
        return {
            "physicalLocation": {
                "artifactLocation": {"uri": self.uri(origin.path)},
                "region": self._region(origin),
            }
        }

    def uri(self, path: str) -> str:
        """The percent-encoded address of a file: relative, unless it is outside the repository."""
        relative = posixpath.normpath(posixpath.join(self._prefix, path))
        if relative.startswith(("../", "/")) or relative == "..":
            self.working_directory = self._root.as_uri()
            return Path(os.path.normpath(self._root / path)).as_uri()
        return quote(os.fsencode(relative), safe="/")

    def replaced_region(self, edit: Edit) -> dict[str, int]:
        """The region that an edit replaces; empty where it only inserts."""
        span = edit.span
        return {
            "startLine": span.line,
            "startColumn": self._column(edit.path, span.line, span.column),
            "endLine": span.end_line,
            "endColumn": self._column(edit.path, span.end_line, span.end_column),
        }

    def line_hash(self, origin: Origin) -> str:
        """The hash of the line a result starts on; empty where it cannot be read."""
        hashes = self._hashes.get(origin.path)
        if hashes is None:
            hashes = self._hashes[origin.path] = self._hash_lines(origin.path)
        line = max(origin.span.line, 1)
        return hashes[line - 1] if line <= len(hashes) else ""

    def _hash_lines(self, path: str) -> list[str]:
        try:
            file = self._root / path
            held = unsaved.text_of(file)
            if held is not None:
                return line_hashes(held.decode("utf-8", "replace"))
            if not file.is_file() or file.stat().st_size > LARGEST_HASHED:
                return []
            return line_hashes(file.read_bytes().decode("utf-8", "replace"))
        except (OSError, ValueError):
            return []

    def _region(self, origin: Origin) -> dict[str, int]:
        span = origin.span
        if span.line < 1:
            return {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}
        start = self._column(origin.path, span.line, span.column)
        end_line = max(span.end_line, span.line)
        end = self._column(origin.path, end_line, span.end_column)
        if end_line == span.line:
            end = max(end, start + 1)
        return {
            "startLine": span.line,
            "startColumn": start,
            "endLine": end_line,
            "endColumn": end,
        }

    def _column(self, path: str, number: int, column: int) -> int:
        """A column in UTF-16 code units of one counted in code points."""
        column = max(column, 1)
        line = self._lines.line(path, number)
        if line is None or line.isascii():
            return column
        return column + sum(ord(character) > 0xFFFF for character in line[: column - 1])


def _relative_root(root: Path, repository: Path | None) -> str:
    """The root as seen from the repository around it; empty where it is the repository."""
    if repository is None or not root.is_relative_to(repository):
        return ""
    relative = root.relative_to(repository).as_posix()
    return "" if relative == "." else relative


def line_hashes(text: str) -> list[str]:
    """The hash of every line (`<hex>:<n>`, the n-th line with that hash), first line first."""
    units, starts = _units(text)
    seen: Counter[str] = Counter()
    hashes = []
    for start in starts:
        block = units[start : start + _BLOCK]
        value = sum(unit * power for unit, power in zip(block, _POWERS, strict=False)) & _MASK
        name = f"{value:x}"
        seen[name] += 1
        hashes.append(f"{name}:{seen[name]}")
    return hashes


def _units(text: str) -> tuple[list[int], list[int]]:
    """The UTF-16 code units that count, and where among them each line starts."""
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    dense = normal.replace(" ", "").replace("\t", "")
    encoded = dense.encode(_UTF_16, "surrogatepass")
    units = list(memoryview(encoded).cast("H")) if encoded else []
    starts = [0, *(index + 1 for index, unit in enumerate(units) if unit == 10)]
    return [*units, _END_OF_FILE], starts
