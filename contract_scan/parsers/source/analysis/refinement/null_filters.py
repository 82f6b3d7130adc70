"""Lists that a test has freed of null: `.filter(Boolean)`, `.Where(x => x != null)`."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Items,
    LibrarySymbol,
    Value,
)
from contract_scan.parsers.source.analysis.syntax import null_checks
from contract_scan.parsers.source.facts.nodes import Return

_PRESENT = frozenset({"Boolean", "java.util.Objects.nonNull", "Objects.nonNull"})
"""Functions of libraries that hold for what is not null alone."""


def filter_nulls(program: Program, items: Value | None, test: Value | None) -> Value | None:
    """The list after a filter: the same items, without null where the test rules null out."""
    if not isinstance(items, Items) or not _holds_for_present(program, test):
        return items
    without = program.evaluator.without_null
    return replace(items, values=tuple(without(item) for item in items.values))


def _holds_for_present(program: Program, test: Value | None) -> bool:
    """Whether a function of one item surely fails for null."""
    match test:
        case LibrarySymbol(name=name):
            return name in _PRESENT
        case FunctionValue(function=function, scope=scope) if function.params:
            ends = reaching_definitions.returns(program.body(function, scope.file))
            if len(ends) != 1 or not isinstance(ends[0], Return):
                return False
            return null_checks.is_not_null(ends[0].value, function.params[0].name, True)
        case _:
            return False
