"""TypeScript, TSX and JavaScript libraries that declare routes or events, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contract_scan.parsers.source.language import Framework

FRAMEWORKS: tuple[Framework, ...] = ()
"""Every framework that is read, in the order their routes are reported."""
