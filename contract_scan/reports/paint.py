"""Colours of the terminal: a few, and only where they are wanted."""

from __future__ import annotations

from typing import assert_never

from msgspec import Struct

from contract_scan.ir.violation import Severity

BOLD, RED, GREEN, YELLOW, BLUE, CYAN = "1", "31", "32", "33", "34", "36"


class Paint(Struct, frozen=True):
    """Wraps text in colours, or leaves it alone."""

    enabled: bool

    def __call__(self, text: str, *codes: str) -> str:
        """The text in these colours."""
        if not self.enabled or not text:
            return text
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m"


def terminal_link(text: str, url: str, *, shown: bool) -> str:
    """The text as a link of the terminal (OSC 8), where it shows such."""
    return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if shown else text


def severity_color(severity: Severity) -> str:
    """The colour a severity is shown in."""
    match severity:
        case "error":
            return RED
        case "warning":
            return YELLOW
        case "note":
            return CYAN
        case _:
            assert_never(severity)
