"""Calls in functions whose text holds something, their statements read on demand, and what they
hand over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import (
    CALLS,
    Wanted,
    placed_nodes,
    with_receivers,
)
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, FileFacts, Function, New


def calls_of(
    program: Program, file: FileFacts, *literals: bytes, wanted: Wanted | None = None
) -> Iterator[tuple[Call | New, Scope]]:
    """Calls at the top level of a file and in those functions whose text holds a literal, in
    source order, each with its scope; those in a loop over a list that is written out once for
    each of its items. `wanted` as for `calls_in`."""
    return placed_in(program, file, literals, CALLS, wanted)


def placed_in(
    program: Program,
    file: FileFacts,
    literals: tuple[bytes, ...],
    kinds: frozenset[type],
    wanted: Wanted | None = None,
) -> Iterator[tuple[Any, Scope]]:
    """Nodes of some kinds, as `calls_of` gives calls."""
    module = program.module_scope(file)
    yield from placed_nodes(program, file.statements, module, kinds, tables=True, wanted=wanted)
    for function in file.functions:
        if _contains_literal(program, file, function, literals):
            yield from _nodes_of_function(program, function, module, kinds, wanted)
    for symbol in program.classes(file):
        within = program.class_scope(symbol)
        for member in symbol.decl.members:
            if member.value is not None:
                yield from placed_nodes(program, (member.value,), within, kinds)
        for method in symbol.decl.methods:
            if _contains_literal(program, file, method, literals):
                yield from _nodes_of_function(program, method, within, kinds, wanted)


def method_calls(
    program: Program, file: FileFacts, *literals: bytes
) -> Iterator[tuple[Call, Attribute, Scope]]:
    """Those of these calls that have a receiver, each with what it calls."""
    yield from with_receivers(calls_of(program, file, *literals))


def called_by_name(function: Function) -> tuple[bytes, bytes]:
    """What the text of a call of a function holds: `Map(`, or `Map<Order>(`."""
    name = function.name.encode()
    return name + b"(", name + b"<"


def passed_for(call: Call, function: Function, position: int) -> Expr | None:
    """What a call hands one parameter of a function; None where it calls another one by its name,
    or hands the parameter nothing."""
    callee = call.callee
    called = callee.name if isinstance(callee, Attribute) else getattr(callee, "id", "")
    if called != function.name:
        return None
    for argument in call.args:
        if argument.name == function.params[position].name:
            return argument.value
    positional = [argument.value for argument in call.args if not argument.name]
    extension = "this" in function.params[0].modifiers
    if extension and isinstance(callee, Attribute) and len(positional) < len(function.params):
        required = sum(p.default is None for p in function.params)
        if len(positional) < required or len(positional) == len(function.params) - 1:
            positional = [callee.value, *positional]
    return positional[position] if position < len(positional) else None


def _contains_literal(
    program: Program, file: FileFacts, function: Function, literals: tuple[bytes, ...]
) -> bool:
    text = function_text(program, file.path, function)
    return any(literal in text for literal in literals)


def _nodes_of_function(
    program: Program,
    function: Function,
    within: Scope,
    kinds: frozenset[type],
    wanted: Wanted | None,
) -> Iterator[tuple[Any, Scope]]:
    scope = program.function_scope(function, within)
    body = scope.statements or ()
    yield from placed_nodes(program, body, scope, kinds, tables=True, wanted=wanted)
