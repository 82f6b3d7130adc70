"""Parts of a file's text that are enough to answer a question: what a pattern finds, some lines.

A question that is put in this form can be put again to a file that has changed: see `evidence.py`.
"""

from __future__ import annotations

import re

from msgspec import Struct

from contract_scan.parsers.source.discovery.surface_fingerprint import parts_key

_CLASS = re.compile(rb"\[[^\]]*\]|\\[()]")
_GROUP = re.compile(rb"\([^()]*\)")
_LOOKS_ON = re.compile(rb"\$|\(\?[=!]|\\[ABZ]")
"""What a pattern may look beyond its matches with."""
_ENDS = (rb"\x80-\xff]+)", rb"\w+)", rb"\"'`])", rb"this\s", rb";", rb">", rb"[(#]")
"""How patterns end that end with one sort of character which is not blank; or with one blank that
is no part of what is found."""


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
        return content.split(b"\n", self.last)[: self.last][self.first - 1 :]

    def is_before(self, lines: int) -> bool:
        """Whether it is the same whatever blank lines follow a text, of which so many lines come
        before the last that is not blank."""
        if not self.pattern:
            return self.last <= lines
        # Whatever way a match is looked for, it ends before the blanks, and nothing looks further.
        plain = _CLASS.sub(b"", self.pattern)
        looks_on = _LOOKS_ON.search(plain) is not None
        while b"(" in plain and (shorter := _GROUP.sub(b"", plain)) != plain:
            plain = shorter
        return self.pattern.endswith(_ENDS) and not looks_on and b"|" not in plain


class Text:
    """A text that parts are asked of again and again."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._lines: list[bytes] | None = None

    def part(self, excerpt: Excerpt) -> list[bytes]:
        """The same as `Excerpt.of`; the text is taken apart into lines once."""
        if excerpt.pattern:
            return excerpt.of(self._content)
        if self._lines is None:
            self._lines = self._content.split(b"\n")
        return self._lines[excerpt.first - 1 : excerpt.last]


def excerpt_key(found: list[bytes]) -> bytes:
    """Digest of what was found."""
    return parts_key(found)
