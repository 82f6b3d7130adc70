"""Lists of which a test has left some items: `.filter(Boolean)`, `.Where(x => x != null)`,
`.filter((x) => x.note !== null)`."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.effects import EVERY_ITEM
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    Items,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.refinement.narrowing import narrow
from contract_scan.parsers.source.analysis.syntax import null_checks
from contract_scan.parsers.source.analysis.typing.member_narrowing import members_not_null
from contract_scan.parsers.source.facts.nodes import Expr, Return

_PRESENT = frozenset({"Boolean", "java.util.Objects.nonNull", "Objects.nonNull"})
"""Functions of libraries that hold for what is not null alone."""


def filter_nulls(program: Program, items: Value | None, test: Value | None) -> Value | None:
    """The list after a filter: the same items, as the test leaves them."""
    match test:
        case LibrarySymbol(name=name) if name in _PRESENT and isinstance(items, Items):
            left = tuple(map(program.evaluator.without_null, items.values))
            return replace(items, values=left)
        case FunctionValue(function=function, scope=scope) if function.params and items is not None:
            ends = reaching_definitions.returns(program.body(function, scope.file))
            if len(ends) != 1 or not isinstance(ends[0], Return) or ends[0].value is None:
                return items
            asked, name = ends[0].value, function.params[0].name
            inside = program.function_scope(function, scope)
            if not isinstance(items, Items) and not program.language.structural:
                return _tested_items(program, items, name, asked, inside)
            given = items.values if isinstance(items, Items) else (program.evaluator.item(items),)
            left = tuple(
                narrow(program, item, name, asked, inside, holds=True) if name else item
                for item in given
            )
            if null_checks.is_not_null(asked, name, True):
                left = tuple(map(program.evaluator.without_null, left))
            if isinstance(items, Items):
                return replace(items, values=left)
            is_same = all(one is other for one, other in zip(left, given, strict=True))
            return items if is_same else Items(left, repeated=True)
        case _:
            return items


def _tested_items(program: Program, items: Value, name: str, test: Expr, scope: Scope) -> Value:
    """A list of a declared type, with the members of its items that a test has said not to be
    null."""
    item = program.evaluator.item(items)
    if not isinstance(items, ByType) or not isinstance(item, ByType):
        return items
    told = members_not_null(narrow(program, item, name, test, scope, holds=True))
    of_items = tuple(replace(one, member=f"{EVERY_ITEM}.{one.member}") for one in told)
    return replace(items, refinements=of_items) if of_items else items
