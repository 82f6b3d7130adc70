"""Calls of a name wherever they stand, also in functions that were not lowered at first."""

from __future__ import annotations

import re

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Call, Name, New

_CALL = rb"[\s\\)]*[(#]"
"""What follows a name that is called: brackets may stand around it, lines may go on, and a comment
may come before the arguments."""


@memoised
def calls_to(program: Program, name: str) -> tuple[tuple[Call, Scope], ...]:
    """Calls of something by this name. Bodies are read as needed, and only files are looked into in
    which what may be a call of it stands."""
    called = re.compile(re.escape(name.encode()) + _CALL)
    return tuple(
        (call, scope)
        for path in program.files_containing(name.encode())
        if program.files.find(path, called)
        for call, scope in all_calls(program, path)
        if isinstance(call, Call) and called_name(call) == name
    )


def called_name(call: Call) -> str:
    """The last part of the name that is called."""
    callee = call.callee
    return callee.id if isinstance(callee, Name) else getattr(callee, "name", "")


@memoised
def all_calls(program: Program, path: str) -> tuple[tuple[Call | New, Scope], ...]:
    """Every call of a file, those in functions that were not lowered at first included."""
    file = program.facts(path)
    module = program.module_scope(file)
    found = list(calls_in(program, file.statements, module, tables=True))
    for function in file.functions:
        scope = program.function_scope(function, module)
        found.extend(calls_in(program, scope.statements or (), scope, tables=True))
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        for member in symbol.decl.members:
            if member.value is not None and "constructor" not in member.modifiers:
                found.extend(calls_in(program, (member.value,), inside))
        for method in symbol.decl.methods:
            scope = program.function_scope(method, inside)
            found.extend(calls_in(program, scope.statements or (), scope, tables=True))
    return tuple(found)
