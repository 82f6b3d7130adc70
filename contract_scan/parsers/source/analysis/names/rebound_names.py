"""Variables at the top level of a file to which functions give other values: `global total`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    BySchema,
    Found,
    Scope,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.names.local_names import LocalNames
from contract_scan.parsers.source.facts.nodes import Define, FileFacts, Function

_GLOBAL = re.compile(rb"(?m)^[ \t]+global[ \t]+(\w[\w, \t]*)")


class ReboundNames:
    """What functions of a file give its variables, in one program."""

    def __init__(self, program: Program, locals: LocalNames) -> None:
        self._program = program
        self._locals = locals
        self._names: dict[str, frozenset[str]] = {}
        self._following: set[tuple[str, str]] = set()

    def with_rebound(self, file: FileFacts, name: str, found: Found) -> Found:
        """What a variable may hold when other code runs: what the file gives it, or what a function
        does. Null that a file begins with may be gone before any request comes."""
        if name not in self._rebound_in(file) or isinstance(found, AliasSymbol | BoundType):
            return found
        key = (file.path, name)
        if key in self._following:  # `total += 1` adds to what the file begins with
            self._program.evaluator.budget.cuts += 1
            return found
        self._following.add(key)
        try:
            given = [
                value
                for scope in self._rebinding_scopes(file, name)
                for value in self._of(name, scope)
            ]
        finally:
            self._following.discard(key)
        if not given:
            return found
        begins = _gone(name) if is_null(found) else found
        return union_of((begins, *given))

    def _rebound_in(self, file: FileFacts) -> frozenset[str]:
        known = self._names.get(file.path)
        if known is None:
            found = self._program.files.find(file.path, _GLOBAL)
            known = self._names[file.path] = frozenset(n for each in found for n in _names_in(each))
        return known

    def _of(self, name: str, scope: Scope) -> Iterator[Value]:
        definitions = self._locals.definitions(scope.statements or (), name, NO_SPAN)
        if definitions:
            found = self._locals.join_definitions(name, definitions, scope)
            if not isinstance(found, AliasSymbol | BoundType):
                yield found

    def _rebinding_scopes(self, file: FileFacts, name: str) -> Iterator[Scope]:
        """The functions of a file that say that they give the file's variable a value."""
        program = self._program
        outer = program.module_scope(file)
        pending = [(function, outer) for function in file.functions]
        for symbol in program.classes(file):
            within = program.class_scope(symbol)
            pending.extend((method, within) for method in symbol.decl.methods)
        while pending:
            function, within = pending.pop(0)
            if not self._says(file, function.span, name):
                continue
            scope = program.function_scope(function, within)
            inner = [
                statement.declaration
                for statement in nested_statements(scope.statements or ())
                if isinstance(statement, Define) and isinstance(statement.declaration, Function)
            ]
            saying = [each for each in inner if self._says(file, each.span, name)]
            pending.extend((each, scope) for each in saying)
            if not saying:
                yield scope

    def _says(self, file: FileFacts, span: Span, name: str) -> bool:
        text = b"\n".join(self._program.files.lines(file.path, span.line, span.end_line))
        return any(name in _names_in(each) for each in _GLOBAL.findall(text))


def _names_in(names: bytes) -> list[str]:
    return [each.strip() for each in names.decode("utf-8", "replace").split(",")]


def _gone(name: str) -> Value:
    """Null, of which it is undetermined whether it is still there."""
    reason = Reason("null-until-set", name=name)
    return BySchema(Nothing(nullable=None, null_reason=reason))
