"""What edits change, as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from contract_scan.fixes.apply import Mended
from contract_scan.fixes.text import Text


def unified(mended: Mended, prefix: str = "") -> Iterator[str]:
    """The lines of a diff that `patch -p1` takes, each with its end. `prefix` leads to the scanned
    folder from where the patch is to be put in."""
    path = f"{prefix}{mended.path}".lstrip("/")
    before, after = (_lines(mended, raw) for raw in (mended.before, mended.after))
    for line in difflib.unified_diff(before, after, f"a/{path}", f"b/{path}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(mended: Mended, raw: bytes) -> list[str]:
    text = Text(raw, python=mended.path.endswith(".py")).text
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]
