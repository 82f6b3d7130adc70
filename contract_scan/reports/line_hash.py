"""The line hashes that GitHub code scanning recognises an alert by (`primaryLocationLineHash`).

GitHub hashes the next hundred characters from the start of a line, without blanks and with every
line end as `\\n`, so that an alert keeps its identity when lines are inserted above it. The numbers
here must equal the ones that its upload step computes.
"""

from __future__ import annotations

import sys
from collections import Counter

BLOCK = 100
BASE = 37
END_OF_FILE = 0xFFFF
_UTF_16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"
_MASK = (1 << 64) - 1
_POWERS = [pow(BASE, BLOCK - 1 - index, 1 << 64) for index in range(BLOCK)]


def line_hashes(text: str) -> list[str]:
    """The hash of every line (`<hex>:<n>`, the n-th line with that hash), first line first."""
    units, starts = _units(text)
    seen: Counter[str] = Counter()
    hashes = []
    for start in starts:
        block = units[start : start + BLOCK]
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
    return [*units, END_OF_FILE], starts
