"""A file as it was scanned, and fixes made of drafts of it."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from contract_scan import unsaved
from contract_scan.fixes.apply import digest_of, read_bytes
from contract_scan.fixes.syntax import Draft
from contract_scan.fixes.text import Text
from contract_scan.ir.fix import Edit, Fix


class EditableFile(Struct, frozen=True):
    """One file that can be edited."""

    path: str
    text: Text
    digest: bytes

    def fix(self, draft: Draft) -> Fix:
        """The edits that a draft stands for."""
        found = (
            Edit(self.path, self.text.span(each.start, each.end), each.text)
            for each in draft.replacements
        )
        edits = tuple(sorted(found))
        return Fix(title=draft.title, safe=draft.safe, edits=edits, digest=self.digest)


def open_file(root: Path, path: str, since: int) -> EditableFile | None:
    """A file below the root; None if it cannot be edited, or has changed since a time (ns since
    the epoch)."""
    try:
        is_unsaved = unsaved.text_of(root / path) is not None
        if not is_unsaved and os.stat(root / path).st_mtime_ns > since:  # noqa: PTH116
            return None
        raw = read_bytes(root, path)
        return EditableFile(path, Text(raw, python=path.endswith(".py")), digest_of(raw))
    except (OSError, ValueError):
        return None
