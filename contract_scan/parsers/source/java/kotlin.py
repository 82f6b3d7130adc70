"""Controllers in Kotlin beside those in Java: they are not read, but what they may answer is not
missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.parsers.source.test_code import is_test

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_WHY = "the controller is written in Kotlin, which is not read"
_CONTROLLER = re.compile(rb"^\s*@(RestController|Controller|Path)\b", re.MULTILINE)
_LARGEST = 400
"""How many files are looked into."""


def in_kotlin(program: Program, framework: str, *annotations: bytes) -> Iterator[Operation]:
    """One route that cannot be told for each file that has a class with one of the annotations."""
    for path, found in _controllers(program).items():
        if any(name in found for name in annotations):
            yield Operation(
                method="*",
                path="",
                parameters_complete=False,
                origin=Origin(path, Span(1, 1, 1, 1)),
                framework=framework,
                unresolved=_WHY,
            )


def _controllers(program: Program) -> dict[str, frozenset[bytes]]:
    """Kotlin files -> the annotations of controllers that they have."""
    known = cast("dict[str, frozenset[bytes]] | None", program.memory.get("java.kotlin"))
    if known is None:
        paths = [p for p in program.files.ending(".kt") if not is_test(p) and p[:3] != "../"]
        known = {}
        for path in paths[:_LARGEST]:
            found = frozenset(program.files.find(path, _CONTROLLER))
            if found:
                known[path] = found
        program.memory["java.kotlin"] = known
    return known
