"""Folders for what is not used any more: neither their code nor their contracts are the product's.

Only names that say so beyond doubt. `archive` and `legacy` are what products are about, too (an
archive of mails, the legacy version of an interface that is still served).
"""

from __future__ import annotations

import re
from typing import Final

ARCHIVED: Final = "archived, by the name of its folder"
_FOLDER: Final = re.compile(
    r"(?:^|/)(_(?:archived?|archives|attic|deprecated|obsolete|old)|(?<=src/main/)java[^/]+)/",
    re.IGNORECASE,
)
"""What stands beside Maven's `src/main/java` (`java-disabled`) is compiled by a build alone that
names it."""


def is_archived(path: str) -> bool:
    """Whether a file lies in a folder whose name says that what is in it is not used any more."""
    return _FOLDER.search(path) is not None


def archive_mentions(path: str) -> re.Pattern[bytes]:
    """What other code has where it may load the archived file: the name of its folder."""
    found = _FOLDER.search(path)
    name = found[1] if found is not None else ""
    return re.compile(rb"(?<!\w)" + re.escape(name).encode() + rb"(?!\w)", re.IGNORECASE)
