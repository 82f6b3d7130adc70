"""Comments of scanned files that speak to contract-scan."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from contract_scan.ir.origin import Origin

ADDRESS: Final = "contract-scan:"
"""What such a comment starts with. A file without it holds none."""

_SAID = re.compile(r"(?m)(?:^|#|//|/\*|\*|<!--)[ \t!/*]*contract-scan:[ \t]*(?P<said>[^\n]*)")
_ENDS = re.compile(r"\s*(?:\*/|-->)\s*$")


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
    return [
        (match.start() + match[0].index(ADDRESS), _ENDS.sub("", match["said"]).strip())
        for match in _SAID.finditer(text)
    ]
