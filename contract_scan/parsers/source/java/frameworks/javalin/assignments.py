"""Properties of configuration objects that code sets: `config.contextPath = "/api"`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Expr, Lambda
from contract_scan.parsers.source.facts.visitor import children

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.language import Framework


def property_assignments(
    program: Program, framework: Framework, name: str
) -> Iterator[tuple[Expr, Scope]]:
    """The values that the files of a library assign to properties of this name."""
    for file in program.seeds(framework):
        if name.encode() not in (program.files.read(file.path) or b""):
            continue
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for function in symbol.decl.methods:
                scope = program.function_scope(function, inside)
                yield from _assignments_in(program, scope.statements or (), scope, name)


def _assignments_in(
    program: Program, nodes: tuple[object, ...], scope: Scope, name: str
) -> Iterator[tuple[Expr, Scope]]:
    pending: list[tuple[object, Scope]] = [(node, scope) for node in reversed(nodes)]
    while pending:
        node, place = pending.pop()
        match node:
            case tuple():
                pending.extend((item, place) for item in reversed(node))
            case Lambda(function=function):
                inner = program.function_scope(function, place)
                pending.append((inner.statements or (), inner))
            case Assign(target=Attribute(name=target), value=value) if (
                target == name and value is not None
            ):
                yield value, place
            case Struct():
                pending.extend((child, place) for child in reversed(children(node)))
            case _:
                pass
