"""What edits change, as a unified diff."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from contract_scan.fixes.apply import FileChange
from contract_scan.fixes.text import Text
from contract_scan.reports.display import UNSAFE


def unified_diff(mended: FileChange, prefix: str = "") -> Iterator[str]:
    """The lines of a diff that `patch -p1` takes, each with its end. `prefix` leads to the scanned
    folder from where the patch is to be put in."""
    path = f"{prefix}{mended.path}".lstrip("/")
    old, new = _name(f"a/{path}"), _name(f"b/{path}")
    before, after = (_lines(mended, raw) for raw in (mended.before, mended.after))
    for line in difflib.unified_diff(before, after, old, new):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _name(path: str) -> str:
    """A path as git writes it, which patch reads: in quotes where a character in it could end the
    line, and so begin the change of another file, or is acted on where it is shown."""
    if _ODD.search(path) is None:
        return path
    return '"' + _ODD.sub(_escape, path) + '"'


def _escape(match: re.Match[str]) -> str:
    if match[0] in '"\\':
        return f"\\{match[0]}"
    return "".join(f"\\{byte:03o}" for byte in match[0].encode("utf-8", "surrogateescape"))


_ODD = re.compile(
    f'{UNSAFE.pattern}|["\\\\]'
    "|#(?=#)|(?<=section_start):|(?<=section_end):"  # a program that runs builds acts on these
)


def _lines(mended: FileChange, raw: bytes) -> list[str]:
    text = Text(raw, python=mended.path.endswith(".py")).text
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]
