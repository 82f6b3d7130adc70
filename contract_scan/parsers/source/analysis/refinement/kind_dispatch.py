"""Values and functions that differ with the kind of what they are given: `isinstance(x, list)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from contract_scan.ir.origin import NO_SPAN
from contract_scan.ir.schema import Array, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    NOT,
    OTHER,
    SAME,
    is_null_literal,
)
from contract_scan.parsers.source.facts.nodes import (
    CAUGHT,
    ArrayLiteral,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Name,
    OperationExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_LISTS = frozenset({"list", "tuple", "set", "Sequence", "Iterable"})


def depends_on_kind(results: Sequence[Value], scope: Scope) -> bool:
    """Whether a function gives either a list or an object, and what it is given tells which:
    `if (Array.isArray(x)) return x.map(renamed);` before an object whose keys are those of `x`, or
    `if isinstance(x, list): …` before any object. `scope`: inside the function."""
    objects = [value for value in results if isinstance(value, Record)]
    if not objects or not any(isinstance(value, Items) for value in results):
        return False
    copied = any(value.values is not None and not value.entries for value in objects)
    return copied or _asks_for_list(scope)


def _asks_for_list(scope: Scope) -> bool:
    names = {p.name for p in scope.function.params} if scope.function is not None else set()
    return any(
        isinstance(statement, Branch)
        and statement.condition is not None
        and _is_list_test(statement.condition, names)
        for statement in reaching_definitions.nested_statements(scope.statements or ())
    )


def _is_list_test(test: Expr, names: set[str]) -> bool:
    match test:
        case Call(callee=Name(id="isinstance"), args=(first, second)):
            kinds = second.value
        case _:
            return False
    listed = kinds.items if isinstance(kinds, ArrayLiteral) else (kinds,)
    return (
        isinstance(first.value, Name)
        and first.value.id in names
        and any(isinstance(kind, Name) and kind.id in _LISTS for kind in listed)
    )


def undetermined_kind(
    program: Program, tests: Sequence[tuple[Expr, bool]], scope: Scope
) -> Value | None:
    """The argument of which nothing is known and whose kind tells whether a place behind tests
    runs: `if (Array.isArray(x)) return x.map(shown);` for any `x`. `scope`: inside the function."""
    for test, holds in tests:
        # Arguments are evaluated when they are looked at: first which of them the test asks.
        for name in _names_asked(program, test, scope) if holds else ():
            given = scope.bindings.get(name)
            for option in given.options if isinstance(given, OneOf) else (given,):
                match option:
                    case LibrarySymbol(name=found) if found.startswith(CAUGHT):
                        pass  # an error, of which the test asks the class
                    case Unresolved() | LibraryResult() | LibrarySymbol() if (
                        program.types.is_unknown(program.schema_of(option))
                    ):
                        return option
                    case _:
                        pass
    return None


def without_undetermined_lists(
    program: Program,
    expr: Choice,
    options: Sequence[tuple[Expr, Scope]],
    values: list[Value],
    scope: Scope,
) -> list[Value]:
    """The values of the options of a conditional expression; in the place of a list, where others
    are none, the argument of which nothing is known and whose kind tells whether it is chosen:
    `Array.isArray(x) ? x.map(shown) : shown(x)`. `scope`: around it."""
    if not 0 < sum(isinstance(value, Items) for value in values) < len(values):
        return values
    tests = {id(o): t for o, t in zip(expr.options, expr.given, strict=False)}
    return [
        undetermined_kind(program, ((tests[id(option)], True),), scope) or value
        if isinstance(value, Items)
        else value
        for value, (option, _) in zip(values, options, strict=True)
    ]


def without_chosen_lists(
    program: Program, callee: Expr, results: Sequence[Value], scope: Scope
) -> tuple[Value, ...]:
    """What the functions give that a call may mean; in the place of a list, where others give none,
    the argument of which nothing is known and whose kind tells which function is meant:
    `groups[Array.isArray(x) ? "areMembers" : "isMember"](x)`. `scope`: around the call."""
    tests = [
        (test, True) for node in nodes_of(callee) if isinstance(node, Choice) for test in node.given
    ]
    given = undetermined_kind(program, tests, scope)
    if given is None:
        return tuple(results)
    shapes = [program.types.flat(program.schema_of(program.evaluator.unwrap(v))) for v in results]
    listed = [isinstance(shape, Array) for shape in shapes]
    if all(listed):
        return tuple(results)
    return tuple(given if of_list else v for v, of_list in zip(results, listed, strict=True))


def _names_asked(program: Program, test: Expr, scope: Scope) -> tuple[str, ...]:
    """The names whose kinds a test asks, found once for each test that is written."""
    key = (_names_asked, scope.file.path, test.span)
    if test.span == NO_SPAN or key not in program.memory:
        names = dict.fromkeys(map(_asked_kind, nodes_of(test)))
        program.memory[key] = tuple(name for name in names if name)
    return cast("tuple[str, ...]", program.memory[key])


def _asked_kind(node: object) -> str:
    """The name whose kind, or whether it is null, a test asks; empty for other tests."""
    match node:
        case OperationExpr(operator="typeof" | "instanceof", operands=(Name(id=id), *_)):
            return id
        case OperationExpr(operator=operator, operands=(Name(id=id), other)) if (
            operator in SAME | OTHER
        ):
            return id if is_null_literal(other) else ""
        case Call(
            callee=Attribute(value=Name(id="Array"), name="isArray") | Name(id="isinstance"),
            args=(first, *_),
        ):
            return first.value.id if isinstance(first.value, Name) else ""
        case _:
            return ""


def kind_holds(program: Program, test: Expr, scope: Scope) -> bool | None:
    """Whether an attribute is of the kind that a test asks for: `isinstance(row.data, str)` of a
    column of texts. None where that is undetermined; what it says of a name is told elsewhere."""
    match test:
        case OperationExpr(operator=operator, operands=(inner,)) if operator in NOT:
            verdict = kind_holds(program, inner, scope)
            return None if verdict is None else not verdict
        case Call(callee=Name(id="isinstance"), args=(first, second)) if isinstance(
            first.value, Attribute
        ) and isinstance(second.value, Name):
            value = program.evaluate(first.value, scope)
            shape = program.types.flat(program.schema_of(value))
            return _is_of_kind(shape, second.value.id)
        case _:
            return None


def _is_of_kind(shape: Schema, kind: str) -> bool | None:
    wanted = {"str": "string", "bool": "boolean", "list": "array", "dict": "object"}.get(kind)
    found = ""
    match shape:
        case Scalar(type=type, format="") if type in ("string", "boolean"):
            found = type
        case Array():
            found = "array"
        case Object(incomplete_reason=""):
            found = "object"
        case _:
            pass
    if wanted is None or not found or shape.nullable is not False:
        return None
    return found == wanted
