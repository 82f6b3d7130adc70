"""Grades of evidence in words."""

from __future__ import annotations

from collections.abc import Mapping

from contract_scan.ir.evidence import Grade

MEANING: Mapping[Grade, str] = {
    "enforced": "code that runs makes it so",
    "checked": "a type says so that the run time or the compiler checks",
    "declared": "a type or an annotation says so, and nobody checks it",
    "inferred": "concluded from expressions, stored models or from what was not found",
    "guessed": "guessed from a name",
}
"""What each grade means, as the end of a sentence."""
