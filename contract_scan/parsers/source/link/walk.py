"""Every call of a file with the scope it stands in, without recursion over hostile nesting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import fields, replace

from contract_scan.parsers.source.facts import (
    Argument,
    ArrayLiteral,
    Call,
    Define,
    Entry,
    FileFacts,
    Function,
    Lambda,
    Loop,
    Name,
    New,
    Statement,
    TypeValue,
)
from contract_scan.parsers.source.link.values import Constant, Items, Record, Scope, Value

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_MOST_ROWS = 200
"""How many rows of a table are told apart."""
_CHILDREN: dict[type[Struct], tuple[str, ...]] = {}


def calls(program: Program, file: FileFacts) -> Iterator[tuple[Call | New, Scope]]:
    """Calls and constructions at the top level and in all lowered functions of a file."""
    module = program.module_scope(file)
    exported = tuple(export.value for export in file.exports if export.value is not None)
    yield from calls_in(program, (*file.statements, *exported), module, tables=True)
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
        yield from calls_in(program, function.body, scope, tables=True)


def calls_in(
    program: Program,
    nodes: tuple[Struct, ...] | tuple[Statement, ...],
    scope: Scope,
    *,
    tables: bool = False,
) -> Iterator[tuple[Call | New, Scope]]:
    """Calls among statements or expressions, in source order, nested functions in their own
    scope. With `tables` those in a loop over a table that is written out come once for each of its
    rows."""
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
        if isinstance(node, Loop) and tables:
            rows = _rows(program, node, place)
            if rows:
                pending.extend((node.body, row) for row in reversed(rows))
                continue
        if isinstance(node, Call | New):
            yield node, place
        if isinstance(node, Struct):
            names = _children(type(node))
            pending.extend((getattr(node, name), place) for name in reversed(names))


def _rows(program: Program, loop: Loop, scope: Scope) -> list[Scope]:
    """The scopes of a loop's body, one for each row of the table that it goes through: what stands
    in one row belongs together. None where it goes through anything else."""
    if loop.variable is None or not isinstance(loop.iterable, ArrayLiteral | Name | Call):
        return []
    table = program.evaluate(loop.iterable, scope)
    if not isinstance(table, Items) or table.repeated or not 1 < len(table.values) <= _MOST_ROWS:
        return []
    if not all(_is_row(value) for value in table.values):
        return []
    bound = [
        program.evaluator.pattern_bindings(loop.variable, value, scope) for value in table.values
    ]
    return [replace(scope, bindings={**scope.bindings, **names}) for names in bound]


def _is_row(value: Value) -> bool:
    return isinstance(value, Record | Constant) or (
        isinstance(value, Items) and value.is_tuple and not value.repeated
    )


def children(node: Struct) -> list[object]:
    """What stands directly inside a statement or expression."""
    return [getattr(node, name) for name in _children(type(node))]


def type_values(nodes: tuple[Statement, ...]) -> Iterator[TypeValue]:
    """Every type that is used as a value among statements (`Order.class`)."""
    pending: list[object] = list(reversed(nodes))
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(reversed(node))
        elif isinstance(node, TypeValue):
            yield node
        elif isinstance(node, Lambda):
            pending.append(node.function.body or ())
        elif isinstance(node, Struct):
            pending.extend(reversed(children(node)))


def _children(kind: type[Struct]) -> tuple[str, ...]:
    """Names of the fields that can hold expressions or statements."""
    if kind not in _CHILDREN:
        skipped = {"span", "type", "type_args", "name", "id", "members", "key", "operator", "kind"}
        names = tuple(f.name for f in fields(kind) if f.name not in skipped)
        if kind in (Argument, Entry):
            names = tuple(name for name in names if name in ("value", "computed"))
        _CHILDREN[kind] = names
    return _CHILDREN[kind]
