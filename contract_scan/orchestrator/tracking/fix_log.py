"""FIX_CYCLE_LOG.md: which findings were handed to an agent, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contract_scan.compliance import Violation
from contract_scan.counted import counted
from contract_scan.reports.markdown_text import code, prose

FIX_CYCLE_LOG_FILE: Final = "FIX_CYCLE_LOG.md"
_TITLE: Final = "# Fix cycles\n"
_MOST: Final = 100


def with_fix_cycle(
    content: str, loop: str, round_number: int, violations: Sequence[Violation], remedy: str
) -> str:
    """The log with one more round: the findings that it began with, and what was done."""
    lines = [
        "",
        f"## {loop}, round {round_number}",
        "",
        f"{counted(len(violations), 'finding')}; {remedy}.",
        "",
        *(
            f"- {code(violation.check)} in {code(f'{violation.file_path}:{violation.line}')}:"
            f" {prose(violation.message)}"
            for violation in violations[:_MOST]
        ),
    ]
    if len(violations) > _MOST:
        lines.append(f"- and {len(violations) - _MOST} more")
    return (content or _TITLE) + "\n".join(lines) + "\n"
