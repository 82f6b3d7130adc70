"""The page of a GitHub Actions step: annotations show a few findings, the page has room for all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from contract_scan.errors import UsageError

VARIABLE = "GITHUB_STEP_SUMMARY"
"""Names the file whose Markdown is shown with the step; set by the runner."""


def has_step_summary() -> bool:
    """Whether there is such a page."""
    return bool(os.environ.get(VARIABLE))


def append_step_summary(pieces: Iterable[str]) -> None:
    """Append a report in Markdown to the step's page, where there is one.

    Raises UsageError where the file cannot be written.
    """
    name = os.environ.get(VARIABLE)
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8", errors="backslashreplace") as page:
            page.writelines(pieces)
    except OSError as error:
        raise UsageError(f"cannot be written (${VARIABLE}): {error.strerror}", name) from None
