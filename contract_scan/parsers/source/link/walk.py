"""Every call of a file with the scope it stands in, without recursion over hostile nesting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import fields

from contract_scan.parsers.source.facts import (
    Argument,
    Call,
    Define,
    Entry,
    FileFacts,
    Function,
    Lambda,
    New,
    Statement,
)
from contract_scan.parsers.source.link.values import Scope

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_CHILDREN: dict[type[Struct], tuple[str, ...]] = {}


def calls(program: Program, file: FileFacts) -> Iterator[tuple[Call | New, Scope]]:
    """Calls and constructions at the top level and in all lowered functions of a file."""
    module = program.module_scope(file)
    exported = tuple(export.value for export in file.exports if export.value is not None)
    yield from calls_in(program, (*file.statements, *exported), module)
    for function in file.functions:
        yield from function_calls(program, function, module)
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        for member in symbol.decl.members:
            if member.value is not None:
                yield from calls_in(program, (member.value,), inside)
        for method in symbol.decl.methods:
            yield from function_calls(program, method, inside)


def function_calls(
    program: Program, function: Function, within: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    """Calls in one function, if its statements were lowered with the declarations."""
    if function.body is not None:
        scope = program.function_scope(function, within)
        yield from calls_in(program, function.body, scope)


def calls_in(
    program: Program, nodes: tuple[Struct, ...] | tuple[Statement, ...], scope: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    """Calls among statements or expressions, in source order, nested functions in their own
    scope."""
    pending: list[tuple[object, Scope]] = [(node, scope) for node in reversed(nodes)]
    while pending:
        node, place = pending.pop()
        if isinstance(node, tuple):
            pending.extend((item, place) for item in reversed(node))
            continue
        if isinstance(node, Lambda):
            function = node.function
            if function.body is not None:
                inner = program.function_scope(function, place)
                pending.append((function.body, inner))
            continue
        if isinstance(node, Define):
            if isinstance(node.declaration, Function) and node.declaration.body is not None:
                inner = program.function_scope(node.declaration, place)
                pending.append((node.declaration.body, inner))
            continue
        if isinstance(node, Call | New):
            yield node, place
        if isinstance(node, Struct):
            names = _children(type(node))
            pending.extend((getattr(node, name), place) for name in reversed(names))


def children(node: Struct) -> list[object]:
    """What stands directly inside a statement or expression."""
    return [getattr(node, name) for name in _children(type(node))]


def _children(kind: type[Struct]) -> tuple[str, ...]:
    """Names of the fields that can hold expressions or statements."""
    if kind not in _CHILDREN:
        skipped = {"span", "type", "type_args", "name", "id", "members", "key", "operator", "kind"}
        names = tuple(f.name for f in fields(kind) if f.name not in skipped)
        if kind in (Argument, Entry):
            names = tuple(name for name in names if name in ("value", "computed"))
        _CHILDREN[kind] = names
    return _CHILDREN[kind]
