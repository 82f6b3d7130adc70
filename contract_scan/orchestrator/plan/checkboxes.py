"""Check boxes of requirements: which of them are set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_BOX: Final = re.compile(r"\s*[-*+] \[([ xX])\]\s")
_FENCE: Final = re.compile(r"\s{0,3}(`{3,}|~{3,})")


@dataclass(frozen=True)
class Checkboxes:
    """How many there are, and how many of them are set."""

    checked: int = 0
    total: int = 0

    def __add__(self, other: Checkboxes) -> Checkboxes:
        return Checkboxes(self.checked + other.checked, self.total + other.total)

    @property
    def ratio(self) -> float:
        """The part that is set; 0 where there are none."""
        return self.checked / self.total if self.total else 0.0


def count_checkboxes(text: str) -> Checkboxes:
    """The check boxes of a Markdown text; those in code blocks are examples."""
    boxes = [box for line in lines_outside_code(text) if (box := _BOX.match(line))]
    return Checkboxes(sum(box[1] != " " for box in boxes), len(boxes))


def lines_outside_code(text: str) -> Iterator[str]:
    """The lines of a Markdown text, empty ones in place of those in fenced code."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark[1].startswith(fence):
                fence = ""
            yield ""
        elif mark is not None:
            fence = mark[1]
            yield ""
        else:
            yield line
