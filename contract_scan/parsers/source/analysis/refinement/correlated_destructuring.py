"""What several names hold that one value was taken apart into.

`order, error = find(…)`, then `if error: return …`: behind the test the function has given what has
no error, so `order` is not the null that goes with one.
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Array, Object, Scalar
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    Instance,
    Items,
    OneOf,
    Record,
    Scope,
    Template,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.refinement.narrowing import fits
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Expr,
    Lambda,
    Name,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MOST_NAMES = 5
_MOST_ALTERNATIVES = 8


def correlated_definitions(
    statements: tuple[Statement, ...], name: str, definition: Definition, use: Span
) -> tuple[tuple[str, Definition], ...]:
    """The other names of one destructuring assignment, with what tests before a place imply
    for them."""
    statement = definition.statement
    target = statement.target if isinstance(statement, Assign) else None
    if not isinstance(target, ArrayLiteral) or len(target.items) > _MOST_NAMES:
        return ()
    found: list[tuple[str, Definition]] = []
    for item in target.items:
        if not isinstance(item, Name) or item.id in (name, "_"):
            continue
        here = reaching_definitions.reaching_definitions(statements, item.id, use)
        if len(here) != 1 or here[0].statement is not statement or here[0].mutations:
            continue
        if here[0].present or here[0].absent or here[0].tests:
            found.append((item.id, here[0]))
    return tuple(found)


def possible(program: Program, whole: Value, definition: Definition, scope: Scope) -> Value:
    """What an assignment takes apart, as the tests of the other names leave it."""
    statement = definition.statement
    target = statement.target if isinstance(statement, Assign) else None
    if not isinstance(whole, OneOf) or not isinstance(target, ArrayLiteral):
        return whole
    names = [item.id if isinstance(item, Name) else "" for item in target.items]
    left = [
        option
        for option in whole.options
        if not any(
            _is_ruled_out(program, option, names, name, said, scope)
            for name, said in definition.correlated_tests
        )
    ]
    return union_of(tuple(left)) if left else whole


def alternatives(program: Program, exprs: tuple[Expr, ...], scope: Scope) -> tuple[Scope, ...]:
    """The scope, once for each value that a variable may hold which all expressions read, or which
    was taken apart into variables that they read."""
    shared: dict[int, tuple[Name, Definition]] | None = None
    for expr in exprs:
        read = {
            id(definition.statement): (node, definition)
            for node in nodes_of(expr, closed=(Lambda,))
            if isinstance(node, Name) and (definition := _only_definition(program, node, scope))
        }
        shared = read if shared is None else {k: v for k, v in shared.items() if k in read}
    for name, definition in (shared or {}).values():
        found = _alternatives_of(program, name, definition, scope)
        if found:
            return found
    return (scope,)


def _only_definition(program: Program, name: Name, scope: Scope) -> Definition | None:
    found = program.names.locals.reaching(scope.statements or (), name.id, name.span)
    return found[0] if len(found) == 1 and isinstance(found[0].statement, Assign) else None


def _alternatives_of(
    program: Program, name: Name, definition: Definition, scope: Scope
) -> tuple[Scope, ...]:
    evaluator, statement = program.evaluator, definition.statement
    assert isinstance(statement, Assign)
    if definition.target is None:
        whole = program.evaluate(name, scope)
    elif statement.value is None or definition.tests or definition.mutations:
        return ()
    else:
        whole = program.evaluate(statement.value, scope)
    pattern = definition.target or name
    whole = evaluator.unwrap(whole)
    if not isinstance(whole, OneOf) or len(whole.options) > _MOST_ALTERNATIVES:
        return ()
    return tuple(
        replace(
            scope,
            bindings={**scope.bindings, **evaluator.pattern_bindings(pattern, option, scope)},
        )
        for option in whole.options
    )


def _is_ruled_out(
    program: Program,
    option: Value,
    names: list[str],
    name: str,
    said: Definition,
    scope: Scope,
) -> bool:
    if not isinstance(option, Items) or option.repeated or len(option.values) != len(names):
        return False
    value = option.values[names.index(name)]
    if (said.present and is_null(value)) or (said.absent and _is_there(program, value)):
        return True
    return any(fits(program, value, name, test, scope) is (not held) for test, held in said.tests)


def _is_there(program: Program, value: Value) -> bool:
    """Whether a value surely counts as true."""
    match value:
        case Constant(value=constant):
            return bool(constant)
        case Template() | Instance():
            return True
        case Record(entries=entries):
            return bool(entries)
        case BySchema():
            flat = program.types.flat(program.types.schema_of(value))
            return isinstance(flat, Scalar | Object | Array) and flat.nullable is False
        case _:
            return False
