"""Whether the sources of a program mention something at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program


def mentions(program: Program, *literals: bytes) -> bool:
    """Whether some source file holds one of the literals."""
    known = cast("dict[tuple[bytes, ...], bool]", program.memory.setdefault("java.mentions", {}))
    if literals not in known:
        known[literals] = any(
            _holds(program, path, literals) for path in program.holding(*literals)
        )
    return known[literals]


def _holds(program: Program, path: str, literals: tuple[bytes, ...]) -> bool:
    # An unfiltered program names every file as one that may hold a literal.
    content = program.files.read(path) or b""
    return any(literal in content for literal in literals)
