"""Calls of whole files: configuration is written in any method."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Call, Expr, FileFacts, Lambda, New


def calls_of_class(program: Program, symbol: ClassSymbol) -> Iterator[tuple[Call | New, Scope]]:
    """Every call in the methods and fields of a class, those of its nested classes left out."""
    inside = program.class_scope(symbol)
    for member in symbol.decl.members:
        if member.value is not None:
            yield from calls_in(program, (member.value,), inside)
    for function in symbol.decl.methods:
        scope = program.function_scope(function, inside)
        yield from calls_in(program, scope.statements or (), scope)


def calls_of_file(program: Program, file: FileFacts) -> Iterator[tuple[Call | New, Scope]]:
    """Every call of a file, whether its methods were lowered with the declarations or not."""
    for symbol in program.classes(file):
        yield from calls_of_class(program, symbol)


def calls_given(program: Program, expr: Expr, scope: Scope) -> Iterator[tuple[Call | New, Scope]]:
    """Every call in a function that is given: a lambda, a method reference."""
    value = program.evaluate(expr, scope)
    function = value.function if isinstance(value, FunctionValue) else None
    if isinstance(value, FunctionValue) and function is not None:
        inner = program.function_scope(function, value.scope)
        yield from calls_in(program, inner.statements or (), inner)
    elif isinstance(expr, Lambda):
        inner = program.function_scope(expr.function, scope)
        yield from calls_in(program, inner.statements or (), inner)


def instance_of(symbol: ClassSymbol) -> Instance:
    """Some object of a class."""
    return Instance(symbol, {})
