"""Filters of the application that may change what controllers answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contract_scan.parsers.source.csharp.settings_values import plain
from contract_scan.parsers.source.csharp.texts import function_text
from contract_scan.parsers.source.facts import FileFacts, NamedType
from contract_scan.parsers.source.link.per_program import per_program

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program
    from contract_scan.parsers.source.link.values import ClassSymbol

_FILTERS = frozenset(
    {
        "IResultFilter",
        "IAsyncResultFilter",
        "IAlwaysRunResultFilter",
        "ResultFilterAttribute",
        "IActionFilter",
        "IAsyncActionFilter",
        "ActionFilterAttribute",
    }
)
_AFTER = frozenset({"OnResultExecuting", "OnResultExecutionAsync", "OnActionExecuted"})
"""Methods that run when the action has answered."""
_CHANGE = re.compile(rb"\.(?:Result|Value)\s*=[^=]")


@per_program
def wrapping_filter(program: Program) -> str:
    """Why bodies may be other than the actions give them; empty: nothing is seen to change them."""
    return _find(program)


def _find(program: Program) -> str:
    for path in program.holding(*(name.encode() for name in sorted(_FILTERS))):
        file = program.facts(path)
        for symbol in program.classes(file):
            if _changes_results(program, file, symbol) and _is_global(program, symbol.decl.name):
                return f"the filter `{plain(symbol.decl.name)}` may change what is sent"
    return ""


def _changes_results(program: Program, file: FileFacts, symbol: ClassSymbol) -> bool:
    if not any(
        isinstance(base, NamedType) and plain(base.name) in _FILTERS for base in symbol.decl.bases
    ):
        return False
    return any(
        method.name in _AFTER and _CHANGE.search(function_text(program, file.path, method))
        for method in symbol.decl.methods
    )


def _is_global(program: Program, name: str) -> bool:
    """Whether start-up code adds the filter for all controllers."""
    added = (f"Filters.Add<{name}>", f"Filters.Add(new {name}", f"Filters.Add(typeof({name})")
    return program.mentions(*(text.encode() for text in added))
