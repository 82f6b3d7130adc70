"""Attributes of classes to which code gives other values: `Config.URL = url`, `setattr(…)`."""

from __future__ import annotations

import re

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol

_SET = re.compile(rb"\b(\w+\.\w+)[ \t]*=(?!=)")
_SET_BY_NAME = re.compile(rb"\bsetattr\([ \t]*(\w+)[ \t]*,[ \t]*\w")
"""`setattr(settings, name, value)` with a name that is not written out."""
_OBJECTS = frozenset({b"self", b"obj", b"instance"})


def is_rebound(program: Program, symbol: ClassSymbol, name: str) -> bool:
    """Whether code gives an attribute of a class another value than the class itself: by its name,
    or the file of the class has a function that sets attributes by names it is given."""
    by_name = _found(program, symbol.file.path, _SET_BY_NAME) - _OBJECTS
    return bool(by_name) or any(
        f"{symbol.decl.name}.{name}".encode() in _found(program, path, _SET)
        for path in program.files_containing(f"{symbol.decl.name}.{name}".encode())
    )


@memoised
def _found(program: Program, path: str, pattern: re.Pattern[bytes]) -> frozenset[bytes]:
    return frozenset(program.files.find(path, pattern))
