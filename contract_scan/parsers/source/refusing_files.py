"""Files whose handlers may only answer that there is no such endpoint (405, 501).

Such a route is no endpoint that a contract misses. To evaluate what every route of a program
answers only to learn that it is none of these costs more than the rest of a comparison; the
words that say these statuses stand in few files.
"""

from __future__ import annotations

import re
from functools import cached_property

from contract_scan.parsers.source.analysis.domain.program import Program

_STATUSES = (
    b"405",
    b"501",
    b"METHOD_NOT_ALLOWED",
    b"MethodNotAllowed",
    b"NOT_IMPLEMENTED",
    b"NotImplemented",
)
"""How the statuses are written in all languages: numbers, and constants for them."""
_WHOLE = re.compile(
    rb"(?<!\d)(?:405|501)(?!\d)"
    rb"|\b(?:METHOD_NOT_ALLOWED|MethodNotAllowed|NOT_IMPLEMENTED|NotImplemented)\b"
)
"""The same where they are no part of another number or of a name (`NotImplementedException`)."""


class RefusingFiles:
    """Those of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def paths(self) -> frozenset[str]:
        """Files that say one of the statuses, and those that name a type or a function of these
        files: a base class, an interface with the answer, an error of the project, a helper."""
        program = self._program
        files = program.files
        stating = {p for p in program.files_containing(*_STATUSES) if files.find(p, _WHOLE)}
        errors = tuple(e for each in program.language.frameworks for e in each.refusing_errors)
        stating.update(program.files_containing(*errors) if errors else ())
        names: set[str] = set()
        for path in sorted(stating):
            file = program.facts(path)
            names.update(symbol.decl.name for symbol in program.classes(file))
            names.update(function.name for function in file.functions)
        found = set(stating)
        for name in names:
            found.update(program.files_with_word(name))
        return frozenset(found)
