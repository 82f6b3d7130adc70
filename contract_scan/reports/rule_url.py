"""Where the pages of rules and kinds stand, for reports that can hold a link."""

from __future__ import annotations

REPOSITORY = "https://github.com/contract-scan/contract-scan"
"""The project's own repository."""

RAW = "https://raw.githubusercontent.com/contract-scan/contract-scan/main"
"""Its files as they are."""


def rule_url(name: str) -> str:
    """The address of the page of a rule (`CONTRACT-001`) or kind (`CONTRACT-001/missing-field`)."""
    return f"{REPOSITORY}/blob/main/docs/rules/{name}.md"
