"""Parts of a file's text that are enough to answer a question: what a pattern finds, some lines.

A question that is put in this form can be put again to a file that has changed: see `evidence.py`.
"""

from __future__ import annotations

import re

from msgspec import Struct

from contract_scan.parsers.source.store import content_key


class Excerpt(Struct, frozen=True, array_like=True, order=True):
    """Which part: everything that a pattern finds, or else the lines from `first` to `last`."""

    pattern: bytes = b""
    flags: int = 0
    first: int = 0
    last: int = 0

    def of(self, content: bytes) -> list[bytes]:
        """The part of a text. A pattern with one group gives what the group holds."""
        if self.pattern:
            return re.findall(self.pattern, content, self.flags)
        return content.split(b"\n")[self.first - 1 : self.last]


def excerpt_key(found: list[bytes]) -> bytes:
    """Digest of what was found."""
    return content_key(b"".join(b"%d %b" % (len(part), part) for part in found))
