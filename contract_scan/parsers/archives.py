"""Folders for what is not used any more: neither their code nor their contracts are the product's.

Only names that say so beyond doubt. `archive` and `legacy` are what products are about, too (an
archive of mails, the legacy version of an interface that is still served).
"""

from __future__ import annotations

import re
from typing import Final

ARCHIVED: Final = "archived, by the name of its folder"
_FOLDERS: Final = frozenset(
    {"_archive", "_archived", "_archives", "_attic", "_deprecated", "_obsolete", "_old"}
)


def is_archived(path: str) -> bool:
    """Whether a file lies in a folder whose name says that what is in it is not used any more."""
    return not _FOLDERS.isdisjoint(path.lower().split("/")[:-1])


def archive_mentions(path: str) -> re.Pattern[bytes]:
    """What other code has where it may load the archived file: the name of its folder."""
    name = next(part for part in path.split("/")[:-1] if part.lower() in _FOLDERS)
    return re.compile(rb"(?<!\w)" + re.escape(name).encode() + rb"(?!\w)", re.IGNORECASE)
