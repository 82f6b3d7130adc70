"""Calls in functions whose text holds something, their statements read on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.parsers.source.csharp.texts import function_text
from contract_scan.parsers.source.facts import Call, FileFacts, Function, New
from contract_scan.parsers.source.link.walk import calls_in

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program
    from contract_scan.parsers.source.link.values import Scope


def calls_of(
    program: Program, file: FileFacts, *literals: bytes
) -> Iterator[tuple[Call | New, Scope]]:
    """Calls at the top level of a file and in those functions whose text holds a literal, in
    source order, each with its scope."""
    module = program.module_scope(file)
    yield from calls_in(program, file.statements, module)
    for function in file.functions:
        if _holds(program, file, function, literals):
            yield from _inside(program, function, module)
    for symbol in program.classes(file):
        within = program.class_scope(symbol)
        for member in symbol.decl.members:
            if member.value is not None:
                yield from calls_in(program, (member.value,), within)
        for method in symbol.decl.methods:
            if _holds(program, file, method, literals):
                yield from _inside(program, method, within)


def _holds(
    program: Program, file: FileFacts, function: Function, literals: tuple[bytes, ...]
) -> bool:
    text = function_text(program, file.path, function)
    return any(literal in text for literal in literals)


def _inside(
    program: Program, function: Function, within: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    scope = program.function_scope(function, within)
    yield from calls_in(program, scope.statements or (), scope)
