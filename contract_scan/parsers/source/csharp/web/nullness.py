"""Whether a value may be null, as far as that is known."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program

_UNWRITTEN = (
    b"HttpNoContentOutputFormatter",
    b"TreatNullValueAsNoContent",
    b"OutputFormatters.Clear(",
)
"""What takes the formatter of null away, or tells it to leave null to others."""


class Nullness(Enum):
    """Whether a value may be null."""

    NEVER = "never"
    UNDETERMINED = "undetermined"
    POSSIBLE = "possible"
    """A function that is called, or a library, may give null."""
    WRITTEN = "written"
    """The function itself writes null on one of its ways."""
    ALWAYS = "always"


PROVED = frozenset({Nullness.POSSIBLE, Nullness.WRITTEN, Nullness.ALWAYS})
"""What is proved to be null on some way."""


@memoised
def answers_null_without_content(program: Program) -> bool:
    """Whether nothing keeps ASP.NET Core from answering null with 204."""
    return not program.any_file_contains(*_UNWRITTEN)


def join_nullness(states: Iterable[Nullness]) -> Nullness:
    """The nullness of a value that is one of several."""
    found = set(states)
    if not found:
        return Nullness.NEVER
    if found == {Nullness.ALWAYS}:
        return Nullness.ALWAYS
    if found & {Nullness.WRITTEN, Nullness.ALWAYS}:
        return Nullness.WRITTEN
    if Nullness.POSSIBLE in found:
        return Nullness.POSSIBLE
    return Nullness.UNDETERMINED if Nullness.UNDETERMINED in found else Nullness.NEVER


def limit_by_tests(found: Nullness, tested: list[Nullness]) -> Nullness:
    """The nullness of a null that is written where tests have found names to be null."""
    if Nullness.NEVER in tested:
        return Nullness.NEVER
    return Nullness.UNDETERMINED if Nullness.UNDETERMINED in tested else found
