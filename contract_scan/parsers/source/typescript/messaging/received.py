"""What a receiver takes a message for: the type that parsed text is declared or cast to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Call,
    Cast,
    Expr,
    Lambda,
    Name,
    ObjectLiteral,
    Statement,
)
from contract_scan.parsers.source.link.shapes import unite
from contract_scan.parsers.source.link.values import FunctionValue, Made, Scope
from contract_scan.parsers.source.typescript.models import zod
from contract_scan.parsers.source.typescript.web import walker

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program

_VALIDATES = frozenset({"parse", "safeParse", "parseAsync", "safeParseAsync"})


def received_shape(program: Program, handler: FunctionValue) -> Schema:
    """The shape a handler declares for the JSON it parses; Unknown where it declares none."""
    scope = program.function_scope(handler.function, handler.scope)
    scope = Scope(
        file=scope.file,
        parent=scope.parent,
        owner=handler.owner or scope.owner,
        function=scope.function,
        statements=scope.statements,
        receiver=handler.receiver or scope.receiver,
    )
    shapes = list(_shapes(program, scope.statements or (), scope))
    told = [shape for shape in shapes if not program.types.is_unknown(shape)]
    if told:
        return unite(told)
    reason = "the handler declares no type for the message it parses"
    return Unknown(reason=reason, origin=program.origin(handler.function, scope))


def _shapes(program: Program, statements: tuple[Statement, ...], scope: Scope) -> Iterator[Schema]:
    for node in _nodes(statements):
        if isinstance(node, Assign) and node.value is not None and _parses(node.value):
            if node.type is not None:
                yield program.schema(node.type, scope)
            elif isinstance(node.target, Name):
                yield from _passed(program, statements, node.target.id, scope)
        elif isinstance(node, Cast) and _parses(node.value):
            yield program.schema(node.type, scope)
        elif isinstance(node, Call):
            yield from _validated(program, node, scope)
            yield from _given_parsed(program, node, scope)


def _passed(
    program: Program, statements: tuple[Statement, ...], name: str, scope: Scope
) -> Iterator[Schema]:
    """`const data = JSON.parse(…); handle(data)`: the type of the parameter it is passed to."""
    for node in _nodes(statements):
        if isinstance(node, Cast) and isinstance(node.value, Name) and node.value.id == name:
            yield program.schema(node.type, scope)
        if not isinstance(node, Call):
            continue
        for position, argument in enumerate(node.args):
            if isinstance(argument.value, Name) and argument.value.id == name:
                yield from _parameter(program, node, position, scope)


def _given_parsed(program: Program, call: Call, scope: Scope) -> Iterator[Schema]:
    """`handle(JSON.parse(…))`."""
    for position, argument in enumerate(call.args):
        if _parses(argument.value):
            yield from _parameter(program, call, position, scope)


def _parameter(program: Program, call: Call, position: int, scope: Scope) -> Iterator[Schema]:
    callee = program.evaluate(call.callee, scope)
    if isinstance(callee, FunctionValue) and position < len(callee.function.params):
        declared = callee.function.params[position].type
        if declared is not None:
            yield program.schema(declared, callee.scope)


def _validated(program: Program, call: Call, scope: Scope) -> Iterator[Schema]:
    """`schema.parse(JSON.parse(…))`."""
    if not isinstance(call.callee, Attribute) or call.callee.name not in _VALIDATES:
        return
    value = program.evaluate(call.callee.value, scope)
    if isinstance(value, Made) and zod.is_zod(value.name):
        yield program.schema_of(value)


def _parses(expr: Expr) -> bool:
    """`JSON.parse(…)`, through casts."""
    while isinstance(expr, Cast):
        expr = expr.value
    if not isinstance(expr, Call) or not isinstance(expr.callee, Attribute):
        return False
    callee = expr.callee
    return callee.name == "parse" and isinstance(callee.value, Name) and callee.value.id == "JSON"


def _nodes(statements: tuple[Statement, ...]) -> Iterator[object]:
    pending: list[object] = list(reversed(statements))
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(reversed(node))
            continue
        yield node
        if isinstance(node, Lambda):
            pending.extend(reversed(node.function.body or ()))
        elif not isinstance(node, ObjectLiteral) or node.entries:
            pending.extend(reversed(walker.children(node)))
