"""Comments of scanned files that speak to contract-scan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from contract_scan.ir.origin import Origin

ADDRESS: Final = "contract-scan:"
"""What such a comment starts with. A file without it holds none."""

SIGNS: Final[Mapping[str, str]] = {
    ".py": "#",
    ".yaml": "#",
    ".yml": "#",
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"), "//"),
    ".cs": "//",
    ".java": "//",
}
"""How a comment begins that goes to the end of its line, by the suffix of its file. Files without
comments, such as JSON, are not here."""

_MARKS: Final = " \t!/*"
"""What may stand between the sign of a comment and the address."""
_SIGNS: Final = ("#", "<!--")
"""Signs that a comment starts with and that hold other letters."""
_ENDS: Final = ("*/", "-->")


class Comment(Struct, frozen=True, kw_only=True):
    """One instruction to contract-scan."""

    said: str
    """What follows the address: `ignore[CONTRACT-001] reason`."""
    origin: Origin
    lines: tuple[int, ...]
    """The lines it is about: its own, or the next where it stands alone."""


def said_in(text: str) -> list[tuple[int, str]]:
    """The instructions in the text of one comment, each with its offset there.

    One must stand at the start of the comment or of a line of it, or behind a further comment sign
    (`# noqa  # contract-scan: …`), so that prose about contract-scan is none.
    """
    found = []
    read = at = 0
    while (at := text.find(ADDRESS, at)) >= 0:
        line = text.rfind("\n", read, at) + 1 or read
        starts_line = line == 0 or text[line - 1] == "\n"
        if not _is_sign(text[line:at], starts_line=starts_line):
            read = at = at + len(ADDRESS)
            continue
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        found.append((at, _without_end(text[at + len(ADDRESS) : end])))
        read = at = end
    return found


def _is_sign(before: str, *, starts_line: bool) -> bool:
    """Whether what stands before an address on its line ends with the sign of a comment."""
    rest = before.rstrip(_MARKS)
    marks = before[len(rest) :]
    if "//" in marks or "*" in marks or rest.endswith(_SIGNS):
        return True
    return starts_line and not rest


def _without_end(said: str) -> str:
    said = said.rstrip()
    for end in _ENDS:
        if said.endswith(end):
            return said.removesuffix(end).strip()
    return said.strip()
