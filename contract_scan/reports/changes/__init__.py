"""What changed between two revisions of contracts, in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias, assert_never, get_args

from contract_scan.ir.contract_changes import ContractChanges

ChangesFormat: TypeAlias = Literal["text", "json", "markdown", "github"]
CHANGES_FORMATS: tuple[ChangesFormat, ...] = get_args(ChangesFormat)

ChangesRenderer: TypeAlias = Callable[[ContractChanges, bool], Iterator[str]]
"""(changes, whether to colour) -> pieces of the output in order."""


def changes_renderer(name: ChangesFormat) -> ChangesRenderer:
    """The function that writes a format; each is imported when it is asked for."""
    match name:
        case "text":
            from contract_scan.reports.changes.text import render as text

            return text
        case "json":
            from contract_scan.reports.changes.json import render as json

            return json
        case "markdown":
            from contract_scan.reports.changes.markdown import render as markdown

            return markdown
        case "github":
            from contract_scan.reports.changes.github import render as github

            return github
        case _:
            assert_never(name)
