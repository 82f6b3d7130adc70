"""Functions that change the rows of queries that they are handed, and give them back."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.object_mutations import (
    changed_names,
    removes_by_key,
)
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    FunctionValue,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.forward_interpreter import (
    CallOutcome,
    interpret,
)
from contract_scan.parsers.source.facts.nodes import Statement


def of_call(
    program: Program, callee: FunctionValue, bindings: Mapping[str, Value], scope: Scope
) -> CallOutcome | None:
    """What a call gives whose function changes a row of a query that it is handed; None for other
    calls. Only JavaScript's rows are plain objects, to which anything can be added."""
    params = callee.function.params
    if scope.file.language != "typescript" or not params:
        return None
    names = frozenset(p.name for p in params if p.pattern is None)
    statements = scope.statements or ()
    known = _mutated_names_cache(program)
    if id(statements) not in known:
        known[id(statements)] = (statements, changed_names(statements))
    if not known[id(statements)][1] & names:
        return None
    given = tuple(
        bindings[p.name]
        if p.name in bindings
        else program.evaluator.parameter(p, replace(scope, bindings={}))
        for p in params
    )
    by_key = removes_by_key(statements)
    if not any(_is_row(value, by_key) for value in given):
        return None
    return interpret(program, callee, given, statements=statements)


@memoised
def _mutated_names_cache(
    program: Program,
) -> dict[int, tuple[tuple[Statement, ...], frozenset[str]]]:
    """The names that bodies mutate, each computed once. The bodies are kept too, so that their
    identity stays."""
    del program
    return {}


def _is_row(value: Value, by_key: bool) -> bool:
    match value:
        case OneOf(options=options):
            return any(_is_row(option, by_key) for option in options)
        case Record():
            return by_key
        case _:
            return isinstance(value, BySchema)
