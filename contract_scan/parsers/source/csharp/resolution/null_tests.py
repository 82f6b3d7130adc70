"""What tells, around an expression, whether it may be null, and what ran before it."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.span_order import contains, encloses
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.analysis.syntax.null_checks import is_not_null
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT
from contract_scan.parsers.source.csharp.lowering.expressions import NOT_NULL as ASSERTED
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Index,
    Loop,
    Name,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of


def is_left_of_fallback(expr: Expr) -> bool:
    """Whether an expression is `x` in `x ?? y`, of which null does not go on."""
    match expr:
        case Call(callee=Name(id=id), args=(argument,)) if id == ASSERTED:
            return expr.span == argument.value.span
        case _:
            return False


def has_asked_receiver(callee: Expr) -> bool:
    """Whether a chain asks for null on its way: `a?.B.C`."""
    return any(isinstance(each, Attribute) and each.optional for each in receiver_chain(callee))


def receiver_chain(expr: Expr) -> Iterator[Expr]:
    """An expression and the receivers that it begins with."""
    while True:
        yield expr
        match expr:
            case Attribute(value=value) | Index(value=value):
                expr = value
            case Call(callee=Name(id=id), args=(argument,)) if id in (AWAIT, ASSERTED):
                expr = argument.value
            case Call(callee=callee):
                expr = callee
            case _:
                return


def is_tested(definition: Definition) -> bool:
    """Whether tests since have said that a value is not null."""
    target = definition.statement.target if isinstance(definition.statement, Assign) else None
    name = target.id if isinstance(target, Name) else ""
    return any(is_not_null(test, name, holds) for test, holds in definition.tests)


def is_chosen_where_present(expr: Name, scope: Scope) -> bool:
    """Whether a name stands in an option of a conditional expression that is chosen only where it
    is not null: `found == null ? NotFound() : Ok(found)`."""
    around = [s for s in scope.statements or () if contains(s, expr.span)]
    return any(
        is_not_null(test, expr.id, True) and encloses(option.span, expr.span)
        for choice in nodes_of(tuple(around))
        if isinstance(choice, Choice)
        for option, test in zip(choice.options, choice.given, strict=False)
    )


def tested_names(statements: tuple[Statement, ...]) -> set[str]:
    """The names that tests of branches mention."""
    return {
        node.id
        for statement in reaching_definitions.nested_statements(statements)
        if isinstance(statement, Branch) and statement.condition is not None
        for node in nodes_of((statement.condition,))
        if isinstance(node, Name)
    }


def ran_before(statements: tuple[Statement, ...], place: Span) -> Iterator[Statement]:
    """The statements that run before a place in the blocks around it."""
    for statement in statements:
        if contains(statement, place):
            match statement:
                case Branch(blocks=blocks):
                    for block in blocks:
                        if any(contains(each, place) for each in block):
                            if statement.kind in ("if", "switch"):
                                yield statement
                            yield from ran_before(block, place)
                case Loop(body=body):
                    yield statement
                    yield from ran_before(body, place)
                case _:
                    pass
            return
        yield statement
